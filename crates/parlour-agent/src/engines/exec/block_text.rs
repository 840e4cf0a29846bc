//! The text of one block of an answer, which a program may report in pieces, as a whole, or both.

/// Finds the part of a block that is not shown yet. Shown text cannot be retracted, and no text is shown twice.
///
/// A program may repeat a block from its beginning, for example after a broken connection. The repetition is compared
/// with the shown text: only the part that goes beyond it is new. If it differs, it is shown as a whole.
#[derive(Debug, Default)]
pub(super) struct BlockText {
    /// The shown text of the block.
    shown: String,
    /// The text of the repetition, while it is a beginning of the shown text.
    repeated: Option<String>,
}

/// The next text to show.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NewText {
    pub(super) text: String,
    /// The text does not continue the shown text of the block.
    pub(super) is_separate: bool,
}

impl BlockText {
    /// Appends a piece.
    pub(super) fn push(&mut self, piece: &str) -> NewText {
        match self.repeated.take() {
            None => {
                self.shown.push_str(piece);
                NewText { text: piece.to_owned(), is_separate: false }
            }
            Some(repeated) => self.compare(repeated + piece),
        }
    }

    /// Replaces the pieces by the whole text and ends the block.
    pub(super) fn complete(&mut self, whole: &str) -> NewText {
        let new = self.compare(whole.to_owned());
        self.end();
        new
    }

    /// Expects the block once more from its beginning.
    pub(super) fn restart(&mut self) {
        if !self.shown.is_empty() {
            self.repeated = Some(String::new());
        }
    }

    /// Ends the block.
    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    fn compare(&mut self, text: String) -> NewText {
        if text.len() < self.shown.len() && self.shown.starts_with(&text) {
            self.repeated = Some(text);
            return NewText::default();
        }
        let new = match text.strip_prefix(&self.shown) {
            Some(rest) => NewText { text: rest.to_owned(), is_separate: false },
            None => NewText { text: text.clone(), is_separate: true },
        };
        self.shown = text;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(text: &str) -> NewText {
        NewText { text: text.to_owned(), is_separate: false }
    }

    #[test]
    fn a_whole_text_after_its_pieces_adds_nothing() {
        let mut block = BlockText::default();
        assert_eq!([block.push("Hel"), block.push("lo"), block.complete("Hello")], [next("Hel"), next("lo"), next("")]);
        assert_eq!(block.complete("Hello"), next("Hello"), "the next block is a new one");
    }

    #[test]
    fn missing_pieces_are_added_from_the_whole_text() {
        let mut block = BlockText::default();
        assert_eq!([block.push("Hel"), block.complete("Hello")], [next("Hel"), next("lo")]);
    }

    #[test]
    fn a_repetition_is_shown_only_where_it_goes_on() {
        let mut block = BlockText::default();
        block.push("Hello");
        block.restart();
        let shown = [block.push("Hel"), block.push("lo wor"), block.push("ld"), block.complete("Hello world")];
        assert_eq!(shown, [next(""), next(" wor"), next("ld"), next("")]);
    }

    #[test]
    fn another_text_is_shown_as_a_whole() {
        let mut block = BlockText::default();
        block.push("Hello");
        block.restart();
        assert_eq!(block.push("Hal"), NewText { text: "Hal".into(), is_separate: true });
        assert_eq!(block.push("lo"), next("lo"));
        assert_eq!(block.complete("Bye"), NewText { text: "Bye".into(), is_separate: true });
    }

    #[test]
    fn a_shorter_whole_text_adds_nothing() {
        let mut block = BlockText::default();
        block.push("Hello ");
        assert_eq!(block.complete("Hello"), next(""));
    }

    #[test]
    fn a_restart_without_text_changes_nothing() {
        let mut block = BlockText::default();
        block.restart();
        assert_eq!(block.push("Hi"), next("Hi"));
    }
}
