//! Posting and reading messages.

use serde_json::{Value, json};

use crate::support::{TestApp, fields, id_of};

async fn general(app: &TestApp) -> (String, String) {
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    (project, channel)
}

#[tokio::test]
async fn a_message_is_posted_with_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let (project, channel) = general(&app).await;
    let posted = app.say(&channel, "Hello").await;
    let contract = [
        "artifacts",
        "blocking",
        "body",
        "context",
        "created_at",
        "from",
        "id",
        "importance",
        "kind",
        "mention_problems",
        "mentions",
        "position",
        "project_id",
        "seq",
        "state",
        "to",
        "type",
    ];
    assert_eq!(fields(&posted), contract);
    assert_eq!((&posted["type"], &posted["to"]), (&json!("channel"), &json!(channel)));
    assert_eq!(posted["context"], json!({"project_id": project}));
    assert_eq!((&posted["from"]["type"], &posted["from"]["name"]), (&json!("person"), &json!("Admin")));
    assert_eq!((&posted["kind"], &posted["state"], &posted["seq"]), (&json!("user"), &json!("complete"), &json!(1)));
    let mut read = posted.clone();
    let object = read.as_object_mut().expect("an object");
    object.remove("position");
    object.remove("mention_problems");
    assert_eq!(app.get(&format!("/messages/{}", id_of(&posted))).await.expect(200), read);
}

#[tokio::test]
async fn all_fields_of_a_post_are_stored() {
    let app = TestApp::new().await;
    let (project, channel) = general(&app).await;
    let task = app.post("/tasks", json!({"project_id": project, "title": "Ship"})).await.expect(201);
    let artifact = app.artifact(&project, &channel, "a.txt", "content").await;
    let coder = app.post("/agents", json!({"project_id": project, "name": "Coder"})).await.expect(201);
    let sent = json!({
        "id": "msg_own", "channel_id": channel, "project_id": project, "body": "All of it", "content": {"a": [1, null]},
        "mentions": ["Coder"], "artifacts": [artifact["id"]], "blocking": true, "importance": "high",
        "attachments": [{"filename": "b.png", "media_type": "image/png", "size": 3, "url": "https://example.com/b.png"}],
        "context": {"project_id": project, "task_id": task["id"]}, "correlation_id": "call-7",
        "metadata": {"k": {"deep": true}}, "kind": "user"
    });
    let posted = app.post("/messages", sent.clone()).await.expect(201);
    for field in ["id", "body", "content", "artifacts", "blocking", "importance", "attachments", "context", "metadata"]
    {
        assert_eq!(posted[field], sent[field], "{field}");
    }
    assert_eq!(posted["correlation_id"], "call-7");
    assert_eq!(
        (&posted["mentions"], &posted["question"]["addressees"]),
        (&json!([coder["id"]]), &json!([coder["id"]]))
    );
}

#[tokio::test]
async fn repeating_a_post_returns_the_first_result() {
    let app = TestApp::new().await;
    let (_, channel) = general(&app).await;
    let request = json!({"channel_id": channel, "body": "Once", "id": "msg_retry-1"});
    let first = app.post("/messages", request.clone()).await.expect(201);
    app.clock.advance(5_000);
    assert_eq!(app.post("/messages", request).await.expect(200), first);
    assert_eq!(app.pages(&format!("/channels/{channel}/messages"), TestApp::ADMIN).await.len(), 1);
}

#[tokio::test]
async fn reusing_an_id_for_another_content_or_author_is_refused() {
    let app = TestApp::new().await;
    let (project, channel) = general(&app).await;
    let coder = app.agent(&project, "Coder").await;
    let request = |body: &str| json!({"channel_id": channel, "body": body, "id": "msg_retry-1"});
    app.post("/messages", request("Once")).await.expect(201);
    let refused = app.post("/messages", request("Twice")).await;
    assert_eq!(refused.expect_problem("PARLOUR-C01", Some("id"))["status"], 409);
    app.post("/messages", request("Once")).by(&coder.token).await.expect_problem("PARLOUR-C01", Some("id"));
}

#[tokio::test]
async fn the_token_determines_the_author() {
    let app = TestApp::new().await;
    let (project, channel) = general(&app).await;
    let coder = app.agent(&project, "Coder").await;
    let posted = app.post("/messages", json!({"channel_id": channel, "body": "x"})).by(&coder.token).await.expect(201);
    assert_eq!((&posted["from"]["id"], &posted["kind"]), (&json!(coder.id), &json!("assistant")));
    let forged =
        json!({"channel_id": channel, "body": "x", "from": {"type": "person", "id": "per_1", "name": "Admin"}});
    app.post("/messages", forged).by(&coder.token).await.expect_problem("PARLOUR-I03", Some("from"));
}

#[tokio::test]
async fn unknown_mentions_in_the_text_are_reported() {
    let app = TestApp::new().await;
    let (project, channel) = general(&app).await;
    let coder = app.agent(&project, "Coder").await;
    let posted = app.say(&channel, "@Codr and @Coder").await;
    assert_eq!(posted["mentions"], json!([coder.id]));
    let problem = &posted["mention_problems"][0];
    assert_eq!((&problem["name"], &problem["reason"]), (&json!("Codr"), &json!("unknown")));
    assert_eq!(problem["candidates"], json!(["Coder"]));
}

#[tokio::test]
async fn an_unknown_name_in_mentions_is_refused_with_candidates() {
    let app = TestApp::new().await;
    let (project, channel) = general(&app).await;
    app.agent(&project, "Coder").await;
    let request = json!({"channel_id": channel, "body": "x", "mentions": ["Codr"]});
    let problem = app.post("/messages", request).await.expect_problem("PARLOUR-M01", Some("mentions[0]"));
    assert_eq!(problem["candidates"], json!(["Coder"]));
}

#[tokio::test]
async fn invalid_posts_are_refused_with_their_field_and_store_nothing() {
    let app = TestApp::new().await;
    let (_, channel) = general(&app).await;
    let cases: [(Value, &str, &str); 12] = [
        (json!({"body": " "}), "PARLOUR-I10", "body"),
        (json!({"body": "a\u{0}b"}), "PARLOUR-I11", "body"),
        (json!({"body": "é".repeat(32_769)}), "PARLOUR-I10", "body"),
        (json!({"body": "x", "id": "mine"}), "PARLOUR-I02", "id"),
        (json!({"body": "x", "importance": "urgent"}), "PARLOUR-I02", "importance"),
        (json!({"body": "x", "blocking": "yes"}), "PARLOUR-I02", "blocking"),
        (json!({"body": "x", "reply_to": "msg_0"}), "PARLOUR-N01", "reply_to"),
        (json!({"body": "x", "artifacts": ["art_0"]}), "PARLOUR-N01", "artifacts[0]"),
        (json!({"body": "x", "context": {"task_id": "tsk_0"}}), "PARLOUR-N01", "context.task_id"),
        (json!({"body": "x", "correlation_id": "a b"}), "PARLOUR-I10", "correlation_id"),
        (json!({"body": "x", "project_id": "prj_0"}), "PARLOUR-I02", "project_id"),
        (json!({"body": "x", "dm_id": "dm_0"}), "PARLOUR-I02", "channel_id"),
    ];
    for (mut request, code, field) in cases {
        request["channel_id"] = json!(channel);
        let text = request.to_string();
        let problem = app.post("/messages", request).await.json();
        let refused_with = (problem["code"].as_str(), problem["field"].as_str());
        assert_eq!(refused_with, (Some(code), Some(field)), "{} → {problem}", &text[..text.len().min(200)]);
    }
    assert!(app.pages(&format!("/channels/{channel}/messages"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn a_post_must_name_exactly_one_conversation() {
    let app = TestApp::new().await;
    app.post("/messages", json!({"body": "x"})).await.expect_problem("PARLOUR-I02", Some("channel_id"));
    let absent = app.post("/messages", json!({"body": "x", "channel_id": "chn_0"})).await;
    absent.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn null_means_absent() {
    let app = TestApp::new().await;
    let (_, channel) = general(&app).await;
    let request = json!({
        "channel_id": channel, "thread_id": null, "body": "x", "content": null, "mentions": null, "artifacts": null,
        "attachments": null, "blocking": null, "importance": null, "kind": null, "context": null, "metadata": null
    });
    app.post("/messages", request).await.expect(201);
}
