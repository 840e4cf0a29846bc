//! Tasks and batches.

use serde_json::json;

use crate::support::{TestApp, field_of, fields, id_of};

#[tokio::test]
async fn a_task_is_created_with_its_references() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let batch = app.post("/batches", json!({"project_id": project, "name": "Release 2"})).await.expect(201);
    let parent = app.post("/tasks", json!({"project_id": project, "title": "Ship"})).await.expect(201);
    assert_eq!(fields(&parent), ["created_at", "created_by", "id", "project_id", "status", "title", "updated_at"]);
    assert_eq!(parent["status"], "open");
    let body = json!({
        "project_id": project, "title": "Build", "description": "All of it", "status": "working", "assignee": coder.id,
        "parent_id": parent["id"], "batch_id": batch["id"]
    });
    let made = app.post("/tasks", body.clone()).await.expect(201);
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(made[field], *value, "{field}");
    }
    assert_eq!(app.get(&format!("/tasks/{}", id_of(&made))).await.expect(200), made);
}

#[tokio::test]
async fn every_member_can_change_a_task() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let task = app.post("/tasks", json!({"project_id": project, "title": "Ship"})).await.expect(201);
    let path = format!("/tasks/{}", id_of(&task));
    app.clock.advance(1_000);
    let body = json!({"status": "done", "assignee": coder.id, "description": "Shipped"});
    let changed = app.patch(&path, body).by(&coder.token).await.expect(200);
    assert_eq!((&changed["title"], &changed["status"]), (&json!("Ship"), &json!("done")));
    assert_eq!((&changed["assignee"], &changed["description"]), (&json!(coder.id), &json!("Shipped")));
    assert_ne!(changed["updated_at"], task["updated_at"]);
}

#[tokio::test]
async fn tasks_and_batches_are_listed_page_by_page() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for name in ["one", "two", "three"] {
        app.post("/tasks", json!({"project_id": project, "title": name})).await.expect(201);
        app.post("/batches", json!({"project_id": project, "name": name})).await.expect(201);
    }
    let tasks = app.pages(&format!("/projects/{project}/tasks"), TestApp::ADMIN).await;
    assert_eq!(field_of(&tasks, "title"), ["one", "two", "three"]);
    let batches = app.pages(&format!("/projects/{project}/batches"), TestApp::ADMIN).await;
    assert_eq!(field_of(&batches, "name"), ["one", "two", "three"]);
}

#[tokio::test]
async fn a_batch_has_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = app.post("/batches", json!({"project_id": project, "name": "Release 2"})).await.expect(201);
    assert_eq!(fields(&made), ["created_at", "created_by", "id", "name", "project_id"]);
    assert_eq!(app.get(&format!("/batches/{}", id_of(&made))).await.expect(200), made);
    let refused = app.post("/batches", json!({"project_id": project, "name": "all"})).await;
    refused.expect_problem("PARLOUR-I12", Some("name"));
}

#[tokio::test]
async fn references_to_other_projects_are_refused_with_their_field() {
    let app = TestApp::new().await;
    let (project, elsewhere) = (app.project("Apollo").await, app.project("Gemini").await);
    let foreign = app.post("/tasks", json!({"project_id": elsewhere, "title": "x"})).await.expect(201);
    let try_with = |field: &str, value: serde_json::Value| {
        let mut body = json!({"project_id": project, "title": "Ship"});
        body[field] = value;
        app.post("/tasks", body)
    };
    try_with("parent_id", foreign["id"].clone()).await.expect_problem("PARLOUR-N01", Some("parent_id"));
    try_with("batch_id", json!("bat_0")).await.expect_problem("PARLOUR-N01", Some("batch_id"));
    try_with("assignee", json!("agt_0")).await.expect_problem("PARLOUR-N01", Some("assignee"));
    try_with("thread_id", json!("thr_0")).await.expect_problem("PARLOUR-N01", Some("thread_id"));
    try_with("title", json!("two\nlines")).await.expect_problem("PARLOUR-I10", Some("title"));
    try_with("status", json!("finished")).await.expect_problem("PARLOUR-I02", Some("status"));
    assert!(app.pages(&format!("/projects/{project}/tasks"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn tasks_and_batches_of_other_projects_are_not_found() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person("Mara").await;
    let task = app.post("/tasks", json!({"project_id": project, "title": "x"})).await.expect(201);
    let batch = app.post("/batches", json!({"project_id": project, "name": "x"})).await.expect(201);
    for path in [format!("/tasks/{}", id_of(&task)), format!("/batches/{}", id_of(&batch))] {
        app.get(&path).by(&mara.token).await.expect_problem("PARLOUR-N01", None);
    }
}

#[tokio::test]
async fn only_one_of_several_conditional_updates_succeeds() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let agents = [app.agent(&project, "Coder").await, app.agent(&project, "Critic").await];
    let task = app.post("/tasks", json!({"project_id": project, "title": "Ship"})).await.expect(201);
    let path = format!("/tasks/{}", id_of(&task));
    let begin = |agent: &crate::support::Member| {
        app.patch(&path, json!({"status": "working", "assignee": agent.id, "if_status": "open"})).by(&agent.token)
    };
    let begun = begin(&agents[0]).await.expect(200);
    assert_eq!((&begun["status"], &begun["assignee"]), (&json!("working"), &json!(agents[0].id)));
    assert_eq!(begun.get("if_status"), None, "it is a request and no part of the task");
    let problem = begin(&agents[1]).await.expect_problem("PARLOUR-C10", Some("if_status"));
    assert_eq!((&problem["status"], &problem["retryable"]), (&json!(409), &json!(false)));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("working")), "{problem}");
    assert_eq!(app.get(&path).await.expect(200), begun);
}

#[tokio::test]
async fn the_condition_of_an_update_must_be_a_status() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let task = app.post("/tasks", json!({"project_id": project, "title": "Ship"})).await.expect(201);
    let path = format!("/tasks/{}", id_of(&task));
    app.patch(&path, json!({"title": "Ship it", "if_status": null})).await.expect(200);
    app.patch(&path, json!({"title": "x", "if_status": "new"})).await.expect_problem("PARLOUR-I02", Some("if_status"));
    app.patch(&path, json!({"title": "x", "if_status": "done"})).await.expect_problem("PARLOUR-C10", Some("if_status"));
    let create = json!({"project_id": project, "title": "x", "if_status": "open"});
    app.post("/tasks", create).await.expect_problem("PARLOUR-I03", Some("if_status"));
}
