//! Origins of pages that may send requests, and protection against cross-site requests.
//!
//! Browsers open WebSockets without a CORS check, and attach cookies and client certificates to requests of foreign pages;
//! another port of the same host is the same site to a cookie. The headers `Origin` and `Sec-Fetch-Site` decide.

use std::{str::FromStr, sync::Arc};

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, HeaderName, Uri, header, request::Parts},
};
use parlour_core::{Code, Refusal, limits::ORIGINS_MAX};

use super::HttpGuard;
use crate::http_error::HttpError;

/// Origins of pages that may send requests, besides the hub's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(Arc<[String]>);

/// A text that is not a list of origins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidOrigins(String);

impl FromStr for Origins {
    type Err = InvalidOrigins;

    /// Parses origins as browsers send them (`https://chat.example`), separated by commas or spaces.
    fn from_str(text: &str) -> Result<Self, InvalidOrigins> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let origins: Vec<_> = parts.map(parse_origin).collect::<Result<_, _>>()?;
        if origins.len() > ORIGINS_MAX {
            return Err(InvalidOrigins(format!(
                "{} origins are listed; at most {ORIGINS_MAX} are allowed",
                origins.len()
            )));
        }
        Ok(Self(origins.into()))
    }
}

/// Origins are compared as strings, so a form that no browser sends is refused.
fn parse_origin(text: &str) -> Result<String, InvalidOrigins> {
    let refuse =
        || InvalidOrigins(format!("{text:?} is not an origin such as https://chat.example or http://127.0.0.1:5173"));
    let text = text.to_ascii_lowercase();
    let (scheme, host) = text.split_once("://").ok_or_else(refuse)?;
    let is_host = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if is_scheme && is_host { Ok(text) } else { Err(refuse()) }
}

/// The origin of the page that sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageOrigin {
    /// The hub itself.
    Own,
    Listed,
    Foreign,
    /// The request has no `Origin` header; programs do not send one.
    Missing,
}

impl Origins {
    pub(super) fn classify(&self, headers: &HeaderMap, address: &Uri, is_secure: bool) -> PageOrigin {
        let mut sent = headers.get_all(header::ORIGIN).iter();
        let (first, second) = (sent.next(), sent.next());
        let Some(origin) = first else { return PageOrigin::Missing };
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        match second {
            Some(_) => PageOrigin::Foreign,
            None if self.0.contains(&origin) => PageOrigin::Listed,
            None if is_own(&origin, headers, address, is_secure) => PageOrigin::Own,
            None => PageOrigin::Foreign,
        }
    }

    /// Refuses a request of a page with a foreign origin.
    fn check(&self, headers: &HeaderMap, address: &Uri, is_secure: bool) -> Result<(), Refusal> {
        if self.classify(headers, address, is_secure) != PageOrigin::Foreign {
            return Ok(());
        }
        let origin = headers.get(header::ORIGIN).map(|origin| String::from_utf8_lossy(origin.as_bytes()));
        let shown: String = origin.unwrap_or_default().chars().take(100).collect();
        Err(Refusal::new(
            Code::WrongOrigin,
            format!("the origin {shown:?} is not allowed; add it to the setting origins"),
        ))
    }
}

/// Whether the origin is the host of the request. A plain connection may come from an unlisted TLS proxy, so both schemes
/// count there.
fn is_own(origin: &str, headers: &HeaderMap, address: &Uri, is_secure: bool) -> bool {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = address.authority().map(|host| host.as_str()).or(named) else { return false };
    let host = host.to_ascii_lowercase();
    let is_from = |scheme: &str, port: &str| {
        origin.strip_prefix(scheme).is_some_and(|origin| origin == host.strip_suffix(port).unwrap_or(&host))
    };
    is_from("https://", ":443") || !is_secure && is_from("http://", ":80")
}

/// Extractor that refuses requests of pages with a foreign origin.
pub(crate) struct AllowedOrigin;

impl<S> FromRequestParts<S> for AllowedOrigin
where
    HttpGuard: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let http_guard = HttpGuard::from_ref(state);
        let is_secure = http_guard.is_secure(&parts.headers, &parts.extensions);
        http_guard.origins.check(&parts.headers, &parts.uri, is_secure)?;
        Ok(Self)
    }
}

/// Fetch Metadata: the relation between the page and the hub.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The sender of a request, as far as the browser reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestSource {
    /// The hub's own page, a listed origin, or navigation by the user.
    Trusted,
    /// A foreign page.
    Foreign,
    /// Not reported: a program, or an old browser.
    Unknown,
}

impl HttpGuard {
    /// Refuses a cookie sent by a foreign page, and a change by cookie without `Origin` and `Sec-Fetch-Site`. Opening a
    /// WebSocket counts as a change.
    pub(crate) fn check_cookie(&self, parts: &Parts) -> Result<(), Refusal> {
        match self.source(parts) {
            RequestSource::Trusted => Ok(()),
            RequestSource::Unknown if is_read(parts) => Ok(()),
            RequestSource::Unknown => {
                Err(refuse("a change with a cookie needs the header Origin or Sec-Fetch-Site; programs send a token"))
            }
            RequestSource::Foreign => Err(refuse("a foreign page has sent this cookie")),
        }
    }

    /// Refuses requests of foreign pages. Programs send neither header; browsers send at least one of them with every
    /// request that needs a CORS preflight.
    pub(crate) fn check_page(&self, parts: &Parts) -> Result<(), Refusal> {
        match self.source(parts) {
            RequestSource::Trusted | RequestSource::Unknown => Ok(()),
            RequestSource::Foreign => Err(refuse("a foreign page has sent this request")),
        }
    }

    fn source(&self, parts: &Parts) -> RequestSource {
        let is_secure = self.is_secure(&parts.headers, &parts.extensions);
        let origin = self.origins.classify(&parts.headers, &parts.uri, is_secure);
        source(fetch_site(&parts.headers), origin, is_read(parts))
    }
}

/// Whether the request can change nothing. Frames of a WebSocket can, although it is opened with GET.
fn is_read(parts: &Parts) -> bool {
    parts.method.is_safe() && !parts.headers.contains_key(header::UPGRADE)
}

fn refuse(detail: &str) -> Refusal {
    Refusal::new(Code::CrossSite, detail)
}

fn source(site: Option<&str>, origin: PageOrigin, is_read: bool) -> RequestSource {
    match (site, origin) {
        // A listed origin is trusted whatever its site.
        (_, PageOrigin::Listed) | (Some("same-origin"), _) => RequestSource::Trusted,
        // A typed address or a bookmark; safe methods only.
        (Some("none"), _) if is_read => RequestSource::Trusted,
        (Some(_), _) => RequestSource::Foreign,
        (None, PageOrigin::Own) => RequestSource::Trusted,
        (None, PageOrigin::Foreign) => RequestSource::Foreign,
        (None, PageOrigin::Missing) => RequestSource::Unknown,
    }
}

/// The value of `Sec-Fetch-Site`. A repeated or unreadable header becomes an empty value, which is never trusted.
fn fetch_site(headers: &HeaderMap) -> Option<&str> {
    let mut sent = headers.get_all(FETCH_SITE).iter();
    let first = sent.next()?;
    let only = if sent.next().is_some() { None } else { first.to_str().ok() };
    Some(only.unwrap_or_default())
}

#[cfg(test)]
mod origins_tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(listed: &str, host: &str, origins: &[&str]) -> Option<Code> {
        let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_str(host).expect("host"))]);
        for origin in origins {
            headers.append(header::ORIGIN, HeaderValue::from_str(origin).expect("origin"));
        }
        let listed: Origins = listed.parse().expect("a list");
        listed.check(&headers, &Uri::from_static("/live"), false).err().map(|refusal| refusal.code)
    }

    #[test]
    fn the_hubs_own_page_and_programs_may_connect() {
        assert_eq!(check("", "127.0.0.1:4870", &[]), None);
        for (host, origin) in [
            ("127.0.0.1:4870", "http://127.0.0.1:4870"),
            ("chat.example", "https://chat.example"),
            ("Chat.Example:443", "https://chat.example"),
            ("chat.example:80", "http://chat.example"),
            ("[::1]:4870", "http://[::1]:4870"),
        ] {
            assert_eq!(check("", host, &[origin]), None, "{host} {origin}");
        }
    }

    #[test]
    fn foreign_pages_may_not_connect() {
        for origin in ["null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:4871", "file://"] {
            assert_eq!(check("", "127.0.0.1:4870", &[origin]), Some(Code::WrongOrigin), "{origin}");
        }
        assert_eq!(check("", "chat.example", &["http://chat.example.evil"]), Some(Code::WrongOrigin));
        assert_eq!(check("", "a", &["http://a", "http://a"]), Some(Code::WrongOrigin));
    }

    #[test]
    fn listed_origins_may_connect() {
        let listed = "https://one.example, http://localhost:5173";
        assert_eq!(check(listed, "hub:1", &["https://one.example"]), None);
        assert_eq!(check(listed, "hub:1", &["http://localhost:5173"]), None);
        assert_eq!(check(listed, "hub:1", &["https://localhost:5173"]), Some(Code::WrongOrigin));
    }

    #[test]
    fn over_tls_the_plain_origin_is_foreign() {
        let headers = |origin: &'static str| {
            let (host, origin) = (HeaderValue::from_static("hub:1"), HeaderValue::from_static(origin));
            HeaderMap::from_iter([(header::HOST, host), (header::ORIGIN, origin)])
        };
        let classify = |origin| Origins::default().classify(&headers(origin), &Uri::from_static("/live"), true);
        assert_eq!(classify("https://hub:1"), PageOrigin::Own);
        assert_eq!(classify("http://hub:1"), PageOrigin::Foreign);
    }

    #[test]
    fn other_texts_are_not_an_origin_list() {
        for text in ["chat.example", "https://", "https://a/path", "*", "https://a b.example/", "://a", "https://ü.de"]
        {
            assert!(text.parse::<Origins>().is_err_and(|error| error.to_string().contains("such as")), "{text}");
        }
        assert!("http://a ".repeat(ORIGINS_MAX + 1).parse::<Origins>().is_err());
        assert_eq!("".parse(), Ok(Origins::default()));
    }
}

#[cfg(test)]
mod cross_site_tests {
    use axum::http::{HeaderValue, Method, Request};

    use super::*;
    use crate::http_guard::PeerAddress;

    /// A request of a browser to `localhost:4870`, read with `https://friend.example` listed.
    fn parts(method: Method, headers: &[(&'static str, &'static str)]) -> Parts {
        let request = Request::builder().method(method).uri("/projects").header("host", "localhost:4870");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(()).expect("a request").into_parts().0
    }

    fn http_guard() -> HttpGuard {
        HttpGuard { origins: "https://friend.example".parse().expect("a list"), ..HttpGuard::default() }
    }

    const OWN: &str = "http://localhost:4870";
    const OTHER_PORT: &str = "http://localhost:9999";
    const FRIEND: &str = "https://friend.example";

    #[track_caller]
    fn check_cookie(method: &Method, headers: &[(&'static str, &'static str)], may: bool) {
        let found = http_guard().check_cookie(&parts(method.clone(), headers)).map_err(|refusal| refusal.code);
        assert_eq!(found, if may { Ok(()) } else { Err(Code::CrossSite) }, "{method} {headers:?}");
    }

    #[test]
    fn the_hubs_own_page_may_change_everything() {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            check_cookie(&method, &[("sec-fetch-site", "same-origin")], true);
            check_cookie(&method, &[("sec-fetch-site", "same-origin"), ("origin", OWN)], true);
            check_cookie(&method, &[("origin", OWN)], true);
            check_cookie(&method, &[("origin", FRIEND)], true);
            check_cookie(&method, &[("origin", FRIEND), ("sec-fetch-site", "cross-site")], true);
        }
    }

    #[test]
    fn another_port_of_the_same_host_is_foreign() {
        for method in [Method::GET, Method::POST] {
            check_cookie(&method, &[("sec-fetch-site", "same-site")], false);
            check_cookie(&method, &[("sec-fetch-site", "same-site"), ("origin", OTHER_PORT)], false);
            check_cookie(&method, &[("origin", OTHER_PORT)], false);
        }
    }

    #[test]
    fn requests_of_other_sites_are_refused() {
        for origin in ["https://evil.example", "null", "https://friend.example.evil", ""] {
            check_cookie(&Method::GET, &[("sec-fetch-site", "cross-site"), ("origin", origin)], false);
            check_cookie(&Method::POST, &[("origin", origin)], false);
        }
        check_cookie(&Method::POST, &[("sec-fetch-site", "cross-site"), ("origin", OWN)], false);
        check_cookie(&Method::POST, &[("sec-fetch-site", ""), ("origin", OWN)], false);
    }

    #[test]
    fn a_typed_address_may_only_read() {
        check_cookie(&Method::GET, &[("sec-fetch-site", "none")], true);
        check_cookie(&Method::HEAD, &[("sec-fetch-site", "none")], true);
        check_cookie(&Method::POST, &[("sec-fetch-site", "none")], false);
        check_cookie(&Method::DELETE, &[("sec-fetch-site", "none"), ("origin", OWN)], false);
    }

    #[test]
    fn a_cookie_without_an_origin_changes_nothing() {
        check_cookie(&Method::GET, &[], true);
        check_cookie(&Method::GET, &[("upgrade", "websocket")], false);
        check_cookie(&Method::GET, &[("upgrade", "websocket"), ("sec-fetch-site", "none")], false);
        check_cookie(&Method::GET, &[("upgrade", "websocket"), ("origin", OWN)], true);
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            check_cookie(&method, &[], false);
        }
    }

    #[test]
    fn a_repeated_header_is_not_trusted() {
        let mut twice = parts(Method::GET, &[("sec-fetch-site", "same-origin")]);
        twice.headers.append(FETCH_SITE, HeaderValue::from_static("same-origin"));
        assert!(http_guard().check_cookie(&twice).is_err());
        let mut twice = parts(Method::POST, &[("origin", OWN)]);
        twice.headers.append(header::ORIGIN, HeaderValue::from_static(OWN));
        assert!(http_guard().check_cookie(&twice).is_err());
    }

    #[test]
    fn over_tls_a_cookie_of_the_plain_origin_is_refused() {
        let secure = HttpGuard { is_tls: true, ..http_guard() };
        assert!(secure.check_cookie(&parts(Method::POST, &[("origin", OWN)])).is_err());
        assert!(secure.check_cookie(&parts(Method::POST, &[("origin", "https://localhost:4870")])).is_ok());
    }

    #[test]
    fn only_a_listed_proxy_may_report_tls() {
        let http_guard = HttpGuard { proxies: "10.0.0.7".parse().expect("a list"), ..http_guard() };
        let is_secure = |peer: &str| {
            let mut parts = parts(Method::GET, &[("x-forwarded-proto", "https")]);
            parts.extensions.insert(PeerAddress(peer.parse().expect("an address")));
            http_guard.is_secure(&parts.headers, &parts.extensions)
        };
        assert!(is_secure("10.0.0.7") && !is_secure("10.0.0.8"));
        let unknown = parts(Method::GET, &[("x-forwarded-proto", "https")]);
        assert!(!http_guard.is_secure(&unknown.headers, &unknown.extensions));
    }

    #[test]
    fn programs_may_sign_in_and_foreign_pages_may_not() {
        assert!(http_guard().check_page(&parts(Method::POST, &[])).is_ok());
        assert!(http_guard().check_page(&parts(Method::POST, &[("origin", OWN)])).is_ok());
        for headers in [[("origin", OTHER_PORT)], [("sec-fetch-site", "same-site")], [("sec-fetch-site", "none")]] {
            let refusal = http_guard().check_page(&parts(Method::POST, &headers)).expect_err("foreign");
            assert_eq!(refusal.code, Code::CrossSite, "{headers:?}");
        }
    }
}
