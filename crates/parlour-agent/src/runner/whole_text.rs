//! The whole text of an answer: what fits into its message, and what does not.

use parlour_core::limits;

use super::words::clean;

/// Room at the end of a message for the line that says where the rest is.
const NOTE_BYTES_MAX: usize = 256;
/// How much of an answer goes into its message while nobody knows how long it will be.
const SHOWN_BYTES_MAX: usize = limits::MESSAGE_BODY_BYTES_MAX - NOTE_BYTES_MAX;

/// A text that grows, with the part of it that its message shows.
#[derive(Debug, Default)]
pub(super) struct WholeText {
    text: String,
    shown_bytes: usize,
    is_full: bool,
}

impl WholeText {
    /// Adds to the text and answers what its message is to show of it now.
    pub(super) fn push(&mut self, text: &str) -> &str {
        let text = clean(text);
        let room = limits::ANSWER_BYTES_MAX - self.text.len();
        let kept = text.floor_char_boundary(room);
        self.is_full |= kept < text.len();
        self.text.push_str(&text[..kept]);
        self.show_up_to(SHOWN_BYTES_MAX)
    }

    /// Whether there was more than is kept.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether the message cannot hold all of it.
    pub(super) fn is_cut(&self) -> bool {
        self.text.len() > limits::MESSAGE_BODY_BYTES_MAX
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// What its message shows so far.
    pub(super) fn shown(&self) -> &str {
        &self.text[..self.shown_bytes]
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// What its message is to show at the end: the rest, or that there is more elsewhere.
    pub(super) fn last_piece(&mut self, filename: &str) -> String {
        if !self.is_cut() {
            return self.show_up_to(limits::MESSAGE_BODY_BYTES_MAX).to_owned();
        }
        let fence = if is_in_code(self.shown()) { "\n```" } else { "" };
        format!("{fence}\n\n*This answer is longer than a message can be. The whole of it follows as {filename}.*")
    }

    fn show_up_to(&mut self, bytes_max: usize) -> &str {
        let from = self.shown_bytes;
        self.shown_bytes = self.text.floor_char_boundary(bytes_max).max(from);
        &self.text[from..self.shown_bytes]
    }
}

/// Whether a text ends inside of a block of code, where a further line would be taken for code.
fn is_in_code(text: &str) -> bool {
    text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a message shows of a text that is written in these pieces.
    fn shown(pieces: &[&str]) -> (String, WholeText) {
        let mut whole = WholeText::default();
        let mut shown: String = pieces.iter().map(|piece| whole.push(piece).to_owned()).collect();
        shown.push_str(&whole.last_piece("answer.md"));
        (shown, whole)
    }

    #[test]
    fn a_text_that_fits_is_shown_to_its_last_byte() {
        let long = "é".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2);
        let (shown, whole) = shown(&[&long]);
        assert_eq!((shown == long, whole.is_cut(), whole.is_full()), (true, false, false));
    }

    #[test]
    fn a_longer_one_is_cut_between_characters_and_says_where_the_rest_is() {
        let long = "é".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2 + 1);
        let (shown, whole) = shown(&["x", &long]);
        assert!(shown.len() <= limits::MESSAGE_BODY_BYTES_MAX && shown.ends_with("follows as answer.md.*"));
        assert_eq!((whole.is_cut(), whole.as_str().len()), (true, long.len() + 1));
    }

    #[test]
    fn the_note_stands_outside_of_a_block_of_code() {
        let code = format!("```\n{}", "x\n".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2));
        let (shown, _) = shown(&[&code]);
        assert!(shown.contains("\n```\n\n*This answer"), "{}", &shown[shown.len() - 200..]);
        assert!(shown.len() <= limits::MESSAGE_BODY_BYTES_MAX);
    }

    #[test]
    fn a_text_without_end_is_kept_up_to_a_bound() {
        let piece = "x".repeat(limits::ANSWER_BYTES_MAX / 2 + 1);
        let (_, whole) = shown(&[&piece, &piece]);
        assert_eq!((whole.as_str().len(), whole.is_full()), (limits::ANSWER_BYTES_MAX, true));
    }
}
