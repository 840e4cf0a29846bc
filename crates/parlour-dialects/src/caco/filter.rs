//! Which events Caco sends on to its page.

use serde_json::Value;

/// Events that the page needs even when they hold nothing to show.
const ALWAYS: [&str; 5] = [
    "session.idle",
    "session.error",
    "assistant.turn_start",
    "session.compaction_start",
    "session.compaction_complete",
];
/// What of an event's data can be shown.
const SHOWN: [&str; 9] = [
    "content",
    "deltaContent",
    "intent",
    "toolName",
    "toolCallId",
    "message",
    "progressMessage",
    "partialOutput",
    "agentName",
];

/// Whether an event is sent on: it is one of those that always are, or its data hold something to show.
///
/// A text counts unless it is empty, so blanks count. Of everything else, `null`, `false` and zero do not.
pub fn passes_filter(event_type: &str, data: Option<&Value>) -> bool {
    let shows = |data: &Value| SHOWN.iter().any(|name| data.get(name).is_some_and(is_shown));
    ALWAYS.contains(&event_type) || event_type.starts_with("caco.") || data.is_some_and(shows)
}

fn is_shown(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_so) => *is_so,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
