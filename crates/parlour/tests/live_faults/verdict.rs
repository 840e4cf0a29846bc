//! The verdict over a run: the log is read as everybody, from a hub that does nothing wrong, and held against what was
//! heard and acknowledged.

use std::{collections::HashMap, path::Path};

use reqwest::Client;
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    aftermath,
    api::ANSWER_PATIENCE,
    chaos::{ReaderRole, RunOutcome},
    checker,
    expected::{Absence, EventLog, ExpectedEvents},
    reader::ReaderTarget,
    sse::SseConnection,
    support::Hub,
    transcript::text,
};

/// All broken promises of a run, in words.
pub(crate) async fn complaints(folder: &Path, outcome: &RunOutcome) -> Vec<String> {
    let hub = tokio::task::block_in_place(|| Hub::start(folder));
    let mut logs = HashMap::new();
    for who in [ReaderRole::Owner, ReaderRole::Insider, ReaderRole::Stranger, ReaderRole::Wanderer] {
        logs.insert(
            who,
            read_log(
                &outcome.project_fixture.target(&hub.url, who.member(&outcome.project_fixture)),
                &outcome.project_fixture.epoch,
            )
            .await,
        );
    }
    let owner = &logs[&ReaderRole::Owner];
    let mut complaints = Vec::new();
    complaints.extend(aftermath::holes(&logs.values().collect::<Vec<_>>()));
    let posts: Vec<_> =
        outcome.done.acked.iter().chain(outcome.done.answers.iter().map(|answer| &answer.opened)).cloned().collect();
    complaints.extend(aftermath::lost_posts(owner, &posts));
    complaints.extend(aftermath::broken_answers(owner, &outcome.done.answers));
    for (who, transcript) in &outcome.transcripts {
        complaints.extend(checker::complaints(transcript, &expected(*who, outcome, &logs)));
    }
    complaints
}

/// Reads the whole log as one member sees it.
async fn read_log(target: &ReaderTarget, epoch: &str) -> EventLog {
    let (client, after) = (Client::new(), format!("{epoch}-0"));
    let line = timeout(ANSWER_PATIENCE, SseConnection::open(&client, target, Some(&after))).await;
    let mut line = line.ok().flatten().expect("the hub is there");
    let mut log = EventLog::new();
    loop {
        let frame = timeout(ANSWER_PATIENCE, line.next()).await.ok().flatten().expect("the hub is there");
        match text(&frame, "/type") {
            "event" => drop(log.insert(offset_of(&frame), frame)),
            "live" => return log,
            other => unreachable!("a {other} before everything was told"),
        }
    }
}

fn offset_of(event: &Value) -> u64 {
    let (_, offset) = text(event, "/position").split_once('-').expect("a position");
    offset.parse().expect("an offset")
}

/// What a reader with these eyes was to hear.
fn expected(who: ReaderRole, outcome: &RunOutcome, logs: &HashMap<ReaderRole, EventLog>) -> ExpectedEvents {
    let scripts = outcome.done.answers.iter().map(|answer| (answer.opened.id.clone(), answer.script.clone()));
    let expected = ExpectedEvents {
        epoch: outcome.project_fixture.epoch.clone(),
        end: outcome.finish,
        scripts: scripts.collect(),
        must: logs[&who].clone(),
        ..ExpectedEvents::default()
    };
    match who {
        ReaderRole::Owner | ReaderRole::Insider => expected,
        ReaderRole::Stranger => ExpectedEvents { secrets: outcome.project_fixture.secrets(), ..expected },
        ReaderRole::Wanderer => ExpectedEvents {
            entered_late: outcome.project_fixture.secrets(),
            ..wandering(expected, outcome, &logs[&ReaderRole::Owner])
        },
    }
}

/// What the wanderer was to hear. What happened in the private channel it must hear only since it was let in for good:
/// before that it depends on when it was told.
fn wandering(expected: ExpectedEvents, outcome: &RunOutcome, log: &EventLog) -> ExpectedEvents {
    let project_fixture = &outcome.project_fixture;
    let moves = |name: &str| -> Vec<u64> {
        let is_move = |event: &Value| {
            text(event, "/name") == name && text(event, "/data/member_id") == project_fixture.wanderer.id
        };
        log.iter().filter(|(_, event)| is_move(event)).map(|(offset, _)| *offset).collect()
    };
    let out = moves("channels.member_removed");
    // The first time was when the ground was made.
    let back_in = &moves("channels.member_added")[1..];
    assert_eq!(back_in.len(), outcome.done.asked_in.len(), "every request to be let in has one event");
    let mut again = back_in.iter().copied().zip(outcome.done.asked_in.iter().copied());
    let absences: Vec<_> = out.iter().map(|after| Absence { after: *after, until: again.next() }).collect();
    let in_for_good = match absences.last() {
        Some(Absence { until: Some((offset, _)), .. }) => *offset,
        Some(_) => u64::MAX,
        None => 0,
    };
    let is_read_by_others = |event: &Value| text(event, "/name") == "messaging.read";
    let (must, may) =
        log.clone().into_iter().filter(|(_, event)| !is_read_by_others(event)).partition(|(offset, event)| {
            let is_own = text(event, "/data/member_id") == project_fixture.wanderer.id;
            is_own || !project_fixture.is_private(event) || *offset > in_for_good
        });
    ExpectedEvents { must, may, absences, ..expected }
}
