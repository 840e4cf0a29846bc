//! Keys that sign tokens.

use axum::http::Method;
use serde_json::{Value, json};

use crate::support::{TestApp, fields};

async fn keys(app: &TestApp) -> Vec<Value> {
    let reply = app.get("/.well-known/jwks.json").by_nobody().await;
    assert_eq!(reply.header("content-type"), "application/jwk-set+json");
    reply.expect(200)["keys"].as_array().expect("keys").clone()
}

#[tokio::test]
async fn the_key_set_is_public_and_contains_no_private_keys() {
    let app = TestApp::new().await;
    let keys = keys(&app).await;
    assert_eq!(keys.len(), 1);
    assert_eq!(fields(&keys[0]), ["alg", "crv", "kid", "kty", "use", "x"], "no private half");
    assert_eq!(
        (&keys[0]["kty"], &keys[0]["crv"], &keys[0]["alg"]),
        (&"OKP".into(), &"Ed25519".into(), &"EdDSA".into())
    );
}

#[tokio::test]
async fn tokens_of_an_older_key_stay_valid() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let rotated = app.call(Method::POST, "/keys/rotate").await.expect(201);
    assert_eq!(fields(&rotated), ["kid"]);
    let kept = keys(&app).await;
    assert_eq!((kept.len(), &kept[0]["kid"]), (2, &rotated["kid"]));
    app.get("/me").by(&coder.token).await.expect(200);
    let scout = app.agent(&project, "Scout").await;
    app.get("/me").by(&scout.token).await.expect(200);
}

#[tokio::test]
async fn only_administrators_can_rotate_keys() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    app.call(Method::POST, "/keys/rotate").by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    let narrow = app.narrow(TestApp::ADMIN, &["tokens:manage"]).await;
    app.call(Method::POST, "/keys/rotate").by(&narrow).await.expect_problem("PARLOUR-A04", None);
    let body = json!({"kid": "mine"});
    app.post("/keys/rotate?kid=mine", body).await.expect_problem("PARLOUR-I09", Some("kid"));
    assert_eq!(keys(&app).await.len(), 1);
}
