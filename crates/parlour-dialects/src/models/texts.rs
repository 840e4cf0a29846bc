//! Texts as providers want them: never blank, and read in both spellings.

use serde::{Deserialize, Deserializer};

/// The text without what nobody sees at its ends. Some providers also count control signs as blank.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|sign: char| sign.is_whitespace() || sign.is_control())
}

/// Whether there is nothing to see in the text.
pub(super) fn is_blank(text: &str) -> bool {
    trimmed(text).is_empty()
}

/// The text with `\n` for every sign that may be shown as a line break.
pub(crate) fn lines_of(text: &str) -> String {
    let is_break =
        |sign| matches!(sign, '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.replace("\r\n", "\n").replace(is_break, "\n")
}

/// Adds a paragraph.
pub(super) fn add_below(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TextForm {
    Text(String),
    Parts(Vec<TextPart>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum TextPart {
    Text { text: String },
    InputText { text: String },
    OutputText { text: String },
}

impl TextForm {
    /// Parts become paragraphs.
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().fold(String::new(), |mut text, part| {
                let (TextPart::Text { text: more }
                | TextPart::InputText { text: more }
                | TextPart::OutputText { text: more }) = part;
                add_below(&mut text, &more);
                text
            }),
        }
    }
}

/// Reads a text, or a list of parts that are texts.
pub(super) fn joined<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    TextForm::deserialize(reader).map(TextForm::into_text)
}

/// Reads the same, or nothing.
pub(super) fn joined_if_any<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextForm>::deserialize(reader)?.map(TextForm::into_text))
}
