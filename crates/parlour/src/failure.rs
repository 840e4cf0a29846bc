//! The error of a command: one line with the reason, and optionally one with a hint; or one JSON object with `--json`.

use std::fmt;

use parlour_agent::{ClientError, Problem, TlsConfigError};
use parlour_core::{Code, Refusal};
use serde_json::{Map, Value, json};

use crate::settings::BadSetting;

/// An exit code and its meaning. `docs/cli.md` has the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExitCode {
    pub(crate) number: u8,
    pub(crate) meaning: &'static str,
}

/// All exit codes of the program.
pub(crate) const EXIT_CODES: &[ExitCode] = &[
    ExitCode { number: 0, meaning: "success" },
    ExitCode { number: EXIT_FAILED, meaning: "the hub refused the request, or the operation failed" },
    ExitCode { number: EXIT_USAGE, meaning: "invalid command line or setting, or not signed in" },
    ExitCode { number: EXIT_UNMET, meaning: "a wait ended without its condition: time limit, no answer, paused" },
    ExitCode { number: EXIT_WITHDRAWN, meaning: "the question that the command waited for was withdrawn" },
    ExitCode { number: EXIT_UNREACHABLE, meaning: "no hub answers at the address, or the connection is not secure" },
    ExitCode { number: EXIT_INTERRUPTED, meaning: "interrupted by Ctrl+C" },
];

/// A refused or failed command.
pub(crate) const EXIT_FAILED: u8 = 1;
/// An invalid command line or setting.
pub(crate) const EXIT_USAGE: u8 = 2;
/// A wait whose condition was not met: no answer, not seen, paused.
pub(crate) const EXIT_UNMET: u8 = 3;
/// A wait for a question that was withdrawn.
pub(crate) const EXIT_WITHDRAWN: u8 = 4;
/// No hub, or no secure connection to it.
pub(crate) const EXIT_UNREACHABLE: u8 = 5;
/// Ctrl+C, as shells report it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// The error of a command, with its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    cause: FailureCause,
    pub(crate) exit: u8,
}

/// The part of an error that only programs read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FailureCause {
    /// An error of this program or its input.
    Own,
    /// The request may succeed later.
    Unreachable,
    Untrusted,
    /// A server that is not a hub.
    NotAHub,
    Refused(Box<Problem>),
}

impl Failure {
    /// An error with exit code 1.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, cause: FailureCause::Own, exit: EXIT_FAILED }
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

    /// The reason without the hint.
    pub(crate) fn reason(&self) -> &str {
        &self.message
    }

    /// The error as one line of JSON: `code`, `title`, `detail`, `remedy` (if known), `retryable` and `exit`; a refusal of
    /// the hub also has `status`, and where it has them `field`, `candidates`, `retry_after` and `request_id`.
    pub(crate) fn json(&self) -> String {
        let (code, title, is_retryable) = self.class();
        let mut object = Map::new();
        if let FailureCause::Refused(problem) = &self.cause {
            let whole = serde_json::to_value(problem).unwrap_or_default();
            object.extend(whole.as_object().cloned().unwrap_or_default());
        }
        object.insert("code".into(), code.into());
        object.insert("title".into(), title.into());
        object.entry("detail").or_insert_with(|| self.message.clone().into());
        if let Some(remedy) = self.remedy() {
            object.insert("remedy".into(), remedy.into());
        }
        object.insert("retryable".into(), is_retryable.into());
        object.insert("exit".into(), self.exit.into());
        json!({"error": Value::Object(object)}).to_string()
    }

    fn class(&self) -> (&str, &str, bool) {
        match &self.cause {
            FailureCause::Refused(problem) => (&problem.code, &problem.title, problem.retryable),
            FailureCause::Unreachable => ("unreachable", "No hub answers at the address", true),
            FailureCause::Untrusted => ("insecure_connection", "No secure connection to the hub", false),
            FailureCause::NotAHub => ("not_a_hub", "The server does not answer like a hub", false),
            FailureCause::Own => match self.exit {
                EXIT_USAGE => ("usage", "Invalid command line or setting", false),
                EXIT_UNMET => ("unmet", "The wait ended without its condition", true),
                EXIT_WITHDRAWN => ("withdrawn", "The question was withdrawn", false),
                EXIT_INTERRUPTED => ("interrupted", "Interrupted", false),
                _ => ("failed", "The command failed", false),
            },
        }
    }

    fn remedy(&self) -> Option<&str> {
        let of_code = match &self.cause {
            FailureCause::Refused(problem) => problem.remedy(),
            _ => None,
        };
        self.hint.as_deref().or(of_code)
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
        let hint = hint_for(&error);
        let message = match &error {
            ClientError::Problem(problem) if problem.is(Code::WideMention) => {
                format!("{}: {} ({})", problem.detail, problem.candidates.join(", "), problem.code)
            }
            _ => error.to_string(),
        };
        let (cause, exit) = match error {
            ClientError::BadUrl { .. } | ClientError::BadToken | ClientError::BadTls(_) => {
                (FailureCause::Own, EXIT_USAGE)
            }
            ClientError::Unreachable { .. } => (FailureCause::Unreachable, EXIT_UNREACHABLE),
            ClientError::Untrusted { .. } => (FailureCause::Untrusted, EXIT_UNREACHABLE),
            ClientError::BadAnswer { .. } => (FailureCause::NotAHub, EXIT_FAILED),
            ClientError::Problem(problem) => (FailureCause::Refused(problem), EXIT_FAILED),
        };
        Self { message, hint: hint.map(str::to_owned), cause, exit }
    }
}

/// Formats an error and all its causes in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The hint for a rejected or expired token.
pub(crate) const SIGN_IN_AGAIN: &str = "sign in again with `parlour login`, or set PARLOUR_TOKEN to a valid token";

/// Returns the hint for a failed call; most refusals of the hub need none.
fn hint_for(error: &ClientError) -> Option<&'static str> {
    match error {
        ClientError::Unreachable { .. } => {
            Some("start it with `parlour serve`, or check the address: --url, PARLOUR_URL, `parlour profile list`")
        }
        ClientError::BadUrl { .. } => Some("set --url or PARLOUR_URL, for example http://127.0.0.1:4870"),
        ClientError::BadToken => Some("set PARLOUR_TOKEN to the token alone, without blanks or line breaks"),
        ClientError::BadTls(TlsConfigError::NoAuthorities(_)) => {
            Some("pass the CA certificate of the hub with --ca FILE")
        }
        ClientError::BadTls(_) => Some("check --ca, --client-cert and --client-key"),
        ClientError::Untrusted { trouble, .. } => trouble.remedy(),
        ClientError::Problem(problem) if problem.is(Code::Unauthenticated) => Some(SIGN_IN_AGAIN),
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
        let text = refused(Code::Unauthenticated).to_string();
        assert!(text.contains("parlour login") && text.contains("PARLOUR_TOKEN"), "{text}");
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

    fn parsed(failure: &Failure) -> Value {
        let text = failure.json();
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str::<Value>(&text).expect("JSON")["error"].clone()
    }

    #[test]
    fn an_own_error_as_json_has_code_detail_remedy_and_exit_code() {
        let failure = parsed(&Failure::usage("no such file").hint("create it"));
        let expected = json!({
            "code": "usage", "title": "Invalid command line or setting", "detail": "no such file",
            "remedy": "create it", "retryable": false, "exit": 2,
        });
        assert_eq!(failure, expected);
        assert_eq!(parsed(&Failure::new("x"))["code"], "failed");
        assert_eq!(parsed(&Failure::new("x").with_exit(EXIT_UNMET))["code"], "unmet");
    }

    #[test]
    fn a_refusal_as_json_keeps_the_fields_of_the_hub() {
        let failure = parsed(&refused(Code::NotFound));
        assert_eq!(failure["code"], Code::NotFound.as_str());
        assert_eq!(
            (&failure["detail"], &failure["exit"], &failure["status"]),
            (&json!("because"), &json!(1), &json!(400))
        );
        assert_eq!(failure["remedy"], Code::NotFound.remedy());
    }

    #[test]
    fn exit_codes_are_unique_and_the_documentation_lists_them() {
        let page = include_str!("../../../docs/cli.md");
        for code in EXIT_CODES {
            assert_eq!(EXIT_CODES.iter().filter(|other| other.number == code.number).count(), 1);
            let row = format!("| {} | {}.", code.number, code.meaning);
            assert!(page.to_lowercase().contains(&row.to_lowercase()), "docs/cli.md lacks: {row}");
        }
    }
}
