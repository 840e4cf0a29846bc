//! What could not be read: the first few in words, the rest as a number.

use parlour_core::Refusal;

use crate::output::plain::one_line;

/// How many are told in words.
const TOLD_MAX: usize = 20;

/// What could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problems {
    /// The first ones, a line each.
    pub(crate) told: Vec<String>,
    /// All of them.
    pub(crate) count: u64,
}

impl Problems {
    /// Notes one; answers its line when it is among those that are told.
    pub(crate) fn add(&mut self, place: impl std::fmt::Display, refusal: &Refusal) -> Option<&str> {
        self.count += 1;
        if self.told.len() >= TOLD_MAX {
            return None;
        }
        self.told.push(format!("{place}: {}", in_words(refusal)));
        self.told.last().map(String::as_str)
    }

    /// How many are not told in words.
    pub(crate) fn untold(&self) -> u64 {
        self.count - self.told.len() as u64
    }
}

/// What is wrong, with the field that it is about and with what would be right where there is a choice. It may quote a
/// stranger's text, so it is one harmless line.
pub(crate) fn in_words(refusal: &Refusal) -> String {
    let mut words = match &refusal.field {
        Some(field) => format!("field {field}: {}", refusal.detail),
        None => refusal.detail.clone(),
    };
    let is_told = |candidate: &String| refusal.detail.contains(candidate.as_str());
    if !refusal.candidates.iter().all(is_told) {
        words += &format!("; there are: {}", refusal.candidates.join(", "));
    }
    one_line(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ones_are_told_and_all_are_counted() {
        let mut problems = Problems::default();
        let refusal = Refusal::invalid("this must be a text").at("id");
        assert_eq!(problems.add("line 1", &refusal), Some("line 1: field id: this must be a text"));
        for number in 2..=TOLD_MAX + 5 {
            let line = problems.add(format!("line {number}"), &Refusal::invalid("no"));
            assert_eq!(line.is_some(), number <= TOLD_MAX, "{number}");
        }
        assert_eq!((problems.told.len(), problems.count, problems.untold()), (TOLD_MAX, 25, 5));
    }

    #[test]
    fn what_there_is_to_choose_from_is_named() {
        let refusal = Refusal::invalid("\"talk\" is no type").at("type").proposing(vec!["text".into(), "error".into()]);
        assert_eq!(in_words(&refusal), "field type: \"talk\" is no type; there are: text, error");
        let told = Refusal::invalid("this must be a or b").proposing(vec!["a".into(), "b".into()]);
        assert_eq!(in_words(&told), "this must be a or b");
    }

    #[test]
    fn a_text_of_somebody_else_cannot_steer_the_terminal() {
        assert_eq!(in_words(&Refusal::invalid("\"a\x1b[2J\nb\" is no id")), "\"a\u{FFFD}[2J b\" is no id");
    }
}
