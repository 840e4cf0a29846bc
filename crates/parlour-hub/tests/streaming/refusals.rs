//! What is refused while an answer is written, and that it goes on after that.

use parlour_core::{
    Code, limits,
    live::{AddChunk, Complete},
    message::State,
    post::PostMessage,
    write::Archival,
};
use parlour_hub::use_cases::EditMessage;
use serde_json::json;

use super::stage::Stage;
use crate::support::refused;

#[tokio::test]
async fn pieces_in_the_wrong_place_or_with_a_wrong_text_are_refused() {
    let stage = Stage::new().await;
    let id = stage.begin().await;
    stage.add(&id, "Hello").await.expect("added");
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
        let failure = stage.hub().add_chunk(&stage.coder, &id, chunk).await.expect_err("refused");
        let refusal = failure.refusal().expect("no fault");
        assert_eq!((refusal.code, refusal.field.as_deref()), (code, Some(field)), "{start:?}");
    }
    let repeated = AddChunk { start: Some(3), text: "lo".into() };
    assert_eq!(stage.hub().add_chunk(&stage.coder, &id, repeated).await.expect("a repetition").chars, 5);
    assert_eq!(stage.complete(&id).await.expect("completed").message.body, "Hello");
}

#[tokio::test]
async fn after_the_end_nothing_can_be_added_and_the_refusal_names_the_end() {
    let stage = Stage::new().await;
    let ends: [(&str, State); 3] =
        [("complete", State::Complete), ("failed", State::Failed), ("cancelled", State::Cancelled)];
    for (word, state) in ends {
        let id = stage.begin_with(stage.request("text")).await;
        match state {
            State::Complete => stage.complete(&id).await,
            State::Failed => stage.fail(&id, "no more tokens").await,
            _ => stage.cancel(&stage.mara, &id).await,
        }
        .expect("ended");
        let failure = stage.add(&id, "more").await.expect_err("ended");
        assert!(failure.to_string().contains(word), "{failure}");
        assert_eq!(refused(stage.add(&id, "more").await), Code::StreamEnded);
        assert_eq!(refused(stage.hub().beat_stream(&stage.coder, &id).await), Code::StreamEnded);
        assert_eq!(refused(stage.start_step(&id, "s").await), Code::StreamEnded);
        assert_eq!(refused(stage.finish_step(&id, "s").await), Code::StreamEnded);
    }
}

#[tokio::test]
async fn a_message_that_is_no_stream_takes_no_pieces() {
    let stage = Stage::new().await;
    let id = stage.test.post(&stage.coder, &stage.channel, "whole").await.message.id;
    assert_eq!(refused(stage.add(&id, "more").await), Code::StreamEnded);
    assert_eq!(refused(stage.fail(&id, "why").await), Code::StreamEnded);
    assert_eq!(refused(stage.cancel(&stage.mara, &id).await), Code::StreamEnded);
}

#[tokio::test]
async fn an_answer_that_says_nothing_is_not_complete() {
    let stage = Stage::new().await;
    let id = stage.begin().await;
    assert_eq!(refused(stage.complete(&id).await), Code::OutOfBounds);
    assert_eq!(refused(stage.complete_with(&id, " \n").await), Code::OutOfBounds);
    stage.add(&id, "It goes on.").await.expect("still open");
    assert_eq!(stage.complete(&id).await.expect("completed").message.state, State::Complete);
    let structured = stage.begin().await;
    let request = Complete { content: Some(json!({"rows": 3})), ..Complete::default() };
    let finished =
        stage.hub().complete_stream(&stage.coder, &structured, request).await.expect("content says something");
    assert_eq!(finished.message.content, Some(json!({"rows": 3})));
}

#[tokio::test]
async fn ends_with_values_out_of_bounds_are_refused_and_the_answer_goes_on() {
    let stage = Stage::new().await;
    let id = stage.begin_with(stage.request("text")).await;
    let long = "x".repeat(limits::MESSAGE_BODY_BYTES_MAX + 1);
    assert_eq!(refused(stage.complete_with(&id, &long).await), Code::OutOfBounds);
    assert_eq!(refused(stage.complete_with(&id, "\u{7}").await), Code::ControlCharacter);
    assert_eq!(refused(stage.fail(&id, " ").await), Code::OutOfBounds);
    assert_eq!(refused(stage.fail(&id, &"x".repeat(limits::REASON_CHARS_MAX + 1)).await), Code::OutOfBounds);
    let request = Complete { mentions: vec!["Nobody".into()], ..Complete::default() };
    assert_eq!(refused(stage.hub().complete_stream(&stage.coder, &id, request).await), Code::UnknownMention);
    let request = Complete { content: Some(json!(long)), ..Complete::default() };
    assert_eq!(refused(stage.hub().complete_stream(&stage.coder, &id, request).await), Code::OutOfBounds);
    assert_eq!(stage.add(&id, "!").await.expect("still open").chars, 5);
}

#[tokio::test]
async fn an_open_answer_is_not_edited() {
    let stage = Stage::new().await;
    let id = stage.begin_with(stage.request("text")).await;
    let edit = || stage.hub().edit_message(&stage.coder, &id, EditMessage { body: "other".into() });
    assert_eq!(refused(edit().await), Code::StreamOpen);
    stage.complete(&id).await.expect("completed");
    assert_eq!(edit().await.expect("edited").0.body, "other");
}

#[tokio::test]
async fn steps_are_refused_by_their_rules() {
    let stage = Stage::new().await;
    let id = stage.begin().await;
    assert_eq!(refused(stage.start_step(&id, "no blanks").await), Code::OutOfBounds);
    assert_eq!(refused(stage.finish_step(&id, "s1").await), Code::NotFound);
    stage.start_step(&id, "s1").await.expect("begun");
    let begun = stage.start_step(&id, "s1").await.expect("a repetition");
    assert_eq!(begun.finished_at, None);
    stage.finish_step(&id, "s1").await.expect("ended");
}

#[tokio::test]
async fn an_archived_channel_takes_no_pieces_but_the_end() {
    let stage = Stage::new().await;
    let id = stage.begin_with(stage.request("text")).await;
    stage.hub().archive_channel(&stage.mara, &stage.channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(stage.add(&id, "more").await), Code::Archived);
    assert_eq!(stage.complete(&id).await.expect("completed").message.body, "text");
}

#[tokio::test]
async fn a_member_writes_so_many_answers_at_once() {
    let stage = Stage::new().await;
    let first = PostMessage { id: Some("msg_first".parse().expect("id")), ..stage.request("") };
    stage.begin_with(first.clone()).await;
    for _ in 1..limits::STREAMS_PER_MEMBER_MAX {
        stage.begin().await;
    }
    let before = stage.message(&"msg_first".parse().expect("id")).await;
    assert_eq!(refused(stage.hub().post_message(&stage.coder, stage.request("")).await), Code::Full);
    let again = stage.hub().post_message(&stage.coder, first).await.expect("a repetition needs no room");
    assert_eq!(again.message, before);
    stage.test.post(&stage.coder, &stage.channel, "whole messages need no room").await;
    stage.cancel(&stage.mara, &before.id).await.expect("cancelled");
    stage.begin().await;
}
