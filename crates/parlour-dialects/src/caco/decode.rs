//! Decodes events.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType, Source},
    message::Kind,
    step::Step,
};
use serde_json::Value;

use super::{
    NAME, SYSTEM_NAME,
    source::{parse_stored_source, source_name, source_named},
    wire::{Event, EventContent, EventType, in_data},
};
use crate::{
    DecodeContext, Frame, InputTrust, Item,
    fields::missing,
    foreign_id::foreign_author,
    json::{Json, Object, wrong_type},
};

/// The type of the socket frame that contains an event.
pub(super) const SOCKET_EVENT: &str = "event";

/// Decodes one event, alone or inside a socket frame.
pub(crate) fn decode_json(json: Json<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let outer = Object::read(json, "a Caco event")?;
    let name = type_of(&outer)?;
    if name == SOCKET_EVENT {
        return decode_socket_event(outer, decode_context);
    }
    match EventType::of(&outer, name) {
        None => Ok(signal_item(outer, decode_context)),
        Some(event_type) => decode_event(event_type, outer, None, decode_context),
    }
}

fn decode_socket_event(mut socket: Object<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let in_event = |refusal: Refusal| refusal.at("event");
    let session = match socket.get("sessionId") {
        Some(Json::Text(session)) => session.clone(),
        None | Some(Json::Null) => return Err(missing("sessionId")),
        Some(other) => return Err(wrong_type("sessionId", "a string", other)),
    };
    let known = match socket.get("event") {
        Some(Json::Object(event)) => EventType::of(event, type_of(event).map_err(in_event)?),
        None | Some(Json::Null) => return Err(missing("event")),
        Some(other) => return Err(wrong_type("event", "an object", other)),
    };
    let Some(event_type) = known else { return Ok(signal_item(socket, decode_context)) };
    socket.take("type");
    match socket.take("event") {
        Some(Json::Object(event)) => {
            decode_event(event_type, event, Some((session, socket)), decode_context).map_err(in_event)
        }
        _ => Err(missing("event")),
    }
}

fn type_of<'a>(event: &'a Object<'_>) -> Result<&'a str, Refusal> {
    match event.get("type") {
        Some(Json::Text(name)) => Ok(name),
        None | Some(Json::Null) => Err(missing("type")),
        Some(other) => Err(wrong_type("type", "a string", other)),
    }
}

/// A signal, with the time of the event if it has one.
fn signal_item(form: Object<'_>, decode_context: &DecodeContext) -> Item {
    let event = form.get("event").map_or(Some(&form), Json::as_object);
    let time = event.and_then(|event| event.str("timestamp"));
    let at = time.and_then(|text| text.parse().ok()).unwrap_or(decode_context.now);
    Item::signal(NAME, Value::Object(form.into_map()), at)
}

fn decode_event<'a>(
    event_type: EventType,
    top: Object<'a>,
    socket_frame: Option<(Cow<'a, str>, Object<'a>)>,
    decode_context: &DecodeContext,
) -> Result<Item, Refusal> {
    let mut event = Event::open(event_type, top, decode_context)?;
    if let Some((session, socket)) = socket_frame {
        event.session = Some(session);
        event.recorder.socket = socket;
    }
    let (frame, content) = decode_content(&mut event, decode_context)?;
    event.into_item(frame, content)
}

fn decode_content(event: &mut Event<'_>, decode_context: &DecodeContext) -> Result<(Frame, EventContent), Refusal> {
    match event.event_type {
        EventType::UserMessage => Ok((Frame::Message, decode_user_message(event, decode_context)?)),
        EventType::AssistantMessage => Ok((Frame::Message, decode_assistant_message(event)?)),
        EventType::AssistantDelta => Ok((Frame::Piece, decode_delta(event)?)),
        EventType::TurnStart => Ok((Frame::Typing, decode_turn_start(event)?)),
        EventType::ToolStart | EventType::ToolComplete => Ok((Frame::Step, decode_step(event)?)),
        EventType::SystemMessage => Ok((Frame::Message, decode_system_message(event)?)),
        EventType::SessionInfo | EventType::SessionWarning | EventType::SessionError => {
            Ok((Frame::Message, decode_session_message(event)?))
        }
    }
}

/// Decodes a prompt. The source is read from the fields, or from the text prefix in a history without these fields.
fn decode_user_message(event: &mut Event<'_>, decode_context: &DecodeContext) -> Result<EventContent, Refusal> {
    let content = event.data.required_text("content").map_err(in_data)?;
    let id = event.event_id(&content)?;
    let correlation_id = event.data.text("correlationId").map_err(in_data)?.map(Cow::into_owned);
    let (from, body) = match event.data.text("source").map_err(in_data)? {
        Some(name) => (author_from_fields(event, source_named(&name).unwrap_or(Source::User))?, content.into_owned()),
        None => author_from_prefix(event, &content, decode_context.trust),
    };
    Ok(EventContent { kind: Kind::User, correlation_id, ..EventContent::plain(Some(id), from, body) })
}

fn author_from_fields(event: &mut Event<'_>, source: Source) -> Result<Author, Refusal> {
    let Some(field) = identifier_field(source) else { return Ok(source_author(source, None)) };
    let given = event.data.text(field).map_err(in_data)?;
    if let Some(identifier) = given.as_deref().filter(|identifier| !identifier.is_empty()) {
        return Ok(source_author(source, Some(identifier)));
    }
    event.recorder.data.set_some(field, given);
    if !event.recorder.data.contains(field) {
        event.recorder.absent.push(field);
    }
    Ok(source_author(source, None))
}

/// The author and the text of a prompt without a source. The prefix is trusted only in histories: a live sender could
/// have typed it.
fn author_from_prefix(event: &mut Event<'_>, content: &str, trust: InputTrust) -> (Author, String) {
    let names_somebody = ["appletSlug", "fromSession", "scheduleSlug"].iter().any(|field| event.data.contains(field));
    if trust == InputTrust::Live || names_somebody {
        event.recorder.prefix = Some(String::new());
        return (source_author(Source::User, None), content.to_owned());
    }
    let parsed = parse_stored_source(content);
    let from = source_author(parsed.source, parsed.identifier);
    let (prefix, body) = content.split_at(content.len() - parsed.clean_content.len());
    event.recorder.prefix = Some(prefix.to_owned());
    (from, body.to_owned())
}

/// The field with the identifier of the applet, session or schedule.
pub(super) fn identifier_field(source: Source) -> Option<&'static str> {
    match source {
        Source::User => None,
        Source::Applet => Some("appletSlug"),
        Source::Agent => Some("fromSession"),
        Source::Scheduler => Some("scheduleSlug"),
    }
}

/// The author with this identifier; without one, the source is the identifier.
pub(super) fn source_author(source: Source, identifier: Option<&str>) -> Author {
    let author_type = match source {
        Source::User => return foreign_author(NAME, AuthorType::Person, "user", "User"),
        Source::Applet => AuthorType::Applet,
        Source::Agent => AuthorType::Agent,
        Source::Scheduler => AuthorType::Scheduler,
    };
    foreign_author(NAME, author_type, identifier.unwrap_or(source_name(source)), "")
}

/// Decodes an answer and its tool requests.
fn decode_assistant_message(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let id = event.message_id()?.ok_or_else(|| in_data(missing("messageId")))?;
    let content = event.data.required_text("content").map_err(in_data)?;
    let steps = decode_tool_requests(event)?;
    Ok(EventContent { steps, ..EventContent::plain(Some(id), event.assistant(), content.into_owned()) })
}

fn decode_delta(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let id = event.message_id()?.ok_or_else(|| in_data(missing("messageId")))?;
    let piece = event.data.required_text("deltaContent").map_err(in_data)?;
    Ok(EventContent::plain(Some(id), event.assistant(), piece.into_owned()))
}

/// Decodes the start of a turn. Caco does not know the id of the answer yet.
fn decode_turn_start(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let id = event.message_id()?;
    Ok(EventContent::plain(id, event.assistant(), String::new()))
}

/// Decodes permanent context for the model.
fn decode_system_message(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let content = event.data.required_text("content").map_err(in_data)?;
    let id = event.event_id(&content)?;
    let given = event.data.text("name").map_err(in_data)?;
    let name = given.as_deref().filter(|name| !name.is_empty()).unwrap_or(SYSTEM_NAME);
    let from = system_author(name);
    if name == SYSTEM_NAME {
        // The default name is not encoded, so an explicit one is recorded.
        event.recorder.data.set_some("name", given);
    }
    Ok(EventContent::plain(Some(id), from, content.into_owned()))
}

/// Decodes an info, warning or error message of Caco. Models do not receive it.
fn decode_session_message(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let text = event.data.required_text("message").map_err(in_data)?;
    let id = event.event_id(&text)?;
    if event.event_type != EventType::SessionInfo {
        event.recorder.event_type = Some(event.event_type.name());
    }
    let from = host_author();
    Ok(EventContent::plain(Some(id), from, text.into_owned()))
}

/// The author of permanent context.
pub(super) fn system_author(name: &str) -> Author {
    foreign_author(NAME, AuthorType::System, "system", name)
}

pub(super) fn host_author() -> Author {
    foreign_author(NAME, AuthorType::Host, "host", SYSTEM_NAME)
}

/// Decodes the start or the end of a tool call.
pub(super) fn decode_step(event: &mut Event<'_>) -> Result<EventContent, Refusal> {
    let message_id = event.message_id()?;
    let is_end = event.event_type == EventType::ToolComplete;
    let id = event.data.required_text("toolCallId").map_err(in_data)?.into_owned();
    let name = decode_tool_name(event)?;
    let input = take_either(event, "arguments", "input");
    let mut step = Step { id, name, input, output: None, is_error: false, started_at: event.at, finished_at: None };
    if is_end {
        step.output = take_either(event, "result", "error");
        step.is_error = decode_failure(event)?;
        step.finished_at = Some(event.at);
    }
    Ok(EventContent { steps: vec![step], ..EventContent::plain(message_id, event.assistant(), String::new()) })
}

/// Decodes the tool requests of an answer. Their start time is that of the answer.
pub(super) fn decode_tool_requests(event: &mut Event<'_>) -> Result<Vec<Step>, Refusal> {
    let requests = match event.data.take_non_null("toolRequests") {
        None => return Ok(Vec::new()),
        Some(Json::List(requests)) => requests,
        Some(other) => return Err(in_data(wrong_type("toolRequests", "an array", &other))),
    };
    if requests.is_empty() {
        event.recorder.data.set("toolRequests", requests);
        return Ok(Vec::new());
    }
    let mut steps = Vec::with_capacity(requests.len());
    for (index, request) in requests.into_iter().enumerate() {
        let (step, rest) = decode_tool_request(request, event.at)
            .map_err(|refusal| in_data(refusal.at(&format!("toolRequests[{index}]"))))?;
        steps.push(step);
        event.recorder.requests.push(rest);
    }
    Ok(steps)
}

/// The tool name. It is optional at the end of a call.
fn decode_tool_name(event: &mut Event<'_>) -> Result<String, Refusal> {
    let is_start = event.event_type == EventType::ToolStart;
    match event.data.text("toolName").map_err(in_data)? {
        None if is_start => Err(in_data(missing("toolName"))),
        Some(name) if name.is_empty() && !is_start => {
            event.recorder.data.set("toolName", name);
            Ok(String::new())
        }
        name => Ok(name.map(Cow::into_owned).unwrap_or_default()),
    }
}

fn decode_failure(event: &mut Event<'_>) -> Result<bool, Refusal> {
    if let Some(is_success) = event.data.boolean("success").map_err(in_data)? {
        return Ok(!is_success);
    }
    if !event.recorder.data.contains("success") {
        event.recorder.absent.push("success");
    }
    Ok(event.recorder.alternative_names.contains(&"error"))
}

fn decode_tool_request(request: Json<'_>, started_at: Timestamp) -> Result<(Step, Object<'_>), Refusal> {
    let mut fields = Object::read(request, "a call of a tool")?;
    let id = fields.required_text("toolCallId")?.into_owned();
    let name = fields.required_text("name")?.into_owned();
    // A `null` stays in the fields, so that it is preserved.
    let has_input = fields.get("arguments").is_some_and(|input| !input.is_null());
    let input = if has_input { fields.take_non_null("arguments").map(Json::into_value) } else { None };
    let step = Step { id, name, input, output: None, is_error: false, started_at, finished_at: None };
    Ok((step, fields))
}

/// Takes a field that has two names, and records when the alternative name was used.
fn take_either(event: &mut Event<'_>, canonical: &str, other: &'static str) -> Option<Value> {
    if let Some(value) = event.data.take_non_null(canonical) {
        return Some(value.into_value());
    }
    let value = event.data.take_non_null(other)?;
    event.recorder.alternative_names.push(other);
    Some(value.into_value())
}
