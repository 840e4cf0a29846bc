//! The writer of answers against a stand-in that answers exactly as told.

use std::time::Duration;

use parlour_agent::{
    Client,
    streaming::{StreamError, StreamWriter},
};
use parlour_core::{
    id::MessageId,
    limits,
    live::{Cancel, Complete, Fail},
    message::State,
    post::PostMessage,
};
use serde_json::{Value, json};

mod support;
use support::{ReceivedRequest, ScriptedReply, ScriptedServer, message, problem};

fn lease(chars: u64) -> ScriptedReply {
    let body = json!({"message_id": "msg_7", "chars": chars, "lease_until": "2026-11-15T09:12:30.000Z"});
    ScriptedReply::With(200, body.to_string())
}

/// The message as the hub has it now.
fn now(state: &str, body: &str) -> ScriptedReply {
    ScriptedReply::With(200, message(state, body).to_string())
}

/// Opens an answer on a stand-in that goes on with these replies. The second call asks for the project's rules; a
/// refusal leaves the usual ones.
async fn open(replies: Vec<ScriptedReply>) -> (ScriptedServer, StreamWriter) {
    let opening = vec![now("streaming", ""), problem(404, "PARLOUR-N01", false)];
    let hub = ScriptedServer::answering([opening, replies].concat()).await;
    let client = Client::new(&hub.url, Some("secret-token")).expect("a client");
    let request = PostMessage { channel_id: Some("chn_1".parse().expect("id")), ..PostMessage::default() };
    let writer = StreamWriter::open(&client, &MessageId::from_bits(7), &request).await.expect("open");
    (hub, writer)
}

/// What was asked after the opening.
fn asked(hub: &ScriptedServer) -> Vec<ReceivedRequest> {
    hub.asked().split_off(2)
}

fn body(asked: &ReceivedRequest) -> Value {
    serde_json::from_str(&asked.body).expect("JSON")
}

async fn complete(writer: StreamWriter) -> Result<parlour_agent::answers::Finished, StreamError> {
    writer.complete(Complete::default()).await
}

#[tokio::test]
async fn text_written_at_once_is_sent_as_one_chunk_and_completed() {
    let (hub, mut writer) = open(vec![lease(5), now("complete", "Héllo")]).await;
    for text in ["Hé", "", "llo"] {
        writer.write(text).await.expect("open");
    }
    assert_eq!(complete(writer).await.expect("complete").message.state, State::Complete);
    assert!(hub.asked()[0].body.contains(r#""stream":true"#));
    let asked = asked(&hub);
    assert_eq!(asked[0].line, format!("POST /messages/{}/chunks", "msg_7"));
    assert_eq!(body(&asked[0]), json!({"start": 0, "text": "Héllo"}));
    assert_eq!(asked[1].line, "POST /messages/msg_7/complete");
}

#[tokio::test]
async fn a_lost_chunk_is_retried_unchanged() {
    let trouble = vec![ScriptedReply::HangUp, problem(503, "PARLOUR-S02", true)];
    let (hub, mut writer) = open([trouble, vec![lease(2), now("complete", "Hi")]].concat()).await;
    writer.write("Hi").await.expect("open");
    complete(writer).await.expect("complete");
    let pieces: Vec<_> = asked(&hub).iter().take(3).map(body).collect();
    assert_eq!(pieces, vec![json!({"start": 0, "text": "Hi"}); 3]);
}

#[tokio::test]
async fn a_misplaced_chunk_continues_at_the_length_of_the_hub() {
    let misplaced = problem(409, "PARLOUR-C09", false);
    let (hub, mut writer) = open(vec![misplaced, now("streaming", "Hel"), lease(5), now("complete", "Hello")]).await;
    writer.write("Hello").await.expect("open");
    complete(writer).await.expect("complete");
    assert_eq!(body(&asked(&hub)[2]), json!({"start": 3, "text": "lo"}));
}

#[tokio::test]
async fn another_text_at_the_hub_is_an_error() {
    let (_hub, mut writer) = open(vec![problem(409, "PARLOUR-C09", false), now("streaming", "Help")]).await;
    writer.write("Hello").await.expect("open");
    assert!(matches!(complete(writer).await, Err(StreamError::OtherText(_))));
}

#[tokio::test]
async fn a_cancellation_is_noticed_at_the_next_chunk() {
    let (_hub, mut writer) = open(vec![problem(409, "PARLOUR-C07", false), now("cancelled", "Hel")]).await;
    writer.write("lo").await.expect("open");
    let error = writer.ended().await;
    assert_eq!(error.to_string(), "the answer was cancelled: enough");
    assert!(matches!(writer.write("more").await, Err(StreamError::Over)));
}

#[tokio::test]
async fn a_cancellation_is_noticed_at_the_next_heartbeat() {
    let (hub, mut writer) = open(vec![problem(409, "PARLOUR-C07", false), now("interrupted", "")]).await;
    hub.until_asked(2).await;
    // The clock is moved only while the writer waits: calls need the real one.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3)).await;
    tokio::time::resume();
    assert!(matches!(writer.ended().await, StreamError::Ended(message) if message.state == State::Interrupted));
    assert_eq!(asked(&hub)[0].line, "POST /messages/msg_7/beat");
}

#[tokio::test]
async fn an_end_whose_response_was_lost_is_found_by_reading_the_message() {
    let ended = problem(409, "PARLOUR-C07", false);
    let (_hub, writer) = open(vec![ScriptedReply::HangUp, ended, now("complete", "")]).await;
    let finished = complete(writer).await.expect("complete after all");
    assert_eq!((finished.message.state, finished.position), (State::Complete, None));
}

#[tokio::test]
async fn the_end_by_another_process_is_not_mistaken_for_our_own() {
    let (_hub, writer) = open(vec![problem(409, "PARLOUR-C07", false), now("cancelled", "")]).await;
    assert!(matches!(complete(writer).await, Err(StreamError::Ended(_))));
}

#[tokio::test]
async fn an_answer_can_fail_or_be_cancelled_and_keeps_its_text() {
    let (hub, mut writer) = open(vec![lease(2), now("failed", "Hi")]).await;
    writer.write("Hi").await.expect("open");
    writer.fail(Fail { reason: "no model".into(), ..Fail::default() }).await.expect("failed");
    assert_eq!(asked(&hub)[1].line, "POST /messages/msg_7/fail");
    assert_eq!(body(&asked(&hub)[1]), json!({"reason": "no model"}));
    let (hub, writer) = open(vec![now("cancelled", "")]).await;
    writer.cancel(Cancel::default()).await.expect("cancelled");
    assert_eq!(asked(&hub)[0].line, "POST /messages/msg_7/cancel");
}

#[tokio::test]
async fn a_refused_chunk_is_reported_with_the_text_of_the_hub() {
    let (_hub, mut writer) = open(vec![problem(422, "PARLOUR-I11", false)]).await;
    writer.write("\u{1b}").await.expect("open");
    assert_eq!(complete(writer).await.expect_err("refused").to_string(), "because (PARLOUR-I11)");
}

#[tokio::test]
async fn a_too_long_text_is_refused_with_the_limit() {
    let (_hub, mut writer) = open(vec![]).await;
    writer.write("x").await.expect("open");
    let error = writer.write(&"x".repeat(limits::MESSAGE_BODY_BYTES_MAX)).await.expect_err("too long");
    assert!(error.to_string().contains("65536 bytes"), "{error}");
}
