//! Refusals: expected errors with a stable code, returned to the caller unchanged.

use std::{fmt, time::Duration};

use crate::Code;

/// An expected error. Its text is for the caller and never contains internals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// What is wrong with this request.
    pub detail: String,
    /// The field or parameter that it is about, as a path such as `context.task_id`.
    pub field: Option<String>,
    /// Suggestions or other names; the code says which ([`Code::candidates`]).
    pub candidates: Vec<String>,
    /// The time to wait before a retry, if known.
    pub retry_after: Option<Duration>,
}

/// The meaning of the candidates of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateMeaning {
    /// Spelled like what was asked: one of them may have been meant.
    Guesses,
    /// The valid choices.
    Choices,
    /// The members concerned.
    Concerned,
    /// Names that the detail already contains.
    InDetail,
}

impl Code {
    /// The meaning of the candidates of a refusal with this code.
    pub fn candidates(self) -> CandidateMeaning {
        match self {
            Self::UnknownMention | Self::NotFound | Self::UnknownField => CandidateMeaning::Guesses,
            Self::WideMention => CandidateMeaning::Concerned,
            Self::WaitRing | Self::BudgetTooSmall => CandidateMeaning::InDetail,
            _ => CandidateMeaning::Choices,
        }
    }
}

impl Refusal {
    /// Refuses with `code`; `detail` says what is wrong with this request.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), field: None, candidates: Vec::new(), retry_after: None }
    }

    /// Names the field; an inner name given before becomes the tail of the path.
    #[must_use]
    pub fn at(mut self, field: &str) -> Self {
        self.field = Some(match self.field.take() {
            Some(inner) => format!("{field}.{inner}"),
            None => field.to_owned(),
        });
        self
    }

    /// Sets the candidates; the code determines their meaning.
    #[must_use]
    pub fn proposing(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }

    /// Sets the time to wait before a retry.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The wait in whole seconds, rounded up.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after.map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }

    /// There is no such thing, or the caller may not know of it.
    pub fn not_found(noun: &str, id: impl fmt::Display) -> Self {
        Self::new(Code::NotFound, format!("there is no {noun} {id} that you can see"))
    }

    /// The caller lacks permission; `who` names those who have it.
    pub fn forbidden(who: impl Into<String>) -> Self {
        Self::new(Code::Forbidden, who)
    }

    /// A value has the wrong shape.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(Code::WrongShape, detail)
    }

    /// A value is out of its bounds.
    pub fn out_of_bounds(detail: impl Into<String>) -> Self {
        Self::new(Code::OutOfBounds, detail)
    }

    /// The text is not an id of the expected type. The text is shortened in the refusal.
    pub fn bad_id(noun: &str, prefix: &str, text: &str) -> Self {
        let shown: String = text.chars().take(40).collect();
        let prefixes = prefix.split('|').map(|one| format!("{one}_")).collect::<Vec<_>>().join(" or ");
        Self::new(Code::BadId, format!("{shown:?} is not a {noun} id; such an id starts with {prefixes}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.detail, self.code.as_str())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_fields_become_a_path() {
        let refusal = Refusal::invalid("no").at("task_id").at("context");
        assert_eq!(refusal.field.as_deref(), Some("context.task_id"));
    }

    #[test]
    fn a_wait_is_rounded_up_to_whole_seconds() {
        let seconds = |millis| Refusal::invalid("no").after(Duration::from_millis(millis)).retry_after_seconds();
        assert_eq!([0, 1, 1_000, 1_001].map(seconds), [Some(0), Some(1), Some(1), Some(2)]);
        assert_eq!(Refusal::invalid("no").retry_after_seconds(), None);
    }

    #[test]
    fn a_refused_id_is_cut_in_the_refusal() {
        let refusal = Refusal::bad_id("message", "msg", &"x".repeat(10_000));
        assert!(refusal.detail.len() < 200);
    }
}
