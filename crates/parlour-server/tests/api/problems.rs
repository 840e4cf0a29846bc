//! Problem documents.

use axum::http::{Method, header};
use parlour_core::limits::REQUEST_BODY_BYTES_MAX;
use serde_json::json;

use crate::support::{TestApp, fields, id_of};

#[tokio::test]
async fn a_problem_has_exactly_these_fields() {
    let app = TestApp::new().await;
    let problem = app.get("/projects/prj_0").await.expect_problem("PARLOUR-N01", None);
    assert_eq!(fields(&problem), ["code", "detail", "request_id", "retryable", "status", "title", "type"]);
    let problem = app.get("/projects?limit=0").await.expect_problem("PARLOUR-I09", Some("limit"));
    assert_eq!(fields(&problem), ["code", "detail", "field", "request_id", "retryable", "status", "title", "type"]);
}

#[tokio::test]
async fn requests_without_a_valid_token_are_refused() {
    let app = TestApp::new().await;
    let long = "x".repeat(5_000);
    let known = format!("Bearer {}", TestApp::ADMIN);
    for value in ["", "Bearer", "Bearer ", "Bearer unknown", "Basic YTpi", &known.replace(' ', "\t"), &long] {
        let reply = app.get("/projects").header(header::AUTHORIZATION, value).await;
        assert_eq!(reply.header("www-authenticate"), "Bearer", "{value}");
        assert_eq!(reply.expect_problem("PARLOUR-A01", None)["status"], 401);
    }
    app.get("/projects").by_nobody().await.expect_problem("PARLOUR-A01", None);
}

#[tokio::test]
async fn authentication_happens_before_parsing() {
    let app = TestApp::new().await;
    for call in [
        app.get("/projects/nonsense"),
        app.get("/projects?nonsense"),
        app.call(Method::POST, "/projects").content("text/plain", "nonsense"),
        app.call(Method::POST, "/artifacts"),
    ] {
        call.by_nobody().await.expect_problem("PARLOUR-A01", None);
    }
}

#[tokio::test]
async fn an_unknown_path_is_refused() {
    let app = TestApp::new().await;
    for path in ["/nowhere", "/projects/", "/Projects", "/projects/prj_1/nowhere", "/assets/nowhere.js", "//"] {
        let problem = app.get(path).await.expect_problem("PARLOUR-N02", None);
        assert_eq!(problem["status"], 404, "{path}");
    }
}

#[tokio::test]
async fn a_browser_gets_a_page_for_an_unknown_path() {
    let app = TestApp::new().await;
    let reply =
        app.get("/nowhere").by_nobody().header(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8").await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (404, "text/html; charset=utf-8"));
    assert_eq!((reply.header("vary"), reply.header("x-content-type-options")), ("accept", "nosniff"));
    assert!(reply.text().contains("<h1>Page not found</h1>") && reply.text().contains("href=\"/docs\""));
    let post = app.call(Method::POST, "/nowhere").header(header::ACCEPT, "text/html").await;
    assert_eq!(post.header("vary"), "accept");
    post.expect_problem("PARLOUR-N02", None);
}

#[tokio::test]
async fn a_refused_method_lists_the_allowed_ones() {
    let app = TestApp::new().await;
    let reply = app.delete("/projects").await;
    assert_eq!(
        reply.header("allow").split(',').collect::<std::collections::BTreeSet<_>>(),
        ["GET", "HEAD", "POST"].into()
    );
    assert_eq!(reply.expect_problem("PARLOUR-N03", None)["status"], 405);
    let reply = app.put("/artifacts").await;
    assert_eq!(reply.header("allow"), "POST");
    reply.expect_problem("PARLOUR-N03", None);
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused() {
    let app = TestApp::new().await;
    for (body, code, status) in [
        ("", "PARLOUR-I01", 400),
        ("{\"name\": ", "PARLOUR-I01", 400),
        ("{\"name\": \"a\"} x", "PARLOUR-I01", 400),
        ("{\"name\": \"\\ud800\"}", "PARLOUR-I01", 400),
        ("[]", "PARLOUR-I02", 422),
        ("null", "PARLOUR-I02", 422),
    ] {
        let call = app.call(Method::POST, "/projects").content("application/json", body);
        assert_eq!(call.await.expect_problem(code, None)["status"], status, "{body}");
    }
    let call = app.call(Method::POST, "/projects").content("application/json", b"{\"name\": \"\xff\"}".to_vec());
    call.await.expect_problem("PARLOUR-I01", None);
}

#[tokio::test]
async fn duplicate_keys_and_deep_nesting_are_refused() {
    let app = TestApp::new().await;
    let call = app.call(Method::POST, "/projects").content("application/json", r#"{"name":"A","name":"B"}"#);
    assert_eq!(call.await.expect_problem("PARLOUR-I04", Some("name"))["status"], 400);
    let deep = format!("{{\"content\":{}1{}}}", "[".repeat(40), "]".repeat(40));
    let problem = app.call(Method::POST, "/messages").content("application/json", deep).await.json();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("PARLOUR-I05"), &json!(400)));
}

#[tokio::test]
async fn other_media_types_are_refused() {
    let app = TestApp::new().await;
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let call = app.call(Method::POST, "/projects").content(media_type, r#"{"name":"A"}"#);
        assert_eq!(call.await.expect_problem("PARLOUR-I07", None)["status"], 415, "{media_type}");
    }
    let packed = app.post("/projects", json!({"name": "A"})).header(header::CONTENT_ENCODING, "gzip");
    packed.await.expect_problem("PARLOUR-I07", None);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let app = TestApp::new().await;
    let body = format!("{{\"name\":\"{}\"}}", "x".repeat(REQUEST_BODY_BYTES_MAX));
    let call = app.call(Method::POST, "/projects").content("application/json", body);
    assert_eq!(call.await.expect_problem("PARLOUR-I06", None)["status"], 413);
}

#[tokio::test]
async fn an_id_of_another_kind_is_refused_with_its_parameter() {
    let app = TestApp::new().await;
    for path in ["/projects/chn_1", "/agents/1", "/messages/%00", "/tasks/tsk_%20", "/dms/dm_..%2F"] {
        let problem = app.get(path).await.expect_problem("PARLOUR-I08", Some("id"));
        assert_eq!(problem["status"], 422, "{path}");
    }
}

#[tokio::test]
async fn a_fault_does_not_reveal_its_cause() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let made = app.artifact(&project, &channel, "a.txt", "content").await;
    std::fs::remove_dir_all(app.folder.path().join("blobs")).expect("removed");
    let problem = app.get(&format!("/artifacts/{}/content", id_of(&made))).await.expect_problem("PARLOUR-S03", None);
    assert_eq!((&problem["status"], &problem["retryable"]), (&json!(500), &json!(true)));
    assert!(!problem.to_string().contains("blob"), "{problem}");
}

#[tokio::test]
async fn the_problem_of_a_wide_mention_lists_the_members_it_would_call() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    for name in ["Coder", "Critic"] {
        app.agent(&project, name).await;
    }
    let refused = app.post("/messages", json!({"channel_id": channel, "body": "@agents, look"})).await;
    let problem = refused.expect_problem("PARLOUR-M03", Some("confirm_wide"));
    insta::assert_json_snapshot!(problem, {".request_id" => "[request]"});
}

#[tokio::test]
async fn the_problem_of_a_failed_task_condition_contains_the_current_status() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let task = app.post("/tasks", json!({"project_id": project, "title": "Ship", "status": "done"})).await.expect(201);
    let patch = json!({"status": "working", "if_status": "open"});
    let refused = app.patch(&format!("/tasks/{}", id_of(&task)), patch).await;
    let problem = refused.expect_problem("PARLOUR-C10", Some("if_status"));
    insta::assert_json_snapshot!(problem, {".request_id" => "[request]"});
}

#[tokio::test]
async fn the_problem_of_an_unknown_engine_lists_the_configured_ones() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let body = json!({"project_id": project, "name": "Writer", "engine": {"provider": "clout"}});
    let problem = app.post("/agents", body).await.expect_problem("PARLOUR-I10", Some("engine.provider"));
    insta::assert_json_snapshot!(problem, {".request_id" => "[request]"});
}
