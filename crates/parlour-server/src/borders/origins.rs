//! Which pages may speak to the hub. Browsers do not ask before they open a WebSocket, so the hub looks itself.

use std::{str::FromStr, sync::Arc};

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, Uri, header, request::Parts},
};
use parlour_core::{Code, Refusal};

use super::Borders;
use crate::denied::Denied;

/// Origins in the setting.
const ORIGINS_MAX: usize = 100;

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

impl Origins {
    /// Refuses a request that a page of another origin has made. Programs that are no browsers name none.
    fn check(&self, headers: &HeaderMap, address: &Uri) -> Result<(), Refusal> {
        let mut sent = headers.get_all(header::ORIGIN).iter();
        let (first, second) = (sent.next(), sent.next());
        let Some(origin) = first else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let is_known = second.is_none() && (is_own(&origin, headers, address) || self.0.contains(&origin));
        if is_known {
            return Ok(());
        }
        let shown: String = origin.chars().take(100).collect();
        Err(Refusal::new(Code::WrongOrigin, format!("pages of {shown:?} may not connect to this hub")))
    }
}

/// Whether the page came from where the request goes to. The scheme cannot be known behind a proxy, so both count.
fn is_own(origin: &str, headers: &HeaderMap, address: &Uri) -> bool {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = address.authority().map(|host| host.as_str()).or(named) else { return false };
    [("http://", ":80"), ("https://", ":443")].iter().any(|(scheme, port)| {
        let host = host.to_ascii_lowercase();
        origin.strip_prefix(scheme).is_some_and(|origin| origin == host.strip_suffix(port).unwrap_or(&host))
    })
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
        Borders::from_ref(state).origins.check(&parts.headers, &parts.uri)?;
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
        listed.check(&headers, &Uri::from_static("/live")).err().map(|refusal| refusal.code)
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
    fn a_list_holds_nothing_but_origins() {
        for text in ["chat.example", "https://", "https://a/path", "*", "https://a b.example/", "://a", "https://ü.de"]
        {
            assert!(text.parse::<Origins>().is_err_and(|error| error.to_string().contains("such as")), "{text}");
        }
        assert!("http://a ".repeat(ORIGINS_MAX + 1).parse::<Origins>().is_err());
        assert_eq!("".parse(), Ok(Origins::default()));
    }
}
