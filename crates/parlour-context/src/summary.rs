//! What stands for a whole conversation: verbatim lines of it, or the words of a model that were checked against it.

/// One message of what is summarised, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// Its id.
    pub id: &'a str,
    /// The name of who said it.
    pub name: &'a str,
    /// What was said, prepared.
    pub text: &'a str,
}

/// A line of a summary: a quote, word by word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The place of the message in what was summarised.
    pub index: usize,
    /// A piece of its text.
    pub text: String,
}

/// The lines that say most of what was said, oldest first: at most `lines_max`, at most `chars_max` characters together.
pub fn extract(said: &[Said<'_>], lines_max: usize, chars_max: usize) -> Vec<Line> {
    let _ = (said, lines_max, chars_max);
    Vec::new()
}

/// Why the words of a model are not taken as a summary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfaithful {
    /// It says nothing, or more than it may.
    #[error("the summary has {0} characters")]
    Length(usize),
    /// It holds a name or number that does not occur in what it summarises.
    #[error("`{0}` does not occur in what was summarised")]
    Unknown(String),
}

/// Takes a model's summary only if its names and numbers occur in what it summarises.
pub fn check(summary: &str, said: &[Said<'_>]) -> Result<(), Unfaithful> {
    let _ = said;
    Err(Unfaithful::Length(summary.chars().count()))
}
