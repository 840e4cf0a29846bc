//! Promises of the pages, seen through their router.

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::*;

/// What a request to the pages' router gave.
struct Answer {
    response: Response<()>,
    body: Vec<u8>,
}

impl Answer {
    fn status(&self) -> StatusCode {
        self.response.status()
    }

    #[track_caller]
    fn header(&self, name: &str) -> &str {
        let value = self.response.headers().get(name);
        value.map_or("", |value| value.to_str().expect("headers of the pages are readable"))
    }
}

async fn ask(method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
    let builder = Request::builder().method(method).uri(path);
    let request = headers.iter().fold(builder, |request, (name, value)| request.header(*name, *value));
    let answer = routes::<()>().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Answer { response: Response::from_parts(parts, ()), body }
}

async fn get(path: &str) -> Answer {
    ask(Method::GET, path, &[]).await
}

/// The assets the pages need exist only where npm built them.
#[track_caller]
fn asset(stem: &str, ending: &str) -> &'static EmbeddedFile {
    let is_it = |file: &&EmbeddedFile| file.path.starts_with(stem) && file.path.ends_with(ending) && file.is_immutable;
    FILES.iter().find(is_it).unwrap_or_else(|| panic!("no {stem}*{ending}: install Node.js 20 with npm, build again"))
}

fn text(file: &EmbeddedFile) -> Option<&'static str> {
    file.mime.starts_with("text/").then(|| std::str::from_utf8(file.plain.bytes).expect("our texts are UTF-8"))
}

/// What Vite makes names its content by a hash of its own, and holds the words of libraries. What these files ask for
/// is watched in a browser.
fn is_bundle(file: &EmbeddedFile) -> bool {
    let stems = ["ask", "docs", "form", "frame", "icon", "sign-in", "swagger-ui", "theme", "tokens"];
    let name = file.path.strip_prefix("assets/").unwrap_or("bundle");
    !file.path.ends_with(".html") && !stems.iter().any(|stem| name.starts_with(stem))
}

fn our_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ours = FILES.iter().filter(|file| !file.path.contains("swagger-ui") && !is_bundle(file));
    ours.filter_map(|file| text(file).map(|text| (file.path, text)))
}

fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    our_texts().filter(|(path, _)| path.ends_with(".html"))
}

#[tokio::test]
async fn every_page_answers_with_html() {
    for path in ["/", "/docs", "/sign-in"] {
        let answer = get(path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert!(answer.body.starts_with(b"<!doctype html>"), "{path}");
    }
}

#[tokio::test]
async fn a_page_runs_only_its_own_files_and_talks_only_to_this_hub() {
    for (path, form_action) in [("/", "none"), ("/docs", "none"), ("/sign-in", "self")] {
        let answer = get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(policy.contains("connect-src 'self'"), "{policy}");
        for (rule, whom) in [("base-uri", "none"), ("form-action", form_action), ("frame-ancestors", "none")] {
            assert!(policy.contains(&format!("{rule} '{whom}'")), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn no_text_becomes_markup_in_the_chat() {
    let answer = get("/").await;
    let policy = answer.header("content-security-policy");
    assert!(policy.ends_with("require-trusted-types-for 'script'; trusted-types parlour-template"), "{policy}");
}

#[tokio::test]
async fn diagrams_are_drawn_in_a_frame_without_origin_and_network() {
    let answer = get("/d/diagram.html").await;
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(policy.ends_with("frame-ancestors 'self'; sandbox allow-scripts"), "{policy}");
    assert!(!policy.contains("connect-src") && !policy.contains("allow-same-origin"), "{policy}");
}

#[tokio::test]
async fn only_the_files_of_diagrams_are_open_to_other_origins() {
    for file in FILES.iter().filter(|file| file.is_immutable) {
        let answer = get(&format!("/{}", file.path)).await;
        let expected = if file.path.starts_with("d/assets/") { "*" } else { "" };
        assert_eq!(answer.header("access-control-allow-origin"), expected, "{}", file.path);
    }
}

#[tokio::test]
async fn every_file_is_sent_with_the_guarding_headers() {
    for file in FILES.iter().filter(|file| file.path.starts_with("assets/")) {
        let answer = get(&format!("/{}", file.path)).await;
        assert_eq!(answer.status(), StatusCode::OK, "{}", file.path);
        assert_eq!(answer.header("content-type"), file.mime);
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("vary"), "accept-encoding");
        assert_eq!(answer.header("content-security-policy"), ASSET_POLICY);
    }
}

#[tokio::test]
async fn pages_are_asked_for_each_time_and_fingerprinted_files_kept_for_good() {
    let script = asset("assets/docs.", ".js");
    assert_eq!(get("/").await.header("cache-control"), "no-cache");
    assert_eq!(get("/assets/swagger-ui.LICENSE.txt").await.header("cache-control"), "no-cache");
    let kept = get(&format!("/{}", script.path)).await;
    assert_eq!(kept.header("cache-control"), "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn a_page_the_browser_holds_is_not_sent_again() {
    let first = get("/docs").await;
    let again = ask(Method::GET, "/docs", &[("if-none-match", first.header("etag"))]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(again.body.is_empty());
    for name in ["etag", "cache-control", "vary", "content-security-policy"] {
        assert_eq!(again.header(name), first.header(name), "{name}");
    }
    assert_eq!(again.header("content-type"), "");
}

#[tokio::test]
async fn a_page_that_changed_since_is_sent() {
    let answer = ask(Method::GET, "/", &[("if-none-match", "\"of-an-older-build\"")]).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(!answer.body.is_empty());
}

#[tokio::test]
async fn brotli_is_sent_only_where_it_is_understood() {
    let path = format!("/{}", asset("assets/swagger-ui-bundle.", ".js").path);
    let plain = get(&path).await;
    let packed = ask(Method::GET, &path, &[("accept-encoding", "gzip, br")]).await;
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "br"));
    assert!(packed.body.len() * 3 < plain.body.len());
    assert_ne!(plain.header("etag"), packed.header("etag"));
}

#[tokio::test]
async fn the_tag_of_one_form_does_not_stand_for_the_other() {
    let path = format!("/{}", asset("assets/docs.", ".js").path);
    let packed = ask(Method::GET, &path, &[("accept-encoding", "br")]).await;
    let plain = ask(Method::GET, &path, &[("if-none-match", packed.header("etag"))]).await;
    assert_eq!(plain.status(), StatusCode::OK);
}

#[tokio::test]
async fn head_tells_the_length_and_sends_nothing() {
    let (got, head) = (get("/").await, ask(Method::HEAD, "/", &[]).await);
    assert_eq!(head.status(), StatusCode::OK);
    assert_eq!(head.header("content-length"), got.body.len().to_string());
    assert!(head.body.is_empty());
}

#[tokio::test]
async fn an_unknown_asset_falls_through_to_the_fallback_of_the_caller() {
    let router = routes::<()>().fallback(|| async { StatusCode::IM_A_TEAPOT });
    for path in ["/assets/none.js", "/assets/", "/assets/../index.html", "/assets/%2e%2e/index.html", "/index.html"] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::IM_A_TEAPOT, "{path}");
    }
}

#[tokio::test]
async fn pages_are_only_read() {
    assert_eq!(ask(Method::POST, "/docs", &[]).await.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn everything_a_page_loads_is_in_the_binary() {
    for (page, text) in pages() {
        for path in text.split('"').filter(|quoted| quoted.starts_with("/assets/") || quoted.starts_with("/d/assets/"))
        {
            assert_eq!(get(path).await.status(), StatusCode::OK, "{page} loads {path}");
        }
    }
}

#[test]
fn our_pages_name_no_address_elsewhere() {
    let own = ["http://127.0.0.1:4870", "http://www.w3.org/2000/svg"];
    for (path, text) in our_texts() {
        let schemes = ["http://", "https://", "=\"//", "url(//"];
        for (at, _) in schemes.iter().flat_map(|scheme| text.match_indices(scheme)) {
            assert!(own.iter().any(|address| text[at..].starts_with(address)), "{path}: {:.60}", &text[at..]);
        }
    }
}

/// How many scripts a page loads from its own files; those of the chat and of diagrams are modules.
fn scripts_of(text: &str) -> usize {
    let ways = [
        "<script src=\"/assets/",
        "<script type=\"module\" crossorigin src=\"/assets/",
        "<script type=\"module\" crossorigin src=\"/d/assets/",
    ];
    ways.iter().map(|way| text.matches(way).count()).sum()
}

#[test]
fn our_pages_hold_no_inline_code() {
    for (path, text) in pages() {
        assert_eq!(text.matches("<script").count(), scripts_of(text), "{path}");
        for inline in ["<style", " style=", " onclick=", " onload=", " onsubmit=", "javascript:"] {
            assert!(!text.contains(inline), "{path} has {inline}");
        }
    }
}

#[test]
fn no_file_tells_where_it_was_built() {
    for file in FILES {
        let text = String::from_utf8_lossy(file.plain.bytes);
        for place in [env!("CARGO_MANIFEST_DIR"), env!("OUT_DIR")] {
            assert!(!text.contains(place), "{}", file.path);
        }
    }
}

#[test]
fn files_are_in_order_and_each_is_there_once() {
    assert!(FILES.is_sorted_by(|one, next| one.path < next.path));
    for page in PAGES {
        assert!(FILES.iter().any(|file| file.path == page.path), "{}", page.path);
    }
}

#[test]
fn a_fingerprint_in_a_name_is_that_of_the_content() {
    for file in FILES.iter().filter(|file| file.is_immutable && !is_bundle(file)) {
        let mark = file.path.rsplit('.').nth(1).unwrap();
        assert!(file.plain.etag.starts_with(&format!("\"{mark}")), "{}", file.path);
    }
}

#[test]
fn the_brotli_form_holds_the_same_bytes() {
    for file in FILES {
        let Some(packed) = &file.brotli else { continue };
        let mut unpacked = Vec::with_capacity(file.plain.bytes.len());
        brotli::BrotliDecompress(&mut &packed.bytes[..], &mut unpacked).unwrap();
        assert!(unpacked == file.plain.bytes, "{}", file.path);
    }
}

#[test]
fn the_licences_of_swagger_ui_go_with_it() {
    asset("assets/swagger-ui-bundle.", ".js");
    let licences = FILES.iter().filter(|file| file.path.ends_with("LICENSE.txt")).filter_map(text);
    let together: String = licences.collect();
    assert!(together.contains("Apache License") && together.contains("SmartBear"), "{together}");
}
