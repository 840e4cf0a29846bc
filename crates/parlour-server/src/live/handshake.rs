//! The opening handshake of a WebSocket (RFC 6455, 4.2).

use axum::{
    body::Body,
    extract::FromRequestParts,
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode, Version,
        header::{self, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION},
        request::Parts,
    },
    response::Response,
};
use hyper::upgrade::OnUpgrade;
use parlour_core::{Code, Refusal};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::denied::Denied;

/// The version that is spoken here.
const VERSION: HeaderValue = HeaderValue::from_static("13");
/// Characters of a key: 16 bytes in Base64.
const KEY_CHARS: usize = 24;

/// A request that wants to become a WebSocket. A handler that takes it is closed to all others.
pub(crate) struct Handshake {
    accept: String,
    upgrade: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for Handshake {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Denied> {
        let refuse = |detail| Refusal::new(Code::NoWebSocket, detail);
        let accept = check(parts.version, &parts.headers).map_err(refuse)?;
        let upgrade = parts.extensions.remove::<OnUpgrade>();
        Ok(Self { accept, upgrade: upgrade.ok_or_else(|| refuse("this connection cannot become a WebSocket"))? })
    }
}

impl Handshake {
    /// The answer that makes the connection a WebSocket, and the connection to come.
    pub(crate) fn accept(self) -> (Response, OnUpgrade) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let accept = HeaderValue::from_str(&self.accept).expect("Base64 is visible ASCII");
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        (response, self.upgrade)
    }
}

/// The key of the answer, or what is missing.
pub(super) fn check(version: Version, headers: &HeaderMap) -> Result<String, &'static str> {
    if version != Version::HTTP_11 {
        return Err("a WebSocket is opened over HTTP/1.1");
    }
    if !has_word(headers, header::CONNECTION, "upgrade") || !has_word(headers, header::UPGRADE, "websocket") {
        return Err("the headers Connection: Upgrade and Upgrade: websocket are missing");
    }
    if headers.get(SEC_WEBSOCKET_VERSION) != Some(&VERSION) {
        return Err("the header Sec-WebSocket-Version must say 13");
    }
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == KEY_CHARS);
    Ok(derive_accept_key(key.ok_or("the header Sec-WebSocket-Key must hold 16 bytes in Base64")?.as_bytes()))
}

/// Whether a list of words has this one, in any case.
fn has_word(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let lists = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455, 1.3.
    const WHOLE: [(&str, &str); 4] = [
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];

    fn checked(version: Version, pairs: &[(&'static str, &'static str)]) -> Result<String, &'static str> {
        let pairs = pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        check(version, &pairs.collect())
    }

    #[test]
    fn the_key_is_answered_as_the_standard_says() {
        assert_eq!(checked(Version::HTTP_11, &WHOLE).as_deref(), Ok("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    }

    #[test]
    fn a_handshake_that_lacks_something_is_refused() {
        assert!(checked(Version::HTTP_10, &WHOLE).is_err() && checked(Version::HTTP_2, &WHOLE).is_err());
        for (name, _) in WHOLE {
            let mut pairs = WHOLE.to_vec();
            pairs.retain(|pair| pair.0 != name);
            assert!(checked(Version::HTTP_11, &pairs).is_err(), "without {name}");
            pairs.push((name, "7"));
            assert!(checked(Version::HTTP_11, &pairs).is_err(), "{name}: 7");
        }
    }
}
