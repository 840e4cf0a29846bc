//! Threads below the messages of a channel.

use serde_json::{Value, json};

use crate::support::{TestApp, field_of, fields, id_of};

fn request(channel: &str, root: &Value) -> Value {
    json!({"channel_id": channel, "root_message_id": root["id"]})
}

#[tokio::test]
async fn a_message_has_at_most_one_thread() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let root = app.say(&channel, "root").await;
    let made = app.post("/threads", request(&channel, &root)).await.expect(201);
    assert_eq!(fields(&made), ["channel_id", "created_at", "created_by", "id", "project_id", "root_message_id"]);
    assert_eq!(made["root_message_id"], root["id"]);
    let again = app.post("/threads", request(&channel, &root)).await.expect(200);
    assert_eq!(again, made);
    assert_eq!(app.get(&format!("/threads/{}", id_of(&made))).await.expect(200), made);
    let root = app.get(&format!("/messages/{}", id_of(&root))).await.expect(200);
    assert_eq!(root["thread_id"], made["id"]);
}

#[tokio::test]
async fn a_thread_can_be_written_and_read() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let root = app.say(&channel, "root").await;
    let thread = id_of(&app.post("/threads", request(&channel, &root)).await.expect(201));
    for body in ["one", "two"] {
        let posted = app.post("/messages", json!({"thread_id": thread, "body": body})).await.expect(201);
        assert_eq!((&posted["type"], &posted["to"]), (&json!("thread"), &json!(thread)));
    }
    let messages = app.pages(&format!("/threads/{thread}/messages"), TestApp::ADMIN).await;
    assert_eq!(field_of(&messages, "body"), ["two", "one"]);
}

#[tokio::test]
async fn threads_are_listed_page_by_page() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let mut opened = Vec::new();
    for body in ["a", "b", "c"] {
        let root = app.say(&channel, body).await;
        opened.push(id_of(&app.post("/threads", request(&channel, &root)).await.expect(201)));
    }
    let threads = app.pages(&format!("/channels/{channel}/threads"), TestApp::ADMIN).await;
    assert_eq!(field_of(&threads, "id"), opened);
}

#[tokio::test]
async fn a_root_message_of_another_channel_is_refused() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (general, random) = (app.channel(&project, "general").await, app.channel(&project, "random").await);
    let root = app.say(&random, "root").await;
    app.post("/threads", request(&general, &root)).await.expect_problem("PARLOUR-N01", Some("root_message_id"));
    let absent = json!({"channel_id": general, "root_message_id": "msg_0"});
    app.post("/threads", absent).await.expect_problem("PARLOUR-N01", Some("root_message_id"));
    app.get("/threads/thr_0").await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn a_thread_of_a_removed_message_is_refused() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let root = app.say(&channel, "root").await;
    app.delete(&format!("/messages/{}", id_of(&root))).await.expect(200);
    app.post("/threads", request(&channel, &root)).await.expect_problem("PARLOUR-C04", None);
}
