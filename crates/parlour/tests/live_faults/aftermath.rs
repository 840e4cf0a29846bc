//! The promises of the log itself: it has no holes, every acknowledged post stands in it once, every answer has ended.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::{
    expected::EventLog,
    load::AckedPost,
    producer::ProducedAnswer,
    transcript::{place, text},
};

/// How an answer may end.
const ENDS: [&str; 4] = ["complete", "failed", "cancelled", "interrupted"];

/// The numbers of a log are 1, 2, 3 … when all members put together what they see.
pub(crate) fn holes(logs: &[&EventLog]) -> Option<String> {
    let offsets: BTreeSet<_> = logs.iter().flat_map(|log| log.keys().copied()).collect();
    let wrong = (1..).zip(&offsets).find(|(expected, offset)| expected != *offset);
    wrong.map(|(expected, offset)| format!("the log has {offset} where {expected} belongs"))
}

/// Every acknowledged post stands where it was said to stand, and nowhere else.
pub(crate) fn lost_posts(log: &EventLog, acked: &[AckedPost]) -> Vec<String> {
    let mut places: HashMap<&str, Vec<String>> = HashMap::new();
    for event in log.values().filter(|event| text(event, "/name") == "messaging.posted") {
        places.entry(text(event, "/data/id")).or_default().push(place(text(event, "/position")));
    }
    let wrong = acked.iter().filter_map(|one| {
        let found = places.get(one.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        (found != [place(&one.position)])
            .then(|| format!("{} was acknowledged at {}, is at {found:?}", one.id, one.position))
    });
    wrong.collect()
}

/// Every answer that was opened has ended once, with the text that was acknowledged.
pub(crate) fn broken_answers(log: &EventLog, answers: &[ProducedAnswer]) -> Vec<String> {
    let mut ends: HashMap<&str, Vec<&Value>> = HashMap::new();
    for event in log.values().filter(|event| text(event, "/name") == "messaging.finished") {
        ends.entry(text(event, "/data/id")).or_default().push(&event["data"]);
    }
    let wrong = answers.iter().filter_map(|answer| {
        let ends = ends.get(answer.opened.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let [end] = ends else { return Some(format!("{} has ended {} times", answer.opened.id, ends.len())) };
        broken_end(answer, end).map(|wrong| format!("{}: {wrong}", answer.opened.id))
    });
    wrong.collect()
}

fn broken_end(answer: &ProducedAnswer, end: &Value) -> Option<String> {
    let (state, body) = (text(end, "/state"), text(end, "/body"));
    let ProducedAnswer { script, acked_chars, ended, .. } = answer;
    if !ENDS.contains(&state) {
        return Some(format!("it is {state}"));
    }
    if ended.is_some_and(|ended| ended != state) {
        return Some(format!("it was acknowledged as {ended:?}, is {state}"));
    }
    if let Some(replaced) = script.replaced_by.as_deref().filter(|_| state == "complete") {
        return (body != replaced).then(|| format!("it reads {body:?}"));
    }
    if !script.streamed.starts_with(body) {
        return Some(format!("it reads {body:?}, which nobody wrote"));
    }
    // A hub that is killed may lose the last pieces of an answer; one that ends it knows all that it has acknowledged.
    let is_short = body.chars().count() < *acked_chars;
    (is_short && state != "interrupted")
        .then(|| format!("it is {state} with {body:?}, but {acked_chars} were acknowledged"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::expected::AnswerScript;

    fn event(offset: u64, name: &str, data: &Value) -> (u64, Value) {
        (offset, json!({ "position": format!("e-{offset}"), "name": name, "data": data }))
    }

    #[test]
    fn missing_offsets_are_detected_in_the_whole_log_only() {
        let log = |offsets: &[u64]| -> EventLog { offsets.iter().map(|offset| (*offset, Value::Null)).collect() };
        assert_eq!(holes(&[&log(&[1, 3]), &log(&[2, 3, 4])]), None);
        assert_eq!(holes(&[&log(&[1, 2, 4])]).as_deref(), Some("the log has 4 where 3 belongs"));
        assert_eq!(holes(&[&log(&[2])]).as_deref(), Some("the log has 2 where 1 belongs"));
    }

    #[test]
    fn lost_duplicated_and_reordered_posts_are_detected() {
        let acked = [AckedPost { id: "msg_1".into(), position: "e-1".into() }];
        let posted = |offset| event(offset, "messaging.posted", &json!({ "id": "msg_1" }));
        assert!(lost_posts(&[posted(1)].into(), &acked).is_empty());
        for log in [EventLog::new(), [posted(1), posted(2)].into(), [posted(2)].into()] {
            assert_eq!(lost_posts(&log, &acked).len(), 1, "{log:?}");
        }
    }

    /// What is wrong with an answer of "Hello", of which four letters were acknowledged.
    fn judge(ended: Option<&'static str>, ends: &[(&str, &str)]) -> String {
        let opened = AckedPost { id: "msg_s".into(), position: "e-1".into() };
        let script = AnswerScript { streamed: "Hello".into(), replaced_by: None };
        let log = (1..).zip(ends).map(|(offset, (state, body))| {
            event(offset, "messaging.finished", &json!({ "id": "msg_s", "state": state, "body": body }))
        });
        broken_answers(&log.collect(), &[ProducedAnswer { opened, script, acked_chars: 4, ended }]).join("\n")
    }

    #[test]
    fn a_correct_answer_gives_no_complaint() {
        assert_eq!(judge(Some("complete"), &[("complete", "Hello")]), "");
        assert_eq!(judge(None, &[("interrupted", "He")]), "");
    }

    #[test]
    fn answers_that_do_not_end_exactly_once_are_detected() {
        assert_eq!(judge(None, &[]), "msg_s has ended 0 times");
        assert_eq!(judge(None, &[("failed", "Hello"), ("failed", "Hello")]), "msg_s has ended 2 times");
        assert_eq!(judge(None, &[("streaming", "Hello")]), "msg_s: it is streaming");
    }

    #[test]
    fn an_end_that_differs_from_the_acknowledged_one_is_detected() {
        assert!(judge(Some("cancelled"), &[("complete", "Hello")]).contains("is complete"));
        assert!(judge(None, &[("cancelled", "Hel")]).contains("4 were acknowledged"));
        assert!(judge(None, &[("interrupted", "Help")]).contains("which nobody wrote"));
    }
}
