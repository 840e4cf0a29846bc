//! Messages of a conversation.

use serde_json::Value;

use crate::support::{TestApp, field_of, id_of};

/// A channel with the messages 1 to 5, one each second.
async fn five(app: &TestApp) -> (String, Vec<Value>) {
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let mut posted = Vec::new();
    for body in ["1", "2", "3", "4", "5"] {
        app.clock.advance(1_000);
        posted.push(app.say(&channel, body).await);
    }
    (format!("/channels/{channel}/messages"), posted)
}

async fn read(app: &TestApp, path: &str) -> String {
    let page = app.get(path).await.expect(200);
    field_of(page["items"].as_array().expect("items"), "body").concat()
}

#[tokio::test]
async fn the_newest_messages_come_first_by_default() {
    let app = TestApp::new().await;
    let (path, _) = five(&app).await;
    assert_eq!(read(&app, &path).await, "54321");
    assert_eq!(read(&app, &format!("{path}?limit=2")).await, "54");
    assert_eq!(field_of(&app.pages(&path, TestApp::ADMIN).await, "body").concat(), "54321");
}

#[tokio::test]
async fn before_reads_backwards_from_a_number_a_message_or_a_time() {
    let app = TestApp::new().await;
    let (path, posted) = five(&app).await;
    let at = posted[2]["created_at"].as_str().expect("a time");
    for mark in ["3", &id_of(&posted[2]), at] {
        assert_eq!(read(&app, &format!("{path}?before={mark}")).await, "21", "{mark}");
    }
    let all = app.pages(&format!("{path}?before=5"), TestApp::ADMIN).await;
    assert_eq!(field_of(&all, "body").concat(), "4321");
}

#[tokio::test]
async fn since_reads_forwards_from_a_number_a_message_or_a_time() {
    let app = TestApp::new().await;
    let (path, posted) = five(&app).await;
    assert_eq!(read(&app, &format!("{path}?since=3")).await, "45");
    assert_eq!(read(&app, &format!("{path}?since={}", id_of(&posted[2]))).await, "45");
    let at = posted[2]["created_at"].as_str().expect("a time");
    assert_eq!(read(&app, &format!("{path}?since={at}")).await, "345", "a message at exactly that time is included");
    let all = app.pages(&format!("{path}?since=0"), TestApp::ADMIN).await;
    assert_eq!(field_of(&all, "body").concat(), "12345");
    assert_eq!(read(&app, &format!("{path}?since=5")).await, "");
}

#[tokio::test]
async fn invalid_marks_and_cursors_are_refused_by_name() {
    let app = TestApp::new().await;
    let (path, _) = five(&app).await;
    for (query, field) in [
        ("before=yesterday", "before"),
        ("since=-1", "since"),
        ("since=chn_1", "since"),
        ("before=1&since=1", "since"),
        ("before=1&before=2", "before"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=ten", "limit"),
        ("cursor=7", "cursor"),
        ("cursor=before-x", "cursor"),
        ("offset=1", "offset"),
    ] {
        app.get(&format!("{path}?{query}")).await.expect_problem("PARLOUR-I09", Some(field));
    }
    let long = "x".repeat(201);
    app.get(&format!("{path}?cursor={long}")).await.expect_problem("PARLOUR-I09", Some("cursor"));
    app.get(&format!("{path}?before=msg_0")).await.expect_problem("PARLOUR-N01", Some("before"));
}
