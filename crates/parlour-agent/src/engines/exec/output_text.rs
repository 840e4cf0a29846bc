//! What a command writes, made into text that can stand in a message.

use std::str;

/// Makes text of bytes as they come. However they are split, the text is the same.
///
/// | in the bytes | in the text |
/// |---|---|
/// | no UTF-8 | U+FFFD |
/// | colours, titles, links and other sequences of terminals | nothing |
/// | control characters but line breaks and tabs | nothing |
/// | `\r\n` | a line break |
/// | a line that is written over and over after `\r` | its first and its last form, each on a line |
/// | empty lines at the beginning, white space at the end | nothing |
#[derive(Debug, Default)]
pub(super) struct OutputText {
    decoder: Decoder,
    escapes: Escapes,
    lines: Lines,
    edges: Edges,
}

impl OutputText {
    /// The text that these bytes add.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let decoded = self.decoder.push(bytes);
        self.take(&decoded, &mut text);
        text
    }

    /// The text that was held back until it was clear that nothing follows.
    pub(super) fn finish(mut self) -> String {
        let mut text = String::new();
        let cut_off = self.decoder.finish();
        self.take(cut_off, &mut text);
        let edges = &mut self.edges;
        self.lines.finish(&mut |sign| edges.push(sign, &mut text));
        text
    }

    fn take(&mut self, decoded: &str, text: &mut String) {
        let Self { escapes, lines, edges, .. } = self;
        for sign in decoded.chars().filter(|&sign| escapes.lets_through(sign)) {
            lines.push(sign, &mut |sign| edges.push(sign, text));
        }
    }
}

/// The text of bytes that are all there.
pub(super) fn clean(bytes: &[u8]) -> String {
    let mut output = OutputText::default();
    let mut text = output.push(bytes);
    text.push_str(&output.finish());
    text
}

/// Decodes bytes as they come and joins characters that were split.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of a character whose other bytes have not come yet: at most three bytes.
    begun: Vec<u8>,
}

impl Decoder {
    /// The characters that are whole now. Bytes that can be none become U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let bytes = [self.begun.as_slice(), bytes].concat();
        self.begun.clear();
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Err(error) = str::from_utf8(rest) {
            let (valid, other) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(wrong_len) = error.error_len() else {
                self.begun = other.to_vec();
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &other[wrong_len..];
        }
        text.push_str(&String::from_utf8_lossy(rest));
        text
    }

    /// What is left when nothing follows: a character that was cut off.
    pub(super) fn finish(&mut self) -> &'static str {
        if self.begun.is_empty() { "" } else { "\u{FFFD}" }
    }
}

/// Leaves out empty lines at the beginning and white space at the end. White space is held back until something
/// follows it.
#[derive(Debug, Default)]
pub(super) struct Edges {
    held: String,
    has_begun: bool,
}

impl Edges {
    /// Takes the next character, and adds to the text what is certain.
    pub(super) fn push(&mut self, sign: char, text: &mut String) {
        if sign.is_whitespace() {
            return self.hold(sign);
        }
        text.push_str(&self.held);
        text.push(sign);
        self.held.clear();
        self.has_begun = true;
    }

    fn hold(&mut self, sign: char) {
        // The first line keeps its indentation.
        if sign == '\n' && !self.has_begun {
            self.held.clear();
        } else {
            self.held.push(sign);
        }
    }
}

/// Where in such a sequence the text is. A sequence ends at the latest at a line break, so that a broken one hides
/// one line and not the rest of the answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Escapes {
    /// In none.
    #[default]
    Text,
    /// After ESC.
    Begun,
    /// In a control sequence, such as `ESC [ 31 m`: until a letter.
    Control,
    /// In a string, such as the title of a window: until BEL or `ESC \`.
    String,
    /// In a string, after ESC.
    StringEnd,
}

impl Escapes {
    /// Whether the next character belongs to the text.
    pub(super) fn lets_through(&mut self, sign: char) -> bool {
        let (next, is_text) = self.after(sign);
        *self = next;
        is_text
    }

    fn after(self, sign: char) -> (Self, bool) {
        match (self, sign) {
            (Self::Text, _) => outside(sign),
            (Self::Begun, '[') => (Self::Control, false),
            (Self::Begun, ']' | 'P' | 'X' | '^' | '_') => (Self::String, false),
            (Self::Begun, ' '..='/') => (Self::Begun, false),
            (Self::Begun, '0'..='~') => (Self::Text, false),
            (Self::Control, ' '..='?') => (Self::Control, false),
            (Self::Control, '@'..='~') => (Self::Text, false),
            (Self::Begun | Self::Control, _) => outside(sign),
            (Self::String, '\x07' | '\u{9c}') => (Self::Text, false),
            (Self::String, '\x1b') => (Self::StringEnd, false),
            (Self::String, '\n') => (Self::Text, true),
            (Self::String, _) => (Self::String, false),
            (Self::StringEnd, '\\') => (Self::Text, false),
            (Self::StringEnd, _) => Self::Begun.after(sign),
        }
    }
}

fn outside(sign: char) -> (Escapes, bool) {
    match sign {
        '\x1b' => (Escapes::Begun, false),
        // The same beginnings, as one character each.
        '\u{9b}' => (Escapes::Control, false),
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => (Escapes::String, false),
        '\n' | '\r' | '\t' => (Escapes::Text, true),
        _ => (Escapes::Text, !sign.is_control()),
    }
}

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

#[cfg(test)]
mod tests;
