//! Calls of tools: steps on the way to an answer.

use parlour_core::{Refusal, step::Step};
use serde_json::{Map, Value};

use super::{
    event::{Event, EventType, Said, in_data, keep_text},
    kept::Kept,
};
use crate::fields::{Fields, missing, wrong};

/// The beginning or the end of one step.
pub(super) fn read_step(event: &mut Event) -> Result<Said, Refusal> {
    let message_id = event.message_id()?;
    let is_end = event.event_type == EventType::ToolComplete;
    let id = event.data.required_text("toolCallId").map_err(in_data)?;
    let name = read_name(event)?;
    let input = either(event, "arguments", "input");
    let mut step = Step { id, name, input, output: None, is_error: false, started_at: event.at, finished_at: None };
    if is_end {
        step.output = either(event, "result", "error");
        step.is_error = read_failure(event)?;
        step.finished_at = Some(event.at);
    }
    Ok(Said { steps: vec![step], ..Said::plain(message_id, event.assistant(), String::new()) })
}

/// The calls that an answer asks for. They begin with it.
pub(super) fn read_requests(event: &mut Event) -> Result<Vec<Step>, Refusal> {
    let requests = match event.data.any("toolRequests") {
        None => return Ok(Vec::new()),
        Some(Value::Array(requests)) => requests,
        Some(other) => return Err(in_data(wrong("toolRequests", "a list", &other))),
    };
    if requests.is_empty() {
        event.keeping.data.insert("toolRequests".to_owned(), Value::Array(requests));
        return Ok(Vec::new());
    }
    let mut steps = Vec::with_capacity(requests.len());
    for (place, request) in requests.into_iter().enumerate() {
        let (step, rest) =
            read_request(request, event).map_err(|refusal| in_data(refusal.at(&format!("toolRequests[{place}]"))))?;
        steps.push(step);
        event.keeping.requests.push(Value::Object(rest));
    }
    Ok(steps)
}

/// The data of a step that began, or of one that ended.
pub(super) fn written_step(step: &Step, kept: Kept<'_>) -> (EventType, Map<String, Value>) {
    let mut data = Map::new();
    data.insert("toolCallId".to_owned(), Value::from(step.id.as_str()));
    let is_end = step.finished_at.is_some();
    if !is_end || !step.name.is_empty() {
        data.insert("toolName".to_owned(), Value::from(step.name.as_str()));
    }
    write_either(&mut data, step.input.as_ref(), "arguments", "input", kept);
    if !is_end {
        return (EventType::ToolStart, data);
    }
    write_either(&mut data, step.output.as_ref(), "result", "error", kept);
    if !kept.lacks("success") {
        data.insert("success".to_owned(), Value::Bool(!step.is_error));
    }
    (EventType::ToolComplete, data)
}

/// The calls that an answer asks for.
pub(super) fn written_requests(steps: &[Step], kept: Kept<'_>) -> Value {
    let request = |(place, step): (usize, &Step)| {
        let mut request = kept.request(place).cloned().unwrap_or_default();
        request.insert("toolCallId".to_owned(), Value::from(step.id.as_str()));
        request.insert("name".to_owned(), Value::from(step.name.as_str()));
        if let Some(input) = &step.input {
            request.insert("arguments".to_owned(), input.clone());
        }
        Value::Object(request)
    };
    steps.iter().enumerate().map(request).collect()
}

/// The name of the tool. The end of a call need not say it again.
fn read_name(event: &mut Event) -> Result<String, Refusal> {
    let is_start = event.event_type == EventType::ToolStart;
    match event.data.text("toolName").map_err(in_data)? {
        None if is_start => Err(in_data(missing("toolName"))),
        Some(name) if name.is_empty() && !is_start => {
            keep_text(&mut event.keeping.data, "toolName", Some(name));
            Ok(String::new())
        }
        name => Ok(name.unwrap_or_default()),
    }
}

fn read_failure(event: &mut Event) -> Result<bool, Refusal> {
    if let Some(is_success) = event.data.boolean("success").map_err(in_data)? {
        return Ok(!is_success);
    }
    if !event.keeping.data.contains_key("success") {
        event.keeping.absent.push("success");
    }
    Ok(event.keeping.named.contains(&"error"))
}

fn read_request(request: Value, event: &Event) -> Result<(Step, Map<String, Value>), Refusal> {
    let mut fields = Fields::of(request, "a call of a tool")?;
    let id = fields.required_text("toolCallId")?;
    let name = fields.required_text("name")?;
    // What is `null` stays where it is, so that it is kept.
    let has_input = fields.peek("arguments").is_some_and(|input| !input.is_null());
    let input = if has_input { fields.any("arguments") } else { None };
    let step = Step { id, name, input, output: None, is_error: false, started_at: event.at, finished_at: None };
    Ok((step, fields.rest()))
}

/// The value of a field that has two names; it is noted when it stood under the other one.
fn either(event: &mut Event, usual: &str, other: &'static str) -> Option<Value> {
    if let Some(value) = event.data.any(usual) {
        return Some(value);
    }
    let value = event.data.any(other)?;
    event.keeping.named.push(other);
    Some(value)
}

fn write_either(data: &mut Map<String, Value>, value: Option<&Value>, usual: &str, other: &str, kept: Kept<'_>) {
    if let Some(value) = value {
        let name = if kept.names(other) { other } else { usual };
        data.insert(name.to_owned(), value.clone());
    }
}
