//! What the checks of several formats have in common.

use std::collections::HashSet;

use parlour_core::Refusal;
use serde_json::Value;

use super::texts::is_blank;

/// The longest id of a call that every provider takes.
pub(super) const ID_CHARS_MAX: usize = 40;
/// The longest name of a tool that every provider takes.
pub(super) const NAME_CHARS_MAX: usize = 64;
/// The most calls in one list, and so the most tools and the most calls at once.
pub(super) const CALLS_MAX: usize = 128;

/// Whether every provider takes the id of a call.
pub(super) fn is_call_id(id: &str) -> bool {
    (1..=ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(is_plain)
}

/// Whether every provider takes the name of a tool. Gemini's may not begin with a digit or a dash.
pub(super) fn is_tool_name(name: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-')
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Says which entry breaks which rule.
pub(super) fn broken(list: &str, place: usize, rule: &str) -> Refusal {
    Refusal::invalid(rule).at(&format!("{list}[{place}]"))
}

/// Refuses when the rule does not hold for an entry.
pub(super) fn expect(holds: bool, list: &str, place: usize, rule: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(broken(list, place, rule)) }
}

/// Refuses a text with nothing to see in it.
pub(super) fn expect_text(text: &str, list: &str, place: usize) -> Result<(), Refusal> {
    expect(!is_blank(text), list, place, "a text must not be blank")
}

/// Refuses a call that no provider takes.
pub(super) fn check_call<'a>(
    (id, name): (&'a str, &'a str),
    ids: &mut HashSet<&'a str>,
    list: &str,
    place: usize,
) -> Result<(), Refusal> {
    expect(is_call_id(id), list, place, "the id of a call has 1 to 40 letters, digits, _ and -")?;
    expect(ids.insert(id), list, place, "no two calls have the same id")?;
    expect(is_tool_name(name), list, place, "the name of a tool has 1 to 64 letters, digits, _ and -")
}

/// Refuses arguments that are no object written as a text.
pub(super) fn check_arguments(arguments: &str, list: &str, place: usize) -> Result<(), Refusal> {
    let is_object = matches!(serde_json::from_str(arguments), Ok(Value::Object(_)));
    expect(is_object, list, place, "the arguments of a call are a JSON object, written as a text")
}
