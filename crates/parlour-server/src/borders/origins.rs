//! Which pages may speak to the hub. Browsers do not ask before they open a WebSocket, so the hub looks itself.

use std::{str::FromStr, sync::Arc};

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, Uri, header, request::Parts},
};
use parlour_core::{Code, Refusal, limits::ORIGINS_MAX};

use super::Borders;
use crate::denied::Denied;

/// The origins of pages that may speak to the hub, besides its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(Arc<[String]>);

/// A text that is no list of origins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadOrigin(String);

impl FromStr for Origins {
    type Err = BadOrigin;

    /// Takes origins as browsers write them, `https://chat.example`, with commas or blanks between them.
    fn from_str(text: &str) -> Result<Self, BadOrigin> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let origins: Vec<_> = parts.map(parse_origin).collect::<Result<_, _>>()?;
        if origins.len() > ORIGINS_MAX {
            return Err(BadOrigin(format!("there are {} origins; at most {ORIGINS_MAX} are taken", origins.len())));
        }
        Ok(Self(origins.into()))
    }
}

/// An origin is compared letter by letter, so one that no browser would send is a mistake.
fn parse_origin(text: &str) -> Result<String, BadOrigin> {
    let refuse = || BadOrigin(format!("{text:?} is no origin such as https://chat.example or http://127.0.0.1:5173"));
    let text = text.to_ascii_lowercase();
    let (scheme, host) = text.split_once("://").ok_or_else(refuse)?;
    let is_host = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte));
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if is_scheme && is_host { Ok(text) } else { Err(refuse()) }
}

/// Where the page of a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageOrigin {
    /// From where the request goes to.
    Own,
    /// From an origin of the list.
    Listed,
    /// From elsewhere.
    Foreign,
    /// The request does not say; programs that are no browsers never do.
    Untold,
}

impl Origins {
    /// Tells where the page of a request comes from.
    pub(super) fn judge(&self, headers: &HeaderMap, address: &Uri, is_secure: bool) -> PageOrigin {
        let mut sent = headers.get_all(header::ORIGIN).iter();
        let (first, second) = (sent.next(), sent.next());
        let Some(origin) = first else { return PageOrigin::Untold };
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        match second {
            Some(_) => PageOrigin::Foreign,
            None if self.0.contains(&origin) => PageOrigin::Listed,
            None if is_own(&origin, headers, address, is_secure) => PageOrigin::Own,
            None => PageOrigin::Foreign,
        }
    }

    /// Refuses a request that a page of another origin has made.
    fn check(&self, headers: &HeaderMap, address: &Uri, is_secure: bool) -> Result<(), Refusal> {
        if self.judge(headers, address, is_secure) != PageOrigin::Foreign {
            return Ok(());
        }
        let origin = headers.get(header::ORIGIN).map(|origin| String::from_utf8_lossy(origin.as_bytes()));
        let shown: String = origin.unwrap_or_default().chars().take(100).collect();
        Err(Refusal::new(Code::WrongOrigin, format!("pages of {shown:?} may not connect to this hub")))
    }
}

/// Whether the page came from where the request goes to. A plain connection may have been encrypted up to a proxy that
/// nobody has mentioned, so there both schemes count.
fn is_own(origin: &str, headers: &HeaderMap, address: &Uri, is_secure: bool) -> bool {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = address.authority().map(|host| host.as_str()).or(named) else { return false };
    let host = host.to_ascii_lowercase();
    let is_from = |scheme: &str, port: &str| {
        origin.strip_prefix(scheme).is_some_and(|origin| origin == host.strip_suffix(port).unwrap_or(&host))
    };
    is_from("https://", ":443") || !is_secure && is_from("http://", ":80")
}

/// A request that no foreign page has made. A handler that takes it is closed to all others.
pub(crate) struct KnownOrigin;

impl<S> FromRequestParts<S> for KnownOrigin
where
    Borders: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let borders = Borders::from_ref(state);
        let is_secure = borders.is_secure(&parts.headers, &parts.extensions);
        borders.origins.check(&parts.headers, &parts.uri, is_secure)?;
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
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
    fn the_own_page_and_programs_may_connect() {
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
    fn other_pages_may_not() {
        for origin in ["null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:4871", "file://"] {
            assert_eq!(check("", "127.0.0.1:4870", &[origin]), Some(Code::WrongOrigin), "{origin}");
        }
        assert_eq!(check("", "chat.example", &["http://chat.example.evil"]), Some(Code::WrongOrigin));
        assert_eq!(check("", "a", &["http://a", "http://a"]), Some(Code::WrongOrigin));
    }

    #[test]
    fn those_in_the_list_may() {
        let listed = "https://one.example, http://localhost:5173";
        assert_eq!(check(listed, "hub:1", &["https://one.example"]), None);
        assert_eq!(check(listed, "hub:1", &["http://localhost:5173"]), None);
        assert_eq!(check(listed, "hub:1", &["https://localhost:5173"]), Some(Code::WrongOrigin));
    }

    #[test]
    fn over_tls_the_plain_page_is_another_one() {
        let headers = |origin: &'static str| {
            let (host, origin) = (HeaderValue::from_static("hub:1"), HeaderValue::from_static(origin));
            HeaderMap::from_iter([(header::HOST, host), (header::ORIGIN, origin)])
        };
        let judge = |origin| Origins::default().judge(&headers(origin), &Uri::from_static("/live"), true);
        assert_eq!(judge("https://hub:1"), PageOrigin::Own);
        assert_eq!(judge("http://hub:1"), PageOrigin::Foreign);
    }

    #[test]
    fn a_list_holds_nothing_but_origins() {
        for text in ["chat.example", "https://", "https://a/path", "*", "https://a b.example/", "://a", "https://ü.de"]
        {
            assert!(text.parse::<Origins>().is_err_and(|error| error.to_string().contains("such as")), "{text}");
        }
        assert!("http://a ".repeat(ORIGINS_MAX + 1).parse::<Origins>().is_err());
        assert_eq!("".parse(), Ok(Origins::default()));
    }
}
