//! Refused changes of streams; the stream stays open after them.

use parlour_core::{
    Code, limits,
    live::{AddChunk, Complete},
    message::State,
    post::PostMessage,
    write::Archival,
};
use parlour_hub::use_cases::EditMessage;
use serde_json::json;

use super::fixture::StreamFixture;
use crate::support::refused;

#[tokio::test]
async fn misplaced_and_invalid_chunks_are_refused() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin().await;
    fixture.add(&id, "Hello").await.expect("added");
    let long = "x".repeat(limits::MESSAGE_BODY_BYTES_MAX - 4);
    let cases = [
        (Some(6), "x", Code::ChunkMisplaced, "start"),
        (Some(2), "x", Code::ChunkMisplaced, "start"),
        (Some(3), "lo!", Code::ChunkMisplaced, "start"),
        (None, "\u{0}", Code::ControlCharacter, "text"),
        (None, long.as_str(), Code::OutOfBounds, "text"),
    ];
    for (start, text, code, field) in cases {
        let chunk = AddChunk { start, text: text.into() };
        let failure = fixture.hub().add_chunk(&fixture.coder, &id, chunk).await.expect_err("refused");
        let refusal = failure.refusal().expect("no fault");
        assert_eq!((refusal.code, refusal.field.as_deref()), (code, Some(field)), "{start:?}");
    }
    let repeated = AddChunk { start: Some(3), text: "lo".into() };
    assert_eq!(fixture.hub().add_chunk(&fixture.coder, &id, repeated).await.expect("a repetition").chars, 5);
    assert_eq!(fixture.complete(&id).await.expect("completed").message.body, "Hello");
}

#[tokio::test]
async fn an_ended_stream_refuses_changes_and_names_its_end_state() {
    let fixture = StreamFixture::new().await;
    let ends: [(&str, State); 3] =
        [("complete", State::Complete), ("failed", State::Failed), ("cancelled", State::Cancelled)];
    for (word, state) in ends {
        let id = fixture.begin_with(fixture.request("text")).await;
        match state {
            State::Complete => fixture.complete(&id).await,
            State::Failed => fixture.fail(&id, "no more tokens").await,
            _ => fixture.cancel(&fixture.mara, &id).await,
        }
        .expect("ended");
        let failure = fixture.add(&id, "more").await.expect_err("ended");
        assert!(failure.to_string().contains(word), "{failure}");
        assert_eq!(refused(fixture.add(&id, "more").await), Code::StreamEnded);
        assert_eq!(refused(fixture.hub().beat_stream(&fixture.coder, &id).await), Code::StreamEnded);
        assert_eq!(refused(fixture.start_step(&id, "s").await), Code::StreamEnded);
        assert_eq!(refused(fixture.finish_step(&id, "s").await), Code::StreamEnded);
    }
}

#[tokio::test]
async fn a_message_that_is_not_streaming_refuses_chunks_and_ends() {
    let fixture = StreamFixture::new().await;
    let id = fixture.test.post(&fixture.coder, &fixture.channel, "whole").await.message.id;
    assert_eq!(refused(fixture.add(&id, "more").await), Code::StreamEnded);
    assert_eq!(refused(fixture.fail(&id, "why").await), Code::StreamEnded);
    assert_eq!(refused(fixture.cancel(&fixture.mara, &id).await), Code::StreamEnded);
}

#[tokio::test]
async fn an_empty_answer_cannot_be_completed() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin().await;
    assert_eq!(refused(fixture.complete(&id).await), Code::OutOfBounds);
    assert_eq!(refused(fixture.complete_with(&id, " \n").await), Code::OutOfBounds);
    fixture.add(&id, "It goes on.").await.expect("still open");
    assert_eq!(fixture.complete(&id).await.expect("completed").message.state, State::Complete);
    let structured = fixture.begin().await;
    let request = Complete { content: Some(json!({"rows": 3})), ..Complete::default() };
    let finished =
        fixture.hub().complete_stream(&fixture.coder, &structured, request).await.expect("content without text");
    assert_eq!(finished.message.content, Some(json!({"rows": 3})));
}

#[tokio::test]
async fn ends_with_invalid_values_are_refused_and_the_stream_stays_open() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("text")).await;
    let long = "x".repeat(limits::MESSAGE_BODY_BYTES_MAX + 1);
    assert_eq!(refused(fixture.complete_with(&id, &long).await), Code::OutOfBounds);
    assert_eq!(refused(fixture.complete_with(&id, "\u{7}").await), Code::ControlCharacter);
    assert_eq!(refused(fixture.fail(&id, " ").await), Code::OutOfBounds);
    assert_eq!(refused(fixture.fail(&id, &"x".repeat(limits::REASON_CHARS_MAX + 1)).await), Code::OutOfBounds);
    let request = Complete { mentions: vec!["Nobody".into()], ..Complete::default() };
    assert_eq!(refused(fixture.hub().complete_stream(&fixture.coder, &id, request).await), Code::UnknownMention);
    let request = Complete { content: Some(json!(long)), ..Complete::default() };
    assert_eq!(refused(fixture.hub().complete_stream(&fixture.coder, &id, request).await), Code::OutOfBounds);
    assert_eq!(fixture.add(&id, "!").await.expect("still open").chars, 5);
}

#[tokio::test]
async fn a_streaming_message_cannot_be_edited() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("text")).await;
    let edit = || fixture.hub().edit_message(&fixture.coder, &id, EditMessage { body: "other".into() });
    assert_eq!(refused(edit().await), Code::StreamOpen);
    fixture.complete(&id).await.expect("completed");
    assert_eq!(edit().await.expect("edited").0.body, "other");
}

#[tokio::test]
async fn invalid_and_unknown_steps_are_refused_and_a_repeated_start_is_accepted() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin().await;
    assert_eq!(refused(fixture.start_step(&id, "no blanks").await), Code::OutOfBounds);
    assert_eq!(refused(fixture.finish_step(&id, "s1").await), Code::NotFound);
    fixture.start_step(&id, "s1").await.expect("begun");
    let begun = fixture.start_step(&id, "s1").await.expect("a repetition");
    assert_eq!(begun.finished_at, None);
    fixture.finish_step(&id, "s1").await.expect("ended");
}

#[tokio::test]
async fn an_archived_channel_refuses_chunks_and_accepts_the_end() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("text")).await;
    fixture.hub().archive_channel(&fixture.mara, &fixture.channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(fixture.add(&id, "more").await), Code::Archived);
    assert_eq!(fixture.complete(&id).await.expect("completed").message.body, "text");
}

#[tokio::test]
async fn the_open_streams_of_a_member_are_limited() {
    let fixture = StreamFixture::new().await;
    let first = PostMessage { id: Some("msg_first".parse().expect("id")), ..fixture.request("") };
    fixture.begin_with(first.clone()).await;
    for _ in 1..limits::STREAMS_PER_MEMBER_MAX {
        fixture.begin().await;
    }
    let before = fixture.message(&"msg_first".parse().expect("id")).await;
    assert_eq!(refused(fixture.hub().post_message(&fixture.coder, fixture.request("")).await), Code::Full);
    let again = fixture.hub().post_message(&fixture.coder, first).await.expect("a repetition needs no room");
    assert_eq!(again.message, before);
    fixture.test.post(&fixture.coder, &fixture.channel, "whole messages need no room").await;
    fixture.cancel(&fixture.mara, &before.id).await.expect("cancelled");
    fixture.begin().await;
}
