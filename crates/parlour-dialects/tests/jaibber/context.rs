//! The conversation as agents are given it.

use parlour_core::{
    Timestamp, audience,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Kind, Message, State},
};
use parlour_dialects::jaibber::{CONTEXT_MESSAGES_DEFAULT, CONTEXT_PREAMBLE, context_line, context_text};
use proptest::{collection::vec, prelude::*};

use crate::support::any_message;

fn said(author_type: AuthorType, name: &str, body: &str) -> Message {
    let from = Author { author_type, id: None, name: name.into() };
    let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(2).into());
    Message::plain(MessageId::from_bits(3), project, channel, from, body.into(), Timestamp::from_millis(5))
}

#[test]
fn a_conversation_is_told_with_the_prompt_below_it() {
    let messages = [
        said(AuthorType::Person, "Mara", "first message"),
        said(AuthorType::Agent, "Coder", "an answer\n\nof two parts"),
        said(AuthorType::Host, "Parlour", "the hub was started"),
        said(AuthorType::Person, "Bob", "second message"),
    ];
    insta::assert_snapshot!(context_text(&messages, CONTEXT_MESSAGES_DEFAULT, "@Coder and now?"), @r"
    Respond ONLY to the final user message. Previous messages are for context. Write the answer itself: no name in front of it, and no account of how you go about it.

    User: first message

    Assistant (Coder): an answer

    of two parts

    User: second message

    ---

    @Coder and now?
    ");
}

#[test]
fn without_a_conversation_there_is_only_the_prompt() {
    assert_eq!(context_text([], 20, "hi"), "hi");
    assert_eq!(context_text(&[said(AuthorType::Person, "Mara", "x")], 0, "hi"), "hi");
    assert_eq!(context_text(&[said(AuthorType::Host, "Parlour", "x")], 20, "hi"), "hi");
}

#[test]
fn everybody_but_agents_is_a_user() {
    for author_type in [AuthorType::Person, AuthorType::Applet, AuthorType::Scheduler, AuthorType::Tool] {
        assert_eq!(context_line(&said(author_type, "x", "hi")), "User: hi");
    }
    assert_eq!(context_line(&said(AuthorType::Agent, "Testing Agent", "hi")), "Assistant (Testing Agent): hi");
}

#[test]
fn the_window_counts_what_a_model_sees() {
    let mut messages: Vec<_> =
        (0..30).map(|number| said(AuthorType::Person, "Mara", &format!("number {number}."))).collect();
    messages.extend((0..30).map(|_| said(AuthorType::Host, "Parlour", "noise")));
    let text = context_text(&messages, 20, "hi");
    assert!(!text.contains("number 9.") && text.contains("number 10.") && text.contains("number 29."), "{text}");
    assert!(!text.contains("noise"));
}

#[test]
fn failures_and_halves_are_no_context() {
    for state in [State::Failed, State::Streaming, State::Cancelled, State::Interrupted] {
        let message = Message { state, ..said(AuthorType::Agent, "Coder", "half an ans") };
        assert_eq!(context_text(&[message], 20, "hi"), "hi", "{state:?}");
    }
}

proptest! {
    #[test]
    fn host_messages_never_reach_the_context(mut messages in vec(any_message(), 0..5), window in 0..6_usize) {
        for (number, message) in messages.iter_mut().enumerate() {
            message.body = format!("<{number}>");
        }
        let text = context_text(&messages, window, "prompt");
        let seen: Vec<_> = messages.iter().filter(|message| audience::may_reach_model(message)).collect();
        let first = seen.len().saturating_sub(window);
        let told: Vec<_> = seen[first..].iter().map(|message| message.body.as_str()).collect();
        for message in &messages {
            prop_assert_eq!(text.contains(&message.body), told.contains(&message.body.as_str()));
            prop_assert!(message.kind != Kind::Host || !text.contains(&message.body));
        }
        prop_assert_eq!(text.starts_with(CONTEXT_PREAMBLE), !told.is_empty());
        prop_assert!(text.ends_with("prompt"));
    }
}
