//! What an import changes of a message, and where it is kept, so that an export gives back what came in.
//!
//! Nobody can forge it: only an import makes authors with the id of another system, and only their messages are looked at.

use parlour_core::{id::MessageId, import::ImportedMessage, levels::levels_of, message::Message};
use parlour_dialects::extras;
use serde_json::{Map, Value, json};

use super::parts::{Part, joined};

/// Where the metadata or, when there is no room, the content of a message hold what was changed.
pub(super) const CHANGED: &str = "imported";
/// Where the metadata hold what stands for each U+FFFD of the text.
pub(super) const SIGNS: &str = "imported_signs";
/// Where the metadata hold in how many messages the text stands.
pub(super) const PARTS: &str = "imported_parts";
/// Where the metadata or the content of a message hold the events that told of its steps.
pub(super) const EVENTS: &str = "imported_events";
/// Where the content of a further message names the first one.
const CONTINUES: &str = "continues";

/// The content of a message in which the text of another one goes on.
pub(super) fn continuation(first: &MessageId, number: usize) -> Value {
    json!({ CONTINUES: first, "part": number })
}

/// A note as it is kept: as the text of its JSON when it goes deeper than the hub reads.
pub(super) fn noted(note: Value) -> Value {
    // It stands in the metadata or in an object that is the content.
    if levels_of(&note) < ImportedMessage::FIELD_LEVELS_MAX { note } else { Value::String(note.to_string()) }
}

/// The events that told of the steps of an imported message, as its system writes them.
pub(crate) fn told_events(message: &Message) -> Vec<Value> {
    message.from.foreign_system().map_or_else(Vec::new, |_| events_in(&message.metadata, message.content.as_ref()))
}

/// The events that are kept in these metadata or in this content.
pub(super) fn events_in(metadata: &Map<String, Value>, content: Option<&Value>) -> Vec<Value> {
    let noted = content.and_then(Value::as_object).filter(|content| is_note(content));
    let events = metadata.get(EVENTS).or_else(|| noted?.get(EVENTS));
    match events.cloned().and_then(read_note) {
        Some(Value::Array(events)) => events,
        _ => Vec::new(),
    }
}

/// Whether this message only goes on with the text of another one, and of which.
pub(crate) fn continues(message: &Message) -> Option<MessageId> {
    message.from.foreign_system()?;
    message.content.as_ref()?.get(CONTINUES)?.as_str()?.parse().ok()
}

/// In how many further messages the text of this one goes on.
pub(crate) fn further_parts(message: &Message) -> usize {
    let is_imported = message.from.foreign_system().is_some();
    let parts = message.metadata.get(PARTS).filter(|_| is_imported).and_then(Value::as_u64).unwrap_or(1);
    usize::try_from(parts).unwrap_or(1).saturating_sub(1)
}

/// The message as it was before its import; one that was born here stays as it is.
///
/// What has happened to it since, a reaction or a new text, stays too.
pub(crate) fn restored(mut message: Message, further: &[Message]) -> Message {
    if message.from.foreign_system().is_none() {
        return message;
    }
    let texts: Vec<Part> = std::iter::once(&message).chain(further).map(part_of).collect();
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
    // Only an administrator could have put something else there, and then it is a message like any other.
    match extras::restore(&mut message, changed) {
        Ok(()) => message,
        Err(_) => as_it_is,
    }
}

fn part_of(message: &Message) -> Part {
    let signs = message.metadata.get(SIGNS).and_then(Value::as_array);
    let numbers = signs.into_iter().flatten().filter_map(Value::as_u64).filter_map(|sign| u32::try_from(sign).ok());
    Part { text: message.body.clone(), signs: numbers.collect() }
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

/// Whether a content holds notes and nothing else.
fn is_note(content: &Map<String, Value>) -> bool {
    content.contains_key(CHANGED) && content.keys().all(|key| key == CHANGED || key == EVENTS)
}

/// What [`noted`] has made of something.
fn read_note(note: Value) -> Option<Value> {
    match note {
        Value::String(text) => serde_json::from_str(&text).ok(),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests;
