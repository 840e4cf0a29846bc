//! Editing and removing messages, and the list of changes.

use serde_json::{Value, json};

use crate::support::{TestApp, field_of, fields, id_of};

async fn posted(app: &TestApp) -> (String, String, Value) {
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let message = app.say(&channel, "First thoughts").await;
    (project, channel, message)
}

#[tokio::test]
async fn an_author_can_edit_a_message() {
    let app = TestApp::new().await;
    let (project, _, message) = posted(&app).await;
    let coder = app.agent(&project, "Coder").await;
    let path = format!("/messages/{}", id_of(&message));
    let edited = app.patch(&path, json!({"body": "@Coder second thoughts, @Nobody"})).await.expect(200);
    assert_eq!((&edited["seq"], &edited["mentions"]), (&message["seq"], &json!([coder.id])));
    assert_eq!(edited["mention_problems"][0]["name"], "Nobody");
    assert!(edited["edited_at"].is_string());
    let inbox = app.get(&format!("/agents/{}/inbox", coder.id)).await.expect(200);
    assert_eq!(inbox["unread"], 1, "an agent whose mention was added by the edit is notified");
}

#[tokio::test]
async fn only_the_author_can_edit_a_message() {
    let app = TestApp::new().await;
    let (project, _, message) = posted(&app).await;
    let mara = app.person_in(&project, "Mara").await;
    let path = format!("/messages/{}", id_of(&message));
    app.patch(&path, json!({"body": "x"})).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    app.delete(&path).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn an_edited_text_must_not_be_blank() {
    let app = TestApp::new().await;
    let (_, _, message) = posted(&app).await;
    let path = format!("/messages/{}", id_of(&message));
    app.patch(&path, json!({"body": ""})).await.expect_problem("PARLOUR-I10", Some("body"));
    app.patch(&path, json!({})).await.expect_problem("PARLOUR-I02", Some("body"));
    app.patch(&path, json!({"body": "x", "kind": "host"})).await.expect_problem("PARLOUR-I03", Some("kind"));
}

#[tokio::test]
async fn a_removed_message_keeps_its_number_and_loses_its_text() {
    let app = TestApp::new().await;
    let (_, channel, message) = posted(&app).await;
    let path = format!("/messages/{}", id_of(&message));
    let removed = app.delete(&path).await.expect(200);
    assert_eq!((&removed["body"], &removed["seq"]), (&json!(""), &message["seq"]));
    assert!(removed["removed_at"].is_string());
    assert_eq!(app.delete(&path).await.expect(200), removed, "removing again changes nothing");
    app.patch(&path, json!({"body": "x"})).await.expect_problem("PARLOUR-C04", None);
    let history = app.pages(&format!("/channels/{channel}/messages"), TestApp::ADMIN).await;
    assert_eq!(history, [removed]);
}

#[tokio::test]
async fn the_changes_of_a_message_are_listed() {
    let app = TestApp::new().await;
    let (_, _, message) = posted(&app).await;
    let path = format!("/messages/{}", id_of(&message));
    app.patch(&path, json!({"body": "Second thoughts"})).await.expect(200);
    app.put(&format!("{path}/reactions/+1")).await.expect(200);
    app.delete(&path).await.expect(200);
    let changes = app.pages(&format!("{path}/changes"), TestApp::ADMIN).await;
    let names = field_of(&changes, "name");
    assert_eq!(names, ["messaging.posted", "messaging.edited", "messaging.reacted", "messaging.removed"]);
    assert_eq!(fields(&changes[0]), ["actor", "at", "data", "name", "position", "project_id"]);
    let texts = serde_json::to_string(&changes).expect("json");
    assert!(!texts.contains("thoughts"), "a removed text is gone from the log too");
}

#[tokio::test]
async fn a_message_of_another_project_is_not_found() {
    let app = TestApp::new().await;
    let (_, _, message) = posted(&app).await;
    let mara = app.person("Mara").await;
    let path = format!("/messages/{}", id_of(&message));
    for call in [
        app.get(&path),
        app.patch(&path, json!({"body": "x"})),
        app.delete(&path),
        app.get(&format!("{path}/changes")),
        app.put(&format!("{path}/reactions/x")),
        app.post(&format!("{path}/read"), json!({})),
    ] {
        call.by(&mara.token).await.expect_problem("PARLOUR-N01", None);
    }
}
