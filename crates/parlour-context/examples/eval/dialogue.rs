//! Conversations with questions, and the file of LoCoMo that has them. The evaluation of the hub reads it too.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// A conversation, and what is asked about it.
pub(crate) struct Dialogue {
    /// Who said what, in order.
    pub(crate) turns: Vec<(String, String)>,
    /// What is asked, and the turns that are needed to answer it.
    pub(crate) questions: Vec<(String, Vec<usize>)>,
}

/// One conversation of the file. Pictures and what was said of them by a machine are not looked at.
#[derive(Deserialize)]
struct LocomoSample {
    qa: Vec<LocomoQuestion>,
    conversation: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct LocomoQuestion {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

#[derive(Deserialize)]
struct LocomoTurn {
    speaker: String,
    dia_id: String,
    text: String,
}

/// The conversations of LoCoMo in this folder; nothing where the file is absent.
pub(crate) fn read_locomo(data: &Path) -> Option<Vec<Dialogue>> {
    let text = std::fs::read_to_string(data.join("locomo-dev.json")).ok()?;
    let samples: Vec<LocomoSample> = serde_json::from_str(&text).expect("conversations of LoCoMo");
    Some(samples.iter().map(dialogue).collect())
}

fn dialogue(sample: &LocomoSample) -> Dialogue {
    let mut turns = Vec::new();
    let mut places = HashMap::new();
    for number in 1.. {
        let Some(session) = sample.conversation.get(&format!("session_{number}")) else { break };
        let session: Vec<LocomoTurn> = serde_json::from_value(session.clone()).expect("turns of a session");
        for turn in session {
            places.insert(turn.dia_id, turns.len());
            turns.push((turn.speaker, turn.text));
        }
    }
    // The fifth category asks for what was never said.
    let asked = sample.qa.iter().filter(|asked| (1..=4).contains(&asked.category));
    let questions = asked.map(|asked| (asked.question.clone(), needed(&asked.evidence, &places)));
    Dialogue { questions: questions.filter(|(_, needed)| !needed.is_empty()).collect(), turns }
}

/// The places of the evidence; a few entries of the file hold two ids, or one that no turn has.
fn needed(evidence: &[String], places: &HashMap<String, usize>) -> Vec<usize> {
    let ids = evidence.iter().flat_map(|entry| entry.split([';', ',', ' ']));
    let mut needed: Vec<usize> = ids.filter_map(|id| places.get(id.trim()).copied()).collect();
    needed.sort_unstable();
    needed.dedup();
    needed
}
