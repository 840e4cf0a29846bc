//! Headers and contents of the embedded pages, through their router.

use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use sha2::{Digest as _, Sha256};
use tower::ServiceExt as _;

use super::*;

/// A response of the page router.
struct PageResponse {
    response: Response<()>,
    body: Vec<u8>,
}

impl PageResponse {
    fn status(&self) -> StatusCode {
        self.response.status()
    }

    #[track_caller]
    fn header(&self, name: &str) -> &str {
        let value = self.response.headers().get(name);
        value.map_or("", |value| value.to_str().expect("headers of the pages are readable"))
    }
}

async fn ask(method: Method, path: &str, headers: &[(&str, &str)]) -> PageResponse {
    let builder = Request::builder().method(method).uri(path);
    let request = headers.iter().fold(builder, |request, (name, value)| request.header(*name, *value));
    let answer = routes::<()>().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    PageResponse { response: Response::from_parts(parts, ()), body }
}

async fn get(path: &str) -> PageResponse {
    ask(Method::GET, path, &[]).await
}

/// The assets of the pages exist only if npm has built them.
#[track_caller]
fn asset(stem: &str, ending: &str) -> &'static EmbeddedFile {
    let is_it = |file: &&EmbeddedFile| file.path.starts_with(stem) && file.path.ends_with(ending) && file.is_immutable;
    FILES.iter().find(is_it).unwrap_or_else(|| panic!("no {stem}*{ending}: install Node.js 20 with npm, build again"))
}

fn text(file: &EmbeddedFile) -> Option<String> {
    file.mime.starts_with("text/").then(|| String::from_utf8(file.plain().to_vec()).expect("our texts are UTF-8"))
}

/// Bundles of Vite have their own content hash and contain texts of libraries. Browser tests check what they request.
fn is_bundle(file: &EmbeddedFile) -> bool {
    let stems = ["ask", "docs", "form", "frame", "icon", "sign-in", "swagger-ui", "theme", "tokens"];
    let name = file.path.strip_prefix("assets/").unwrap_or("bundle");
    !file.path.ends_with(".html") && !stems.iter().any(|stem| name.starts_with(stem))
}

fn our_texts() -> impl Iterator<Item = (&'static str, String)> {
    let ours = FILES.iter().filter(|file| !file.path.contains("swagger-ui") && !is_bundle(file));
    ours.filter_map(|file| text(file).map(|text| (file.path, text)))
}

fn pages() -> impl Iterator<Item = (&'static str, String)> {
    our_texts().filter(|(path, _)| path.ends_with(".html"))
}

#[tokio::test]
async fn every_page_is_html() {
    for path in ["/", "/docs", "/sign-in"] {
        let answer = get(path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert!(answer.body.starts_with(b"<!doctype html>"), "{path}");
    }
}

#[tokio::test]
async fn a_page_loads_and_requests_only_from_its_own_origin() {
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
async fn the_chat_requires_trusted_types() {
    let answer = get("/").await;
    let policy = answer.header("content-security-policy");
    assert!(policy.ends_with("require-trusted-types-for 'script'; trusted-types parlour-template"), "{policy}");
}

#[tokio::test]
async fn diagrams_are_sandboxed_without_origin_and_network() {
    let answer = get("/d/diagram.html").await;
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(policy.ends_with("frame-ancestors 'self'; sandbox allow-scripts"), "{policy}");
    assert!(!policy.contains("connect-src") && !policy.contains("allow-same-origin"), "{policy}");
}

#[tokio::test]
async fn only_diagram_files_allow_other_origins() {
    for file in FILES.iter().filter(|file| file.is_immutable) {
        let answer = get(&format!("/{}", file.path)).await;
        let expected = if file.path.starts_with("d/assets/") { "*" } else { "" };
        assert_eq!(answer.header("access-control-allow-origin"), expected, "{}", file.path);
    }
}

#[tokio::test]
async fn every_file_has_the_security_headers() {
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
async fn pages_are_revalidated_and_fingerprinted_files_are_immutable() {
    let script = asset("assets/docs.", ".js");
    assert_eq!(get("/").await.header("cache-control"), "no-cache");
    assert_eq!(get("/assets/swagger-ui.LICENSE.txt").await.header("cache-control"), "no-cache");
    let kept = get(&format!("/{}", script.path)).await;
    assert_eq!(kept.header("cache-control"), "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn a_cached_page_is_not_sent_again() {
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
async fn a_changed_page_is_sent_again() {
    let answer = ask(Method::GET, "/", &[("if-none-match", "\"of-an-older-build\"")]).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(!answer.body.is_empty());
}

#[tokio::test]
async fn brotli_is_sent_only_to_clients_that_accept_it() {
    let path = format!("/{}", asset("assets/swagger-ui-bundle.", ".js").path);
    let plain = get(&path).await;
    let packed = ask(Method::GET, &path, &[("accept-encoding", "gzip, br")]).await;
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "br"));
    assert!(packed.body.len() * 3 < plain.body.len());
    assert_ne!(plain.header("etag"), packed.header("etag"));
}

/// Browsers do not offer brotli over plain HTTP.
#[tokio::test]
async fn gzip_is_sent_to_clients_without_brotli() {
    let path = format!("/{}", asset("assets/swagger-ui-bundle.", ".js").path);
    let plain = get(&path).await;
    let packed = ask(Method::GET, &path, &[("accept-encoding", "gzip, deflate")]).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(packed.body.len() * 3 < plain.body.len(), "{} of {} bytes", packed.body.len(), plain.body.len());
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*packed.body), &mut unpacked).expect("gzip");
    assert!(unpacked == plain.body);
    let again = ask(Method::GET, &path, &[("accept-encoding", "gzip"), ("if-none-match", packed.header("etag"))]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert_ne!(plain.header("etag"), packed.header("etag"));
}

#[tokio::test]
async fn plain_and_compressed_files_have_different_tags() {
    let path = format!("/{}", asset("assets/docs.", ".js").path);
    let packed = ask(Method::GET, &path, &[("accept-encoding", "br")]).await;
    let plain = ask(Method::GET, &path, &[("if-none-match", packed.header("etag"))]).await;
    assert_eq!(plain.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_head_response_has_the_length_and_no_body() {
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
async fn pages_accept_only_reads() {
    assert_eq!(ask(Method::POST, "/docs", &[]).await.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn every_file_of_a_page_is_embedded() {
    for (page, text) in pages() {
        for path in text.split('"').filter(|quoted| quoted.starts_with("/assets/") || quoted.starts_with("/d/assets/"))
        {
            assert_eq!(get(path).await.status(), StatusCode::OK, "{page} loads {path}");
        }
    }
}

#[test]
fn our_pages_contain_no_foreign_urls() {
    let own = ["http://127.0.0.1:4870", "http://www.w3.org/2000/svg"];
    for (path, text) in our_texts() {
        let schemes = ["http://", "https://", "=\"//", "url(//"];
        for (at, _) in schemes.iter().flat_map(|scheme| text.match_indices(scheme)) {
            assert!(own.iter().any(|address| text[at..].starts_with(address)), "{path}: {:.60}", &text[at..]);
        }
    }
}

/// The number of scripts that a page loads from its own files; those of the chat and of diagrams are modules.
fn scripts_of(text: &str) -> usize {
    let ways = [
        "<script src=\"/assets/",
        "<script type=\"module\" crossorigin src=\"/assets/",
        "<script type=\"module\" crossorigin src=\"/d/assets/",
    ];
    ways.iter().map(|way| text.matches(way).count()).sum()
}

#[test]
fn our_pages_contain_no_inline_code() {
    for (path, text) in pages() {
        assert_eq!(text.matches("<script").count(), scripts_of(&text), "{path}");
        for inline in ["<style", " style=", " onclick=", " onload=", " onsubmit=", "javascript:"] {
            assert!(!text.contains(inline), "{path} has {inline}");
        }
    }
}

#[test]
fn no_file_contains_build_paths() {
    for file in &FILES {
        let plain = file.plain();
        let text = String::from_utf8_lossy(&plain);
        for place in [env!("CARGO_MANIFEST_DIR"), env!("OUT_DIR")] {
            assert!(!text.contains(place), "{}", file.path);
        }
    }
}

#[test]
fn files_are_sorted_and_unique() {
    assert!(FILES.is_sorted_by(|one, next| one.path < next.path));
    for page in PAGES {
        assert!(FILES.iter().any(|file| file.path == page.path), "{}", page.path);
    }
}

#[test]
fn a_fingerprint_in_a_name_is_the_hash_of_the_content() {
    for file in FILES.iter().filter(|file| file.is_immutable && !is_bundle(file)) {
        let mark = file.path.rsplit('.').nth(1).unwrap();
        assert!(file.etag.starts_with(&format!("\"{mark}")), "{}", file.path);
    }
}

#[test]
fn every_tag_is_the_hash_of_the_decompressed_file() {
    for file in &FILES {
        let hash: String = Sha256::digest(file.plain()).iter().map(|byte| format!("{byte:02x}")).collect();
        let tag = file.etag.trim_matches('"');
        assert!(tag.len() >= 32 && hash.starts_with(tag), "{}", file.path);
    }
}

#[test]
fn the_licences_of_swagger_ui_are_embedded() {
    asset("assets/swagger-ui-bundle.", ".js");
    let licences = FILES.iter().filter(|file| file.path.ends_with("LICENSE.txt")).filter_map(text);
    let together: String = licences.collect();
    assert!(together.contains("Apache License") && together.contains("SmartBear"), "{together}");
}
