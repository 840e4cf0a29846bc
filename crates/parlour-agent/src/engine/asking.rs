//! What an engine asks in the middle of an answer, and what it is told.

use parlour_core::{
    id::MemberId,
    question::{NewQuestion, QuestionState},
};
use serde_json::Value;

/// A question of an engine to one member. It stands as a blocking message in the conversation of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskMember {
    /// Who is asked.
    pub whom: MemberId,
    /// What is asked, in Markdown.
    pub body: String,
    /// The answers that are offered, when it expires, and what counts then.
    pub ask: NewQuestion,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// How it ended.
    pub state: QuestionState,
    /// The id of the option that counts.
    pub option: Option<String>,
    /// The value that counts, where there is a schema.
    pub value: Option<Value>,
    /// What was written, when it is no option.
    pub text: Option<String>,
    /// Whether it is the default, which nobody gave.
    pub is_default: bool,
}

/// Why nothing was asked, or why nobody knows what became of it; in words for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct CannotAsk {
    /// Why.
    pub reason: String,
}

impl CannotAsk {
    /// For this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
