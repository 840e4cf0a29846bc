//! Evidence recall in long conversations of two.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{
    recall::{Dialogue, PreparedDialogue, RANKINGS, mean_and_least},
    table::{Cell, Table},
};

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

/// The conversations of the file; nothing where it is absent.
pub(crate) fn dialogues(data: &Path) -> Option<Vec<Dialogue>> {
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

/// The table.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let all: Vec<PreparedDialogue> = dialogues(data)?.iter().map(PreparedDialogue::of).collect();
    let about = "share of the turns with the evidence that is in a pack of so many tokens; least of one conversation";
    let columns = ["way", "512", "1024", "2048", "least 512", "least 1024", "least 2048"];
    let mut table = Table::new("locomo", about, &columns);
    for (name, way) in RANKINGS {
        let shares = mean_and_least(&all, &[512, 1_024, 2_048], way);
        let means = shares.iter().map(|(mean, _)| Cell::from(mean.turns));
        let least = shares.iter().map(|(_, least)| Cell::from(*least));
        table.push([Cell::from(name)].into_iter().chain(means).chain(least).collect());
    }
    Some(table)
}
