//! Payloads: anything, and what a person can read of it.

use serde_json::{Map, Value};

use super::envelope::EnvelopeType;

/// What a payload says natively.
pub(super) struct Said {
    pub(super) body: String,
    pub(super) content: Option<Value>,
    pub(super) reason: Option<String>,
}

/// Reads a payload. One with a text and nothing but what is written here beside it is taken apart again.
pub(super) fn read(payload: Option<&Value>, envelope_type: EnvelopeType) -> Said {
    let is_error = envelope_type == EnvelopeType::Error;
    let Some(payload) = payload.filter(|payload| !payload.is_null()) else {
        return Said { body: String::new(), content: None, reason: None };
    };
    let reason = if is_error { reason(payload) } else { None };
    if let Some(body) = own_body(payload, is_error) {
        let content = payload.get("content").filter(|content| !content.is_null()).cloned();
        return Said { body: body.to_owned(), content, reason };
    }
    Said { body: readable(payload, reason.as_deref()), content: Some(payload.clone()), reason }
}

/// The usual payload for what a message says.
pub(super) fn usual(body: &str, content: Option<&Value>, reason: Option<&str>, is_error: bool) -> Value {
    let reason = reason.filter(|_| is_error);
    if let Some(content) = content
        && own_body(content, is_error).is_none()
        && self::reason(content).filter(|_| is_error).as_deref() == reason
        && readable(content, reason) == body
    {
        return content.clone();
    }
    let mut payload = Map::from_iter([("body".to_owned(), Value::from(body))]);
    if let Some(content) = content {
        payload.insert("content".to_owned(), content.clone());
    }
    if let Some(reason) = reason {
        payload.insert("error".to_owned(), reason.into());
    }
    Value::Object(payload)
}

/// The text of a payload that has the usual form.
fn own_body(payload: &Value, is_error: bool) -> Option<&str> {
    let fields = payload.as_object()?;
    let is_usual = |name: &String| matches!(name.as_str(), "body" | "content") || (is_error && name == "error");
    fields.keys().all(is_usual).then(|| fields.get("body")?.as_str()).flatten()
}

/// Why an error happened: its name and what is said beside it.
fn reason(payload: &Value) -> Option<String> {
    let text = |name| payload.get(name).and_then(Value::as_str);
    match (text("error"), text("reason")) {
        (Some(error), Some(reason)) => Some(format!("{error}: {reason}")),
        (Some(only), None) | (None, Some(only)) => Some(only.to_owned()),
        (None, None) => None,
    }
}

/// What a person can read of a payload: its text, else why it failed, else all of it as JSON.
fn readable(payload: &Value, reason: Option<&str>) -> String {
    if let Value::String(text) = payload {
        return text.clone();
    }
    let text = ["body", "text", "message"].into_iter().find_map(|name| payload.get(name)?.as_str());
    text.or(reason).map_or_else(|| fenced(payload), str::to_owned)
}

fn fenced(payload: &Value) -> String {
    let json = serde_json::to_string_pretty(payload).expect("a value can be written");
    // A fence ends at the first one as long as itself, so it is longer than any in the text.
    let longest = json.split(|sign| sign != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}json\n{json}\n{fence}")
}
