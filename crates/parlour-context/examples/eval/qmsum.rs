//! Span recall in meetings.

use std::path::Path;

use serde::Deserialize;

use super::{
    dialogue::Dialogue,
    recall::{PreparedDialogue, RANKINGS, mean_and_least},
    table::{Cell, Table},
};

#[derive(Deserialize)]
struct Meeting {
    specific_query_list: Vec<QmsumQuestion>,
    meeting_transcripts: Vec<QmsumTurn>,
}

#[derive(Deserialize)]
struct QmsumQuestion {
    query: String,
    relevant_text_span: Vec<[String; 2]>,
}

#[derive(Deserialize)]
struct QmsumTurn {
    speaker: String,
    content: String,
}

/// The meetings of the file; nothing where it is absent.
pub(crate) fn dialogues(data: &Path) -> Option<Vec<Dialogue>> {
    let text = std::fs::read_to_string(data.join("qmsum-val.jsonl")).ok()?;
    let meetings = text.lines().map(|line| serde_json::from_str(line).expect("a meeting of QMSum"));
    Some(meetings.map(|meeting: Meeting| dialogue(&meeting)).collect())
}

fn dialogue(meeting: &Meeting) -> Dialogue {
    let turns: Vec<_> =
        meeting.meeting_transcripts.iter().map(|turn| (turn.speaker.clone(), turn.content.clone())).collect();
    let questions = meeting.specific_query_list.iter().map(|asked| (asked.query.clone(), needed(asked, turns.len())));
    Dialogue { questions: questions.filter(|(_, needed)| !needed.is_empty()).collect(), turns }
}

/// All turns of the spans; both ends belong to them.
fn needed(asked: &QmsumQuestion, turns: usize) -> Vec<usize> {
    let spans = asked.relevant_text_span.iter().filter_map(|[first, last]| {
        let (first, last) = (first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?);
        Some(first..(last + 1).min(turns))
    });
    let mut needed: Vec<usize> = spans.flatten().collect();
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// The table.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let all: Vec<PreparedDialogue> = dialogues(data)?.iter().map(PreparedDialogue::of).collect();
    let about = "share of the marked turns that is in a pack of so many tokens; of the tokens that it has room for; of the \
                 tokens of spans that fit";
    let columns = ["way", "1024", "2048", "room 1024", "room 2048", "fit 1024", "fit 2048"];
    let mut table = Table::new("qmsum", about, &columns);
    for (name, way) in RANKINGS {
        let shares = mean_and_least(&all, &[1_024, 2_048], way);
        let turns = shares.iter().map(|(mean, _)| Cell::from(mean.turns));
        let room = shares.iter().map(|(mean, _)| Cell::from(mean.room));
        let fit = shares.iter().map(|(mean, _)| Cell::from(mean.fit.unwrap_or(0.0)));
        table.push([Cell::from(name)].into_iter().chain(turns).chain(room).chain(fit).collect());
    }
    Some(table)
}
