//! Engines of agents that the hub runs.

use serde_json::{Value, json};

use crate::support::{TestApp, id_of};

async fn create(app: &TestApp, project: &str, engine: Value) -> crate::support::Reply {
    app.post("/agents", json!({"project_id": project, "name": "Writer", "engine": engine})).await
}

#[tokio::test]
async fn every_member_can_list_the_configured_engines() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let offers = json!({"items": [
        {"provider": "built-in", "interface": "built-in"},
        {"provider": "local", "interface": "openai"},
        {"provider": "cloud", "interface": "anthropic", "model": "small-1"}
    ]});
    for token in [TestApp::ADMIN, coder.token.as_str()] {
        assert_eq!(app.get("/engines").by(token).await.expect(200), offers);
    }
    app.get("/engines").by_nobody().await.expect_problem("PARLOUR-A01", None);
    app.get("/engines?limit=1").await.expect_problem("PARLOUR-I09", Some("limit"));
}

#[tokio::test]
async fn an_agent_can_be_created_with_an_engine() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let engine = json!({"provider": "local", "model": "qwen3"});
    let made = create(&app, &project, engine.clone()).await.expect(201);
    assert_eq!(made["engine"], engine);
    assert_eq!(app.get(&format!("/agents/{}", id_of(&made))).await.expect(200)["engine"], engine);
    for (name, nothing) in [("Coder", json!(null)), ("Critic", json!({"provider": ""}))] {
        let outside = json!({"project_id": project, "name": name, "engine": nothing});
        assert_eq!(app.post("/agents", outside).await.expect(201).get("engine"), None, "{nothing}");
    }
}

#[tokio::test]
async fn an_engine_can_be_changed_kept_and_removed() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let path = format!("/agents/{}", id_of(&create(&app, &project, json!({"provider": "built-in"})).await.expect(201)));
    let changed = app.patch(&path, json!({"engine": {"provider": "cloud"}})).await.expect(200);
    assert_eq!(changed["engine"], json!({"provider": "cloud"}));
    let kept = app.patch(&path, json!({"instructions": "Be brief."})).await.expect(200);
    assert_eq!(kept["engine"], changed["engine"]);
    let removed = app.patch(&path, json!({"engine": {"provider": ""}})).await.expect(200);
    assert_eq!(removed.get("engine"), None);
}

#[tokio::test]
async fn an_unknown_provider_is_refused_with_those_that_exist() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let problem = create(&app, &project, json!({"provider": "clout"}))
        .await
        .expect_problem("PARLOUR-I10", Some("engine.provider"));
    assert_eq!(problem["candidates"], json!(["built-in", "local", "cloud"]));
    let agent = app.agent(&project, "Coder").await;
    let patch = json!({"engine": {"provider": "Local", "model": "m"}});
    let refused = app.patch(&format!("/agents/{}", agent.id), patch).await;
    refused.expect_problem("PARLOUR-I10", Some("engine.provider"));
}

#[tokio::test]
async fn a_provider_without_a_default_model_requires_one() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let long = "m".repeat(129);
    for (engine, code) in [
        (json!({"provider": "local"}), "PARLOUR-I02"),
        (json!({"provider": "local", "model": null}), "PARLOUR-I02"),
        (json!({"provider": "local", "model": " "}), "PARLOUR-I10"),
        (json!({"provider": "local", "model": "a\nb"}), "PARLOUR-I10"),
        (json!({"provider": "local", "model": long}), "PARLOUR-I10"),
    ] {
        create(&app, &project, engine).await.expect_problem(code, Some("engine.model"));
    }
}

#[tokio::test]
async fn the_api_never_contains_addresses_and_keys_of_providers() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let agent = app.agent(&project, "Coder").await;
    for field in ["base_url", "url", "key", "api_key", "key_file", "headers", "interface", "command"] {
        let mut engine = json!({"provider": "local", "model": "m"});
        engine[field] = json!("sk-zyzzyva");
        let field_path = format!("engine.{field}");
        create(&app, &project, engine.clone()).await.expect_problem("PARLOUR-I03", Some(&field_path));
        let refused = app.patch(&format!("/agents/{}", agent.id), json!({"engine": engine})).await;
        let problem = refused.expect_problem("PARLOUR-I03", Some(&field_path));
        assert!(!problem.to_string().contains("zyzzyva"), "the problem does not repeat the sent value: {problem}");
    }
}

#[tokio::test]
async fn an_engine_is_an_object_with_a_provider() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for (engine, field) in [
        (json!("built-in"), "engine"),
        (json!(["built-in", null]), "engine"),
        (json!({}), "engine.provider"),
        (json!({"provider": null}), "engine.provider"),
        (json!({"provider": "local", "model": 5}), "engine.model"),
    ] {
        create(&app, &project, engine).await.expect_problem("PARLOUR-I02", Some(field));
    }
}

#[tokio::test]
async fn only_managers_can_set_the_engine_of_an_agent() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, coder) = (app.person_in(&project, "Mara").await, app.agent(&project, "Coder").await);
    let path = format!("/agents/{}", coder.id);
    let patch = json!({"engine": {"provider": "built-in"}});
    app.patch(&path, patch).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    assert_eq!(app.get(&path).await.expect(200).get("engine"), None);
}
