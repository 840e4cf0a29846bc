//! The error of a command: one line with the reason, and optionally one with a hint.

use std::fmt;

use parlour_agent::{ClientError, TlsConfigError};
use parlour_core::{Code, Refusal};

use crate::settings::BadSetting;

/// Exit code of a refused or failed command.
pub(crate) const EXIT_FAILED: u8 = 1;
/// Exit code of an invalid command line or setting.
pub(crate) const EXIT_USAGE: u8 = 2;
/// Exit code of a wait whose condition was not met: no answer, not seen, paused.
pub(crate) const EXIT_UNMET: u8 = 3;
/// Exit code of a wait for a question that was withdrawn.
pub(crate) const EXIT_WITHDRAWN: u8 = 4;
/// Exit code after Ctrl+C, as shells report it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// The error of a command, with its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    pub(crate) exit: u8,
}

impl Failure {
    /// An error with exit code 1.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: EXIT_FAILED }
    }

    /// An error with exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: EXIT_USAGE, ..Self::new(message) }
    }

    /// An error with exit code 1, from a failed operation and the chain of its causes.
    pub(crate) fn broken(doing: impl fmt::Display, error: &dyn std::error::Error) -> Self {
        Self::new(format!("{doing}: {}", chain(error)))
    }

    #[must_use]
    pub(crate) fn with_exit(self, exit: u8) -> Self {
        Self { exit, ..self }
    }

    /// Adds a hint: the next step for the user.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "parlour: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(out, "\n  try: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<ClientError> for Failure {
    /// Keeps the text of the client error and adds a hint if there is one.
    fn from(error: ClientError) -> Self {
        let failure = match &error {
            ClientError::BadUrl { .. } | ClientError::BadToken | ClientError::BadTls(_) => {
                Self::usage(error.to_string())
            }
            ClientError::Problem(problem) if problem.is(Code::WideMention) => {
                Self::new(format!("{}: {} ({})", problem.detail, problem.candidates.join(", "), problem.code))
            }
            _ => Self::new(error.to_string()),
        };
        match hint_for(&error) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// Formats an error and all its causes in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Returns the hint for a failed call; most refusals of the hub need none.
fn hint_for(error: &ClientError) -> Option<&'static str> {
    match error {
        ClientError::Unreachable { .. } => {
            Some("start it with `parlour serve`, or set its address with --url or PARLOUR_URL")
        }
        ClientError::BadUrl { .. } => Some("set --url or PARLOUR_URL, for example http://127.0.0.1:4870"),
        ClientError::BadToken => Some("set PARLOUR_TOKEN to the token alone, without blanks or line breaks"),
        ClientError::BadTls(TlsConfigError::NoAuthorities(_)) => {
            Some("pass the CA certificate of the hub with --ca FILE")
        }
        ClientError::BadTls(_) => Some("check --ca, --client-cert and --client-key"),
        ClientError::Untrusted { trouble, .. } => trouble.remedy(),
        ClientError::Problem(problem) if problem.is(Code::Unauthenticated) => {
            Some("set PARLOUR_TOKEN to a valid token; an administrator can issue a new one")
        }
        ClientError::Problem(problem) if problem.is(Code::Archived) => {
            Some("unarchive the channel with `parlour channel unarchive`")
        }
        ClientError::Problem(problem) if problem.is(Code::WideMention) => {
            Some("repeat the command with --confirm-wide")
        }
        ClientError::Problem(_) => None,
        ClientError::BadAnswer { .. } => Some("check the address with `parlour doctor`"),
    }
}

impl From<BadSetting> for Failure {
    fn from(error: BadSetting) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::usage(refusal.to_string())
    }
}

#[cfg(test)]
mod tests {
    use parlour_agent::Problem;

    use super::*;

    fn refused(code: Code) -> Failure {
        let problem = Problem {
            code: code.as_str().to_owned(),
            title: code.title().to_owned(),
            detail: "because".to_owned(),
            field: None,
            candidates: Vec::new(),
            retryable: false,
            status: 400,
            retry_after: None,
            request_id: None,
        };
        ClientError::Problem(Box::new(problem)).into()
    }

    #[test]
    fn a_failure_has_at_most_two_lines() {
        assert_eq!(Failure::new("no").to_string(), "parlour: no");
        assert_eq!(Failure::new("no").hint("ask again").to_string(), "parlour: no\n  try: ask again");
    }

    #[test]
    fn a_refusal_of_the_hub_keeps_its_text_and_code() {
        let failure = refused(Code::NotFound);
        assert_eq!((failure.to_string().as_str(), failure.exit), ("parlour: because (PARLOUR-N01)", EXIT_FAILED));
    }

    #[test]
    fn a_missing_token_is_reported_with_a_remedy() {
        assert!(refused(Code::Unauthenticated).to_string().contains("PARLOUR_TOKEN"));
    }

    #[test]
    fn a_refused_wide_mention_lists_the_members_and_the_confirmation_flag() {
        let text = refused(Code::WideMention).to_string();
        assert!(text.contains("because: ") && text.contains("--confirm-wide"), "{text}");
    }

    #[test]
    fn all_causes_are_shown_in_order() {
        let inner = std::io::Error::other("disk full");
        assert_eq!(Failure::broken("write the lock", &inner).to_string(), "parlour: write the lock: disk full");
    }

    #[test]
    fn an_invalid_url_is_a_usage_error() {
        let error = ClientError::BadUrl { url: "x".into(), reason: "no".into() };
        assert_eq!(Failure::from(error).exit, EXIT_USAGE);
    }
}
