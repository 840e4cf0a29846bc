//! Health, limits and caller.

use serde_json::json;

use crate::support::{TestApp, fields};

#[tokio::test]
async fn health_and_readiness_need_no_token() {
    let app = TestApp::new().await;
    for path in ["/health", "/ready"] {
        let health = app.get(path).by_nobody().await.expect(200);
        assert_eq!(health, json!({"status": "ok", "version": "1.2.3"}), "{path}");
    }
}

#[tokio::test]
async fn every_limit_is_listed() {
    let app = TestApp::new().await;
    let limits = app.get("/limits").await.expect(200);
    let rows = limits["items"].as_array().expect("rows");
    assert_eq!(rows.len(), parlour_core::limits::TABLE.len());
    let body = rows.iter().find(|row| row["name"] == "MESSAGE_BODY_BYTES_MAX").expect("a row");
    assert_eq!((fields(body), &body["value"]), (vec!["meaning", "name", "value"], &json!(65_536)));
}

#[tokio::test]
async fn me_returns_the_caller() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person("Mara").await;
    let coder = app.agent(&project, "Coder").await;
    let admin = app.get("/me").await.expect(200);
    assert_eq!((&admin["name"], &admin["role"]), (&json!("Admin"), &json!("admin")));
    let me = app.get("/me").by(&mara.token).await.expect(200);
    assert_eq!((&me["member_id"], &me["name"], &me["role"]), (&json!(mara.id), &json!("Mara"), &json!("person")));
    assert_eq!(fields(&me), ["member_id", "name", "role", "scopes", "token_id"]);
    let me = app.get("/me").by(&coder.token).await.expect(200);
    assert_eq!(
        (&me["member_id"], &me["role"], &me["project_id"]),
        (&json!(coder.id), &json!("agent"), &json!(project))
    );
    assert_eq!(fields(&me), ["expires_at", "member_id", "name", "project_id", "role", "scopes", "token_id"]);
}

#[tokio::test]
async fn me_returns_scopes_and_token() {
    let app = TestApp::new().await;
    let narrow = app.narrow(TestApp::ADMIN, &["channels:read", "messages:read"]).await;
    let me = app.get("/me").by(&narrow).await.expect(200);
    assert_eq!(me["scopes"], json!(["messages:read", "channels:read"]));
    assert_eq!(me["role"], "person", "an administrator without the scope is a person like any other");
    let tokens = app.get("/tokens").await.expect(200);
    let ids: Vec<_> = tokens["items"].as_array().expect("items").iter().map(|token| &token["id"]).collect();
    assert!(ids.contains(&&me["token_id"]), "{tokens}");
}
