//! Invites, and joining with an invite.

use parlour_core::limits;
use serde_json::{Value, json};

use crate::support::{TestApp, fields, id_of};

async fn invite(app: &TestApp, project: &str, body: Value) -> Value {
    app.post(&format!("/projects/{project}/invites"), body).await.expect(201)
}

#[tokio::test]
async fn an_agent_on_another_machine_joins_with_one_request() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = invite(&app, &project, json!({"role": "full", "label": "build machine"})).await;
    let names =
        ["code", "created_at", "created_by", "expires_at", "id", "label", "project_id", "role", "uses", "uses_max"];
    assert_eq!(fields(&made), names);
    assert_eq!((&made["uses"], &made["uses_max"]), (&json!(0), &json!(1)));
    let body = json!({"code": made["code"], "name": "Coder", "capabilities": ["rust"], "instructions": "Be kind."});
    let joined = app.post("/join", body).by_nobody().await.expect(201);
    assert_eq!(fields(&joined), ["agent", "project", "token"]);
    assert_eq!((&joined["agent"]["name"], &joined["project"]["id"]), (&json!("Coder"), &json!(project)));
    let me = app.get("/me").by(joined["token"].as_str().expect("a token")).await.expect(200);
    assert_eq!((&me["member_id"], &me["project_id"]), (&joined["agent"]["id"], &json!(project)));
}

#[tokio::test]
async fn context_settings_of_a_join_request_apply_to_packs() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    for number in 1..=40 {
        let body = format!("Valve {number} was tested at {number}0 bar and held for an hour.");
        app.post("/messages", json!({"channel_id": channel, "body": body})).await.expect(201);
    }
    let made = invite(&app, &project, json!({"role": "full", "uses_max": 2})).await;
    let own = json!({"pack_tokens_max": 300, "injection_tokens_max": 99, "model": "gpt-4o"});
    let body = json!({"code": made["code"], "name": "Coder", "context": own});
    let joined = app.post("/join", body).by_nobody().await.expect(201);
    let (id, token) = (id_of(&joined["agent"]), joined["token"].as_str().expect("a token"));
    assert_eq!(joined["agent"]["context"], own);
    assert_eq!(app.get(&format!("/agents/{id}")).await.expect(200)["context"], own, "and it is kept");
    for (format, budget) in [("pack", 300), ("injection", 99)] {
        let ask = json!({"format": format, "conversation_id": channel});
        let pack = app.post(&format!("/agents/{id}/context"), ask).by(token).await.expect(200);
        let receipt = &pack["receipt"];
        assert_eq!((&receipt["budget"], &receipt["counting"]["is_exact"]), (&json!(budget), &json!(true)), "{format}");
        assert!(receipt["used"].as_u64() <= Some(budget), "{receipt}");
    }
    let body = json!({"code": made["code"], "name": "Plain", "context": {}});
    let plain = app.post("/join", body).by_nobody().await.expect(201);
    assert_eq!(plain["agent"].get("context"), None, "without own settings those of the project apply");
}

#[tokio::test]
async fn invalid_context_settings_are_refused_and_do_not_use_the_invite() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = invite(&app, &project, json!({"role": "full"})).await;
    let join = |context: Value| {
        app.post("/join", json!({"code": made["code"], "name": "Coder", "context": context})).by_nobody()
    };
    for (wrong, field, word) in [
        (json!({"pack_tokens_max": 1}), "context.pack_tokens_max", "64"),
        (json!({"injection_tokens_max": 100_001}), "context.injection_tokens_max", "100"),
        (json!({"weights": {"words": 1_001}}), "context.weights.words", "1"),
        (json!({"model": ""}), "context.model", "empty"),
        (json!({"pack_tokens_max": "many"}), "context.pack_tokens_max", "many"),
        (json!({"pack": 1}), "context.pack", "pack_tokens_max"),
        (json!([]), "context", ""),
    ] {
        let problem = join(wrong.clone()).await.json();
        assert_eq!(problem["field"].as_str(), Some(field), "{wrong}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(word)), "{wrong}: {problem}");
    }
    let listed = app.get(&format!("/projects/{project}/invites")).await.expect(200);
    assert_eq!(listed["items"][0]["uses"], 0);
    join(json!({"pack_tokens_max": 64})).await.expect(201);
}

#[tokio::test]
async fn the_role_of_an_invite_limits_the_token() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    for (role, name, may_post, may_read) in [("read-only", "Listener", 403, 200), ("post-only", "Siren", 201, 403)] {
        let made = invite(&app, &project, json!({"role": role})).await;
        let joined = app.post("/join", json!({"code": made["code"], "name": name})).by_nobody().await.expect(201);
        let token = joined["token"].as_str().expect("a token");
        let post = app.post("/messages", json!({"channel_id": channel, "body": "hi"})).by(token).await;
        let read = app.get(&format!("/channels/{channel}/messages")).by(token).await;
        assert_eq!((post.status.as_u16(), read.status.as_u16()), (may_post, may_read), "{role}");
    }
}

#[tokio::test]
async fn a_new_agent_can_have_a_role_too() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let body = json!({"project_id": project, "name": "Listener", "role": "read-only"});
    let made = app.post("/agents", body).await.expect(201);
    let me = app.get("/me").by(made["token"].as_str().expect("a token")).await.expect(200);
    assert_eq!(me["scopes"], json!(["messages:read", "channels:read", "context:read"]));
    let body = json!({"project_id": project, "name": "King", "role": "admin"});
    app.post("/agents", body).await.expect_problem("PARLOUR-I02", Some("role"));
}

#[tokio::test]
async fn a_code_works_only_as_often_as_allowed() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = invite(&app, &project, json!({"role": "full", "uses_max": 2})).await;
    let join = |name: &str| app.post("/join", json!({"code": made["code"], "name": name})).by_nobody();
    join("One").await.expect(201);
    join("One").await.expect_problem("PARLOUR-C02", Some("name"));
    join("Two").await.expect(201);
    assert_eq!(join("Three").await.expect_problem("PARLOUR-A09", None)["status"], 409);
    let listed = app.get(&format!("/projects/{project}/invites")).await.expect(200);
    assert_eq!(listed["items"][0]["uses"], 2);
}

#[tokio::test]
async fn expired_and_unknown_codes_get_the_same_refusal() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = invite(&app, &project, json!({"role": "full", "expires_in_seconds": 60})).await;
    app.clock.advance(60_000);
    for code in [made["code"].clone(), json!("parlour_0"), json!("")] {
        app.post("/join", json!({"code": code, "name": "Coder"})).by_nobody().await.expect_problem("PARLOUR-A09", None);
    }
}

#[tokio::test]
async fn an_invite_is_listed_without_its_code_and_can_be_revoked() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = invite(&app, &project, json!({"role": "full"})).await;
    let listed = app.pages(&format!("/projects/{project}/invites"), TestApp::ADMIN).await;
    assert_eq!((listed.len(), listed[0].get("code")), (1, None));
    let path = format!("/invites/{}", id_of(&made));
    app.delete(&path).await.expect_empty(204);
    app.delete(&path).await.expect_problem("PARLOUR-N01", None);
    let body = json!({"code": made["code"], "name": "Coder"});
    app.post("/join", body).by_nobody().await.expect_problem("PARLOUR-A09", None);
}

#[tokio::test]
async fn only_people_of_the_project_can_create_invites() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (timo, coder) = (app.person("Timo").await, app.agent(&project, "Coder").await);
    let path = format!("/projects/{project}/invites");
    for (token, code) in [(&timo.token, "PARLOUR-N01"), (&coder.token, "PARLOUR-A02")] {
        app.post(&path, json!({"role": "full"})).by(token).await.expect_problem(code, None);
        app.get(&path).by(token).await.expect_problem(code, None);
    }
    let made = invite(&app, &project, json!({"role": "full"})).await;
    let path = format!("/invites/{}", id_of(&made));
    app.delete(&path).by(&timo.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn invalid_requests_are_refused_with_their_field() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for (body, code, field) in [
        (json!({}), "PARLOUR-I02", "role"),
        (json!({"role": "admin"}), "PARLOUR-I02", "role"),
        (json!({"role": "full", "scopes": ["admin"]}), "PARLOUR-I03", "scopes"),
        (json!({"role": "full", "uses_max": 0}), "PARLOUR-I10", "uses_max"),
        (json!({"role": "full", "uses_max": limits::INVITE_USES_MAX + 1}), "PARLOUR-I10", "uses_max"),
        (json!({"role": "full", "expires_in_seconds": 0}), "PARLOUR-I10", "expires_in_seconds"),
        (json!({"role": "full", "label": "\u{202e}"}), "PARLOUR-I11", "label"),
        (json!({"role": "full", "project_id": "prj_1"}), "PARLOUR-I03", "project_id"),
    ] {
        app.post(&format!("/projects/{project}/invites"), body).await.expect_problem(code, Some(field));
    }
    let made = invite(&app, &project, json!({"role": "full"})).await;
    for (field, value, code) in [
        ("name", json!("host"), "PARLOUR-I12"),
        ("role", json!("full"), "PARLOUR-I03"),
        ("endpoint_url", json!("ftp://x"), "PARLOUR-I02"),
        ("code", json!(7), "PARLOUR-I02"),
    ] {
        let mut body = json!({"code": made["code"], "name": "Coder"});
        body[field] = value;
        app.post("/join", body).by_nobody().await.expect_problem(code, Some(field));
    }
}
