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

/// A book with the stream of the message open.
fn book() -> StreamRegistry {
    let book = StreamRegistry::default();
    let new_stream = NewStream::of(&message(), StreamRules::default(), AccessRoot::Channel(ChannelId::from_bits(1)));
    book.update(|open| {
        open.open(new_stream.expect("an author"), Timestamp::from_millis(0));
        open.announce(&message().id)
    });
    book
}

fn add(book: &StreamRegistry, piece: &str) -> Option<Result<(), Refusal>> {
    let now = Timestamp::from_millis(0);
    let outcome = book.update(|open| open.write(&message().id, now, |stream, _| stream.add(None, piece, now)));
    outcome.map(|written| written.map(|_| ()))
}

fn close(book: &StreamRegistry) -> EndAttempt {
    book.close(&Feeds::default(), &message(), State::Complete).expect("open")
}

#[test]
fn a_closing_that_is_dropped_lets_the_stream_go_on() {
    let book = book();
    let end_attempt = close(&book);
    assert!(add(&book, "a").expect("open").is_err());
    drop(end_attempt);
    assert_eq!(add(&book, "a"), Some(Ok(())));
}

#[test]
fn a_closing_follows_the_answer_of_the_store() {
    let failed: [(Failure, bool); 4] = [
        (Fault::new("append", "disk").into(), true),
        (Refusal::new(Code::Overloaded, "busy").into(), true),
        (Refusal::new(Code::StreamEnded, "cancelled").into(), false),
        (Refusal::new(Code::Removed, "removed").into(), false),
    ];
    for (failure, goes_on) in failed {
        let (book, shown) = (book(), failure.to_string());
        close(&book).settle(&Err::<Appended, _>(failure));
        assert_eq!(add(&book, "a").is_some(), goes_on, "{shown}");
    }
}

#[test]
fn the_words_name_how_an_answer_has_ended() {
    for (state, word) in [(State::Complete, "complete"), (State::Failed, "failed"), (State::Interrupted, "interrupted")]
    {
        let refusal = refuse_ended(&message().id, state);
        assert!(refusal.code == Code::StreamEnded && refusal.detail.contains(word), "{refusal}");
    }
}

#[test]
fn no_piece_is_taken_once_an_end_is_tried() {
    let book = book();
    let end_attempt = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| while add(&book, "x").expect("open").is_ok() {});
        }
        close(&book)
    });
    // Both writers were refused by now, and nothing has come after the text that the end was tried with.
    let text_and_steps = book.update(|open| open.get(&message().id).expect("open").text_and_steps().0);
    assert_eq!(text_and_steps, end_attempt.text);
}
