//! Errors of the HTTP surfaces: failure to status, problem document (RFC 9457) and error pages.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use parlour_core::{Code, Refusal, RefusalClass};
use parlour_hub::{Failure, Fault};
use serde::Serialize;
use utoipa::ToSchema;

/// The result of a handler.
pub(crate) type HttpResult<T> = Result<T, HttpError>;

/// A failure on its way to the client. Its response is empty and carries the error as an extension: `middleware` writes
/// the problem document, because only there the request id is available.
#[derive(Clone, Debug)]
pub(crate) struct HttpError(Arc<Failure>);

/// Default of `Retry-After`.
const RETRY_SECONDS: u64 = 1;

impl HttpError {
    /// The stable code; every fault has `Internal`.
    pub(crate) fn code(&self) -> Code {
        self.0.refusal().map_or(Code::Internal, |refusal| refusal.code)
    }

    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.0.refusal()
    }

    pub(crate) fn fault(&self) -> Option<&Fault> {
        match self.0.as_ref() {
            Failure::Fault(fault) => Some(fault),
            Failure::Refused(_) => None,
        }
    }
}

impl From<Failure> for HttpError {
    fn from(failure: Failure) -> Self {
        Self(Arc::new(failure))
    }
}

impl From<Refusal> for HttpError {
    fn from(refusal: Refusal) -> Self {
        Failure::from(refusal).into()
    }
}

impl From<Fault> for HttpError {
    fn from(fault: Fault) -> Self {
        Failure::from(fault).into()
    }
}

impl IntoResponse for HttpError {
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

/// The status of a refusal class.
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
        RefusalClass::UnsatisfiableRange => StatusCode::RANGE_NOT_SATISFIABLE,
        RefusalClass::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        RefusalClass::Timeout => StatusCode::REQUEST_TIMEOUT,
        RefusalClass::TooMany => StatusCode::TOO_MANY_REQUESTS,
        RefusalClass::Misdirected => StatusCode::MISDIRECTED_REQUEST,
        RefusalClass::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        RefusalClass::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The media type of a problem document.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

const FAULT_DETAIL: &str = "internal error; the hub's log has the cause under this request id";

/// Why a request failed (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({
    "type": "/errors/PARLOUR-C02", "title": "The name is taken or too similar to another", "status": 409,
    "detail": "the name \"general\" is taken", "code": "PARLOUR-C02", "retryable": false, "field": "name",
    "request_id": "3f2a-17"
}))]
pub(crate) struct Problem {
    /// Path of the page that explains the code.
    #[serde(rename = "type")]
    page: String,
    /// Title of the code; the same text each time.
    title: &'static str,
    /// HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong with this request.
    detail: String,
    /// Stable error code.
    #[schema(pattern = "^PARLOUR-[A-Z][0-9]{2}$")]
    code: &'static str,
    /// Whether the same request may succeed later without a change.
    retryable: bool,
    /// Path of the invalid field or parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Suggested values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    candidates: Vec<String>,
    /// Seconds to wait before a retry, as in the header `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// Id of the request, as in the header `x-request-id` and in the log.
    request_id: String,
}

impl Problem {
    /// The document of an error. The cause of a fault is not disclosed.
    pub(crate) fn new(error: &HttpError, request_id: &str) -> Self {
        let code = error.code();
        let refusal = error.refusal();
        Self {
            page: format!("/errors/{}", code.as_str()),
            title: code.title(),
            status: status_of(code.class()).as_u16(),
            detail: refusal.map_or_else(|| FAULT_DETAIL.to_owned(), |refusal| refusal.detail.clone()),
            code: code.as_str(),
            retryable: code.is_retryable(),
            field: refusal.and_then(|refusal| refusal.field.clone()),
            candidates: refusal.map(|refusal| refusal.candidates.clone()).unwrap_or_default(),
            retry_after: refusal.and_then(parlour_core::Refusal::retry_after_seconds),
            request_id: request_id.to_owned(),
        }
    }

    /// Writes the document into a response and keeps its status and headers.
    pub(crate) fn write_into(&self, response: &mut Response) {
        let json = serde_json::to_vec(self).expect("a problem is plain data");
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = Body::from(json);
    }
}

/// File name and Markdown of each error page.
pub fn error_pages() -> Vec<(String, String)> {
    Code::ALL.iter().map(|code| (format!("{}.md", code.as_str()), page(*code))).collect()
}

pub(crate) fn page_of(text: &str) -> Option<String> {
    Code::ALL.iter().find(|code| code.as_str() == text).map(|code| page(*code))
}

fn page(code: Code) -> String {
    let status = status_of(code.class());
    let reason = status.canonical_reason().unwrap_or_default();
    let retry = match (code.is_retryable(), code.class()) {
        (true, RefusalClass::Unavailable) => "yes, after the time in `Retry-After`",
        (true, _) => "yes",
        (false, _) => "no: the same request gets the same answer",
    };
    format!(
        "# {code}: {title}\n\n- Status: {number} {reason}\n- Worth repeating unchanged: {retry}\n\n## What to do\n\n{remedy}\n",
        code = code.as_str(),
        title = code.title(),
        number = status.as_u16(),
        remedy = code.remedy(),
    )
}

#[cfg(test)]
mod error_tests {
    use super::*;

    const STATUSES: &str = "A01 401 A02 403 A03 403 A04 403 A05 421 A06 401 A07 403 A08 429 A09 409 I01 400 I02 422 I03 422 I04 400 I05 400 I06 413 I07 415 I08 422 \
        I09 400 I10 422 I11 422 I12 422 I13 400 I14 400 I15 416 N01 404 N02 404 N03 405 C01 409 C02 409 C03 409 C04 409 C05 409 \
        C06 409 C07 409 C08 409 C09 409 M01 422 M02 422 M03 409 C10 409 C11 409 C12 409 C13 409 C14 409 M04 422 M05 422 M06 422 S01 503 S02 503 S03 500 S04 503 S05 408";

    fn response(code: Code) -> Response {
        HttpError::from(Refusal::new(code, "no")).into_response()
    }

    #[test]
    fn every_code_keeps_its_status() {
        let found = Code::ALL.iter().map(|code| {
            let short = code.as_str().trim_start_matches("PARLOUR-");
            format!("{short} {}", response(*code).status().as_u16())
        });
        assert_eq!(found.collect::<Vec<_>>().join(" "), STATUSES);
    }

    #[test]
    fn a_response_has_the_headers_of_its_class() {
        let header = |code, name| response(code).headers().get(name).cloned();
        assert_eq!(header(Code::Unauthenticated, header::WWW_AUTHENTICATE), Some(HeaderValue::from_static("Bearer")));
        assert_eq!(header(Code::Overloaded, header::RETRY_AFTER), Some(HeaderValue::from_static("1")));
        assert_eq!(header(Code::Forbidden, header::WWW_AUTHENTICATE), None);
        let limited = Refusal::new(Code::RateLimited, "no").after(std::time::Duration::from_millis(2_500));
        let limited = HttpError::from(limited).into_response();
        assert_eq!(limited.headers().get(header::RETRY_AFTER), Some(&HeaderValue::from_static("3")));
    }

    #[test]
    fn every_fault_has_one_code() {
        let error = HttpError::from(Fault::new("append", "disk full"));
        assert_eq!((error.code(), error.refusal()), (Code::Internal, None));
        assert_eq!(error.fault().map(Fault::chain).as_deref(), Some("append: disk full"));
    }
}

#[cfg(test)]
mod problem_tests {
    use parlour_core::{Code, Refusal};
    use parlour_hub::Fault;

    use super::*;

    #[test]
    fn a_refusal_is_serialised_as_problem_document() {
        let refusal = Refusal::new(Code::UnknownMention, "nobody is called Codr").at("mentions[0]");
        let error = HttpError::from(refusal.proposing(vec!["Coder".to_owned()]));
        let json = serde_json::to_value(Problem::new(&error, "r-1")).expect("json");
        let expected = serde_json::json!({
            "type": "/errors/PARLOUR-M01", "title": "Unknown name in `mentions`", "status": 422,
            "detail": "nobody is called Codr", "code": "PARLOUR-M01", "retryable": false,
            "field": "mentions[0]", "candidates": ["Coder"], "request_id": "r-1"
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn a_fault_does_not_disclose_its_cause() {
        let error = HttpError::from(Fault::new("append a message", "disk /secret is full"));
        let json = serde_json::to_string(&Problem::new(&error, "r-1")).expect("json");
        assert!(json.contains("PARLOUR-S03") && json.contains("\"retryable\":true"), "{json}");
        assert!(!json.contains("secret") && !json.contains("append"), "{json}");
    }
}

#[cfg(test)]
mod error_pages_tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_its_title_and_remedy() {
        let pages = error_pages();
        assert_eq!(pages.len(), Code::ALL.len());
        for (code, (file, text)) in Code::ALL.iter().zip(pages) {
            assert_eq!(file, format!("{}.md", code.as_str()));
            assert!(text.contains(code.title()) && text.contains(code.remedy()), "{text}");
        }
    }

    #[test]
    fn a_page_is_short_and_complete() {
        insta::assert_snapshot!(page(Code::StoreUnavailable), @r"
        # PARLOUR-S01: The store is unavailable

        - Status: 503 Service Unavailable
        - Worth repeating unchanged: yes, after the time in `Retry-After`

        ## What to do

        Nothing was written. Try again with the same id. `GET /health` and the hub's log name the cause, most often a full disk.
        ");
    }

    #[test]
    fn unknown_codes_have_no_page() {
        assert_eq!(page_of("PARLOUR-X99"), None);
        assert_eq!(page_of("../etc/passwd"), None);
    }
}
