//! The live client over a real socket: how it connects, what it makes of refusals, how it finds a hub that is back.

#![allow(clippy::panic, reason = "these are tests")]

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use parlour_agent::{
    Client,
    live::{Backoff, Live, LiveError, LiveItem, Lost, Start},
};
use parlour_core::{id::ProjectId, position::Position};
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
    },
};

/// As patient as the real one, without its pauses.
const QUICK: Backoff = Backoff::new(Duration::ZERO, Duration::ZERO, Duration::ZERO);

fn project() -> ProjectId {
    ProjectId::from_bits(1)
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    (listener, url)
}

fn follow(url: &str, start: Start) -> Live {
    let client = Client::new(url, Some("secret-token")).expect("a client");
    Live::follow_with(&client, &project(), start, QUICK)
}

/// Takes a call as a hub does, and hears the subscription: where was it asked, by whom, after what.
async fn take_call(listener: &TcpListener) -> (WebSocketStream<TcpStream>, Value) {
    let (stream, _) = listener.accept().await.expect("a caller");
    let mut asked = (String::new(), String::new());
    #[allow(clippy::result_large_err, reason = "the library wants it so")]
    let look = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        let authorization = request.headers()["authorization"].to_str().expect("a text").to_owned();
        asked = (request.uri().path().to_owned(), authorization);
        Ok(response)
    };
    let mut socket = accept_hdr_async(stream, look).await.expect("a handshake");
    assert_eq!(asked, ("/live".to_owned(), "Bearer secret-token".to_owned()));
    let frame = socket.next().await.expect("a frame").expect("a sound one");
    let frame: Value = serde_json::from_str(frame.to_text().expect("a text")).expect("JSON");
    assert_eq!((&frame["type"], &frame["project_id"]), (&json!("subscribe"), &json!(project())));
    (socket, frame["after"].clone())
}

/// Answers a call with a status and no connection.
async fn refuse_call(listener: &TcpListener, status: u16, body: &str) {
    let (mut stream, _) = listener.accept().await.expect("a caller");
    let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).await.expect("the caller waits");
}

async fn tell_live(socket: &mut WebSocketStream<TcpStream>, position: &str) {
    let frame = json!({"type": "live", "project_id": project(), "position": position});
    socket.send(Message::text(frame.to_string())).await.expect("the client listens");
}

fn at(text: &str) -> Position {
    text.parse().expect("a position")
}

#[tokio::test]
async fn a_project_is_followed_with_the_token_and_resumed() {
    let (listener, url) = listen().await;
    let mut live = follow(&url, Start::Now);
    let (mut socket, after) = take_call(&listener).await;
    assert_eq!(after, Value::Null);
    tell_live(&mut socket, "E-4").await;
    assert_eq!(live.next().await, Ok(LiveItem::Live(at("E-4"))));
    drop(socket);
    assert!(matches!(live.next().await, Ok(LiveItem::Reconnecting(lost)) if lost.after == Some(at("E-4"))));
    assert_eq!(take_call(&listener).await.1, "E-4");
}

#[tokio::test]
async fn a_refused_token_ends_the_subscription() {
    let (listener, url) = listen().await;
    let mut live = follow(&url, Start::Now);
    let body =
        r#"{"code":"PARLOUR-A01","title":"The request is not authenticated","detail":"no such token","status":401}"#;
    refuse_call(&listener, 401, body).await;
    // The body may come after the head; then the status alone has to do.
    assert!(matches!(live.next().await, Err(LiveError::SignedOut(_))));
}

#[tokio::test]
async fn an_unready_hub_is_retried() {
    let (listener, url) = listen().await;
    let mut live = follow(&url, Start::After(at("E-7")));
    refuse_call(&listener, 503, "").await;
    assert!(matches!(live.next().await, Ok(LiveItem::Reconnecting(lost)) if matches!(lost.why, Lost::Busy(_))));
    assert_eq!(take_call(&listener).await.1, "E-7");
}

#[tokio::test]
async fn a_server_without_live_events_has_its_own_error() {
    let (listener, url) = listen().await;
    let mut live = follow(&url, Start::Now);
    refuse_call(&listener, 404, "<html>").await;
    let error = live.next().await.expect_err("final");
    assert!(error.to_string().contains("status 404") && error.to_string().contains("/live"), "{error}");
}

#[tokio::test]
async fn a_restarted_hub_at_the_same_address_is_found() {
    let (listener, url) = listen().await;
    let address = listener.local_addr().expect("bound");
    let mut live = follow(&url, Start::After(at("E-7")));
    let (socket, _) = take_call(&listener).await;
    drop((listener, socket));
    let Ok(LiveItem::Reconnecting(first)) = live.next().await else { panic!("a loss was due") };
    assert!(matches!(first.why, Lost::Broken(_)), "{first:?}");
    let Ok(LiveItem::Reconnecting(second)) = live.next().await else { panic!("a loss was due") };
    assert!(matches!(second.why, Lost::Unreachable(_)), "{second:?}");
    let listener = TcpListener::bind(address).await.expect("the same port");
    // Meanwhile it tries without pauses; nobody may hold it up.
    tokio::spawn(async move { while live.next().await.is_ok() {} });
    assert_eq!(take_call(&listener).await.1, "E-7");
}

#[tokio::test]
async fn a_connection_closed_during_the_handshake_is_retried() {
    let (listener, url) = listen().await;
    let mut live = follow(&url, Start::Now);
    drop(listener.accept().await.expect("a caller"));
    assert!(matches!(live.next().await, Ok(LiveItem::Reconnecting(lost)) if matches!(lost.why, Lost::Unreachable(_))));
    take_call(&listener).await;
}
