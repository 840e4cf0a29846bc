//! Files: their names, types and sizes, and uploads that never end well.

use std::path::Path;

use axum::{
    body::Body,
    http::{HeaderValue, header},
};
use bytes::Bytes;
use futures_util::stream;
use parlour_core::limits::ARTIFACT_BYTES_MAX;

use crate::{
    attack::Attack,
    tables::{FILES, rows},
};

const UPLOAD: &str = "POST /artifacts?project_id=$project&filename=a.txt";

/// All files below the folder of the contents.
fn contents(attack: &Attack) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            if path.is_dir() { walk(&path, found) } else { found.push(path.display().to_string()) }
        }
    }
    let mut found = Vec::new();
    walk(&attack.app.folder.path().join("blobs"), &mut found);
    found.sort();
    found
}

#[tokio::test]
async fn a_file_that_cannot_be_kept_is_refused_and_leaves_nothing() {
    let attack = Attack::new().await;
    let before = contents(&attack);
    for [query, media_type, expected] in rows(FILES) {
        let mut request = attack.request("mara", &format!("POST /artifacts{query}"), "some content");
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_str(media_type).expect("value"));
        attack.refused(&format!("{query} as {media_type}"), request, expected).await;
    }
    attack.note("the contents", (contents(&attack) != before).then(|| "something was kept".to_owned()));
}

#[tokio::test]
async fn an_announced_size_over_the_limit_is_refused_before_anything_is_read() {
    let attack = Attack::new().await;
    for length in [ARTIFACT_BYTES_MAX as u64 + 1, u64::MAX] {
        let mut request = attack.request("mara", UPLOAD, Body::from_stream(stream::pending::<Result<Bytes, String>>()));
        request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        attack.refused(&format!("{length} bytes"), request, "413 I06").await;
    }
}

#[tokio::test]
async fn a_stream_over_the_limit_is_refused_and_leaves_nothing() {
    let attack = Attack::new().await;
    let before = contents(&attack);
    let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
    let endless = stream::repeat_with(move || Ok::<_, String>(piece.clone()));
    attack
        .refused("a stream without an end", attack.request("mara", UPLOAD, Body::from_stream(endless)), "413 I06")
        .await;
    attack.note("the contents", (contents(&attack) != before).then(|| "something was kept".to_owned()));
}

#[tokio::test]
async fn an_upload_that_breaks_off_is_refused_and_leaves_nothing() {
    let attack = Attack::new().await;
    let before = contents(&attack);
    let pieces = stream::iter([Ok("half a "), Ok("content"), Err("the line is dead")]);
    attack.refused("a broken stream", attack.request("mara", UPLOAD, Body::from_stream(pieces)), "408 S05").await;
    attack.note("the contents", (contents(&attack) != before).then(|| "something was kept".to_owned()));
}

#[tokio::test]
async fn a_content_is_never_shown_as_a_page_of_the_hub() {
    let attack = Attack::new().await;
    for (filename, media_type) in [
        ("a.html", "text/html"),
        ("a%22%3b.svg", "image/svg+xml"),
        ("%F0%9F%98%80.js", "text/javascript;charset=utf-8"),
        ("a'b.txt", "text/html ; charset=\"utf-7\""),
    ] {
        let path = format!("POST /artifacts?project_id=$project&filename={filename}");
        let mut request = attack.request("mara", &path, "<script>alert(1)</script>");
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        let id = attack.send(request).await.expect(201)["id"].as_str().expect("id").to_owned();
        let reply = attack.call("ben", &format!("GET /artifacts/{id}/content"), "").await;
        assert!(reply.header("content-disposition").starts_with("attachment; filename*=UTF-8''"), "{filename}");
        assert!(!reply.header("content-disposition").contains(['"', '\\', '\r', '\n']), "{filename}");
        assert!(reply.header("content-security-policy").starts_with("sandbox; default-src 'none'"), "{filename}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{filename}");
    }
}
