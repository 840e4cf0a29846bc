//! Texts that can be written into a pack as they are. Making one safe a second time changes nothing.

use sha2::{Digest, Sha256};

use super::{
    parse,
    spelling::{IS, OPEN, PLACE, SECTION, is_control, is_hidden, is_line_end},
};

/// Characters of a label.
const LABEL_CHARS_MAX: usize = 48;
/// Characters of a remark, and of what is wanted.
const REMARK_CHARS_MAX: usize = 2_000;
/// Begins a remark that would read as something else.
const NOTE: &str = "Note:";
/// Hexadecimal digits of a tag.
const TAG_DIGITS: usize = 6;

/// A text that may be quoted: its lines end with `\n`, no sign moves or hides others, and what a model could take for a
/// border between speakers has a blank in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quoted(String);

/// A remark of the hub: one line that reads as nothing else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HubLine(String);

/// What an answer is to look like: one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnswerFormat(String);

/// What somebody, or a place, is called in a pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(String);

/// A short word that is the same for the same reader, day and conversation, so that the start of a prompt is too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag(String);

impl Quoted {
    /// Makes a text safe.
    pub fn of(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '\r' if signs.peek() == Some(&'\n') => {}
                sign if is_line_end(sign) => plain.push('\n'),
                sign if is_hidden(sign) => {}
                sign => plain.push(sign),
            }
        }
        Self(without_borders(plain.trim_end()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl HubLine {
    /// Makes one line of a text.
    pub fn of(text: &str) -> Self {
        let line = one_line(text, REMARK_CHARS_MAX);
        if reads_as_remark(&line) {
            return Self(line);
        }
        let line = one_line(&format!("{NOTE} {line}"), REMARK_CHARS_MAX);
        Self(line)
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AnswerFormat {
    /// Makes one line of a text; nothing where it has no words.
    pub fn of(text: &str) -> Option<Self> {
        let line = one_line(text, REMARK_CHARS_MAX);
        (!line.is_empty()).then_some(Self(line))
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Label {
    /// Makes a label of a name. What the frame is made of becomes `_`; a name without anything that can be seen becomes
    /// `_` as well.
    pub fn of(name: &str) -> Self {
        let is_framing = |sign| matches!(sign, ':' | '=' | '(' | ')' | '<' | '>' | '|' | '[' | ']' | '"' | '\\' | '`');
        let is_joiner = |sign| matches!(sign, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
        let safe = |sign| if is_framing(sign) { '_' } else { sign };
        let visible: String = one_line(name, usize::MAX).chars().filter(|sign| !is_joiner(*sign)).map(safe).collect();
        let short: String = visible.trim().chars().take(LABEL_CHARS_MAX).collect();
        let label = short.trim_end();
        // A line may begin with a label: it must not read as a section then, nor begin with a slash.
        let is_odd = label.is_empty() || label.starts_with('/') || label.starts_with(SECTION);
        Self(if is_odd { Self::of(&format!("_{label}")).0 } else { label.to_owned() })
    }

    /// The label.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Tag {
    /// The tag for a reader, a day and a conversation.
    pub fn of(reader: &str, day: &str, conversation: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [reader, day, conversation] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self(digits.chars().take(TAG_DIGITS).collect())
    }

    /// Reads a tag.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == TAG_DIGITS && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Tag {
    fn default() -> Self {
        Self("0".repeat(TAG_DIGITS))
    }
}

/// Puts a blank into each spelling that a model could take for a border.
fn without_borders(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for (at, sign) in text.char_indices() {
        safe.push(sign);
        if is_control(sign, &text[at + sign.len_utf8()..]) {
            safe.push(' ');
        }
    }
    safe
}

/// The words of a text in one line, cut after so many characters.
fn one_line(text: &str, chars_max: usize) -> String {
    let visible: String = text
        .chars()
        .map(|sign| if is_line_end(sign) || sign == '\t' { ' ' } else { sign })
        .filter(|sign| !is_hidden(*sign))
        .collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let safe = without_borders(&words);
    if safe.chars().count() <= chars_max {
        return safe;
    }
    let cut: String = safe.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// Whether a line is taken for a remark when it is read back. The start of a sentence like `In short:` is none.
fn reads_as_remark(line: &str) -> bool {
    let is_taken =
        line.starts_with(OPEN) || line.starts_with(SECTION) || line.starts_with(PLACE) && line.ends_with(':');
    let is_marked = line.starts_with(['>', '|', '/']);
    !(line.is_empty() || is_taken || is_marked || line.contains(IS) && parse::sender(line).is_some())
}
