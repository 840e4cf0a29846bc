//! The fuzz targets of this crate: every input is parsed or refused without a panic.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use parlour_core::fuzz::{FuzzPlan, FuzzTarget, SAMPLES, drive, text};

use crate::http_guard::{Hosts, HttpGuard, Origins, Proxies, SessionCookie};

/// The parsers of requests.
const BORDERS: &[FuzzTarget] = &[("hosts", hosts), ("origins", origins), ("proxies", proxies), ("cookies", cookies)];

/// Samples of requests, besides those of the core.
const REQUESTS: &[&[u8]] = &[
    b"Bearer abc.def.ghi",
    b"bearer  token ",
    b"parlour_session=abc; other=1; __Host-parlour_session=x",
    b"chat.example, other.example",
    b"localhost:4870",
    b"[::1]:4870",
    b"https://chat.example http://127.0.0.1:5173",
    b"10.0.0.0/8, fd00::/8 192.168.0.1",
    b"203.0.113.7, [2001:db8::1]:80, 10.0.0.7:1",
    b"keep-alive, Upgrade",
    b"websocket",
    b"dGhlIHNhbXBsZSBub25jZQ==",
    b"a=1&b=%20+x&c",
    b"application/json; charset=utf-8",
    br#"{"type":"post","ref":"1","message":{"channel_id":"chn_1","body":"x"}}"#,
    br#"{"type":"subscribe","project_id":"prj_1","after":"A-1","events_only":true}"#,
    br#"{"type":"fail","message_id":"msg_1","reason":"x","usage":{"model":"m","input_tokens":1}}"#,
    br#"{"type":"finish_step","message_id":"msg_1","step_id":"s","is_error":false}"#,
    b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n",
];

/// Headers with this value once, and with each of its lines. Invalid header values are skipped.
pub(crate) fn headers(name: &HeaderName, bytes: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n').take(20) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(name, value);
        }
    }
    headers
}

fn hosts(bytes: &[u8]) {
    let text = text(bytes);
    let _ = text.parse::<Hosts>();
    let address = text.parse::<Uri>().unwrap_or_default();
    let sent = headers(&header::HOST, bytes);
    if Hosts::default().check(&sent, &address).is_ok() {
        let is_listed = |value: &HeaderValue| value.as_bytes().windows(12).any(|part| part == b"chat.example");
        assert!(!sent.values().any(is_listed), "an unlisted name: {sent:?}");
    }
}

fn origins(bytes: &[u8]) {
    let _ = text(bytes).parse::<Origins>();
    let request = axum::http::Request::post("/").body(()).expect("a request");
    let mut parts = request.into_parts().0;
    parts.headers = headers(&header::ORIGIN, bytes);
    let has_headers = !parts.headers.is_empty();
    let trusted = HttpGuard::default().check_cookie(&parts);
    assert!(!(has_headers && trusted.is_ok()), "a hub without a public address trusts no origin");
}

fn proxies(bytes: &[u8]) {
    let _ = text(bytes).parse::<Proxies>();
}

fn cookies(bytes: &[u8]) {
    for is_secure in [false, true] {
        if let Ok(Some(secret)) = SessionCookie::new(is_secure).read(&headers(&header::COOKIE, bytes)) {
            assert!(secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{secret:?}");
        }
    }
}

#[test]
fn no_bytes_panic_a_request_parser() {
    let targets = [BORDERS, crate::extract::FUZZ, crate::live::FUZZ, crate::serve::FUZZ].concat();
    let samples = [SAMPLES, REQUESTS].concat();
    assert!(drive(FuzzPlan::read(|name| std::env::var(name).ok()), &targets, &samples) > 1_000);
}
