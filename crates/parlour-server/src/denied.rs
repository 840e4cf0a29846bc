//! How a handler says no.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use parlour_core::{Code, Refusal, RefusalClass};
use parlour_hub::{Failure, Fault};

/// What a handler answers: something, or why not.
pub(crate) type Answer<T> = Result<T, Denied>;

/// A failure on its way to the client. As a response it is empty and carries itself along: `answer` writes the
/// problem document, because only there the request's id is known.
#[derive(Clone, Debug)]
pub(crate) struct Denied(Arc<Failure>);

/// When a caller may try again if nothing better is known.
const RETRY_SECONDS: u64 = 1;

impl Denied {
    /// The stable code; every fault has the same.
    pub(crate) fn code(&self) -> Code {
        self.0.refusal().map_or(Code::Internal, |refusal| refusal.code)
    }

    /// The expected no, when it is one.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.0.refusal()
    }

    /// What broke, when something did.
    pub(crate) fn fault(&self) -> Option<&Fault> {
        match self.0.as_ref() {
            Failure::Fault(fault) => Some(fault),
            Failure::Refused(_) => None,
        }
    }
}

impl From<Failure> for Denied {
    fn from(failure: Failure) -> Self {
        Self(Arc::new(failure))
    }
}

impl From<Refusal> for Denied {
    fn from(refusal: Refusal) -> Self {
        Failure::from(refusal).into()
    }
}

impl From<Fault> for Denied {
    fn from(fault: Fault) -> Self {
        Failure::from(fault).into()
    }
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let class = self.code().class();
        let mut response = status_of(class).into_response();
        match class {
            RefusalClass::Unauthenticated => {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            RefusalClass::Unavailable | RefusalClass::TooMany => {
                let seconds = self.refusal().and_then(Refusal::retry_after_seconds).unwrap_or(RETRY_SECONDS);
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            _ => {}
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The status of each kind of no.
pub(crate) fn status_of(class: RefusalClass) -> StatusCode {
    match class {
        RefusalClass::Malformed => StatusCode::BAD_REQUEST,
        RefusalClass::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalClass::Unauthenticated => StatusCode::UNAUTHORIZED,
        RefusalClass::Forbidden => StatusCode::FORBIDDEN,
        RefusalClass::NotFound => StatusCode::NOT_FOUND,
        RefusalClass::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        RefusalClass::Conflict => StatusCode::CONFLICT,
        RefusalClass::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalClass::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        RefusalClass::Timeout => StatusCode::REQUEST_TIMEOUT,
        RefusalClass::TooMany => StatusCode::TOO_MANY_REQUESTS,
        RefusalClass::Misdirected => StatusCode::MISDIRECTED_REQUEST,
        RefusalClass::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        RefusalClass::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code with its status, as callers know them.
    const STATUSES: &str = "A01 401 A02 403 A03 403 A04 403 A05 421 A06 401 A07 403 A08 429 A09 409 I01 400 I02 422 I03 422 I04 400 I05 400 I06 413 I07 415 I08 422 \
        I09 400 I10 422 I11 422 I12 422 I13 400 N01 404 N02 404 N03 405 C01 409 C02 409 C03 409 C04 409 C05 409 \
        C06 409 C07 409 C08 409 C09 409 M01 422 M02 422 M03 409 C10 409 C11 409 C12 409 C13 409 C14 409 M04 422 M05 422 M06 422 S01 503 S02 503 S03 500 S04 503 S05 408";

    fn response(code: Code) -> Response {
        Denied::from(Refusal::new(code, "no")).into_response()
    }

    #[test]
    fn every_code_keeps_its_status() {
        let told = Code::ALL.iter().map(|code| {
            let short = code.as_str().trim_start_matches("PARLOUR-");
            format!("{short} {}", response(*code).status().as_u16())
        });
        assert_eq!(told.collect::<Vec<_>>().join(" "), STATUSES);
    }

    #[test]
    fn an_answer_says_how_to_go_on() {
        let header = |code, name| response(code).headers().get(name).cloned();
        assert_eq!(header(Code::Unauthenticated, header::WWW_AUTHENTICATE), Some(HeaderValue::from_static("Bearer")));
        assert_eq!(header(Code::Overloaded, header::RETRY_AFTER), Some(HeaderValue::from_static("1")));
        assert_eq!(header(Code::Forbidden, header::WWW_AUTHENTICATE), None);
        let limited = Refusal::new(Code::RateLimited, "no").after(std::time::Duration::from_millis(2_500));
        let limited = Denied::from(limited).into_response();
        assert_eq!(limited.headers().get(header::RETRY_AFTER), Some(&HeaderValue::from_static("3")));
    }

    #[test]
    fn every_fault_has_one_code() {
        let denied = Denied::from(Fault::new("append", "disk full"));
        assert_eq!((denied.code(), denied.refusal()), (Code::Internal, None));
        assert_eq!(denied.fault().map(Fault::chain).as_deref(), Some("append: disk full"));
    }
}
