//! One-line previews of messages.

use serde_json::{Value, json};

use crate::support::{TestApp, fields, id_of};

/// Posts a message and reads its preview.
async fn preview_of(app: &TestApp, channel: &str, body: &str) -> Value {
    let said = app.say(channel, body).await;
    app.get(&format!("/messages/{}/preview", id_of(&said))).await.expect(200)
}

/// An invalid key in the format of a provider.
fn key() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6".repeat(3))
}

#[tokio::test]
async fn a_preview_is_one_line_with_its_author() {
    let app = TestApp::new().await;
    let channel = app.channel(&app.project("Apollo").await, "general").await;
    let preview = preview_of(&app, &channel, "Keep it,\n\n  or\tdrop it?").await;
    assert_eq!(fields(&preview), ["from", "message_id", "text"]);
    assert_eq!((&preview["text"], &preview["from"]["name"]), (&json!("Keep it, or drop it?"), &json!("Admin")));
    let long = preview_of(&app, &channel, &"word ".repeat(5_000)).await;
    let text = long["text"].as_str().expect("a text");
    assert!(text.chars().count() <= 160 && text.starts_with("word word") && text.ends_with('…'), "{text}");
}

#[tokio::test]
async fn a_preview_is_redacted() {
    let app = TestApp::new().await;
    let channel = app.channel(&app.project("Apollo").await, "general").await;
    // A key at the end of the line is redacted before the line is truncated.
    for words in [0, 20, 28, 30, 31, 32] {
        let body = format!("{}the key is {} and ines@example.com has it", "word ".repeat(words), key());
        let preview = preview_of(&app, &channel, &body).await.to_string();
        assert!(!preview.contains("ghp_") && !preview.contains("ines@"), "{preview}");
    }
    let short = preview_of(&app, &channel, &format!("It is {}", key())).await;
    assert_eq!(short["text"], "It is [github-token 1]");
}

#[tokio::test]
async fn a_preview_follows_the_policy_of_the_project_and_edits() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let said = id_of(&app.say(&channel, "Badge B-123456 of ines@example.com").await);
    let preview = async || app.get(&format!("/messages/{said}/preview")).await.expect(200)["text"].clone();
    assert_eq!(preview().await, "Badge B-123456 of [mail 1]");
    let mut policy = app.get(&format!("/projects/{project}")).await.expect(200)["policy"].clone();
    policy["context"]["redaction"] =
        json!({"personal": false, "add": [{"kind": "badge", "pattern": "\\bB-[0-9]{6}\\b"}]});
    app.patch(&format!("/projects/{project}"), json!({"policy": policy})).await.expect(200);
    assert_eq!(preview().await, "Badge [badge 1] of ines@example.com");
    app.patch(&format!("/messages/{said}"), json!({"body": "Never mind"})).await.expect(200);
    assert_eq!(preview().await, "Never mind");
    app.delete(&format!("/messages/{said}")).await.expect(200);
    assert_eq!(preview().await, "");
}
