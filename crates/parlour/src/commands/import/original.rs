//! The original of an imported message: split texts and changed fields are kept, so that an export restores them.
//!
//! Only imports create authors with the id of another system, and only messages of such authors are restored.

use parlour_core::{id::MessageId, import::ImportedMessage, import::levels_of, limits, message::Message};
use parlour_dialects::extras;
use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// Key of the changed fields in the metadata or, without room there, in the content.
pub(super) const CHANGED: &str = "imported";
/// Metadata key of the original characters of each U+FFFD in the text.
pub(super) const SIGNS: &str = "imported_signs";
/// Metadata key of the number of messages of the text.
pub(super) const PARTS: &str = "imported_parts";
/// Key of the step events in the metadata or the content.
pub(super) const EVENTS: &str = "imported_events";
/// Content key of the first message in a continuation.
const CONTINUES: &str = "continues";

/// The content of a continuation message.
pub(super) fn continuation(first: &MessageId, number: usize) -> Value {
    json!({ CONTINUES: first, "part": number })
}

/// Encodes a record as JSON text if it is nested deeper than the hub accepts.
pub(super) fn noted(note: Value) -> Value {
    // One level is used by the metadata or the content object.
    if levels_of(&note) < ImportedMessage::FIELD_LEVELS_MAX { note } else { Value::String(note.to_string()) }
}

/// The step events of an imported message, in the format of its system.
pub(crate) fn step_events(message: &Message) -> Vec<Value> {
    message.from.foreign_system().map_or_else(Vec::new, |_| events_in(&message.metadata, message.content.as_ref()))
}

/// The recorded step events.
pub(super) fn events_in(metadata: &Map<String, Value>, content: Option<&Value>) -> Vec<Value> {
    let noted = content.and_then(Value::as_object).filter(|content| is_note(content));
    let events = metadata.get(EVENTS).or_else(|| noted?.get(EVENTS));
    match events.cloned().and_then(read_note) {
        Some(Value::Array(events)) => events,
        _ => Vec::new(),
    }
}

/// The first message, if this one is a continuation.
pub(crate) fn continues(message: &Message) -> Option<MessageId> {
    message.from.foreign_system()?;
    message.content.as_ref()?.get(CONTINUES)?.as_str()?.parse().ok()
}

/// The number of continuation messages.
pub(crate) fn further_parts(message: &Message) -> usize {
    let is_imported = message.from.foreign_system().is_some();
    let parts = message.metadata.get(PARTS).filter(|_| is_imported).and_then(Value::as_u64).unwrap_or(1);
    usize::try_from(parts).unwrap_or(1).saturating_sub(1)
}

/// Restores the message as it was before its import; other messages are returned unchanged.
///
/// Later changes, such as reactions or edits, are kept.
pub(crate) fn restored(mut message: Message, further: &[Message]) -> Message {
    if message.from.foreign_system().is_none() {
        return message;
    }
    let texts: Vec<BodyPart> = std::iter::once(&message).chain(further).map(part_of).collect();
    let Some(mut changed) = take_changed(&mut message) else { return message };
    message.metadata.remove(SIGNS);
    message.metadata.remove(PARTS);
    message.seq = 0;
    if message.edited_at.is_none() {
        message.body = joined(&texts);
    } else {
        changed.remove("body");
    }
    let as_it_is = message.clone();
    // Invalid records can only come from an administrator: the message is returned unchanged.
    match extras::restore(&mut message, changed) {
        Ok(()) => message,
        Err(_) => as_it_is,
    }
}

fn part_of(message: &Message) -> BodyPart {
    let signs = message.metadata.get(SIGNS).and_then(Value::as_array);
    let numbers = signs.into_iter().flatten().filter_map(Value::as_u64).filter_map(|code| u32::try_from(code).ok());
    BodyPart { text: message.body.clone(), signs: numbers.collect() }
}

fn take_changed(message: &mut Message) -> Option<Map<String, Value>> {
    message.metadata.remove(EVENTS);
    if let Some(Value::Object(changed)) = message.metadata.remove(CHANGED).and_then(read_note) {
        return Some(changed);
    }
    let content = message.content.as_ref()?.as_object().filter(|content| is_note(content))?;
    let Some(Value::Object(changed)) = content.get(CHANGED).cloned().and_then(read_note) else { return None };
    message.content = None;
    Some(changed)
}

fn is_note(content: &Map<String, Value>) -> bool {
    content.contains_key(CHANGED) && content.keys().all(|key| key == CHANGED || key == EVENTS)
}

/// The inverse of [`noted`].
fn read_note(note: Value) -> Option<Value> {
    match note {
        Value::String(text) => serde_json::from_str(&text).ok(),
        other => Some(other),
    }
}

/// Maximum number of recorded characters per part.
const SIGNS_PER_PART_MAX: usize = 400;

/// The text of one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyPart {
    pub(crate) text: String,
    /// The original of each U+FFFD in order; empty without control characters.
    pub(crate) signs: Vec<u32>,
}

/// Splits a text into parts that fit into a message; at least one.
pub(super) fn parts(text: &str) -> Vec<BodyPart> {
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.is_empty() || !rest.is_empty() {
        let (head, tail) = rest.split_at(cut(rest));
        parts.push(part(head));
        rest = tail;
    }
    parts
}

/// The original text of parts.
pub(crate) fn joined(parts: &[BodyPart]) -> String {
    let mut text = String::new();
    for part in parts {
        let mut signs = part.signs.iter().copied();
        for character in part.text.chars() {
            let kept = if character == char::REPLACEMENT_CHARACTER { signs.next() } else { None };
            text.push(kept.and_then(char::from_u32).unwrap_or(character));
        }
    }
    text
}

fn part(text: &str) -> BodyPart {
    if !text.contains(is_refused) {
        return BodyPart { text: text.to_owned(), signs: Vec::new() };
    }
    let shown = text
        .chars()
        .map(|character| if is_refused(character) { char::REPLACEMENT_CHARACTER } else { character })
        .collect();
    BodyPart { text: shown, signs: text.chars().filter(|character| is_noted(*character)).map(u32::from).collect() }
}

/// The end of the first part: after a line break in its second half, if there is one.
fn cut(text: &str) -> usize {
    let end = fitting(text);
    if end == text.len() {
        return end;
    }
    let line = text[..end].rfind('\n').map(|at| at + 1);
    line.filter(|at| *at > end / 2).unwrap_or(end)
}

/// The number of bytes that fit, with three bytes per replaced character.
fn fitting(text: &str) -> usize {
    let (mut bytes, mut signs) = (0, 0);
    for (at, character) in text.char_indices() {
        bytes += if is_refused(character) { char::REPLACEMENT_CHARACTER.len_utf8() } else { character.len_utf8() };
        signs += usize::from(is_noted(character));
        if bytes > limits::MESSAGE_BODY_BYTES_MAX || signs > SIGNS_PER_PART_MAX {
            return at;
        }
    }
    text.len()
}

/// Control characters that the hub refuses.
fn is_refused(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r' | '\t')
}

fn is_noted(character: char) -> bool {
    is_refused(character) || character == char::REPLACEMENT_CHARACTER
}
