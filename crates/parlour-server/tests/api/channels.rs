//! Channels of a project.

use axum::http::Method;
use serde_json::json;

use crate::support::{TestApp, field_of, fields, id_of};

#[tokio::test]
async fn a_channel_is_created_with_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let body = json!({"project_id": project, "name": "general", "topic": "All and sundry", "visibility": "project"});
    let made = app.post("/channels", body.clone()).await.expect(201);
    assert_eq!(fields(&made), ["created_at", "created_by", "id", "name", "project_id", "topic", "visibility"]);
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(made[field], *value, "{field}");
    }
    assert_eq!(app.get(&format!("/channels/{}", id_of(&made))).await.expect(200), made);
}

#[tokio::test]
async fn a_channel_is_open_to_the_project_by_default() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = app.post("/channels", json!({"project_id": project, "name": "general"})).await.expect(201);
    assert_eq!(made["visibility"], "project");
}

#[tokio::test]
async fn channels_are_listed_page_by_page_for_those_who_may_read_them() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    app.channel(&project, "general").await;
    app.private_channel(&mara, &project, "secret").await;
    app.channel(&project, "random").await;
    let path = format!("/projects/{project}/channels");
    assert_eq!(field_of(&app.pages(&path, TestApp::ADMIN).await, "name"), ["general", "random"]);
    assert_eq!(field_of(&app.pages(&path, &mara.token).await, "name"), ["general", "secret", "random"]);
}

#[tokio::test]
async fn a_patch_changes_only_the_given_fields_of_a_channel() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let path = format!("/channels/{}", app.channel(&project, "general").await);
    let changed = app.patch(&path, json!({"topic": "News"})).await.expect(200);
    assert_eq!((&changed["name"], &changed["topic"]), (&json!("general"), &json!("News")));
    let changed = app.patch(&path, json!({"name": "news", "topic": "", "visibility": "private"})).await.expect(200);
    assert_eq!((&changed["name"], changed.get("topic")), (&json!("news"), None));
    assert_eq!(changed["visibility"], "private");
    app.get(&path).await.expect(200);
}

#[tokio::test]
async fn an_archived_channel_is_read_only_until_it_is_unarchived() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    app.say(&channel, "before").await;
    let path = format!("/channels/{channel}");
    let archived = app.call(Method::POST, &format!("{path}/archive")).await.expect(200);
    assert!(archived["archived_at"].is_string());
    let again = app.call(Method::POST, &format!("{path}/archive")).await.expect(200);
    assert_eq!(again, archived);
    let post = || app.post("/messages", json!({"channel_id": channel, "body": "now"}));
    post().await.expect_problem("PARLOUR-C03", None);
    assert_eq!(app.pages(&format!("{path}/messages"), TestApp::ADMIN).await.len(), 1);
    let active = app.call(Method::POST, &format!("{path}/unarchive")).await.expect(200);
    assert_eq!(active.get("archived_at"), None);
    post().await.expect(201);
}

#[tokio::test]
async fn only_managers_can_change_a_channel() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let path = format!("/channels/{}", app.channel(&project, "general").await);
    app.patch(&path, json!({"topic": "Mine"})).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    app.call(Method::POST, &format!("{path}/archive")).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn invalid_values_are_refused_with_their_field() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let try_with = |field: &str, value: serde_json::Value| {
        let mut body = json!({"project_id": project, "name": "general"});
        body[field] = value;
        app.post("/channels", body)
    };
    try_with("name", json!("every one\u{200b}")).await.expect_problem("PARLOUR-I12", Some("name"));
    try_with("name", json!(7)).await.expect_problem("PARLOUR-I02", Some("name"));
    try_with("topic", json!("x".repeat(501))).await.expect_problem("PARLOUR-I10", Some("topic"));
    try_with("visibility", json!("public")).await.expect_problem("PARLOUR-I02", Some("visibility"));
    try_with("project_id", json!("chn_1")).await.expect_problem("PARLOUR-I02", Some("project_id"));
    try_with("created_by", json!("per_1")).await.expect_problem("PARLOUR-I03", Some("created_by"));
    assert!(app.pages(&format!("/projects/{project}/channels"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn channel_names_are_unique_per_project() {
    let app = TestApp::new().await;
    let (apollo, gemini) = (app.project("Apollo").await, app.project("Gemini").await);
    app.channel(&apollo, "general").await;
    let taken = app.post("/channels", json!({"project_id": apollo, "name": "General"})).await;
    taken.expect_problem("PARLOUR-C02", Some("name"));
    app.channel(&gemini, "general").await;
}
