//! Line breaks, and lines that a program writes over, such as its progress.

/// Bytes of a line that is held back because it may be written over once more; a longer one is no progress.
const HELD_BYTES_MAX: usize = 4_096;

/// Makes `\n` of every line break. What is shown can never be taken back, so of a line that is written over its first
/// form is shown as it comes, those between are left out, and the last one follows on a line of its own.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// A `\r` came last: what follows says whether it was a part of a line break.
    has_return: bool,
    /// Something of the line is shown.
    has_text: bool,
    /// The newest form of a line that is being written over.
    held: Option<String>,
}

impl Lines {
    /// Takes the next character and shows what is certain.
    pub(super) fn push(&mut self, sign: char, show: &mut impl FnMut(char)) {
        match sign {
            '\r' => self.has_return = true,
            '\n' => self.end_line(show),
            _ => self.go_on(sign, show),
        }
    }

    /// Shows what was held back.
    pub(super) fn finish(&mut self, show: &mut impl FnMut(char)) {
        self.held.take().unwrap_or_default().chars().for_each(show);
    }

    fn end_line(&mut self, show: &mut impl FnMut(char)) {
        self.finish(show);
        show('\n');
        (self.has_return, self.has_text) = (false, false);
    }

    fn go_on(&mut self, sign: char, show: &mut impl FnMut(char)) {
        if std::mem::take(&mut self.has_return) && self.has_text {
            self.begin_again(show);
        }
        self.has_text = true;
        match &mut self.held {
            None => show(sign),
            Some(held) => held.push(sign),
        }
        if self.held.as_ref().is_some_and(|held| held.len() > HELD_BYTES_MAX) {
            self.finish(show);
        }
    }

    fn begin_again(&mut self, show: &mut impl FnMut(char)) {
        match &mut self.held {
            None => show('\n'),
            Some(held) => held.clear(),
        }
        self.held.get_or_insert_default();
    }
}
