//! Stored files.

use axum::{body::Body, http::Method};
use futures_util::stream;
use parlour_core::limits::ARTIFACT_BYTES_MAX;
use serde_json::json;

use crate::support::{Call, TestApp, field_of, fields, id_of};

fn upload(app: &TestApp, query: &str) -> Call {
    app.call(Method::POST, &format!("/artifacts?{query}"))
}

#[tokio::test]
async fn a_file_is_kept_and_comes_back_as_it_was() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let content: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0]).collect();
    let query = format!("project_id={project}&filename=data%20%C3%9C.bin");
    let made = upload(&app, &query).content("application/x-thing", content.clone()).await.expect(201);
    let names = ["created_at", "created_by", "filename", "id", "media_type", "project_id", "sha256", "size"];
    assert_eq!(fields(&made), names);
    assert_eq!((&made["filename"], &made["size"]), (&json!("data Ü.bin"), &json!(200_000)));
    let path = format!("/artifacts/{}", id_of(&made));
    assert_eq!(app.get(&path).await.expect(200), made);
    let download = app.get(&format!("{path}/content")).await;
    assert_eq!(download.status, 200);
    assert_eq!(download.bytes, content);
    assert_eq!(download.header("content-length"), "200000");
}

#[tokio::test]
async fn a_download_cannot_act_in_a_browser() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let query = format!("project_id={project}&filename=%22evil%22.html");
    let made = upload(&app, &query).content("text/html", "<script>alert(1)</script>").await.expect(201);
    let download = app.get(&format!("/artifacts/{}/content", id_of(&made))).await;
    for (name, value) in [
        ("content-type", "text/html"),
        ("x-content-type-options", "nosniff"),
        ("content-disposition", "attachment; filename*=UTF-8''%22evil%22.html"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("cache-control", "private"),
    ] {
        assert_eq!(download.header(name), value);
    }
}

#[tokio::test]
async fn a_picture_made_of_pixels_can_be_shown_in_a_page_and_one_that_can_act_cannot() {
    let app = TestApp::new().await;
    let query = format!("project_id={}&filename=cat.png", app.project("Apollo").await);
    for (media_type, disposition, policy) in
        [("image/png", "inline", "default-src 'none'"), ("image/svg+xml", "attachment", "sandbox; default-src 'none'")]
    {
        let made = upload(&app, &query).content(media_type, "<script>alert(1)</script>").await.expect(201);
        let download = app.get(&format!("/artifacts/{}/content", id_of(&made))).await;
        assert_eq!(download.header("content-disposition"), format!("{disposition}; filename*=UTF-8''cat.png"));
        assert_eq!(download.header("content-security-policy"), policy);
        assert_eq!(
            (download.header("content-type"), download.header("x-content-type-options")),
            (media_type, "nosniff")
        );
    }
}

#[tokio::test]
async fn a_content_that_the_reader_has_is_not_sent_again() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = app.artifact(&project, "a.txt", "content").await;
    let path = format!("/artifacts/{}/content", id_of(&made));
    let etag = format!("\"{}\"", made["sha256"].as_str().expect("a hash"));
    assert_eq!(app.get(&path).await.header("etag"), etag);
    app.get(&path).header(axum::http::header::IF_NONE_MATCH, &etag).await.expect_empty(304);
    let other = app.get(&path).header(axum::http::header::IF_NONE_MATCH, "\"x\"").await;
    assert_eq!(other.text(), "content");
}

#[tokio::test]
async fn files_are_listed_page_by_page() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        app.artifact(&project, name, "same content").await;
    }
    let files = app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await;
    assert_eq!(field_of(&files, "filename"), ["a.txt", "b.txt", "c.txt"]);
    let hashes = field_of(&files, "sha256");
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "equal contents are one");
}

#[tokio::test]
async fn a_file_of_a_conversation_is_seen_by_its_readers_only() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let channel = app.private_channel(&mara, &project, "secret").await;
    let query = format!("project_id={project}&filename=a.txt&conversation_id={channel}");
    let made = upload(&app, &query).by(&mara.token).content("text/plain", "x").await.expect(201);
    let path = format!("/artifacts/{}", id_of(&made));
    app.get(&path).by(&mara.token).await.expect(200);
    app.get(&path).await.expect_problem("PARLOUR-N01", None);
    app.get(&format!("{path}/content")).await.expect_problem("PARLOUR-N01", None);
    assert!(app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn an_upload_without_a_type_is_just_bytes() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let made = upload(&app, &format!("project_id={project}&filename=empty")).await.expect(201);
    assert_eq!((&made["media_type"], &made["size"]), (&json!("application/octet-stream"), &json!(0)));
}

#[tokio::test]
async fn bad_uploads_are_refused_by_their_field_and_keep_nothing() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for (query, code, field) in [
        ("filename=a", "PARLOUR-I09", "project_id"),
        ("project_id=P", "PARLOUR-I09", "filename"),
        ("project_id=P&filename=..%2Fa", "PARLOUR-I02", "filename"),
        ("project_id=P&filename=a%0Ab", "PARLOUR-I10", "filename"),
        ("project_id=P&filename=a&size=1", "PARLOUR-I09", "size"),
        ("project_id=P&filename=a&task_id=tsk_0", "PARLOUR-N01", "task_id"),
        ("project_id=P&filename=a&conversation_id=chn_0", "PARLOUR-N01", "conversation_id"),
    ] {
        let query = query.replace("=P", &format!("={project}"));
        upload(&app, &query).content("text/plain", "x").await.expect_problem(code, Some(field));
    }
    let query = format!("project_id={project}&filename=a");
    upload(&app, &query).content("nonsense", "x").await.expect_problem("PARLOUR-I02", Some("media_type"));
    assert!(app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn an_upload_that_is_too_large_is_refused() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let query = format!("project_id={project}&filename=large");
    let announced = (ARTIFACT_BYTES_MAX + 1).to_string();
    let call = upload(&app, &query).header(axum::http::header::CONTENT_LENGTH, &announced);
    assert_eq!(call.await.expect_problem("PARLOUR-I06", None)["status"], 413);
    let chunk = bytes::Bytes::from(vec![0_u8; 1024 * 1024]);
    let chunks = (0..=ARTIFACT_BYTES_MAX / chunk.len()).map(move |_| Ok::<_, std::io::Error>(chunk.clone()));
    let chunks = stream::iter(chunks);
    let call = upload(&app, &query).content("text/plain", Body::from_stream(chunks));
    call.await.expect_problem("PARLOUR-I06", None);
}

#[tokio::test]
async fn an_upload_that_breaks_off_is_no_fault_of_the_hub() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let parts = stream::iter([Ok("begun"), Err(std::io::Error::other("gone"))]);
    let call = upload(&app, &format!("project_id={project}&filename=a"));
    let reply = call.content("text/plain", Body::from_stream(parts)).await;
    reply.expect_problem("PARLOUR-S05", None);
    assert!(app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await.is_empty());
}
