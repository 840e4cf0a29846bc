//! The language of terminals: sequences that colour, move and name things, and show nothing.

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
