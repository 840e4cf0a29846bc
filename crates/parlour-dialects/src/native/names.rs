//! The names that a message has. Any other would be lost, so it is refused.

use parlour_core::{Code, Refusal, message::Message};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::wrong;

/// The fields of a message, in the order of the alphabet.
pub(super) const FIELDS: &[&str] = &[
    "answer_to",
    "artifacts",
    "attachments",
    "blocking",
    "body",
    "calls",
    "cause",
    "content",
    "context",
    "correlation_id",
    "created_at",
    "edited_at",
    "from",
    "held",
    "id",
    "importance",
    "is_notice",
    "kind",
    "mentions",
    "metadata",
    "project_id",
    "question",
    "reactions",
    "reason",
    "removed_at",
    "reply_to",
    "seq",
    "state",
    "steps",
    "thread_id",
    "to",
    "type",
    "usage",
];
const AUTHOR_FIELDS: &[&str] = &["id", "name", "type"];
const CONTEXT_FIELDS: &[&str] = &["batch_id", "project_id", "task_id"];

/// Refuses a name that no message has.
pub(super) fn check(fields: &Map<String, Value>) -> Result<(), Refusal> {
    check_among(fields, FIELDS)?;
    for (name, known) in [("from", AUTHOR_FIELDS), ("context", CONTEXT_FIELDS)] {
        match fields.get(name) {
            Some(Value::Object(inner)) => check_among(inner, known).map_err(|refusal| refusal.at(name))?,
            // An author may be told by an id.
            None | Some(Value::Null | Value::String(_)) => {}
            Some(other) => return Err(wrong(name, "an object", other)),
        }
    }
    Ok(())
}

/// Refuses names below the rarer fields that did not become a part of the message.
pub(super) fn check_nested(value: &Value, message: &Message) -> Result<(), Refusal> {
    check_kept(value, "answer_to", &message.answer_to)?;
    check_kept(value, "attachments", &message.attachments)?;
    check_kept(value, "cause", &message.cause)?;
    check_kept(value, "held", &message.held)?;
    check_kept(value, "question", &message.question)?;
    check_kept(value, "reactions", &message.reactions)?;
    check_kept(value, "steps", &message.steps)?;
    check_kept(value, "usage", &message.usage)
}

fn check_among(fields: &Map<String, Value>, known: &[&str]) -> Result<(), Refusal> {
    let unknown = fields.keys().find(|name| known.binary_search(&name.as_str()).is_err());
    unknown.map_or(Ok(()), |name| Err(unknown_name(name, known)))
}

fn unknown_name(name: &str, known: &[&str]) -> Refusal {
    let near = |other: &&&str| other.chars().next() == name.chars().next();
    let candidates = known.iter().filter(near).map(|name| (*name).to_owned()).collect();
    let detail = "a message has no such field; a newer version may have written it, and reading it here would lose it";
    Refusal::new(Code::UnknownField, detail).at(name).proposing(candidates)
}

/// Compares what was given with what would be written again. Fields of these are rare enough for that.
fn check_kept(value: &Value, name: &str, kept: &impl Serialize) -> Result<(), Refusal> {
    let Some(given) = value.get(name) else { return Ok(()) };
    let kept = serde_json::to_value(kept).expect("fields of a message are plain data");
    lost(given, &kept).map_or(Ok(()), |refusal| Err(refusal.at(name)))
}

fn lost(given: &Value, kept: &Value) -> Option<Refusal> {
    match (given, kept) {
        (Value::Object(given), Value::Object(kept)) => given.iter().find_map(|(name, value)| match kept.get(name) {
            // What says nothing is not written, and nothing is lost with it.
            None if says_nothing(value) => None,
            None => Some(unknown_name(name, &[])),
            Some(kept) => lost(value, kept).map(|refusal| refusal.at(name)),
        }),
        // A reader would take a list for the values of an object, one after another.
        (Value::Array(_), Value::Object(_)) => Some(Refusal::invalid("this must be an object, and it is a list")),
        (Value::Array(given), Value::Array(kept)) => given.iter().zip(kept).find_map(|(given, kept)| lost(given, kept)),
        _ => None,
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_so) => !is_so,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order_and_are_those_of_a_message() {
        assert!(FIELDS.is_sorted() && AUTHOR_FIELDS.is_sorted() && CONTEXT_FIELDS.is_sorted());
        for name in FIELDS {
            let extras = Map::from_iter([((*name).to_owned(), Value::from(-0.5))]);
            let mut message = crate::Item::signal("x", Value::Null, parlour_core::Timestamp::from_millis(0)).message;
            if let Err(refusal) = crate::extras::restore(&mut message, extras) {
                assert!(!refusal.detail.contains("no field"), "{name}");
            }
        }
    }

    #[test]
    fn a_name_below_a_list_is_found() {
        let (given, kept) = (serde_json::json!([{"a": 1, "b": 2}]), serde_json::json!([{"a": 1}]));
        assert_eq!(lost(&given, &kept).and_then(|refusal| refusal.field).as_deref(), Some("b"));
        assert_eq!(lost(&kept, &given), None);
    }
}
