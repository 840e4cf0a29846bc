use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    Timestamp,
    author::AuthorType,
    id::{AgentId, ChannelId, MessageId, ProjectId},
    question::{AnswerOption, Ask},
};

fn message(body: &str) -> Message {
    let author = Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: "Mara".into() };
    let (project, channel) = (ProjectId::from_bits(1), "chn_release".parse::<ChannelId>().expect("id").into());
    let id: MessageId = "msg_stop".parse().expect("id");
    Message { blocking: true, ..Message::plain(id, project, channel, author, body.into(), Timestamp::from_millis(0)) }
}

fn asking(ask: &Ask) -> Message {
    let question = ask.asked(vec![AgentId::from_bits(1).into()], Timestamp::from_millis(0));
    Message { question: Some(question), ..message("Which branch?") }
}

fn run() -> RunId {
    "run_41".parse().expect("id")
}

#[test]
fn a_pause_tells_who_wrote_what_and_how_to_answer() {
    let text = injection(&[Brief::of(&message("Stop.\n\nWhich branch?"), Some(PauseReason::Message))], &run());
    let expected = "You received a message from Mara in chn_release (msg_stop):\n\
        > Stop. Which branch?\n\
        Answer it: reply_thread(message_id=\"msg_stop\", body=\"…\")\n\
        Your run run_41 is paused. Handle this first; it goes on with your answer, or with checkpoint(resume=true).";
    assert_eq!(text, expected);
}

#[test]
fn options_and_the_default_are_told() {
    let option = |id: &str, label: &str| AnswerOption { id: id.into(), label: label.into(), description: None };
    let ask = Ask {
        options: vec![option("main", "main"), option("new", "a new one")],
        default: Some(json!("main")),
        ..Ask::default()
    };
    let text = injection(&[Brief::of(&asking(&ask), Some(PauseReason::Message))], &run());
    assert!(text.contains("\nOptions: main (default); new = a new one\n"), "{text}");
}

#[test]
fn a_schema_is_told_in_short() {
    let ask = Ask { schema: Some(json!({"type": "integer", "title": "x".repeat(1_000)})), ..Ask::default() };
    let text = injection(&[Brief::of(&asking(&ask), Some(PauseReason::Message))], &run());
    assert!(text.contains("must be JSON that fits this schema: {") && text.chars().count() < 700, "{text}");
}

#[test]
fn who_waits_for_its_own_answer_is_told_to_wait() {
    let text = injection(&[Brief::of(&asking(&Ask::default()), Some(PauseReason::Asked))], &run());
    assert!(text.starts_with("You asked in chn_release"), "{text}");
    assert!(text.ends_with("goes on by itself when it is there."), "{text}");
    assert!(!text.contains("resume=true"), "an agent cannot resume from its own question: {text}");
}

#[test]
fn nothing_unread_is_no_nudge() {
    assert_eq!(nudge(&[], &InboxCounts { total: 3, ..InboxCounts::default() }), None);
}

#[test]
fn a_nudge_names_some_and_counts_the_rest() {
    let critical = Message { importance: Importance::Critical, ..message("The build is red") };
    let counts = InboxCounts { total: 4, ..InboxCounts::default() };
    let text = nudge(&[Brief::of(&critical, None)], &counts).expect("a nudge");
    let expected = "Before you stop: 4 unread messages wait in your inbox.\n\
        [critical] From Mara in chn_release, msg_stop:\n\
        > The build is red\n\
        And 3 more: inbox(order=\"importance\") lists them.\n\
        message_mark_read(message_id) marks one as read.";
    assert_eq!(text, expected);
    let one = nudge(&[Brief::of(&critical, None)], &InboxCounts { total: 1, ..InboxCounts::default() });
    assert!(one.expect("a nudge").starts_with("Before you stop: 1 unread message waits in your inbox.\n[critical]"));
}

proptest! {
    #[test]
    fn what_others_wrote_is_one_quoted_line(body in "\\PC{0,400}|(.|\n){0,400}") {
        let text = injection(&[Brief::of(&message(&body), Some(PauseReason::Message))], &run());
        let lines: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(lines.len(), 4);
        prop_assert!(lines[1].starts_with("> "));
    }

    #[test]
    fn a_summary_keeps_its_bound_and_the_beginning(text in "(.|\n){0,600}", most in 1usize..300) {
        let short = summary(&text, most);
        prop_assert!(short.chars().count() <= most);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert!(line.starts_with(short.trim_end_matches('…')));
    }
}
