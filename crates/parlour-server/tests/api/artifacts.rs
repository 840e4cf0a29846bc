//! Stored files.

use axum::{
    body::Body,
    http::{
        Method,
        header::{IF_RANGE, RANGE},
    },
};
use futures_util::stream;
use parlour_core::limits::ARTIFACT_BYTES_MAX;
use serde_json::json;

use crate::support::{Call, TestApp, field_of, fields, id_of};

fn upload(app: &TestApp, query: &str) -> Call {
    app.call(Method::POST, &format!("/artifacts?{query}"))
}

/// A project and a channel that is open to the project.
async fn project_and_channel(app: &TestApp) -> (String, String) {
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    (project, channel)
}

#[tokio::test]
async fn a_stored_file_is_returned_unchanged() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let content: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0]).collect();
    let query = format!("project_id={project}&conversation_id={channel}&filename=data%20%C3%9C.bin");
    let made = upload(&app, &query).content("application/x-thing", content.clone()).await.expect(201);
    let names =
        ["conversation_id", "created_at", "created_by", "filename", "id", "media_type", "project_id", "sha256", "size"];
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
async fn a_download_is_sandboxed_in_a_browser() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let query = format!("project_id={project}&conversation_id={channel}&filename=%22evil%22.html");
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
async fn raster_images_are_shown_inline_and_svg_is_not() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let query = format!("project_id={project}&conversation_id={channel}&filename=cat.png");
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
async fn a_cached_content_is_not_sent_again() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let made = app.artifact(&project, &channel, "a.txt", "content").await;
    let path = format!("/artifacts/{}/content", id_of(&made));
    let etag = format!("\"{}\"", made["sha256"].as_str().expect("a hash"));
    assert_eq!(app.get(&path).await.header("etag"), etag);
    app.get(&path).header(axum::http::header::IF_NONE_MATCH, &etag).await.expect_empty(304);
    let other = app.get(&path).header(axum::http::header::IF_NONE_MATCH, "\"x\"").await;
    assert_eq!(other.text(), "content");
}

#[tokio::test]
async fn a_range_of_a_content_is_sent() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let made = app.artifact(&project, &channel, "a.txt", "0123456789").await;
    let path = format!("/artifacts/{}/content", id_of(&made));
    let etag = app.get(&path).await.header("etag").to_owned();
    for (range, text, content_range) in
        [("bytes=2-4", "234", "bytes 2-4/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-2", "89", "bytes 8-9/10")]
    {
        let part = app.get(&path).header(RANGE, range).header(IF_RANGE, &etag).await;
        assert_eq!((part.status.as_u16(), part.text()), (206, text), "{range}");
        assert_eq!((part.header("content-range"), part.header("etag")), (content_range, &*etag));
        assert_eq!(part.header("content-length"), text.len().to_string());
    }
    for (range, if_range) in [("bytes=2-4", "\"other\""), ("bytes=0-1,4-5", &*etag), ("bytes=4-2", &*etag)] {
        let whole = app.get(&path).header(RANGE, range).header(IF_RANGE, if_range).await;
        assert_eq!((whole.status.as_u16(), whole.text()), (200, "0123456789"), "{range} {if_range}");
        assert_eq!(whole.header("accept-ranges"), "bytes");
    }
}

#[tokio::test]
async fn a_range_behind_the_end_is_refused_with_the_size() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let made = app.artifact(&project, &channel, "a.txt", "0123456789").await;
    let refused = app.get(&format!("/artifacts/{}/content", id_of(&made))).header(RANGE, "bytes=10-").await;
    assert_eq!((refused.status.as_u16(), refused.header("content-range")), (416, "bytes */10"));
    refused.expect_problem("PARLOUR-I15", Some("Range"));
}

#[tokio::test]
async fn an_upload_that_the_disk_does_not_take_can_be_retried() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    std::fs::remove_dir(app.folder.path().join("blobs/incoming")).expect("removed");
    let query = format!("project_id={project}&conversation_id={channel}&filename=a");
    let refused = upload(&app, &query).content("text/plain", "x").await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (503, "1"));
    assert_eq!(refused.expect_problem("PARLOUR-S01", None)["retryable"], true);
}

#[tokio::test]
async fn files_are_listed_page_by_page() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        app.artifact(&project, &channel, name, "same content").await;
    }
    let files = app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await;
    assert_eq!(field_of(&files, "filename"), ["a.txt", "b.txt", "c.txt"]);
    let hashes = field_of(&files, "sha256");
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "equal contents are one");
}

#[tokio::test]
async fn a_file_of_a_conversation_is_visible_only_to_its_readers() {
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

/// Ben is a member of the project and not of the private channel.
#[tokio::test]
async fn a_file_attached_in_a_private_channel_is_hidden_from_the_rest_of_the_project() {
    let app = TestApp::new().await;
    let (project, _) = project_and_channel(&app).await;
    let (mara, ben) = (app.person_in(&project, "Mara").await, app.person_in(&project, "Ben").await);
    let secret = app.private_channel(&mara, &project, "secret").await;
    let everywhere = format!("project_id={project}&filename=zebra.txt");
    let refused = upload(&app, &everywhere).by(&mara.token).content("text/plain", "zebra").await;
    refused.expect_problem("PARLOUR-I09", Some("conversation_id"));
    let query = format!("{everywhere}&conversation_id={secret}");
    let made = upload(&app, &query).by(&mara.token).content("text/plain", "zebra").await.expect(201);
    let id = id_of(&made);
    let post = json!({"channel_id": secret, "body": "the zebra", "artifacts": [id]});
    app.post("/messages", post).by(&mara.token).await.expect(201);
    for path in [format!("/artifacts/{id}"), format!("/artifacts/{id}/content")] {
        app.get(&path).by(&ben.token).await.expect_problem("PARLOUR-N01", None);
    }
    for path in ["artifacts", "graph", "graph?format=mermaid", "snapshot"] {
        let reply = app.get(&format!("/projects/{project}/{path}")).by(&ben.token).await;
        assert_eq!(reply.status, 200);
        assert!(!reply.text().contains(&id) && !reply.text().contains("zebra"), "{path}: {}", reply.text());
    }
    let found = app.get(&format!("/search?project_id={project}&q=zebra")).by(&ben.token).await.expect(200);
    assert_eq!(found["items"], json!([]));
}

#[tokio::test]
async fn an_upload_without_a_type_is_an_octet_stream() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let made =
        upload(&app, &format!("project_id={project}&conversation_id={channel}&filename=empty")).await.expect(201);
    assert_eq!((&made["media_type"], &made["size"]), (&json!("application/octet-stream"), &json!(0)));
}

#[tokio::test]
async fn invalid_uploads_are_refused_with_their_field_and_store_nothing() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    for (query, code, field) in [
        ("filename=a", "PARLOUR-I09", "project_id"),
        ("project_id=P", "PARLOUR-I09", "filename"),
        ("project_id=P&filename=a", "PARLOUR-I09", "conversation_id"),
        ("project_id=P&conversation_id=C&filename=..%2Fa", "PARLOUR-I02", "filename"),
        ("project_id=P&conversation_id=C&filename=a%0Ab", "PARLOUR-I10", "filename"),
        ("project_id=P&filename=a&size=1", "PARLOUR-I09", "size"),
        ("project_id=P&conversation_id=C&filename=a&task_id=tsk_0", "PARLOUR-N01", "task_id"),
        ("project_id=P&filename=a&conversation_id=chn_0", "PARLOUR-N01", "conversation_id"),
    ] {
        let query = query.replace("=P", &format!("={project}")).replace("=C", &format!("={channel}"));
        upload(&app, &query).content("text/plain", "x").await.expect_problem(code, Some(field));
    }
    let query = format!("project_id={project}&conversation_id={channel}&filename=a");
    upload(&app, &query).content("nonsense", "x").await.expect_problem("PARLOUR-I02", Some("media_type"));
    assert!(app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await.is_empty());
}

#[tokio::test]
async fn an_upload_that_is_too_large_is_refused() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let query = format!("project_id={project}&conversation_id={channel}&filename=large");
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
async fn an_incomplete_upload_is_refused_without_a_server_error() {
    let app = TestApp::new().await;
    let (project, channel) = project_and_channel(&app).await;
    let parts = stream::iter([Ok("begun"), Err(std::io::Error::other("gone"))]);
    let call = upload(&app, &format!("project_id={project}&conversation_id={channel}&filename=a"));
    let reply = call.content("text/plain", Body::from_stream(parts)).await;
    reply.expect_problem("PARLOUR-S05", None);
    assert!(app.pages(&format!("/projects/{project}/artifacts"), TestApp::ADMIN).await.is_empty());
}
