//! Who is calling.

use std::sync::Arc;

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, header, request::Parts},
};
use parlour_core::{Code, Refusal, access::Principal};
use parlour_hub::Hub;

use crate::denied::Denied;

/// The member behind the request's bearer token. A handler that takes it is closed to everybody else.
pub(crate) struct Caller(pub(crate) Principal);

impl<S> FromRequestParts<S> for Caller
where
    Arc<Hub>: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Denied> {
        let token = bearer_token(&parts.headers)?;
        Ok(Self(Arc::<Hub>::from_ref(state).sign_in(token).await?))
    }
}

/// The bearer token of a request, for surfaces that sign in by themselves; none when the request brings none.
pub(crate) struct Token(pub(crate) Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Token {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Denied> {
        let is_absent = !parts.headers.contains_key(header::AUTHORIZATION);
        Ok(Self(if is_absent { None } else { Some(bearer_token(&parts.headers)?.to_owned()) }))
    }
}

fn bearer_token(headers: &HeaderMap) -> Result<&str, Refusal> {
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
    use axum::http::HeaderValue;

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
}
