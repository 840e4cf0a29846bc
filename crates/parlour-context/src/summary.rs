//! What stands for a whole conversation: verbatim lines of it, or the words of a model that were checked against it.
//!
//! | part | does |
//! |---|---|
//! | [`extract`] | chooses verbatim lines, without a model |
//! | [`TextSentences`] | what is known of one text, so that it is taken apart once |
//! | [`check`] | takes a model's words only if their names and numbers were said |
//! | [`plan`] | cuts a conversation into spans that are summarised once, and names what they were made of |

mod check;
mod extract;
mod known;
mod numbers;
mod pieces;
mod plan;
mod words;

pub use check::{Unfaithful, check};
pub use extract::{ExtractWeights, extract, extract_by, extract_known};
pub use known::TextSentences;
pub use plan::{Span, digest, plan};

/// One message of what is summarised, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText<'a> {
    /// Its id.
    pub id: &'a str,
    /// The name of who said it.
    pub name: &'a str,
    /// What was said, prepared.
    pub text: &'a str,
}

/// A line of a summary: a quote, word by word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedLine {
    /// The place of the message in what was summarised.
    pub index: usize,
    /// A piece of its text.
    pub text: String,
}
