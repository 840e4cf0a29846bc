//! The problem document: the one shape of every error (RFC 9457).

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::denied::{Denied, status_of};

/// The media type of a problem document.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// What a client is told about a fault; the log holds the rest.
const FAULT_DETAIL: &str = "the hub met a fault; its log has the cause under this request id";

/// Why a request was not done.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({
    "type": "/errors/PARLOUR-C02", "title": "This name is taken, or looks like one that is", "status": 409,
    "detail": "the name \"general\" is taken", "code": "PARLOUR-C02", "retryable": false, "field": "name",
    "request_id": "3f2a-17"
}))]
pub(crate) struct Problem {
    /// The page that explains the code.
    #[serde(rename = "type")]
    page: String,
    /// What happened, in words that are the same each time.
    title: &'static str,
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What was wrong with this very request.
    detail: String,
    /// The stable code.
    #[schema(pattern = "^PARLOUR-[A-Z][0-9]{2}$")]
    code: &'static str,
    /// Whether the same request may succeed later without a change.
    retryable: bool,
    /// The field or parameter it is about, as a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    candidates: Vec<String>,
    /// In how many seconds to try again, as in the header `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// The id of the request, as in the header `x-request-id` and in the log.
    request_id: String,
}

impl Problem {
    /// Tells a client why it was denied. Of a fault nothing but its existence is told.
    pub(crate) fn new(denied: &Denied, request_id: &str) -> Self {
        let code = denied.code();
        let refusal = denied.refusal();
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

    /// Puts the document into a response, which keeps its status and headers.
    pub(crate) fn write_into(&self, response: &mut Response) {
        let json = serde_json::to_vec(self).expect("a problem is plain data");
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = Body::from(json);
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{Code, Refusal};
    use parlour_hub::Fault;

    use super::*;

    #[test]
    fn a_refusal_is_told_as_it_is() {
        let refusal = Refusal::new(Code::UnknownMention, "nobody is called Codr").at("mentions[0]");
        let denied = Denied::from(refusal.proposing(vec!["Coder".to_owned()]));
        let json = serde_json::to_value(Problem::new(&denied, "r-1")).expect("json");
        let expected = serde_json::json!({
            "type": "/errors/PARLOUR-M01", "title": "A mentioned name is unknown", "status": 422,
            "detail": "nobody is called Codr", "code": "PARLOUR-M01", "retryable": false,
            "field": "mentions[0]", "candidates": ["Coder"], "request_id": "r-1"
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn a_fault_tells_nothing_of_its_cause() {
        let denied = Denied::from(Fault::new("append a message", "disk /secret is full"));
        let json = serde_json::to_string(&Problem::new(&denied, "r-1")).expect("json");
        assert!(json.contains("PARLOUR-S03") && json.contains("\"retryable\":true"), "{json}");
        assert!(!json.contains("secret") && !json.contains("append"), "{json}");
    }
}
