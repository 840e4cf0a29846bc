//! The checker, held against transcripts made by hand: good ones, and each way to be bad.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use serde_json::json;

use super::*;
use crate::expected::{Absence, AnswerScript, EventLog};

fn event(offset: u64) -> Value {
    json!({ "type": "event", "position": format!("e1-{offset}"), "at": offset, "name": "messaging.reacted",
        "data": { "message_id": format!("msg_{offset}") } })
}

fn frame(kind: &str, offset: u64) -> Value {
    json!({ "type": kind, "position": format!("e1-{offset}") })
}

/// A log of ten events, of which the odd ones are for the reader.
fn expected() -> ExpectedEvents {
    let must: EventLog = (1..=10).filter(|offset| offset % 2 == 1).map(|offset| (offset, event(offset))).collect();
    ExpectedEvents { epoch: "e1".into(), end: 10, must, ..ExpectedEvents::default() }
}

fn session(after: &str, frames: Vec<Value>) -> ReaderSession {
    ReaderSession {
        after: after.parse().ok(),
        is_fresh: false,
        received: frames.into_iter().map(ReceivedFrame::now).collect(),
    }
}

fn judge_all(expected: &ExpectedEvents, sessions: Vec<ReaderSession>) -> String {
    complaints(&Transcript { reader: "R".into(), sessions }, expected).join("\n")
}

/// The complaints about one session from the beginning of the log.
fn judge(frames: Vec<Value>) -> String {
    judge_all(&expected(), vec![session("e1-0", frames)])
}

#[test]
fn a_correct_session_gives_no_complaint() {
    let frames = vec![event(1), event(3), frame("live", 4), event(5), event(7), event(9), frame("position", 10)];
    assert_eq!(judge(frames), "");
}

#[test]
fn a_resumed_session_gives_no_complaint() {
    let first = session("e1-0", vec![event(1), event(3), frame("live", 4), event(5)]);
    // Killed before it noted the last two.
    let second = session("e1-2", vec![event(3), event(5), event(7), frame("live", 8)]);
    let third = session("e1-8", vec![event(9), frame("live", 10)]);
    assert_eq!(judge_all(&expected(), vec![first, second, third]), "");
}

#[test]
fn a_reader_from_now_must_get_events_after_live() {
    let sound = vec![frame("live", 4), event(5), event(7), event(9), frame("position", 10)];
    assert_eq!(judge_all(&expected(), vec![session("", sound)]), "");
    let lossy = vec![frame("live", 4), event(7), event(9), frame("position", 10)];
    assert!(judge_all(&expected(), vec![session("", lossy)]).contains("lost: messaging.reacted e1-5"));
    let early = vec![event(5), event(7), event(9), frame("position", 10)];
    assert!(judge_all(&expected(), vec![session("", early)]).contains("came before `live`"));
}

#[test]
fn a_lost_event_is_detected_before_an_event_and_before_a_position() {
    let middle = judge(vec![event(1), event(5), event(7), event(9), frame("live", 10)]);
    assert_eq!(middle, "R, session 0: lost: messaging.reacted e1-3 had not come before messaging.reacted e1-5");
    assert!(judge(vec![frame("live", 10)]).contains("lost: messaging.reacted e1-9 had not come before live e1-10"));
    assert!(judge(vec![event(1), event(3), frame("position", 10)]).contains("e1-5"));
}

#[test]
fn an_event_lost_at_a_resume_is_detected() {
    let first = session("e1-0", vec![event(1), event(3)]);
    let second = session("e1-3", vec![event(7), event(9), frame("live", 10)]);
    assert!(judge_all(&expected(), vec![first, second]).contains("session 1: lost: messaging.reacted e1-5"));
}

#[test]
fn duplicated_and_reordered_events_are_detected() {
    let doubled = judge(vec![event(1), event(1), event(3), event(5), event(7), event(9), frame("live", 10)]);
    assert_eq!(doubled, "R, session 0: doubled or moved: messaging.reacted e1-1 came after 1");
    let told_before = session("e1-5", vec![event(5), event(7), event(9), frame("live", 10)]);
    let first = session("e1-0", vec![event(1), event(3), event(5)]);
    assert!(judge_all(&expected(), vec![first, told_before]).contains("session 1: doubled or moved"));
    let moved = judge(vec![event(3), event(1), event(5), event(7), event(9), frame("live", 10)]);
    assert!(moved.contains("lost: messaging.reacted e1-1") && moved.contains("doubled or moved"), "{moved}");
}

#[test]
fn events_for_others_and_unknown_events_are_detected() {
    let all = |strange: Value| vec![event(1), event(3), strange, event(5), event(7), event(9), frame("live", 10)];
    assert!(judge(all(event(4))).contains("not for this reader: messaging.reacted e1-4"));
    let mut other = event(3);
    other["data"]["message_id"] = "msg_9".into();
    assert!(judge(vec![event(1), other, event(5), event(7), event(9), frame("live", 10)]).contains("changed"));
}

#[test]
fn a_message_may_be_sent_in_its_current_state() {
    let posted = |body: &str| {
        let data = json!({ "id": "msg_1", "to": "chn_1", "seq": 1, "from": "a", "body": body, "state": "complete" });
        json!({ "type": "event", "position": "e1-1", "at": 1, "name": "messaging.posted", "data": data })
    };
    let expected =
        ExpectedEvents { epoch: "e1".into(), end: 1, must: [(1, posted("now"))].into(), ..ExpectedEvents::default() };
    assert_eq!(judge_all(&expected, vec![session("e1-0", vec![posted("then")])]), "");
}

#[test]
fn a_position_that_goes_back_is_detected() {
    let frames = vec![event(1), event(3), frame("position", 4), frame("position", 2), frame("live", 4)];
    assert!(judge(frames).contains("position e1-2 went back"));
}

#[test]
fn a_reader_that_did_not_reach_the_end_is_detected() {
    assert_eq!(judge(vec![event(1), event(3)]), "R: reached Some(3) of 10");
    assert!(judge_all(&expected(), Vec::new()).contains("reached None"));
}

#[test]
fn a_reader_that_skips_events_is_detected() {
    let first = session("e1-0", vec![event(1)]);
    let second = session("e1-3", vec![event(5), event(7), event(9), frame("live", 10)]);
    let fresh = ReaderSession { is_fresh: true, ..session("e1-5", vec![event(7), event(9), frame("live", 10)]) };
    assert_eq!(judge_all(&expected(), vec![session("e1-0", vec![event(1)]), fresh]), "");
    assert!(judge_all(&expected(), vec![first, second]).contains("began after 3, but had reached only 1"));
}

#[test]
fn a_gap_frame_excuses_missing_events_and_a_needless_one_is_detected() {
    for lost in ["e0-5", "e1-99"] {
        let sound = vec![frame("gap", 6), event(7), event(9), frame("live", 10)];
        assert_eq!(judge_all(&expected(), vec![session(lost, sound)]), "");
        let silent = vec![event(7), event(9), frame("live", 10)];
        assert!(judge_all(&expected(), vec![session(lost, silent)]).contains("a gap was kept secret"), "{lost}");
    }
    assert!(judge(vec![frame("gap", 6), event(7), event(9), frame("live", 10)]).contains("needless gap"));
}

#[test]
fn frames_of_another_log_and_invalid_frames_are_detected() {
    let foreign = json!({ "type": "event", "position": "e2-1", "name": "x" });
    assert!(judge(vec![foreign]).contains("no position of this log"));
    assert!(judge(vec![json!({ "type": "broken", "detail": "half" })]).contains("broken frame: \"half\""));
}

#[test]
fn every_frame_is_searched_for_secrets() {
    let expected = ExpectedEvents { secrets: vec!["chn_private".into()], ..expected() };
    let typing = json!({ "type": "typing", "conversation_id": "chn_private" });
    let text = judge_all(&expected, vec![session("e1-0", vec![typing])]);
    assert!(text.contains("received an event of a private channel: typing"), "{text}");
}

#[test]
fn a_non_member_gets_no_events_before_it_is_added() {
    let now = Instant::now();
    let may: EventLog = [(4, event(4))].into();
    let hear_at = |until, at| {
        let absences = vec![Absence { after: 2, until }];
        let expected = ExpectedEvents { may: may.clone(), absences, ..expected() };
        let frames = vec![event(1), event(3), event(4), event(5), event(7), event(9), frame("live", 10)];
        let mut session = session("e1-0", frames);
        session.received.iter_mut().for_each(|received| received.at = at);
        judge_all(&expected, vec![session])
    };
    let later = now + Duration::from_secs(1);
    assert_eq!(hear_at(Some((8, now)), later), "");
    assert!(hear_at(Some((8, later)), now).contains("received while not a member: messaging.reacted e1-4"));
    assert!(hear_at(None, later).contains("received while not a member"));
    // It happened while the reader was in.
    assert_eq!(hear_at(Some((4, later)), now), "");
}

/// A sight in which one answer is streamed as "Hello wörld".
fn streaming() -> ExpectedEvents {
    let script = AnswerScript { streamed: "Hello wörld".into(), replaced_by: Some("Bye".into()) };
    ExpectedEvents {
        epoch: "e1".into(),
        scripts: HashMap::from([("msg_s".to_owned(), script)]),
        ..ExpectedEvents::default()
    }
}

fn chunk(start: u64, text: &str) -> Value {
    json!({ "type": "chunk", "message_id": "msg_s", "conversation_id": "chn_1", "start": start, "text": text })
}

fn whole(text: &str) -> Value {
    json!({ "type": "stream", "message_id": "msg_s", "conversation_id": "chn_1", "text": text })
}

fn finished(body: &str) -> Value {
    json!({ "type": "event", "name": "messaging.finished", "data": { "id": "msg_s", "body": body } })
}

/// What is wrong with these frames about the answer.
fn judge_stream(expected: &ExpectedEvents, frames: &[Value]) -> String {
    let mut texts = StreamTexts::new(expected);
    frames.iter().filter_map(|frame| texts.hear(frame)).collect::<Vec<_>>().join("\n")
}

#[test]
fn contiguous_chunks_give_no_complaint() {
    let posted = json!({ "type": "event", "name": "messaging.posted",
        "data": { "id": "msg_s", "body": "Hel", "state": "streaming" } });
    let pieces = [posted, chunk(3, "lo w"), chunk(7, "ö"), chunk(8, "rld"), finished("Hello wörld")];
    assert_eq!(judge_stream(&streaming(), &pieces), "");
    assert_eq!(judge_stream(&streaming(), &[whole("Hello w"), chunk(7, "ö"), finished("Bye")]), "");
}

#[test]
fn overlapping_and_missing_chunks_are_detected() {
    for wrong in [chunk(4, "o w"), chunk(6, "w")] {
        assert!(judge_stream(&streaming(), &[whole("Hello"), wrong]).contains("5 characters are there"));
    }
}

#[test]
fn unknown_chunks_and_lost_text_are_detected() {
    assert!(judge_stream(&streaming(), &[whole("Hello"), chunk(5, "x")]).contains("but is to be"));
    assert!(judge_stream(&streaming(), &[whole("Hello"), whole("Hel")]).contains("lost text"));
    assert!(judge_stream(&ExpectedEvents::default(), &[whole("Hello")]).contains("streamed by nobody"));
}

#[test]
fn an_end_with_less_text_is_detected() {
    assert!(judge_stream(&streaming(), &[whole("Hello"), finished("Hel")]).contains("ended as \"Hel\""));
}

#[test]
fn chunks_after_the_end_or_without_a_start_are_detected() {
    assert!(judge_stream(&streaming(), &[finished("Hello"), chunk(5, " ")]).contains("after its end"));
    assert!(judge_stream(&streaming(), &[whole("Hello"), finished("Hello"), whole("Hello")]).contains("after its end"));
    assert!(judge_stream(&streaming(), &[finished("Hello"), finished("Hello")]).contains("ended twice"));
    assert!(judge_stream(&streaming(), &[chunk(5, " ")]).contains("came alone"));
    let late = ExpectedEvents { entered_late: vec!["chn_1".into()], ..streaming() };
    assert_eq!(judge_stream(&late, &[chunk(5, " ")]), "");
    assert_eq!(judge_stream(&late, &[whole("Hello"), chunk(7, "ö"), chunk(8, "rld")]), "");
    assert!(judge_stream(&late, &[finished("Hello"), chunk(5, " ")]).contains("after its end"));
}
