//! The cookie that carries a browser's session.

use axum::http::{HeaderMap, HeaderValue, header};
use parlour_core::{Code, Refusal, limits};

const PLAIN_NAME: &str = "parlour_session";
/// The prefix `__Host-` binds the cookie to this host and to TLS (RFC 6265bis, 4.1.3).
const SECURE_NAME: &str = "__Host-parlour_session";

/// The session cookie; its name and attributes depend on TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SessionCookie {
    is_secure: bool,
}

impl SessionCookie {
    pub(crate) fn new(is_secure: bool) -> Self {
        Self { is_secure }
    }

    fn name(self) -> &'static str {
        if self.is_secure { SECURE_NAME } else { PLAIN_NAME }
    }

    /// The session secret of a request. Two cookies are refused: another program of the same host may have set one,
    /// because cookies ignore ports.
    pub(crate) fn read(self, headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
        let refuse = |detail: String| Refusal::new(Code::Unauthenticated, detail);
        let sent = headers.get_all(header::COOKIE);
        if sent.iter().map(HeaderValue::len).sum::<usize>() > limits::COOKIES_BYTES_MAX {
            let detail = format!("the cookies of a request may have at most {} bytes", limits::COOKIES_BYTES_MAX);
            return Err(refuse(detail));
        }
        // HTTP/2 may send each cookie in a header of its own.
        let pieces = sent.iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
        let mut own = pieces.filter_map(|piece| self.value_in(piece));
        let (first, second) = (own.next(), own.next());
        if second.is_some() {
            return Err(refuse("the session cookie is sent twice".to_owned()));
        }
        let Some(value) = first else { return Ok(None) };
        let text = std::str::from_utf8(value).ok().filter(|text| is_secret(text));
        text.map(Some).ok_or_else(|| refuse("the session cookie is malformed".to_owned()))
    }

    /// The value of this cookie in a `name=value` pair.
    fn value_in(self, piece: &[u8]) -> Option<&[u8]> {
        piece.trim_ascii().strip_prefix(self.name().as_bytes())?.strip_prefix(b"=")
    }

    /// Whether the request carries the cookie, readable or not.
    pub(crate) fn is_in(self, headers: &HeaderMap) -> bool {
        !matches!(self.read(headers), Ok(None))
    }

    /// The header that sets the cookie for so many seconds.
    pub(crate) fn set(self, secret: &str, seconds: u64) -> HeaderValue {
        self.write(secret, seconds)
    }

    /// The header that deletes the cookie.
    pub(crate) fn clear(self) -> HeaderValue {
        self.write("", 0)
    }

    fn write(self, value: &str, seconds: u64) -> HeaderValue {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.name();
        let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        let mut header = HeaderValue::from_str(&text).expect("a secret is plain: made by the hub");
        header.set_sensitive(true);
        header
    }
}

/// Secrets contain letters, digits, `_` and `-`; quoted forms are refused.
fn is_secret(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=limits::TOKEN_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: SessionCookie = SessionCookie { is_secure: false };
    const SECURE: SessionCookie = SessionCookie { is_secure: true };

    fn headers(cookies: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, HeaderValue::from_bytes(cookie.as_bytes()).expect("a value"));
        }
        headers
    }

    #[track_caller]
    fn check(cookie: SessionCookie, sent: &[&str], expected: Option<&str>) {
        assert_eq!(cookie.read(&headers(sent)), Ok(expected), "{sent:?}");
    }

    #[test]
    fn the_cookie_is_found_among_others_and_in_any_header() {
        check(PLAIN, &[], None);
        check(PLAIN, &["a=b; c=d"], None);
        check(PLAIN, &["parlour_session=s1"], Some("s1"));
        check(PLAIN, &["a=b; parlour_session=s1;c=ü"], Some("s1"));
        check(PLAIN, &["a=b", "parlour_session=s1", "c=d"], Some("s1"));
        check(SECURE, &["a=\"x; y\"; __Host-parlour_session=s2"], Some("s2"));
    }

    #[test]
    fn only_the_exact_name_counts() {
        check(PLAIN, &["__Host-parlour_session=s"], None);
        check(SECURE, &["parlour_session=s"], None);
        check(PLAIN, &["xparlour_session=s; parlour_session2=s; Parlour_Session=s; parlour_session"], None);
        check(PLAIN, &["a=parlour_session=s"], None);
    }

    #[test]
    fn two_session_cookies_are_refused() {
        for sent in [&["parlour_session=a; parlour_session=a"][..], &["parlour_session=a", "parlour_session=b"]] {
            let refusal = PLAIN.read(&headers(sent)).expect_err("twice");
            assert_eq!(refusal.code, Code::Unauthenticated, "{sent:?}");
            assert!(PLAIN.is_in(&headers(sent)));
        }
    }

    #[test]
    fn a_malformed_value_is_refused_and_not_repeated() {
        let long = format!("parlour_session={}", "x".repeat(limits::TOKEN_CHARS_MAX + 1));
        let cases = ["parlour_session=", "parlour_session=\"s1\"", "parlour_session=s 1", "parlour_session=sé", &long];
        for sent in cases {
            let refusal = PLAIN.read(&headers(&[sent])).expect_err(sent);
            assert!(refusal.code == Code::Unauthenticated && refusal.detail.len() < 60, "{refusal}");
        }
    }

    #[test]
    fn too_many_cookie_bytes_are_refused() {
        let padding = "x".repeat(limits::COOKIES_BYTES_MAX);
        assert!(PLAIN.read(&headers(&[&padding])).is_ok());
        assert!(PLAIN.read(&headers(&[&padding, "parlour_session=s"])).is_err());
    }

    #[test]
    fn the_cookie_is_http_only_and_same_site() {
        let expected = "parlour_session=s1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict";
        assert_eq!(PLAIN.set("s1", 60), expected);
        let expected = "__Host-parlour_session=s1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(SECURE.set("s1", 60), expected);
        assert!(PLAIN.set("s1", 60).is_sensitive());
    }

    #[test]
    fn clearing_expires_the_cookie() {
        assert_eq!(PLAIN.clear(), "parlour_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    }

    proptest! {
        #[test]
        fn no_header_panics(bytes in "[\\x20-\\x7e]{0,80}") {
            let _ = PLAIN.read(&headers(&[&bytes]));
        }

        #[test]
        fn a_cookie_that_was_set_is_read(secret in "[a-z0-9_]{1,80}") {
            let set = SECURE.set(&secret, 1);
            let pair = set.to_str().expect("text").split(';').next().expect("a pair");
            let headers = headers(&["a=b", pair]);
            prop_assert_eq!(SECURE.read(&headers), Ok(Some(secret.as_str())));
        }
    }
}
