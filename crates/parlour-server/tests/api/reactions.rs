//! Reactions to messages.

use serde_json::json;

use crate::support::{TestApp, id_of};

async fn message_path(app: &TestApp) -> (String, String) {
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let path = format!("/messages/{}", id_of(&app.say(&channel, "Hello").await));
    (project, path)
}

#[tokio::test]
async fn adding_and_removing_a_reaction_is_idempotent() {
    let app = TestApp::new().await;
    let (project, path) = message_path(&app).await;
    let coder = app.agent(&project, "Coder").await;
    let thumb = format!("{path}/reactions/%F0%9F%91%8D");
    for _ in 0..2 {
        let message = app.put(&thumb).by(&coder.token).await.expect(200);
        assert_eq!(message["reactions"], json!([{"emoji": "👍", "members": [coder.id]}]));
    }
    let message = app.put(&thumb).await.expect(200);
    assert_eq!(message["reactions"][0]["members"].as_array().map(Vec::len), Some(2));
    for _ in 0..2 {
        let message = app.delete(&thumb).await.expect(200);
        assert_eq!(message["reactions"], json!([{"emoji": "👍", "members": [coder.id]}]));
    }
}

#[tokio::test]
async fn invalid_reactions_are_refused() {
    let app = TestApp::new().await;
    let (_, path) = message_path(&app).await;
    let cases = [("a%20b", "PARLOUR-I11"), ("%00", "PARLOUR-I11"), (&"x".repeat(33), "PARLOUR-I10")];
    for (sign, code) in cases {
        app.put(&format!("{path}/reactions/{sign}")).await.expect_problem(code, Some("emoji"));
    }
    app.put(&format!("{path}/reactions/%FF")).await.expect_problem("PARLOUR-I08", None);
    app.put("/messages/chn_1/reactions/x").await.expect_problem("PARLOUR-I08", Some("id"));
}

#[tokio::test]
async fn reactions_to_a_removed_message_are_refused() {
    let app = TestApp::new().await;
    let (_, path) = message_path(&app).await;
    app.delete(&path).await.expect(200);
    app.put(&format!("{path}/reactions/x")).await.expect_problem("PARLOUR-C04", None);
}
