//! Encodes events.

use parlour_core::{
    author::Source,
    message::{Kind, Message},
    step::Step,
};
use serde_json::{Map, Value};

use super::{
    NAME, SYSTEM_NAME,
    decode::{SOCKET_EVENT, decode_json, host_author, identifier_field, source_author, system_author},
    source::source_name,
    wire::{EventType, PreservedFields, plain_ids, unnamed_assistant},
};
use crate::{
    DecodeContext, Frame, Item, extras,
    foreign_id::{foreign_author_id, foreign_text, native_id},
    json::{Json, Object},
};

/// The capacity for the fields of an event or of its data.
const USUAL_FIELDS: usize = 6;

/// Encodes an item such that decoding returns the same item.
///
/// Preserved fields are used only while they do not change the content of the message: anybody can write metadata.
pub(crate) fn encode_json(item: &Item) -> Option<Json<'_>> {
    if item.frame == Frame::Signal {
        return encode_signal(item);
    }
    let preserved = PreservedFields::of(&item.message);
    let tried = if preserved.is_empty() { None } else { Some([preserved, preserved.without_prefix()]) };
    let faithful = tried.into_iter().flatten().find_map(|preserved| preserved_event(item, preserved));
    faithful.or_else(|| canonical_event(item).map(Json::Object))
}

/// Encodes an event for live readers: clean text, source in fields.
pub(super) fn encode_broadcast_json(item: &Item) -> Option<Json<'_>> {
    if item.frame == Frame::Signal {
        return encode_signal(item);
    }
    build_event(item, PreservedFields::default()).map(Json::Object)
}

/// The value of a signal, if this dialect decodes it to the same item.
fn encode_signal(item: &Item) -> Option<Json<'_>> {
    let decode_context = DecodeContext::history(item.message.created_at);
    item.as_signal(NAME).map(Json::of).filter(|form| decode_json(form.clone(), &decode_context).as_ref() == Ok(item))
}

fn canonical_event(item: &Item) -> Option<Object<'_>> {
    let mut form = build_event(item, PreservedFields::default())?;
    let Some(decoded) = expected_message(item) else {
        let read = |form, decode_context: &DecodeContext| decode_json(Json::Object(form), decode_context);
        return Some(extras::with_extras(item, form, read, |form, extras| form.set(extras::KEY, extras)));
    };
    form.set_some(extras::KEY, extras::extras_of(&item.message, &decoded));
    Some(form)
}

/// The message that a reader decodes from the canonical form of a common message, without decoding it: decoding would
/// take longer than the rest. Property tests compare both.
fn expected_message(item: &Item) -> Option<Message> {
    let message = &item.message;
    if item.frame != Frame::Message || !message.steps.is_empty() {
        return None;
    }
    let (event_type, source) = canonical_type(message);
    let from = match (event_type, source) {
        (EventType::UserMessage, Some(source)) => {
            let identifier =
                Some(foreign_author_id(NAME, &message.from)).filter(|identifier| !identifier.is_empty())?;
            source_author(source, Some(identifier))
        }
        (EventType::AssistantMessage, _) => unnamed_assistant(),
        (EventType::SessionInfo, _) => host_author(),
        _ => system_author(Some(message.from.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(SYSTEM_NAME)),
    };
    let id = id_text(message);
    let id = if foreign_text(&message.id) == message.id.as_str() { message.id.clone() } else { native_id(id) };
    let (_, project, channel) = plain_ids();
    let (project, to) = (project.clone(), channel.clone().into());
    let mut decoded = Message::plain(id, project, to, from, message.body.clone(), message.created_at);
    if event_type == EventType::UserMessage {
        decoded.kind = Kind::User;
        decoded.correlation_id.clone_from(&message.correlation_id);
    }
    Some(decoded)
}

/// The id text, never empty.
fn id_text(message: &Message) -> &str {
    Some(foreign_text(&message.id)).filter(|id| !id.is_empty()).unwrap_or(message.id.as_str())
}

/// The event type of a message, and the source of a prompt.
fn canonical_type(message: &Message) -> (EventType, Option<Source>) {
    match (message.kind, message.from.source()) {
        (Kind::User, Some(source)) => (EventType::UserMessage, Some(source)),
        (Kind::Assistant, _) => (EventType::AssistantMessage, None),
        (Kind::Host, _) => (EventType::SessionInfo, None),
        _ => (EventType::SystemMessage, None),
    }
}

/// The event with all preserved fields; none if decoding it would give another author, kind, text or steps.
fn preserved_event<'a>(item: &'a Item, preserved: PreservedFields<'a>) -> Option<Json<'a>> {
    let message = &item.message;
    let mut form = build_event(item, preserved)?;
    let wrapped = |event: Object<'a>| match preserved.socket() {
        None => Json::Object(event),
        Some(socket) => {
            let mut socket = Object::of(socket);
            socket.set("type", SOCKET_EVENT);
            socket.set("event", event);
            Json::Object(socket)
        }
    };
    // An event without a time gets the time of decoding; another time shows whether the event has one.
    let later = u64::from(
        !preserved.is_absent("timestamp") && preserved.event().is_none_or(|event| !event.contains_key("timestamp")),
    );
    let decoded =
        decode_json(wrapped(form.clone()), &DecodeContext::history(message.created_at.plus_millis(later))).ok()?;
    let has_same_content = decoded.frame == item.frame
        && decoded.message.from == message.from
        && decoded.message.kind == message.kind
        && decoded.message.body == message.body
        && decoded.message.steps == message.steps;
    if !has_same_content {
        return None;
    }
    form.set_some(extras::KEY, extras::extras_of(message, &decoded.message));
    Some(wrapped(form))
}

fn build_event<'a>(item: &'a Item, preserved: PreservedFields<'a>) -> Option<Object<'a>> {
    let message = &item.message;
    let (event_type, mut data) = match item.frame {
        Frame::Message => message_data(message, preserved),
        Frame::Typing => (EventType::TurnStart, Object::default()),
        Frame::Piece => (EventType::AssistantDelta, text_field("deltaContent", message.body.as_str())),
        Frame::Step => match message.steps.as_slice() {
            [step] => encode_step(step, preserved),
            _ => return None,
        },
        Frame::Signal => return None,
    };
    let is_answer = event_type == EventType::AssistantMessage || item.frame != Frame::Message;
    if is_answer && (matches!(item.frame, Frame::Message | Frame::Piece) || message.id != plain_ids().0) {
        data.set("messageId", id_text(message));
    }
    overlay(&mut data, preserved.data(), &[]);
    let mut event = Object::with_capacity(USUAL_FIELDS);
    event.push("data", data);
    event.push_some("id", (!is_answer && !preserved.is_absent("id")).then(|| id_text(message)));
    event.push_some("timestamp", (!preserved.is_absent("timestamp")).then(|| message.created_at.to_string()));
    event.push("type", event_type.name());
    overlay(&mut event, preserved.event(), &["type", "data", extras::KEY]);
    Some(event)
}

fn message_data<'a>(message: &'a Message, preserved: PreservedFields<'a>) -> (EventType, Object<'a>) {
    match canonical_type(message) {
        (event_type, Some(source)) => (event_type, prompt_data(message, source, preserved)),
        (EventType::AssistantMessage, _) => (EventType::AssistantMessage, answer_data(message, preserved)),
        (EventType::SessionInfo, _) => {
            let news = [EventType::SessionError, EventType::SessionWarning];
            let known = preserved.event_type().and_then(|name| news.into_iter().find(|one| one.name() == name));
            (known.unwrap_or(EventType::SessionInfo), text_field("message", message.body.as_str()))
        }
        (event_type, _) => (event_type, context_data(message)),
    }
}

fn prompt_data<'a>(message: &'a Message, source: Source, preserved: PreservedFields<'_>) -> Object<'a> {
    let mut data = match preserved.prefix() {
        Some(prefix) => text_field("content", [prefix, &message.body].concat()),
        None => {
            let mut data = text_field("content", message.body.as_str());
            data.set("source", source_name(source));
            if let Some(field) = identifier_field(source).filter(|field| !preserved.is_absent(field)) {
                data.set(field, foreign_author_id(NAME, &message.from));
            }
            data
        }
    };
    data.set_some("correlationId", message.correlation_id.as_deref());
    data
}

fn answer_data<'a>(message: &'a Message, preserved: PreservedFields<'a>) -> Object<'a> {
    let mut data = text_field("content", message.body.as_str());
    if !message.steps.is_empty() {
        data.set("toolRequests", encode_tool_requests(&message.steps, preserved));
    }
    data
}

fn context_data(message: &Message) -> Object<'_> {
    let mut data = text_field("content", message.body.as_str());
    if !message.from.name.is_empty() && message.from.name != SYSTEM_NAME {
        data.set("name", message.from.name.as_str());
    }
    data
}

fn text_field<'a>(name: &'static str, text: impl Into<Json<'a>>) -> Object<'a> {
    let mut data = Object::with_capacity(USUAL_FIELDS);
    data.set(name, text);
    data
}

fn overlay<'a>(form: &mut Object<'a>, preserved: Option<&'a Map<String, Value>>, except: &[&str]) {
    for (name, value) in preserved.into_iter().flatten().filter(|(name, _)| !except.contains(&name.as_str())) {
        form.set(name.as_str(), Json::of(value));
    }
}

/// Encodes the start or the end of a tool call.
pub(super) fn encode_step<'a>(step: &'a Step, preserved: PreservedFields<'_>) -> (EventType, Object<'a>) {
    let mut data = Object::default();
    data.set("toolCallId", step.id.as_str());
    let is_end = step.finished_at.is_some();
    if !is_end || !step.name.is_empty() {
        data.set("toolName", step.name.as_str());
    }
    encode_either(&mut data, step.input.as_ref(), "arguments", "input", preserved);
    if !is_end {
        return (EventType::ToolStart, data);
    }
    encode_either(&mut data, step.output.as_ref(), "result", "error", preserved);
    if !preserved.is_absent("success") {
        data.set("success", !step.is_error);
    }
    (EventType::ToolComplete, data)
}

pub(super) fn encode_tool_requests<'a>(steps: &'a [Step], preserved: PreservedFields<'a>) -> Json<'a> {
    let request = |(index, step): (usize, &'a Step)| {
        let mut request = preserved.request(index).map(Object::of).unwrap_or_default();
        request.set("toolCallId", step.id.as_str());
        request.set("name", step.name.as_str());
        request.set_some("arguments", step.input.as_ref().map(Json::of));
        Json::Object(request)
    };
    Json::List(steps.iter().enumerate().map(request).collect())
}

fn encode_either<'a>(
    data: &mut Object<'a>,
    value: Option<&'a Value>,
    canonical: &'static str,
    other: &'static str,
    preserved: PreservedFields<'_>,
) {
    if let Some(value) = value {
        data.set(if preserved.has_alternative_name(other) { other } else { canonical }, Json::of(value));
    }
}
