//! Sends one embedded file: which form, which headers, or only that it has not changed.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::{DIAGRAM_ASSETS, EmbeddedFile, negotiate};

const KEEP_FOR_GOOD: &str = "public, max-age=31536000, immutable";
const ASK_EACH_TIME: &str = "no-cache";

/// Answers a GET; axum takes the body away for a HEAD.
pub(super) fn respond(file: &'static EmbeddedFile, policy: &'static str, request: &HeaderMap) -> Response {
    let brotli = file.brotli.as_ref().filter(|_| negotiate::accepts_brotli(request));
    let form = brotli.unwrap_or(&file.plain);
    let mut headers = shared_headers(file, policy);
    if file.path.starts_with(DIAGRAM_ASSETS) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    headers.insert(ETAG, HeaderValue::from_static(form.etag));
    if negotiate::holds(request, form.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.mime));
    if brotli.is_some() {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    (headers, form.bytes).into_response()
}

/// What goes with the file and with the word that it has not changed.
fn shared_headers(file: &EmbeddedFile, policy: &'static str) -> HeaderMap {
    let keeping = if file.is_immutable { KEEP_FOR_GOOD } else { ASK_EACH_TIME };
    HeaderMap::from_iter([
        (CACHE_CONTROL, HeaderValue::from_static(keeping)),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (VARY, HeaderValue::from_static("accept-encoding")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ])
}
