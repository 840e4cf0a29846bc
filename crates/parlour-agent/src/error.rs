//! Errors of calls to a hub.

use std::{fmt, time::Duration};

use parlour_core::{CandidateMeaning, Code};
use serde::{Deserialize, Serialize};

use crate::tls::{TlsConfigError, TlsFailure};

/// Why a call to the hub failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("{url:?} is not a valid hub URL: {reason}")]
    BadUrl { url: String, reason: String },
    #[error("the token contains an invalid character, perhaps a line break")]
    BadToken,
    #[error(transparent)]
    BadTls(#[from] TlsConfigError),
    #[error("no secure connection to {url}: {trouble}")]
    Untrusted { url: String, trouble: TlsFailure },
    /// No response in time, or the connection was lost.
    #[error("no hub answers at {url}")]
    Unreachable { url: String, source: reqwest::Error },
    /// The hub refused the request.
    #[error(transparent)]
    Problem(Box<Problem>),
    /// The server is not a hub, or the response does not match the API.
    #[error("{url} answered with status {status}, but not like a Parlour hub: {reason}")]
    BadAnswer { url: String, status: u16, reason: String },
}

/// A refusal of the hub (problem details, RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct Problem {
    /// The stable code, for example `PARLOUR-C01`.
    pub code: String,
    /// A fixed text of the code.
    pub title: String,
    /// The reason for this request.
    #[serde(default)]
    pub detail: String,
    /// The invalid field or parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Similar names, possible values or affected members, depending on the code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Whether the same request may succeed later.
    #[serde(default)]
    pub retryable: bool,
    pub status: u16,
    /// Seconds until a retry, if the hub states them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The id of the request in the hub's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The lowest status of an internal error.
const STATUS_OF_FAULTS: u16 = 500;

impl Problem {
    /// What the caller can do about it, if this client has the code in its table.
    pub fn remedy(&self) -> Option<&'static str> {
        Code::ALL.iter().find(|code| code.as_str() == self.code).map(|code| code.remedy())
    }

    pub fn is(&self, code: Code) -> bool {
        self.code == code.as_str()
    }
}

impl Problem {
    /// Writes the candidates. For a code of a newer hub they are shown as possible values.
    fn write_candidates(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.candidates.join(", ");
        let known = Code::ALL.iter().find(|code| code.as_str() == self.code);
        match known.map_or(CandidateMeaning::Choices, |code| code.candidates()) {
            CandidateMeaning::Guesses => write!(out, "; did you mean {names}?"),
            CandidateMeaning::Choices => write!(out, "; possible: {names}"),
            CandidateMeaning::Concerned => write!(out, ": {names}"),
            CandidateMeaning::InDetail => Ok(()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.detail.is_empty() { &self.title } else { &self.detail };
        out.write_str(text)?;
        if let Some(field) = &self.field {
            write!(out, " [{field}]")?;
        }
        if !self.candidates.is_empty() {
            self.write_candidates(out)?;
        }
        match &self.request_id {
            // The request id is only useful to find an internal error in the log.
            Some(request) if self.status >= STATUS_OF_FAULTS => write!(out, " ({}, request {request})", self.code),
            _ => write!(out, " ({})", self.code),
        }
    }
}

impl ClientError {
    /// Whether the same call may succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Problem(problem) => problem.retryable,
            Self::BadUrl { .. }
            | Self::BadToken
            | Self::BadTls(_)
            | Self::Untrusted { .. }
            | Self::BadAnswer { .. } => false,
        }
    }

    /// Whether the request certainly never reached a hub, so that even one that is not idempotent may be repeated.
    pub(crate) fn is_unheard(&self) -> bool {
        matches!(self, Self::Unreachable { source, .. } if source.is_connect())
    }

    /// The `Retry-After` of the hub.
    pub fn retry_after(&self) -> Option<Duration> {
        self.problem().and_then(|problem| problem.retry_after).map(Duration::from_secs)
    }

    /// The problem details, if the hub refused the request.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Problem {
        Problem {
            code: "PARLOUR-M01".into(),
            title: "Unknown name in `mentions`".into(),
            detail: "nobody here is called \"Coda\"".into(),
            field: Some("mentions[0]".into()),
            candidates: vec!["Coder".into(), "Cora".into()],
            retryable: false,
            status: 422,
            retry_after: None,
            request_id: Some("7f-1".into()),
        }
    }

    #[test]
    fn a_problem_is_displayed_as_one_sentence() {
        let text = problem().to_string();
        let expected = "nobody here is called \"Coda\" [mentions[0]]; did you mean Coder, Cora? (PARLOUR-M01)";
        assert_eq!(text, expected);
    }

    #[test]
    fn candidates_are_shown_according_to_their_code() {
        let named = |code: Code, detail: &str, candidates: &[&str]| {
            let candidates = candidates.iter().map(ToString::to_string).collect();
            Problem { code: code.as_str().into(), detail: detail.into(), field: None, candidates, ..problem() }
        };
        let ring = named(Code::WaitRing, "they would wait: Tester → Coder → Tester", &["Tester", "Coder"]);
        assert_eq!(ring.to_string(), "they would wait: Tester → Coder → Tester (PARLOUR-C13)");
        let wide = named(Code::WideMention, "this would call 2 agents", &["Tester", "Coder"]);
        assert_eq!(wide.to_string(), "this would call 2 agents: Tester, Coder (PARLOUR-M03)");
        let choice = named(Code::BadAnswer, "\"maybe\" is not one of the options", &["keep", "drop"]);
        assert_eq!(choice.to_string(), "\"maybe\" is not one of the options; possible: keep, drop (PARLOUR-M04)");
        let small = named(Code::BudgetTooSmall, "9 tokens are too few here: 60 are needed at least", &["60"]);
        assert_eq!(small.to_string(), "9 tokens are too few here: 60 are needed at least (PARLOUR-M06)");
    }

    #[test]
    fn a_problem_without_detail_falls_back_to_its_title() {
        let bare = Problem { detail: String::new(), field: None, candidates: vec![], ..problem() };
        assert_eq!(bare.to_string(), "Unknown name in `mentions` (PARLOUR-M01)");
    }

    #[test]
    fn an_internal_error_contains_the_request_id() {
        let fault = Problem { status: 500, field: None, candidates: vec![], ..problem() };
        assert_eq!(fault.to_string(), "nobody here is called \"Coda\" (PARLOUR-M01, request 7f-1)");
    }

    #[test]
    fn a_known_code_has_a_remedy() {
        assert!(problem().remedy().is_some_and(|text| text.contains("candidates")));
        assert_eq!(Problem { code: "PARLOUR-X99".into(), ..problem() }.remedy(), None);
        assert!(problem().is(Code::UnknownMention));
    }

    #[test]
    fn unknown_members_of_problem_details_are_ignored() {
        let json = r#"{"type":"/errors/PARLOUR-N01","code":"PARLOUR-N01","title":"t","status":404,"request_id":"r"}"#;
        let problem: Problem = serde_json::from_str(json).expect("problem");
        assert_eq!((problem.status, problem.retryable), (404, false));
    }

    #[test]
    fn only_transient_errors_are_retryable() {
        let refused = |retryable| ClientError::Problem(Box::new(Problem { retryable, ..problem() }));
        assert!(refused(true).is_retryable());
        assert!(!refused(false).is_retryable());
        assert!(!ClientError::BadToken.is_retryable());
    }
}
