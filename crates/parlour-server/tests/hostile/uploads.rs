//! Names, types and sizes of uploads, and uploads that break off.

use std::path::Path;

use axum::{
    body::Body,
    http::{HeaderValue, header},
};
use bytes::Bytes;
use futures_util::stream;
use parlour_core::limits::ARTIFACT_BYTES_MAX;

use crate::{
    populated_hub::PopulatedHub,
    tables::{FILES, rows},
};

const UPLOAD: &str = "POST /artifacts?project_id=$project&conversation_id=$channel&filename=a.txt";

/// All files below the folder of the contents.
fn contents(hub: &PopulatedHub) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() { walk(&path, found) } else { found.push(path.display().to_string()) }
        }
    }
    let mut found = Vec::new();
    walk(&hub.app.folder.path().join("blobs"), &mut found);
    found.sort();
    found
}

#[tokio::test]
async fn an_invalid_upload_is_refused_and_stores_no_file() {
    let hub = PopulatedHub::new().await;
    let before = contents(&hub);
    for [query, media_type, expected] in rows(FILES) {
        let mut request = hub.request("mara", &format!("POST /artifacts{query}"), "some content");
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_str(media_type).expect("value"));
        hub.expect_refusal(&format!("{query} as {media_type}"), request, expected).await;
    }
    hub.record("the contents", (contents(&hub) != before).then(|| "a file was stored".to_owned()));
}

#[tokio::test]
async fn an_announced_size_over_the_limit_is_refused_before_anything_is_read() {
    let hub = PopulatedHub::new().await;
    for length in [ARTIFACT_BYTES_MAX as u64 + 1, u64::MAX] {
        let mut request = hub.request("mara", UPLOAD, Body::from_stream(stream::pending::<Result<Bytes, String>>()));
        request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        hub.expect_refusal(&format!("{length} bytes"), request, "413 I06").await;
    }
}

#[tokio::test]
async fn a_stream_over_the_limit_is_refused_and_stores_no_file() {
    let hub = PopulatedHub::new().await;
    let before = contents(&hub);
    let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
    let endless = stream::repeat_with(move || Ok::<_, String>(piece.clone()));
    let request = hub.request("mara", UPLOAD, Body::from_stream(endless));
    hub.expect_refusal("a stream without an end", request, "413 I06").await;
    hub.record("the contents", (contents(&hub) != before).then(|| "a file was stored".to_owned()));
}

#[tokio::test]
async fn an_incomplete_upload_is_refused_and_stores_no_file() {
    let hub = PopulatedHub::new().await;
    let before = contents(&hub);
    let pieces = stream::iter([Ok("half a "), Ok("content"), Err("the line is dead")]);
    hub.expect_refusal("a broken stream", hub.request("mara", UPLOAD, Body::from_stream(pieces)), "408 S05").await;
    hub.record("the contents", (contents(&hub) != before).then(|| "a file was stored".to_owned()));
}

#[tokio::test]
async fn artifacts_are_served_as_sandboxed_downloads() {
    let hub = PopulatedHub::new().await;
    for (filename, media_type) in [
        ("a.html", "text/html"),
        ("a%22%3b.svg", "image/svg+xml"),
        ("%F0%9F%98%80.js", "text/javascript;charset=utf-8"),
        ("a'b.txt", "text/html ; charset=\"utf-7\""),
    ] {
        let path = format!("POST /artifacts?project_id=$project&conversation_id=$channel&filename={filename}");
        let mut request = hub.request("mara", &path, "<script>alert(1)</script>");
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        let id = hub.send(request).await.expect(201)["id"].as_str().expect("id").to_owned();
        let reply = hub.call("ben", &format!("GET /artifacts/{id}/content"), "").await;
        assert!(reply.header("content-disposition").starts_with("attachment; filename*=UTF-8''"), "{filename}");
        assert!(!reply.header("content-disposition").contains(['"', '\\', '\r', '\n']), "{filename}");
        assert!(reply.header("content-security-policy").starts_with("sandbox; default-src 'none'"), "{filename}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{filename}");
    }
}
