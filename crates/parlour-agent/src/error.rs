//! How a call can fail, in words for people.

use std::{fmt, time::Duration};

use parlour_core::{Candidates, Code};
use serde::{Deserialize, Serialize};

use crate::tls::{BadTls, TlsTrouble};

/// Why a call did not give what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address of the hub is no address.
    #[error("{url:?} is no address of a hub: {reason}")]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A token that no header can carry.
    #[error("the token holds a character that no token has, perhaps a line break")]
    BadToken,
    /// A file for TLS that cannot be used.
    #[error(transparent)]
    BadTls(#[from] BadTls),
    /// Somebody answers, but speaking with it would not be safe.
    #[error("no safe connection to {url}: {trouble}")]
    Untrusted {
        /// Where the hub was looked for.
        url: String,
        /// What is wrong.
        trouble: TlsTrouble,
    },
    /// Nobody answered in time, or the connection broke.
    #[error("no hub answers at {url}")]
    Unreachable {
        /// Where the hub was looked for.
        url: String,
        /// What went wrong underneath.
        source: reqwest::Error,
    },
    /// The hub said no, and why.
    #[error(transparent)]
    Problem(Box<Problem>),
    /// Something answered that does not talk like a hub.
    #[error("{url} answered with status {status}, but not like a Parlour hub: {reason}")]
    BadAnswer {
        /// What was asked.
        url: String,
        /// The status of the answer.
        status: u16,
        /// What does not fit.
        reason: String,
    },
}

/// A hub's no, as it stands in the answer (problem details).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct Problem {
    /// The stable code, for example `PARLOUR-C01`.
    pub code: String,
    /// What happened, in words that never change with the request.
    pub title: String,
    /// What was wrong with this very request.
    #[serde(default)]
    pub detail: String,
    /// The field or parameter that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What may have been meant; with some codes, who is concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Whether the same request may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// The status of the answer.
    pub status: u16,
    /// In how many seconds to try again, where the hub knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The request, as it is called in the hub's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// From here on a status means that the hub itself is in trouble.
const STATUS_OF_FAULTS: u16 = 500;

impl Problem {
    /// What the caller can do about it, when this client knows the code.
    pub fn remedy(&self) -> Option<&'static str> {
        Code::ALL.iter().find(|code| code.as_str() == self.code).map(|code| code.remedy())
    }

    /// Whether it is this code.
    pub fn is(&self, code: Code) -> bool {
        self.code == code.as_str()
    }
}

impl Problem {
    /// Says what the candidates are. Those of a code that this client does not know are a choice: that claims the least.
    fn tell_candidates(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.candidates.join(", ");
        let known = Code::ALL.iter().find(|code| code.as_str() == self.code);
        match known.map_or(Candidates::Choices, |code| code.candidates()) {
            Candidates::Guesses => write!(out, "; did you mean {names}?"),
            Candidates::Choices => write!(out, "; possible: {names}"),
            Candidates::Concerned => write!(out, ": {names}"),
            Candidates::Told => Ok(()),
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
            self.tell_candidates(out)?;
        }
        match &self.request_id {
            // Only then somebody will look into the log.
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

    /// Whether the call has certainly never reached a hub, so that it may be repeated whatever it does.
    pub(crate) fn is_unheard(&self) -> bool {
        matches!(self, Self::Unreachable { source, .. } if source.is_connect())
    }

    /// How long the hub asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.problem().and_then(|problem| problem.retry_after).map(Duration::from_secs)
    }

    /// The hub's no, when it is one.
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
            title: "A mentioned name is unknown".into(),
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
    fn a_problem_reads_as_one_plain_sentence() {
        let text = problem().to_string();
        let expected = "nobody here is called \"Coda\" [mentions[0]]; did you mean Coder, Cora? (PARLOUR-M01)";
        assert_eq!(text, expected);
    }

    #[test]
    fn whoever_is_only_named_is_not_taken_for_a_guess() {
        let named = |code: Code, detail: &str, candidates: &[&str]| {
            let candidates = candidates.iter().map(ToString::to_string).collect();
            Problem { code: code.as_str().into(), detail: detail.into(), field: None, candidates, ..problem() }
        };
        let ring = named(Code::WaitRing, "they would wait: Tester → Coder → Tester", &["Tester", "Coder"]);
        assert_eq!(ring.to_string(), "they would wait: Tester → Coder → Tester (PARLOUR-C13)");
        let wide = named(Code::WideMention, "this would call 2 agents", &["Tester", "Coder"]);
        assert_eq!(wide.to_string(), "this would call 2 agents: Tester, Coder (PARLOUR-M03)");
        let choice = named(Code::BadAnswer, "\"maybe\" is none of the options", &["keep", "drop"]);
        assert_eq!(choice.to_string(), "\"maybe\" is none of the options; possible: keep, drop (PARLOUR-M04)");
        let small = named(Code::BudgetTooSmall, "9 tokens are too few here: 60 are needed at least", &["60"]);
        assert_eq!(small.to_string(), "9 tokens are too few here: 60 are needed at least (PARLOUR-M06)");
    }

    #[test]
    fn a_problem_without_detail_falls_back_to_its_title() {
        let bare = Problem { detail: String::new(), field: None, candidates: vec![], ..problem() };
        assert_eq!(bare.to_string(), "A mentioned name is unknown (PARLOUR-M01)");
    }

    #[test]
    fn a_fault_of_the_hub_names_the_request_to_look_for() {
        let fault = Problem { status: 500, field: None, candidates: vec![], ..problem() };
        assert_eq!(fault.to_string(), "nobody here is called \"Coda\" (PARLOUR-M01, request 7f-1)");
    }

    #[test]
    fn a_known_code_brings_its_remedy() {
        assert!(problem().remedy().is_some_and(|text| text.contains("candidates")));
        assert_eq!(Problem { code: "PARLOUR-X99".into(), ..problem() }.remedy(), None);
        assert!(problem().is(Code::UnknownMention));
    }

    #[test]
    fn further_members_of_problem_details_are_passed_over() {
        let json = r#"{"type":"/errors/PARLOUR-N01","code":"PARLOUR-N01","title":"t","status":404,"request_id":"r"}"#;
        let problem: Problem = serde_json::from_str(json).expect("problem");
        assert_eq!((problem.status, problem.retryable), (404, false));
    }

    #[test]
    fn only_what_may_pass_is_retryable() {
        let refused = |retryable| ClientError::Problem(Box::new(Problem { retryable, ..problem() }));
        assert!(refused(true).is_retryable());
        assert!(!refused(false).is_retryable());
        assert!(!ClientError::BadToken.is_retryable());
    }
}
