use parlour_core::{
    Timestamp,
    audience::AccessRoot,
    id::{AgentId, ChannelId},
    policy::StreamRules,
    write::Appended,
};

use super::{ending::EndAttempt, open_stream::NewStream, *};
use crate::{Failure, Fault};

fn message() -> Message {
    let author = parlour_core::author::Author {
        author_type: parlour_core::author::AuthorType::Agent,
        id: Some(AgentId::from_bits(1).to_string()),
        name: "Coder".into(),
    };
    let channel = ChannelId::from_bits(1);
    let plain = Message::plain(
        MessageId::from_bits(1),
        ProjectId::from_bits(1),
        channel.into(),
        author,
        String::new(),
        Timestamp::from_millis(0),
    );
    Message { state: State::Streaming, ..plain }
}

/// A registry in which the stream of the message is open.
fn registry() -> StreamRegistry {
    let registry = StreamRegistry::default();
    let new_stream = NewStream::of(&message(), StreamRules::default(), AccessRoot::Channel(ChannelId::from_bits(1)));
    registry.update(|open| {
        open.open(new_stream.expect("an author"), Timestamp::from_millis(0));
        open.announce(&message().id)
    });
    registry
}

fn add(registry: &StreamRegistry, piece: &str) -> Option<Result<(), Refusal>> {
    let now = Timestamp::from_millis(0);
    let outcome = registry.update(|open| open.write(&message().id, now, |stream, _| stream.add(None, piece, now)));
    outcome.map(|written| written.map(|_| ()))
}

fn close(registry: &StreamRegistry) -> EndAttempt {
    registry.close(&Feeds::default(), &message(), State::Complete).expect("open")
}

#[test]
fn a_stream_continues_when_its_end_attempt_is_dropped() {
    let registry = registry();
    let end_attempt = close(&registry);
    assert!(add(&registry, "a").expect("open").is_err());
    drop(end_attempt);
    assert_eq!(add(&registry, "a"), Some(Ok(())));
}

#[test]
fn an_end_attempt_follows_the_result_of_the_store() {
    let failed: [(Failure, bool); 4] = [
        (Fault::new("append", "disk").into(), true),
        (Refusal::new(Code::Overloaded, "busy").into(), true),
        (Refusal::new(Code::StreamEnded, "cancelled").into(), false),
        (Refusal::new(Code::Removed, "removed").into(), false),
    ];
    for (failure, goes_on) in failed {
        let (registry, shown) = (registry(), failure.to_string());
        close(&registry).settle(&Err::<Appended, _>(failure));
        assert_eq!(add(&registry, "a").is_some(), goes_on, "{shown}");
    }
}

#[test]
fn a_refusal_names_the_final_state() {
    for (state, word) in [(State::Complete, "complete"), (State::Failed, "failed"), (State::Interrupted, "interrupted")]
    {
        let refusal = refuse_ended(&message().id, state);
        assert!(refusal.code == Code::StreamEnded && refusal.detail.contains(word), "{refusal}");
    }
}

#[test]
fn no_text_is_added_during_an_end_attempt() {
    let registry = registry();
    let end_attempt = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| while add(&registry, "x").expect("open").is_ok() {});
        }
        close(&registry)
    });
    // Both writers were refused by now, and no text was added after the text of the end attempt.
    let text_and_steps = registry.update(|open| open.get(&message().id).expect("open").text_and_steps().0);
    assert_eq!(text_and_steps, end_attempt.text);
}
