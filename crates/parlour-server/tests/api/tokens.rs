//! Tokens: issue, list, renew and revoke.

use axum::http::Method;
use parlour_core::limits;
use parlour_server::PeerCertificate;
use serde_json::{Value, json};

use crate::support::{TestApp, fields, id_of};

fn secret_of(issued: &Value) -> &str {
    issued["secret"].as_str().expect("a secret")
}

#[tokio::test]
async fn a_token_is_issued_with_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let body = json!({"kind": "jwt", "label": "nightly", "scopes": ["messages:read"], "expires_in_seconds": 60});
    let issued = app.post("/tokens", body).await.expect(201);
    let names = ["created_at", "created_by", "expires_at", "id", "kind", "label", "member_id", "scopes", "secret"];
    assert_eq!(fields(&issued), names);
    assert_eq!((&issued["label"], &issued["scopes"]), (&json!("nightly"), &json!(["messages:read"])));
    assert_eq!(secret_of(&issued).split('.').count(), 3, "a signed token has three parts");
    let me = app.get("/me").by(secret_of(&issued)).await.expect(200);
    assert_eq!((&me["token_id"], &me["scopes"]), (&issued["id"], &issued["scopes"]));
}

#[tokio::test]
async fn scopes_limit_a_token() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    app.post("/projects", json!({"name": "Apollo"})).by(&mara.token).await.expect(201);
    let reader = app.narrow(&mara.token, &["channels:read"]).await;
    app.get("/projects").by(&reader).await.expect(200);
    let http_error = app.post("/projects", json!({"name": "Gemini"})).by(&reader).await;
    let problem = http_error.expect_problem("PARLOUR-A04", None);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("projects:manage")), "{problem}");
}

#[tokio::test]
async fn a_token_cannot_issue_scopes_that_it_lacks() {
    let app = TestApp::new().await;
    let clerk = app.narrow(TestApp::ADMIN, &["tokens:manage", "messages:read"]).await;
    let body = json!({"kind": "static", "scopes": ["messages:read", "messages:write"]});
    app.post("/tokens", body).by(&clerk).await.expect_problem("PARLOUR-A02", Some("scopes"));
    let issued = app.post("/tokens", json!({"kind": "static"})).by(&clerk).await.expect(201);
    assert_eq!(issued["scopes"], json!(["messages:read", "tokens:manage"]), "all that it can give");
}

#[tokio::test]
async fn a_static_token_lives_until_it_is_revoked() {
    let app = TestApp::new().await;
    let issued = app.post("/tokens", json!({"kind": "static"})).await.expect(201);
    assert_eq!(issued.get("expires_at"), None);
    app.clock.advance(1_000_000_000);
    app.get("/me").by(secret_of(&issued)).await.expect(200);
    app.delete(&format!("/tokens/{}", id_of(&issued))).await.expect_empty(204);
    app.get("/me").by(secret_of(&issued)).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn a_signed_token_expires() {
    let app = TestApp::new().await;
    let issued = app.post("/tokens", json!({"kind": "jwt", "expires_in_seconds": 60})).await.expect(201);
    app.clock.advance(59_000);
    app.get("/me").by(secret_of(&issued)).await.expect(200);
    app.clock.advance(1_000);
    app.get("/me").by(secret_of(&issued)).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn tokens_are_listed_without_their_secrets() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    for label in ["one", "two"] {
        app.post("/tokens", json!({"kind": "static", "label": label})).by(&mara.token).await.expect(201);
    }
    let listed = app.pages("/tokens", &mara.token).await;
    assert_eq!(listed.iter().map(|token| &token["label"]).collect::<Vec<_>>(), ["", "one", "two"]);
    assert!(listed.iter().all(|token| token.get("secret").is_none() && token["member_id"] == mara.id), "{listed:?}");
    let by_admin = app.pages(&format!("/tokens?member_id={}", mara.id), TestApp::ADMIN).await;
    assert_eq!(by_admin, listed);
}

#[tokio::test]
async fn tokens_of_others_cannot_be_listed_or_revoked() {
    let app = TestApp::new().await;
    let (mara, timo) = (app.person("Mara").await, app.person("Timo").await);
    let issued = app.post("/tokens", json!({"kind": "static"})).by(&mara.token).await.expect(201);
    let list = format!("/tokens?member_id={}", mara.id);
    app.get(&list).by(&timo.token).await.expect_problem("PARLOUR-A02", Some("member_id"));
    let path = format!("/tokens/{}", id_of(&issued));
    app.delete(&path).by(&timo.token).await.expect_problem("PARLOUR-N01", None);
    let body = json!({"kind": "static", "member_id": mara.id});
    app.post("/tokens", body).by(&timo.token).await.expect_problem("PARLOUR-A02", Some("member_id"));
    app.get("/me").by(secret_of(&issued)).await.expect(200);
}

#[tokio::test]
async fn managers_of_an_agent_can_issue_its_tokens() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let body = json!({"kind": "jwt", "member_id": coder.id, "scopes": ["messages:write"]});
    let issued = app.post("/tokens", body).await.expect(201);
    let me = app.get("/me").by(secret_of(&issued)).await.expect(200);
    assert_eq!((&me["member_id"], &me["scopes"]), (&json!(coder.id), &json!(["messages:write"])));
    app.get("/me").by(&coder.token).await.expect(200);
}

#[tokio::test]
async fn a_token_can_renew_itself() {
    let app = TestApp::new().await;
    let body = json!({"kind": "jwt", "label": "nightly", "scopes": ["messages:read"], "expires_in_seconds": 60});
    let first = app.post("/tokens", body).await.expect(201);
    let next = app.call(Method::POST, "/me/token").by(secret_of(&first)).await.expect(201);
    assert_eq!((&next["label"], &next["scopes"]), (&first["label"], &first["scopes"]));
    app.get("/me").by(secret_of(&first)).await.expect_problem("PARLOUR-A01", None);
    app.get("/me").by(secret_of(&next)).await.expect(200);
}

#[tokio::test]
async fn a_client_certificate_authenticates_its_member() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let coder = app.agent(&project, "Coder").await;
    let body = json!({"kind": "certificate", "member_id": coder.id, "certificate_sha256": "07".repeat(32)});
    let issued = app.post("/tokens", body).await.expect(201);
    assert_eq!(issued.get("secret"), None, "the certificate is the secret");
    let call = || app.get("/me").by_nobody();
    let me = call().with_extension(PeerCertificate([7; 32])).await.expect(200);
    assert_eq!((&me["member_id"], &me["token_id"]), (&json!(coder.id), &issued["id"]));
    call().with_extension(PeerCertificate([8; 32])).await.expect_problem("PARLOUR-A01", None);
    let foreign =
        call().with_extension(PeerCertificate([7; 32])).header(axum::http::header::ORIGIN, "https://evil.example");
    foreign.await.expect_problem("PARLOUR-A07", None);
    app.delete(&format!("/tokens/{}", id_of(&issued))).await.expect_empty(204);
    call().with_extension(PeerCertificate([7; 32])).await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn invalid_requests_are_refused_with_their_field() {
    let app = TestApp::new().await;
    let before = app.pages("/tokens", TestApp::ADMIN).await.len();
    let too_long = limits::TOKEN_SECONDS_MAX + 1;
    for (body, code, field) in [
        (json!({}), "PARLOUR-I02", "kind"),
        (json!({"kind": "session"}), "PARLOUR-I02", "kind"),
        (json!({"kind": "link"}), "PARLOUR-I02", "kind"),
        (json!({"kind": "jwt", "secret": "mine"}), "PARLOUR-I03", "secret"),
        (json!({"kind": "jwt", "id": "tok_1"}), "PARLOUR-I03", "id"),
        (json!({"kind": "jwt", "scopes": "admin"}), "PARLOUR-I02", "scopes"),
        (json!({"kind": "jwt", "scopes": ["everything"]}), "PARLOUR-I02", "scopes"),
        (json!({"kind": "jwt", "label": "a\nb"}), "PARLOUR-I10", "label"),
        (json!({"kind": "jwt", "label": "x".repeat(101)}), "PARLOUR-I10", "label"),
        (json!({"kind": "jwt", "expires_in_seconds": 0}), "PARLOUR-I10", "expires_in_seconds"),
        (json!({"kind": "jwt", "expires_in_seconds": too_long}), "PARLOUR-I10", "expires_in_seconds"),
        (json!({"kind": "jwt", "expires_in_seconds": -1}), "PARLOUR-I02", "expires_in_seconds"),
        (json!({"kind": "jwt", "member_id": "per_absent"}), "PARLOUR-N01", "member_id"),
        (json!({"kind": "jwt", "certificate_sha256": "07".repeat(32)}), "PARLOUR-I02", "certificate_sha256"),
        (json!({"kind": "certificate", "certificate_sha256": "07"}), "PARLOUR-I02", "certificate_sha256"),
        (json!({"kind": "external", "issuer": "https://id.example"}), "PARLOUR-I02", "subject"),
    ] {
        app.post("/tokens", body).await.expect_problem(code, Some(field));
    }
    assert_eq!(app.pages("/tokens", TestApp::ADMIN).await.len(), before, "nothing was issued");
}
