//! JSON bodies.

use std::{error::Error as _, io};

use axum::{
    body::to_bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use bytes::Bytes;
use http_body_util::LengthLimitError;
use parlour_core::{Code, Refusal, limits};
use serde::de::DeserializeOwned;

use super::{json, params::NoParams};
use crate::http_error::HttpError;

/// A JSON body, parsed strictly. Its path takes no query parameters.
pub(crate) struct Body<T>(pub(crate) T);

/// A JSON body of up to `BYTES` bytes, for the few paths with a larger limit.
pub(crate) struct LargeBody<T, const BYTES: usize>(pub(crate) T);

/// A JSON body that may be missing or null; both mean the default.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Self, HttpError> {
        Ok(Self(read_whole(request, limits::REQUEST_BODY_BYTES_MAX).await?))
    }
}

impl<S: Send + Sync, T: DeserializeOwned, const BYTES: usize> FromRequest<S> for LargeBody<T, BYTES> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Self, HttpError> {
        Ok(Self(read_whole(request, BYTES).await?))
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalBody<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Self, HttpError> {
        NoParams::check(request.uri())?;
        let media_type = check_media_type(request.headers());
        let bytes = read_bytes(request).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        media_type?;
        Ok(Self(parse::<Option<T>>(&bytes)?.unwrap_or_default()))
    }
}

/// Reads a required body.
async fn read_whole<T: DeserializeOwned>(request: Request, bytes_max: usize) -> Result<T, HttpError> {
    NoParams::check(request.uri())?;
    check_media_type(request.headers())?;
    let bytes = read_up_to(request, bytes_max).await?;
    Ok(parse(&bytes)?)
}

/// Accepts `application/json` and `application/….+json` without a content encoding.
fn check_media_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let refuse = |detail: &str| Refusal::new(Code::WrongMediaType, detail);
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    if !is_json {
        return Err(refuse("the header Content-Type must be application/json"));
    }
    match headers.get(header::CONTENT_ENCODING) {
        Some(encoding) if encoding != "identity" => {
            Err(refuse("compressed bodies are not supported; omit Content-Encoding"))
        }
        _ => Ok(()),
    }
}

/// Reads a JSON body up to the default limit.
pub(crate) async fn read_bytes(request: Request) -> Result<Bytes, Refusal> {
    read_up_to(request, limits::REQUEST_BODY_BYTES_MAX).await
}

async fn read_up_to(request: Request, bytes_max: usize) -> Result<Bytes, Refusal> {
    to_bytes(request.into_body(), bytes_max).await.map_err(|error| {
        let is_too_large = error.source().is_some_and(|cause| cause.is::<LengthLimitError>());
        if is_too_large {
            let detail = format!("a JSON body may have at most {bytes_max} bytes here");
            return Refusal::new(Code::TooLarge, detail);
        }
        if is_late(&error) {
            return Refusal::new(Code::TimedOut, "no more bytes of the body arrived in time");
        }
        Refusal::new(Code::MalformedJson, "the connection ended before the end of the body")
    })
}

/// Whether the transport timed out.
fn is_late(error: &axum::Error) -> bool {
    let mut next = error.source();
    while let Some(cause) = next {
        if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            return true;
        }
        next = cause.source();
    }
    false
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    json::read_as(&json::read_value(bytes)?)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use parlour_core::post::PostMessage;
    use proptest::prelude::*;

    use super::*;

    fn check(json: &str, code: Code, field: &str) {
        let refusal = parse::<PostMessage>(json.as_bytes()).expect_err(json);
        assert_eq!((refusal.code, refusal.field.as_deref()), (code, Some(field)), "{json}: {refusal}");
    }

    #[test]
    fn a_value_of_the_wrong_shape_is_refused_by_its_path() {
        check(r#"{"body":1}"#, Code::WrongShape, "body");
        check(r#"{"mentions":["a",2]}"#, Code::WrongShape, "mentions[1]");
        check(r#"{"context":{"task_id":"msg_1"}}"#, Code::WrongShape, "context.task_id");
        check(r#"{"importance":"huge"}"#, Code::WrongShape, "importance");
        check(r#"{"attachments":[{"filename":"a"}]}"#, Code::WrongShape, "attachments[0].media_type");
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_fields_that_exist() {
        check(r#"{"boddy":"x"}"#, Code::UnknownField, "boddy");
        check(r#"{"context":{"from":"per_1"}}"#, Code::UnknownField, "context.from");
        let refusal = parse::<PostMessage>(br#"{"boddy":"x"}"#).expect_err("unknown");
        assert!(refusal.detail.contains("`body`"), "{}", refusal.detail);
    }

    #[test]
    fn json_media_types_are_accepted() {
        let check = |sent: &'static str| {
            let value = HeaderValue::from_static(sent);
            check_media_type(&HeaderMap::from_iter([(header::CONTENT_TYPE, value)])).is_ok()
        };
        for sent in ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"] {
            assert!(check(sent), "{sent}");
        }
        for sent in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/x+json"] {
            assert!(!check(sent), "{sent}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(bytes: Vec<u8>) {
            let _ = parse::<PostMessage>(&bytes);
        }
    }
}
