//! What a request shows to be let in.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, header, request::Parts},
};
use parlour_core::{Code, Refusal};
use parlour_hub::use_cases::Credential;

use crate::{borders::Borders, denied::Denied, peer::PeerCertificate};

/// What a request shows to be let in: exactly one thing.
///
/// A bearer token goes first: whoever writes one means it. Then the cookie of a session, then the certificate of the
/// connection; a browser sends both by itself, so they count only when no other page has made it do so. What is shown
/// and refused is not made up for by another.
pub(crate) enum Pass {
    /// A bearer token.
    Bearer(String),
    /// The secret of a browser's cookie.
    Session(String),
    /// The hash of a client certificate.
    Certificate([u8; 32]),
}

impl Pass {
    /// The pass as the hub takes it.
    pub(crate) fn shown(&self) -> Credential<'_> {
        match self {
            Self::Bearer(token) => Credential::Bearer(token),
            Self::Session(secret) => Credential::Session(secret),
            Self::Certificate(hash) => Credential::Certificate(hash),
        }
    }

    fn of(parts: &Parts, borders: &Borders) -> Result<Option<Self>, Refusal> {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return Ok(Some(Self::Bearer(bearer_token(&parts.headers)?.to_owned())));
        }
        let cookie = borders.session_cookie(&parts.headers, &parts.extensions);
        if let Some(secret) = cookie.read(&parts.headers)? {
            borders.check_cookie(parts)?;
            return Ok(Some(Self::Session(secret.to_owned())));
        }
        let Some(PeerCertificate(hash)) = parts.extensions.get().copied() else { return Ok(None) };
        borders.check_page(parts)?;
        Ok(Some(Self::Certificate(hash)))
    }
}

/// A pass that may be missing, for surfaces that sign in by themselves.
pub(crate) struct MaybePass(pub(crate) Option<Pass>);

impl<S: Send + Sync> FromRequestParts<S> for MaybePass
where
    Borders: FromRef<S>,
{
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        Ok(Self(Pass::of(parts, &Borders::from_ref(state))?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Pass
where
    Borders: FromRef<S>,
{
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let nobody =
            || Refusal::new(Code::Unauthenticated, "send the header Authorization: Bearer <token>, or sign in");
        Ok(Self::of(parts, &Borders::from_ref(state))?.ok_or_else(nobody)?)
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
    token.filter(|token| !token.is_empty()).ok_or_else(|| refuse("the header Authorization is no bearer token"))
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
    fn anything_else_is_nobody() {
        let cases: [&[&str]; 6] =
            [&[], &["abc"], &["Basic abc"], &["Bearer"], &["Bearer  "], &["Bearer a", "Bearer b"]];
        for values in cases {
            assert_eq!(token_in(values), None, "{values:?}");
        }
    }

    /// Which pass a reading request with these headers shows, in a word; over a connection with a certificate or not.
    fn pass(headers: &[(&'static str, &'static str)], certificate: Option<[u8; 32]>) -> String {
        let request = headers.iter().fold(Request::get("/me"), |request, (name, value)| request.header(*name, *value));
        let mut parts = request.body(()).expect("a request").into_parts().0;
        certificate.map(|hash| parts.extensions.insert(PeerCertificate(hash)));
        match Pass::of(&parts, &Borders::default()) {
            Ok(Some(Pass::Bearer(token))) => format!("bearer {token}"),
            Ok(Some(Pass::Session(secret))) => format!("session {secret}"),
            Ok(Some(Pass::Certificate(hash))) => format!("certificate {}", hash[0]),
            Ok(None) => "nothing".to_owned(),
            Err(refusal) => refusal.code.as_str().trim_start_matches("PARLOUR-").to_owned(),
        }
    }

    const BEARER: (&str, &str) = ("authorization", "Bearer abc");
    const COOKIE: (&str, &str) = ("cookie", "parlour_session=s1");
    const FOREIGN: (&str, &str) = ("sec-fetch-site", "cross-site");

    #[test]
    fn one_thing_is_shown_and_a_token_goes_first() {
        assert_eq!(pass(&[], None), "nothing");
        assert_eq!(pass(&[BEARER, COOKIE], Some([7; 32])), "bearer abc");
        assert_eq!(pass(&[COOKIE], Some([7; 32])), "session s1");
        assert_eq!(pass(&[("cookie", "a=b")], Some([7; 32])), "certificate 7");
    }

    #[test]
    fn what_is_refused_is_not_made_up_for_by_another() {
        assert_eq!(pass(&[("authorization", "Basic abc"), COOKIE], Some([7; 32])), "A01");
        assert_eq!(pass(&[("cookie", "parlour_session=\"\"")], Some([7; 32])), "A01");
    }

    #[test]
    fn what_a_browser_sends_by_itself_counts_for_its_own_page_only() {
        assert_eq!(pass(&[COOKIE, FOREIGN], None), "A07");
        assert_eq!(pass(&[FOREIGN], Some([7; 32])), "A07");
        assert_eq!(pass(&[BEARER, FOREIGN], None), "bearer abc");
        assert_eq!(pass(&[FOREIGN], None), "nothing");
    }
}
