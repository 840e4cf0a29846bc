use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    Timestamp,
    author::AuthorType,
    id::{AgentId, ChannelId, MessageId, ProjectId},
    question::{AnswerOption, NewQuestion},
};

fn message(body: &str) -> Message {
    let author = Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: "Mara".into() };
    let (project, channel) = (ProjectId::from_bits(1), "chn_release".parse::<ChannelId>().expect("id").into());
    let id: MessageId = "msg_stop".parse().expect("id");
    Message { blocking: true, ..Message::plain(id, project, channel, author, body.into(), Timestamp::from_millis(0)) }
}

fn question(ask: &NewQuestion) -> Question {
    ask.asked(vec![AgentId::from_bits(1).into()], Timestamp::from_millis(0))
}

#[test]
fn options_and_the_default_are_told() {
    let option = |id: &str, label: &str| AnswerOption { id: id.into(), label: label.into(), description: None };
    let ask = NewQuestion {
        options: vec![option("main", "main"), option("new", "a new one")],
        default: Some(json!("main")),
        ..NewQuestion::default()
    };
    assert_eq!(wanted(&question(&ask)).as_deref(), Some("Options: main (default); new = a new one"));
    assert_eq!(wanted(&question(&NewQuestion::default())), None, "any answer will do");
}

#[test]
fn a_schema_is_told_in_short() {
    let ask =
        NewQuestion { schema: Some(json!({"type": "integer", "title": "x".repeat(1_000)})), ..NewQuestion::default() };
    let text = wanted(&question(&ask)).expect("a line");
    assert!(text.contains("must be JSON that fits this schema: {") && text.chars().count() < 350, "{text}");
}

#[test]
fn a_brief_has_what_may_be_shown_and_not_the_text() {
    let brief = Brief::of(&message("the key is 12345"), Some(PauseReason::Message), "the key\nis [key 1]");
    assert_eq!(brief.summary, "the key is [key 1]");
    assert_eq!((brief.message_id.as_str(), brief.blocks), ("msg_stop", Some(PauseReason::Message)));
}

proptest! {
    #[test]
    fn a_summary_keeps_its_bound_and_the_beginning(text in "(.|\n){0,600}", most in 1usize..300) {
        let short = summary(&text, most);
        prop_assert!(short.chars().count() <= most);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert!(line.starts_with(short.trim_end_matches('…')));
    }
}
