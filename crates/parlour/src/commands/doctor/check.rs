//! One thing that was looked at.

use serde::Serialize;

use crate::output::style::{Look, Style};

/// How it stands with a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// In order.
    Good,
    /// Neither good nor bad, such as something that is not there yet.
    Note,
    /// It works, but somebody should look.
    Warning,
    /// It does not work.
    Bad,
}

/// One thing that was looked at, in plain words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) verdict: Verdict,
    pub(super) detail: String,
}

/// The longest name of a check.
const NAME_CHARS_MAX: usize = 12;

impl Check {
    /// In order.
    pub(super) fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Good, detail: detail.into() }
    }

    /// Neither good nor bad.
    pub(super) fn note(name: &'static str, detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Note, ..Self::good(name, detail) }
    }

    /// Works, but somebody should look.
    pub(super) fn warning(name: &'static str, detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warning, ..Self::good(name, detail) }
    }

    /// Does not work.
    pub(super) fn bad(name: &'static str, detail: impl Into<String>) -> Self {
        Self { verdict: Verdict::Bad, ..Self::good(name, detail) }
    }

    /// Mark, name and words in one line.
    pub(super) fn show(&self, style: Style) -> String {
        let (mark, look) = match self.verdict {
            Verdict::Good => ("✓", Look::Good),
            Verdict::Note => ("·", Look::Dim),
            Verdict::Warning => ("!", Look::Warning),
            Verdict::Bad => ("✗", Look::Bad),
        };
        format!("{} {:<NAME_CHARS_MAX$}  {}", style.paint(look, mark), self.name, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_aligned_below_one_another() {
        let shown = [Check::good("disk", "a"), Check::note("token", "b"), Check::warning("data folder", "c")];
        let lines: Vec<_> = shown.iter().map(|check| check.show(Style::PLAIN)).collect();
        assert_eq!(lines, ["✓ disk          a", "· token         b", "! data folder   c"]);
        assert_eq!(Check::bad("port", "d").show(Style::PLAIN), "✗ port          d");
    }

    #[test]
    fn programs_read_the_verdict_as_a_word() {
        let json = serde_json::to_value(Check::bad("port", "d")).expect("json");
        assert_eq!(json, serde_json::json!({"name": "port", "verdict": "bad", "detail": "d"}));
    }
}
