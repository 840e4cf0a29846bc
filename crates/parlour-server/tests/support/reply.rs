//! A response of the router.

use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use serde_json::Value;

/// A complete response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl Reply {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    /// The value of a header; empty when it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The name and value of the cookie that the response sets.
    #[track_caller]
    pub(crate) fn cookie(&self) -> String {
        let set = self.header("set-cookie");
        set.split(';').next().filter(|pair| pair.contains('=')).expect("a cookie").to_owned()
    }

    /// Checks the status and returns the JSON.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self.json()
    }

    /// Checks the status, and that the body is empty.
    #[track_caller]
    pub(crate) fn expect_empty(self, status: u16) {
        assert_eq!((self.status.as_u16(), self.text()), (status, ""));
    }

    /// Checks that this is a complete problem document with this code and field, and returns it.
    #[track_caller]
    pub(crate) fn expect_problem(self, code: &str, field: Option<&str>) -> Value {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem = self.json();
        assert_eq!((problem["code"].as_str(), problem["field"].as_str()), (Some(code), field), "{problem}");
        assert_eq!(problem["status"], self.status.as_u16());
        assert_eq!(problem["type"], format!("/errors/{code}"));
        assert_eq!(problem["request_id"], self.header("x-request-id"));
        assert!(["title", "detail"].iter().all(|name| problem[name].is_string()), "{problem}");
        assert!(problem["retryable"].is_boolean(), "{problem}");
        problem
    }
}
