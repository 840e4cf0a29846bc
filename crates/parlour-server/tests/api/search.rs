//! Search of messages.

use serde_json::json;

use crate::support::{TestApp, fields};

#[tokio::test]
async fn messages_are_found_newest_first_with_a_snippet() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    for body in ["the build is green", "nothing here", "the build is broken"] {
        app.say(&channel, body).await;
    }
    let path = format!("/search?project_id={project}&q=BUILD+is");
    let page = app.get(&path).await.expect(200);
    assert_eq!(fields(&page["items"][0]), ["message", "snippet"]);
    let hits = app.pages(&path, TestApp::ADMIN).await;
    let snippets: Vec<_> = hits.iter().map(|hit| &hit["snippet"]).collect();
    assert_eq!(snippets, [&json!("the build is broken"), &json!("the build is green")]);
}

#[tokio::test]
async fn search_returns_only_readable_messages() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let channel = app.private_channel(&mara, &project, "secret").await;
    app.post("/messages", json!({"channel_id": channel, "body": "treasure"})).by(&mara.token).await.expect(201);
    let path = format!("/search?project_id={project}&q=treasure");
    assert_eq!(app.pages(&path, &mara.token).await.len(), 1);
    assert!(app.pages(&path, TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn a_search_without_words_or_project_is_refused() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for (query, code, field) in [
        (format!("project_id={project}"), "PARLOUR-I09", "q"),
        (format!("project_id={project}&q=%2B%2B"), "PARLOUR-I09", "q"),
        (format!("project_id={project}&q={}", "x".repeat(201)), "PARLOUR-I10", "q"),
        (format!("project_id={project}&q=a%00b"), "PARLOUR-I11", "q"),
        ("q=x".to_owned(), "PARLOUR-I09", "project_id"),
        ("q=x&project_id=1".to_owned(), "PARLOUR-I09", "project_id"),
    ] {
        app.get(&format!("/search?{query}")).await.expect_problem(code, Some(field));
    }
    app.get("/search?q=x&project_id=prj_0").await.expect_problem("PARLOUR-N01", None);
}
