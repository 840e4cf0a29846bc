//! Calls of tools: steps on the way to an answer.

use std::borrow::Cow;

use parlour_core::{Refusal, Timestamp, step::Step};
use serde_json::Value;

use super::{
    event::{Event, EventContent, EventType, in_data},
    kept::PreservedFields,
};
use crate::{
    fields::missing,
    json::{Json, Object, wrong},
};

/// The beginning or the end of one step.
pub(super) fn read_step(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let message_id = event.message_id()?;
    let is_end = event.event_type == EventType::ToolComplete;
    let id = event.data.required_text("toolCallId").map_err(in_data)?.into_owned();
    let name = read_name(event)?;
    let input = either(event, "arguments", "input");
    let mut step = Step { id, name, input, output: None, is_error: false, started_at: event.at, finished_at: None };
    if is_end {
        step.output = either(event, "result", "error");
        step.is_error = read_failure(event)?;
        step.finished_at = Some(event.at);
    }
    Ok(EventContent { steps: vec![step], ..EventContent::plain(message_id, event.assistant(), String::new()) })
}

/// The calls that an answer asks for. They begin with it.
pub(super) fn read_requests(event: &mut Event<'_>) -> Result<Vec<Step>, Refusal> {
    let requests = match event.data.any("toolRequests") {
        None => return Ok(Vec::new()),
        Some(Json::List(requests)) => requests,
        Some(other) => return Err(in_data(wrong("toolRequests", "a list", &other))),
    };
    if requests.is_empty() {
        event.keeping.data.set("toolRequests", requests);
        return Ok(Vec::new());
    }
    let mut steps = Vec::with_capacity(requests.len());
    for (place, request) in requests.into_iter().enumerate() {
        let (step, rest) = read_request(request, event.at)
            .map_err(|refusal| in_data(refusal.at(&format!("toolRequests[{place}]"))))?;
        steps.push(step);
        event.keeping.requests.push(rest);
    }
    Ok(steps)
}

/// The data of a step that began, or of one that ended.
pub(super) fn written_step<'a>(step: &'a Step, kept: PreservedFields<'_>) -> (EventType, Object<'a>) {
    let mut data = Object::default();
    data.set("toolCallId", step.id.as_str());
    let is_end = step.finished_at.is_some();
    if !is_end || !step.name.is_empty() {
        data.set("toolName", step.name.as_str());
    }
    write_either(&mut data, step.input.as_ref(), "arguments", "input", kept);
    if !is_end {
        return (EventType::ToolStart, data);
    }
    write_either(&mut data, step.output.as_ref(), "result", "error", kept);
    if !kept.lacks("success") {
        data.set("success", !step.is_error);
    }
    (EventType::ToolComplete, data)
}

/// The calls that an answer asks for.
pub(super) fn written_requests<'a>(steps: &'a [Step], kept: PreservedFields<'a>) -> Json<'a> {
    let request = |(place, step): (usize, &'a Step)| {
        let mut request = kept.request(place).map(Object::of).unwrap_or_default();
        request.set("toolCallId", step.id.as_str());
        request.set("name", step.name.as_str());
        request.set_some("arguments", step.input.as_ref().map(Json::of));
        Json::Object(request)
    };
    Json::List(steps.iter().enumerate().map(request).collect())
}

/// The name of the tool. The end of a call need not say it again.
fn read_name(event: &mut Event<'_>) -> Result<String, Refusal> {
    let is_start = event.event_type == EventType::ToolStart;
    match event.data.text("toolName").map_err(in_data)? {
        None if is_start => Err(in_data(missing("toolName"))),
        Some(name) if name.is_empty() && !is_start => {
            event.keeping.data.set("toolName", name);
            Ok(String::new())
        }
        name => Ok(name.map(Cow::into_owned).unwrap_or_default()),
    }
}

fn read_failure(event: &mut Event<'_>) -> Result<bool, Refusal> {
    if let Some(is_success) = event.data.boolean("success").map_err(in_data)? {
        return Ok(!is_success);
    }
    if !event.keeping.data.contains("success") {
        event.keeping.absent.push("success");
    }
    Ok(event.keeping.named.contains(&"error"))
}

fn read_request(request: Json<'_>, started_at: Timestamp) -> Result<(Step, Object<'_>), Refusal> {
    let mut fields = Object::read(request, "a call of a tool")?;
    let id = fields.required_text("toolCallId")?.into_owned();
    let name = fields.required_text("name")?.into_owned();
    // What is `null` stays where it is, so that it is kept.
    let has_input = fields.get("arguments").is_some_and(|input| !input.is_null());
    let input = if has_input { fields.any("arguments").map(Json::into_value) } else { None };
    let step = Step { id, name, input, output: None, is_error: false, started_at, finished_at: None };
    Ok((step, fields))
}

/// The value of a field that has two names; it is noted when it stood under the other one.
fn either(event: &mut Event<'_>, usual: &str, other: &'static str) -> Option<Value> {
    if let Some(value) = event.data.any(usual) {
        return Some(value.into_value());
    }
    let value = event.data.any(other)?;
    event.keeping.named.push(other);
    Some(value.into_value())
}

fn write_either<'a>(
    data: &mut Object<'a>,
    value: Option<&'a Value>,
    usual: &'static str,
    other: &'static str,
    kept: PreservedFields<'_>,
) {
    if let Some(value) = value {
        data.set(if kept.names(other) { other } else { usual }, Json::of(value));
    }
}
