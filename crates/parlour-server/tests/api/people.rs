//! People of the hub.

use serde_json::json;

use crate::support::{TestApp, field_of, fields};

#[tokio::test]
async fn a_person_added_by_an_administrator_can_authenticate() {
    let app = TestApp::new().await;
    let made = app.post("/people", json!({"name": "Mara"})).await.expect(201);
    assert_eq!(fields(&made), ["created_at", "id", "is_admin", "name", "token"]);
    assert_eq!((&made["name"], &made["is_admin"]), (&json!("Mara"), &json!(false)));
    let token = made["token"].as_str().expect("a token");
    let path = format!("/people/{}", made["id"].as_str().expect("an id"));
    let read = app.get(&path).by(token).await.expect(200);
    assert_eq!(fields(&read), ["created_at", "id", "is_admin", "name"], "a token is shown once");
}

#[tokio::test]
async fn an_administrator_can_add_another_administrator() {
    let app = TestApp::new().await;
    let made = app.post("/people", json!({"name": "Mara", "is_admin": true})).await.expect(201);
    let token = made["token"].as_str().expect("a token");
    app.post("/people", json!({"name": "Timo"})).by(token).await.expect(201);
}

#[tokio::test]
async fn others_cannot_add_people() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let http_error = app.post("/people", json!({"name": "Timo"})).by(&mara.token).await;
    assert_eq!(http_error.expect_problem("PARLOUR-A02", None)["status"], 403);
}

#[tokio::test]
async fn people_are_listed_page_by_page_for_people() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, coder) = (app.person("Mara").await, app.agent(&project, "Coder").await);
    let people = app.pages("/people", &mara.token).await;
    assert_eq!(field_of(&people, "name"), ["Admin", "Mara"]);
    app.get("/people").by(&coder.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn agents_see_only_the_people_of_their_project() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, timo) = (app.person_in(&project, "Mara").await, app.person("Timo").await);
    let coder = app.agent(&project, "Coder").await;
    app.get(&format!("/people/{}", mara.id)).by(&coder.token).await.expect(200);
    app.get(&format!("/people/{}", timo.id)).by(&coder.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn a_new_token_replaces_the_old_one() {
    let app = TestApp::new().await;
    let mara = app.person("Mara").await;
    let path = format!("/people/{}/token", mara.id);
    let renewed = app.call(axum::http::Method::POST, &path).by(&mara.token).await.expect(201);
    assert_eq!(fields(&renewed), ["token"]);
    app.get("/me").by(&mara.token).await.expect_problem("PARLOUR-A01", None);
    let me = app.get("/me").by(renewed["token"].as_str().expect("a token")).await.expect(200);
    assert_eq!(me["member_id"], mara.id);
}

#[tokio::test]
async fn a_person_cannot_renew_the_token_of_another() {
    let app = TestApp::new().await;
    let (mara, timo) = (app.person("Mara").await, app.person("Timo").await);
    let path = format!("/people/{}/token", timo.id);
    app.call(axum::http::Method::POST, &path).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
}
