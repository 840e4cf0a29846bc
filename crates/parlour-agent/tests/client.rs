//! The client against a stand-in that answers exactly as told: what it sends, repeats, follows and refuses.

use std::time::Duration;

use parlour_agent::{Client, ClientError, HistoryRange, Retry};
use parlour_core::{
    id::{ChannelId, MessageId, ProjectId},
    post::PostMessage,
};
use serde_json::json;

mod support;
use support::{FakeHub, Reply};

/// As patient as the real one, without its pauses.
const QUICK: Retry = Retry { tries_max: 4, pause_first: Duration::ZERO, pause_max: Duration::ZERO };

fn client(hub: &FakeHub) -> Client {
    Client::new(&hub.url, Some("secret-token")).expect("client").with_retry(QUICK)
}

fn hello() -> PostMessage {
    PostMessage { channel_id: Some(ChannelId::from_bits(1)), body: "Hello".into(), ..PostMessage::default() }
}

fn posted() -> Reply {
    let message = json!({
        "id": MessageId::from_bits(7), "project_id": ProjectId::from_bits(1), "type": "channel",
        "to": ChannelId::from_bits(1), "seq": 3, "from": {"type": "person", "id": "per_1", "name": "Mara"},
        "kind": "user", "body": "Hello", "importance": "normal", "blocking": false, "state": "complete",
        "context": {"project_id": ProjectId::from_bits(1)}, "created_at": "2026-11-15T09:12:00.000Z",
        "position": "E1-12",
    });
    Reply::With(201, message.to_string())
}

fn problem(status: u16, code: &str, retryable: bool) -> Reply {
    let body = json!({
        "type": format!("/errors/{code}"), "code": code, "title": "T", "detail": "because", "status": status,
        "retryable": retryable,
    });
    Reply::With(status, body.to_string())
}

#[tokio::test]
async fn the_token_goes_along_as_a_bearer() {
    let hub = FakeHub::answering(vec![Reply::With(200, r#"{"status":"ok","version":"0.1.0"}"#.into())]).await;
    client(&hub).health().await.expect("healthy");
    assert_eq!(hub.asked()[0].authorization.as_deref(), Some("Bearer secret-token"));
    assert_eq!(hub.asked()[0].line, "GET /health");
}

#[tokio::test]
async fn a_post_is_repeated_under_the_same_id_until_it_is_answered() {
    let hub = FakeHub::answering(vec![problem(503, "PARLOUR-S02", true), Reply::HangUp, posted()]).await;
    let id = MessageId::from_bits(7);
    let answer = client(&hub).post_message(&id, &hello()).await.expect("posted in the end");
    assert_eq!((answer.message.seq, answer.position.offset()), (3, 12));
    let bodies: Vec<_> = hub.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| body == &bodies[0] && body.contains(id.as_str())), "{bodies:?}");
}

#[tokio::test]
async fn the_given_id_goes_before_one_in_the_wish() {
    let hub = FakeHub::answering(vec![posted()]).await;
    let wish = PostMessage { id: Some(MessageId::from_bits(1)), ..hello() };
    client(&hub).post_message(&MessageId::from_bits(7), &wish).await.expect("posted");
    assert!(hub.asked()[0].body.contains(MessageId::from_bits(7).as_str()));
}

#[tokio::test]
async fn a_refused_post_is_not_repeated() {
    let hub = FakeHub::answering(vec![problem(409, "PARLOUR-C01", false)]).await;
    let error = client(&hub).post_message(&MessageId::from_bits(7), &hello()).await.expect_err("refused");
    assert_eq!(error.to_string(), "because (PARLOUR-C01)");
    assert_eq!(hub.asked().len(), 1);
}

#[tokio::test]
async fn patience_with_a_post_ends() {
    let hub = FakeHub::answering(vec![problem(503, "PARLOUR-S01", true); 5]).await;
    let error = client(&hub).post_message(&MessageId::from_bits(7), &hello()).await.expect_err("never");
    assert!(error.problem().is_some_and(|problem| problem.status == 503));
    assert_eq!(hub.asked().len(), 4);
}

#[tokio::test]
async fn a_list_is_read_to_its_end() {
    let page =
        |items: &[&str], next: Option<&str>| Reply::With(200, json!({ "items": items, "next": next }).to_string());
    let hub = FakeHub::answering(vec![page(&["agt_1"], Some("a+b")), page(&["per_2"], None)]).await;
    let members = client(&hub).channel_members(&ChannelId::from_bits(1)).await.expect("members");
    assert_eq!(members.items.iter().map(ToString::to_string).collect::<Vec<_>>(), ["agt_1", "per_2"]);
    assert_eq!(members.next, None);
    assert!(hub.asked()[1].line.ends_with("?limit=200&cursor=a%2Bb"), "{:?}", hub.asked()[1]);
}

#[tokio::test]
async fn only_marks_that_are_given_are_sent() {
    let empty = || Reply::With(200, r#"{"items":[]}"#.into());
    let hub = FakeHub::answering(vec![empty(), empty()]).await;
    let thread = "thr_1".parse().expect("id");
    client(&hub).history(&thread, &HistoryRange::default()).await.expect("page");
    let range = HistoryRange { before: Some("12".into()), limit: Some(5), ..HistoryRange::default() };
    client(&hub).history(&"dm_1".parse().expect("id"), &range).await.expect("page");
    let lines: Vec<_> = hub.asked().into_iter().map(|asked| asked.line).collect();
    assert_eq!(lines, ["GET /threads/thr_1/messages", "GET /dms/dm_1/messages?before=12&limit=5"]);
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_token() {
    let elsewhere = FakeHub::answering(vec![Reply::With(200, "{}".into())]).await;
    let hub = FakeHub::answering(vec![Reply::Redirect(elsewhere.url.clone())]).await;
    let error = client(&hub).health().await.expect_err("not followed");
    assert!(matches!(error, ClientError::BadAnswer { status: 302, .. }), "{error}");
    assert_eq!(elsewhere.asked(), []);
}

#[tokio::test]
async fn nobody_at_the_address_is_said_plainly() {
    // A port that was free a moment ago: nobody listens there now.
    let url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        format!("http://{}", listener.local_addr().expect("bound"))
    };
    let client = Client::new(&url, None).expect("client").with_retry(Retry::NEVER);
    let error = client.health().await.expect_err("nobody there");
    assert_eq!(error.to_string(), format!("no hub answers at {url}"));
    assert!(error.is_retryable());
}

#[test]
fn a_token_is_not_shown_in_debug_output() {
    let client = Client::new("http://127.0.0.1:1", Some("secret-token")).expect("client");
    assert!(!format!("{client:?}").contains("secret-token"));
}

#[test]
fn a_token_with_a_line_break_is_refused() {
    let error = Client::new("http://127.0.0.1:1", Some("secret\ntoken")).expect_err("refused");
    assert!(matches!(error, ClientError::BadToken), "{error}");
    assert!(!error.to_string().contains("secret"));
}
