//! Agents of a project.

use axum::http::Method;
use serde_json::json;

use crate::support::{TestApp, field_of, fields, id_of};

#[tokio::test]
async fn an_agent_is_added_with_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let body = json!({
        "project_id": project, "name": "Coder", "capabilities": ["rust"], "endpoint_url": "https://coder.example/a2a",
        "instructions": "Write code."
    });
    let made = app.post("/agents", body.clone()).await.expect(201);
    let names =
        ["capabilities", "created_at", "endpoint_url", "id", "instructions", "name", "owner", "project_id", "token"];
    assert_eq!(fields(&made), names);
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(made[field], *value, "{field}");
    }
    let read = app.get(&format!("/agents/{}", id_of(&made))).await.expect(200);
    assert_eq!(read.get("token"), None, "a token is shown once");
    assert_eq!(read["instructions"], "Write code.");
}

#[tokio::test]
async fn an_agent_can_authenticate_and_sees_no_other_project() {
    let app = TestApp::new().await;
    let (apollo, gemini) = (app.project("Apollo").await, app.project("Gemini").await);
    let (coder, other) = (app.agent(&apollo, "Coder").await, app.agent(&gemini, "Coder").await);
    app.get(&format!("/agents/{}", coder.id)).by(&coder.token).await.expect(200);
    app.get(&format!("/agents/{}", other.id)).by(&coder.token).await.expect_problem("PARLOUR-N01", None);
    app.get(&format!("/projects/{gemini}/agents")).by(&coder.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn agents_cannot_add_agents() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let body = json!({"project_id": project, "name": "Helper"});
    app.post("/agents", body).by(&coder.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn agents_are_listed_page_by_page() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for name in ["Coder", "Critic", "Scout"] {
        app.agent(&project, name).await;
    }
    let agents = app.pages(&format!("/projects/{project}/agents"), TestApp::ADMIN).await;
    assert_eq!(field_of(&agents, "name"), ["Coder", "Critic", "Scout"]);
}

#[tokio::test]
async fn an_agent_can_change_itself() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let path = format!("/agents/{}", coder.id);
    let body = json!({"name": "Coder-2", "capabilities": ["rust", "sql"], "instructions": "Be kind."});
    let changed = app.patch(&path, body).by(&coder.token).await.expect(200);
    assert_eq!((&changed["name"], &changed["capabilities"]), (&json!("Coder-2"), &json!(["rust", "sql"])));
    let changed = app.patch(&path, json!({"instructions": ""})).await.expect(200);
    assert_eq!(changed.get("instructions"), None);
}

#[tokio::test]
async fn an_agent_cannot_change_another_agent() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (coder, critic) = (app.agent(&project, "Coder").await, app.agent(&project, "Critic").await);
    let path = format!("/agents/{}", coder.id);
    app.patch(&path, json!({"instructions": "Sleep."})).by(&critic.token).await.expect_problem("PARLOUR-A02", None);
    let path = format!("/agents/{}/token", coder.id);
    app.call(Method::POST, &path).by(&critic.token).await.expect_problem("PARLOUR-A04", None);
}

#[tokio::test]
async fn invalid_values_are_refused_with_their_field() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let try_with = |field: &str, value: serde_json::Value| {
        let mut body = json!({"project_id": project, "name": "Coder"});
        body[field] = value;
        app.post("/agents", body)
    };
    try_with("name", json!("host")).await.expect_problem("PARLOUR-I12", Some("name"));
    try_with("endpoint_url", json!("ftp://x")).await.expect_problem("PARLOUR-I02", Some("endpoint_url"));
    try_with("capabilities", json!(["", "b"])).await.expect_problem("PARLOUR-I10", Some("capabilities[0]"));
    try_with("instructions", json!("a\u{7}")).await.expect_problem("PARLOUR-I11", Some("instructions"));
    try_with("project_id", json!("prj_0")).await.expect_problem("PARLOUR-N01", None);
    try_with("owner", json!("per_0")).await.expect_problem("PARLOUR-I03", Some("owner"));
    assert!(app.pages(&format!("/projects/{project}/agents"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn a_new_token_replaces_the_old_one() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let path = format!("/agents/{}/token", coder.id);
    let renewed = app.call(Method::POST, &path).await.expect(201);
    app.get("/me").by(&coder.token).await.expect_problem("PARLOUR-A01", None);
    app.get("/me").by(renewed["token"].as_str().expect("a token")).await.expect(200);
}
