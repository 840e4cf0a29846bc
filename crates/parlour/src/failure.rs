//! How a command fails: what happened, why, and what to do next, in two lines at the most.

use std::fmt;

use parlour_agent::{BadTls, ClientError};
use parlour_core::{Code, Refusal};

use crate::settings::BadSetting;

/// The exit code of a command that was refused or broke.
pub(crate) const EXIT_FAILED: u8 = 1;
/// The exit code of a command that was called wrongly.
pub(crate) const EXIT_USAGE: u8 = 2;
/// The exit code of a command that waited for something that did not happen: no answer, not read, not to go on.
pub(crate) const EXIT_UNMET: u8 = 3;
/// The exit code of a command that waited for the answer to a question that was withdrawn.
pub(crate) const EXIT_WITHDRAWN: u8 = 4;
/// The exit code of a command that was stopped by Ctrl+C, as shells report it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// Why a command did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    /// What the program ends with.
    pub(crate) exit: u8,
}

impl Failure {
    /// Something was refused or broke.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: EXIT_FAILED }
    }

    /// The command was called wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: EXIT_USAGE, ..Self::new(message) }
    }

    /// Something broke; the causes follow one another.
    pub(crate) fn broken(doing: impl fmt::Display, error: &dyn std::error::Error) -> Self {
        Self::new(format!("{doing}: {}", chain(error)))
    }

    /// Ends the program with another code.
    #[must_use]
    pub(crate) fn with_exit(self, exit: u8) -> Self {
        Self { exit, ..self }
    }

    /// Says what to do next.
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
    /// Keeps the words of the client, which hold those of the hub, and adds the next step where there is one.
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

/// An error and all its causes in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The next step after a failed call; for most refusals the hub's own words are enough.
fn hint_for(error: &ClientError) -> Option<&'static str> {
    match error {
        ClientError::Unreachable { .. } => {
            Some("start it with `parlour serve`, or say where it is with --url or PARLOUR_URL")
        }
        ClientError::BadUrl { .. } => Some("set --url or PARLOUR_URL, for example http://127.0.0.1:4870"),
        ClientError::BadToken => Some("set PARLOUR_TOKEN again, in one line"),
        ClientError::BadTls(BadTls::NoAuthorities(_)) => Some("name the file with the hub's authority with --ca"),
        ClientError::BadTls(_) => Some("check --ca, --client-cert and --client-key"),
        ClientError::Untrusted { trouble, .. } => trouble.remedy(),
        ClientError::Problem(problem) if problem.is(Code::Unauthenticated) => {
            Some("export PARLOUR_TOKEN=… with the token that you were given; an administrator can make a new one")
        }
        ClientError::Problem(problem) if problem.is(Code::Archived) => {
            Some("bring the channel back with `parlour channel unarchive`")
        }
        ClientError::Problem(problem) if problem.is(Code::WideMention) => Some("post it again with --confirm-wide"),
        ClientError::Problem(_) => None,
        ClientError::BadAnswer { .. } => Some("check the address with `parlour doctor`"),
    }
}

impl From<BadSetting> for Failure {
    /// A wrong setting is a wrong call, whoever has set it.
    fn from(error: BadSetting) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<Refusal> for Failure {
    /// What cannot even be sent is a wrong call too.
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
    fn a_failure_has_two_lines_at_the_most() {
        assert_eq!(Failure::new("no").to_string(), "parlour: no");
        assert_eq!(Failure::new("no").hint("ask again").to_string(), "parlour: no\n  try: ask again");
    }

    #[test]
    fn a_refusal_of_the_hub_keeps_its_words_and_code() {
        let failure = refused(Code::NotFound);
        assert_eq!((failure.to_string().as_str(), failure.exit), ("parlour: because (PARLOUR-N01)", EXIT_FAILED));
    }

    #[test]
    fn somebody_without_a_token_is_told_how_to_give_one() {
        assert!(refused(Code::Unauthenticated).to_string().contains("PARLOUR_TOKEN"));
    }

    #[test]
    fn a_wide_mention_names_whom_it_would_call_and_how_to_confirm_it() {
        let text = refused(Code::WideMention).to_string();
        assert!(text.contains("because: ") && text.contains("--confirm-wide"), "{text}");
    }

    #[test]
    fn causes_follow_one_another() {
        let inner = std::io::Error::other("disk full");
        assert_eq!(Failure::broken("write the lock", &inner).to_string(), "parlour: write the lock: disk full");
    }

    #[test]
    fn a_wrong_address_is_a_wrong_call() {
        let error = ClientError::BadUrl { url: "x".into(), reason: "no".into() };
        assert_eq!(Failure::from(error).exit, EXIT_USAGE);
    }
}
