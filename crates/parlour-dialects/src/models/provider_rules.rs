//! Rules and text functions that several formats share.

use std::collections::HashSet;

use parlour_core::Refusal;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The maximum length of a call id that every provider accepts.
pub(super) const ID_CHARS_MAX: usize = 40;
/// The maximum length of a tool name that every provider accepts.
pub(super) const NAME_CHARS_MAX: usize = 64;
/// The maximum number of calls in one list.
pub(super) const CALLS_MAX: usize = 128;

/// Whether every provider accepts the call id.
pub(super) fn is_call_id(id: &str) -> bool {
    (1..=ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(is_plain)
}

/// Whether every provider accepts the tool name. Gemini refuses a leading digit or dash.
pub(super) fn is_tool_name(name: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with(|character: char| character.is_ascii_digit() || character == '-')
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

pub(super) fn rule_violation(list: &str, index: usize, rule: &str) -> Refusal {
    Refusal::invalid(rule).at(&format!("{list}[{index}]"))
}

/// Refuses an entry unless the rule holds.
pub(super) fn expect(holds: bool, list: &str, index: usize, rule: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(rule_violation(list, index, rule)) }
}

pub(super) fn expect_text(text: &str, list: &str, index: usize) -> Result<(), Refusal> {
    expect(!is_blank(text), list, index, "a text must not be blank")
}

/// Refuses a call that a provider would refuse.
pub(super) fn check_call<'a>(
    (id, name): (&'a str, &'a str),
    ids: &mut HashSet<&'a str>,
    list: &str,
    index: usize,
) -> Result<(), Refusal> {
    expect(is_call_id(id), list, index, "a call id must have 1 to 40 letters, digits, _ and -")?;
    expect(ids.insert(id), list, index, "call ids must be unique")?;
    expect(is_tool_name(name), list, index, "a tool name must have 1 to 64 letters, digits, _ and -")
}

pub(super) fn check_arguments(arguments: &str, list: &str, index: usize) -> Result<(), Refusal> {
    let is_object = matches!(serde_json::from_str(arguments), Ok(Value::Object(_)));
    expect(is_object, list, index, "the arguments of a call must be a JSON object as text")
}

/// The text without surrounding white space and control characters, which some providers count as blank.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character.is_control())
}

pub(super) fn is_blank(text: &str) -> bool {
    trimmed(text).is_empty()
}

/// The text with `\n` for every character that may be shown as a line break.
pub(crate) fn lines_of(text: &str) -> String {
    let is_break = |character| {
        matches!(character, '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    text.replace("\r\n", "\n").replace(is_break, "\n")
}

/// Appends a paragraph.
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
    /// Joins the parts as paragraphs.
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

/// Deserialises a text, or a list of text parts.
pub(super) fn joined<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    TextForm::deserialize(reader).map(TextForm::into_text)
}

/// Like [`joined`], or nothing.
pub(super) fn joined_if_any<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextForm>::deserialize(reader)?.map(TextForm::into_text))
}
