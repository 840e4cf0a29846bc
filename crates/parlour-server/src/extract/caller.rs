//! Authentication of a request: its credential, and the member behind it.

use std::sync::Arc;

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, header, request::Parts},
};
use parlour_core::{Code, Refusal, access::Principal, attribution::Surface};
use parlour_hub::{Hub, use_cases::Credential};

use crate::{http_error::HttpError, http_guard::HttpGuard, http_guard::PeerCertificate, rate_limits::RequestMeter};

/// The credential of a request.
///
/// A bearer token is used first, then the session cookie, then the client certificate. Browsers send cookies and
/// certificates automatically, so both count only when no foreign page has sent the request. When the first credential is
/// rejected, no other one is tried.
pub(crate) enum RequestCredential {
    Bearer(String),
    /// The secret of a session cookie.
    Session(String),
    /// The SHA-256 of a client certificate.
    Certificate([u8; 32]),
}

impl RequestCredential {
    /// The credential as the hub takes it.
    pub(crate) fn shown(&self) -> Credential<'_> {
        match self {
            Self::Bearer(token) => Credential::Bearer(token),
            Self::Session(secret) => Credential::Session(secret),
            Self::Certificate(hash) => Credential::Certificate(hash),
        }
    }

    fn of(parts: &Parts, http_guard: &HttpGuard) -> Result<Option<Self>, Refusal> {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return Ok(Some(Self::Bearer(bearer_token(&parts.headers)?.to_owned())));
        }
        let cookie = http_guard.session_cookie(&parts.headers, &parts.extensions);
        if let Some(secret) = cookie.read(&parts.headers)? {
            http_guard.check_cookie(parts)?;
            return Ok(Some(Self::Session(secret.to_owned())));
        }
        let Some(PeerCertificate(hash)) = parts.extensions.get().copied() else { return Ok(None) };
        http_guard.check_page(parts)?;
        Ok(Some(Self::Certificate(hash)))
    }
}

/// A credential that may be missing, for surfaces with a sign-in of their own.
pub(crate) struct OptionalCredential(pub(crate) Option<RequestCredential>);

impl<S: Send + Sync> FromRequestParts<S> for OptionalCredential
where
    HttpGuard: FromRef<S>,
{
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        Ok(Self(RequestCredential::of(parts, &HttpGuard::from_ref(state))?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RequestCredential
where
    HttpGuard: FromRef<S>,
{
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let missing =
            || Refusal::new(Code::Unauthenticated, "send the header Authorization: Bearer <token>, or sign in");
        Ok(Self::of(parts, &HttpGuard::from_ref(state))?.ok_or_else(missing)?)
    }
}

pub(super) fn bearer_token(headers: &HeaderMap) -> Result<&str, Refusal> {
    let refuse = |detail: &str| Refusal::new(Code::Unauthenticated, detail);
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (sent.next(), sent.next()) else {
        return Err(refuse("send exactly one header Authorization: Bearer <token>"));
    };
    let token = value.to_str().ok().and_then(|text| text.split_once(' ')).and_then(|(scheme, token)| {
        // The scheme's case does not matter (RFC 9110, 11.1); the token's does.
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim_matches(' '))
    });
    token.filter(|token| !token.is_empty()).ok_or_else(|| refuse("the header Authorization is not a bearer token"))
}

/// Extractor of the authenticated caller; other requests are refused.
pub(crate) struct Caller(pub(crate) Principal);

impl<S> FromRequestParts<S> for Caller
where
    Arc<Hub>: FromRef<S>,
    HttpGuard: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let credential = RequestCredential::from_request_parts(parts, state).await?;
        let (hub, Ok(visit)) = (Arc::<Hub>::from_ref(state), RequestMeter::from_request_parts(parts, state).await);
        let caller =
            visit.authenticate(&hub, credential.shown(), hub.sign_in(credential.shown())).await?.over(Surface::Http);
        visit.charge(&hub, &caller)?;
        Ok(Self(caller))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, Request};

    use super::*;

    fn token_in(values: &[&'static str]) -> Option<String> {
        let pairs = values.iter().map(|value| (header::AUTHORIZATION, HeaderValue::from_static(value)));
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        bearer_token(&headers).ok().map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_read_without_regard_to_case() {
        for value in ["Bearer abc", "bearer abc", "BEARER  abc "] {
            assert_eq!(token_in(&[value]).as_deref(), Some("abc"), "{value}");
        }
    }

    #[test]
    fn other_headers_are_not_bearer_tokens() {
        let cases: [&[&str]; 6] =
            [&[], &["abc"], &["Basic abc"], &["Bearer"], &["Bearer  "], &["Bearer a", "Bearer b"]];
        for values in cases {
            assert_eq!(token_in(values), None, "{values:?}");
        }
    }

    /// The credential of a GET request with these headers, as text.
    fn credential(headers: &[(&'static str, &'static str)], certificate: Option<[u8; 32]>) -> String {
        let request = headers.iter().fold(Request::get("/me"), |request, (name, value)| request.header(*name, *value));
        let mut parts = request.body(()).expect("a request").into_parts().0;
        certificate.map(|hash| parts.extensions.insert(PeerCertificate(hash)));
        match RequestCredential::of(&parts, &HttpGuard::default()) {
            Ok(Some(RequestCredential::Bearer(token))) => format!("bearer {token}"),
            Ok(Some(RequestCredential::Session(secret))) => format!("session {secret}"),
            Ok(Some(RequestCredential::Certificate(hash))) => format!("certificate {}", hash[0]),
            Ok(None) => "nothing".to_owned(),
            Err(refusal) => refusal.code.as_str().trim_start_matches("PARLOUR-").to_owned(),
        }
    }

    const BEARER: (&str, &str) = ("authorization", "Bearer abc");
    const COOKIE: (&str, &str) = ("cookie", "parlour_session=s1");
    const FOREIGN: (&str, &str) = ("sec-fetch-site", "cross-site");

    #[test]
    fn a_bearer_token_is_used_first() {
        assert_eq!(credential(&[], None), "nothing");
        assert_eq!(credential(&[BEARER, COOKIE], Some([7; 32])), "bearer abc");
        assert_eq!(credential(&[COOKIE], Some([7; 32])), "session s1");
        assert_eq!(credential(&[("cookie", "a=b")], Some([7; 32])), "certificate 7");
    }

    #[test]
    fn a_rejected_credential_is_not_replaced_by_another() {
        assert_eq!(credential(&[("authorization", "Basic abc"), COOKIE], Some([7; 32])), "A01");
        assert_eq!(credential(&[("cookie", "parlour_session=\"\"")], Some([7; 32])), "A01");
    }

    #[test]
    fn cookies_and_certificates_of_foreign_pages_are_refused() {
        assert_eq!(credential(&[COOKIE, FOREIGN], None), "A07");
        assert_eq!(credential(&[FOREIGN], Some([7; 32])), "A07");
        assert_eq!(credential(&[BEARER, FOREIGN], None), "bearer abc");
        assert_eq!(credential(&[FOREIGN], None), "nothing");
    }
}
