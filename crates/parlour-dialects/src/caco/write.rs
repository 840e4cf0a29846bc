//! Writing events.

use parlour_core::{
    author::Source,
    message::{Kind, Message},
};
use serde_json::{Map, Value};

use super::{
    NAME, SYSTEM_NAME,
    event::{EventType, plain_ids, unnamed_assistant},
    kept::PreservedFields,
    read::{SOCKET_EVENT, author, host_author, identifier_field, read, system_author},
    source::source_name,
    tool,
};
use crate::{
    DecodeContext, Frame, Item, extras,
    foreign_author::said_author,
    foreign_id::{mapped, said},
    json::{Json, Object},
};

/// How many fields an event, and its data, usually have at the most.
const USUAL_FIELDS: usize = 6;

/// Writes an item so that it is read as the same again.
///
/// What was kept of the event is used as long as it does not change what the message says: anybody may have written it.
pub(crate) fn write(item: &Item) -> Option<Json<'_>> {
    if item.frame == Frame::Signal {
        return own_signal(item);
    }
    let kept = PreservedFields::of(&item.message);
    let tried = if kept.is_empty() { None } else { Some([kept, kept.without_prefix()]) };
    let faithful = tried.into_iter().flatten().find_map(|kept| faithful(item, kept));
    faithful.or_else(|| plain(item).map(Json::Object))
}

/// The event as it is told to readers of a connection: a clean text, and its source in fields.
pub(super) fn write_broadcast(item: &Item) -> Option<Json<'_>> {
    if item.frame == Frame::Signal {
        return own_signal(item);
    }
    event(item, PreservedFields::default()).map(Json::Object)
}

/// The value of a signal that is one of this dialect.
fn own_signal(item: &Item) -> Option<Json<'_>> {
    let scene = DecodeContext::history(item.message.created_at);
    item.as_signal(NAME).map(Json::of).filter(|form| read(form.clone(), &scene).as_ref() == Ok(item))
}

/// The event in its usual form.
fn plain(item: &Item) -> Option<Object<'_>> {
    let mut form = event(item, PreservedFields::default())?;
    let Some(understood) = expected(item) else {
        let read = |form, scene: &DecodeContext| read(Json::Object(form), scene);
        return Some(extras::completed(item, form, read, |form, extras| form.set(extras::KEY, extras)));
    };
    form.set_some(extras::KEY, extras::unsaid(&item.message, &understood));
    Some(form)
}

/// What a reader understands of the usual form of a common message. It is known without reading it, which takes longer
/// than all the rest; the laws of the dialects hold it against reading.
fn expected(item: &Item) -> Option<Message> {
    let message = &item.message;
    if item.frame != Frame::Message || !message.steps.is_empty() {
        return None;
    }
    let (event_type, source) = usual_type(message);
    let from = match (event_type, source) {
        (EventType::UserMessage, Some(source)) => {
            let said = Some(said_author(NAME, &message.from)).filter(|said| !said.is_empty())?;
            author(source, Some(said))
        }
        (EventType::AssistantMessage, _) => unnamed_assistant(),
        (EventType::SessionInfo, _) => host_author(),
        _ => system_author(Some(message.from.name.as_str()).filter(|name| !name.is_empty()).unwrap_or(SYSTEM_NAME)),
    };
    let id = said_id(message);
    let id = if said(&message.id) == message.id.as_str() { message.id.clone() } else { mapped(id) };
    let (_, project, channel) = plain_ids();
    let (project, to) = (project.clone(), channel.clone().into());
    let mut understood = Message::plain(id, project, to, from, message.body.clone(), message.created_at);
    if event_type == EventType::UserMessage {
        understood.kind = Kind::User;
        understood.correlation_id.clone_from(&message.correlation_id);
    }
    Some(understood)
}

/// The text of the message's id, never empty.
fn said_id(message: &Message) -> &str {
    Some(said(&message.id)).filter(|id| !id.is_empty()).unwrap_or(message.id.as_str())
}

/// The type of event that says such a message, and its source if it is a prompt.
fn usual_type(message: &Message) -> (EventType, Option<Source>) {
    match (message.kind, message.from.source()) {
        (Kind::User, Some(source)) => (EventType::UserMessage, Some(source)),
        (Kind::Assistant, _) => (EventType::AssistantMessage, None),
        (Kind::Host, _) => (EventType::SessionInfo, None),
        _ => (EventType::SystemMessage, None),
    }
}

/// The event with all that was kept of it, or none if it would then say something else.
fn faithful<'a>(item: &'a Item, kept: PreservedFields<'a>) -> Option<Json<'a>> {
    let message = &item.message;
    let mut form = event(item, kept)?;
    let wrapped = |event: Object<'a>| match kept.socket() {
        None => Json::Object(event),
        Some(socket) => {
            let mut socket = Object::of(socket);
            socket.set("type", SOCKET_EVENT);
            socket.set("event", event);
            Json::Object(socket)
        }
    };
    // An event without a time gets that of its reading; any other moment shows whether it says one.
    let later =
        u64::from(!kept.lacks("timestamp") && kept.event().is_none_or(|event| !event.contains_key("timestamp")));
    let understood =
        read(wrapped(form.clone()), &DecodeContext::history(message.created_at.plus_millis(later))).ok()?;
    let says_the_same = understood.frame == item.frame
        && understood.message.from == message.from
        && understood.message.kind == message.kind
        && understood.message.body == message.body
        && understood.message.steps == message.steps;
    if !says_the_same {
        return None;
    }
    form.set_some(extras::KEY, extras::unsaid(message, &understood.message));
    Some(wrapped(form))
}

fn event<'a>(item: &'a Item, kept: PreservedFields<'a>) -> Option<Object<'a>> {
    let message = &item.message;
    let (event_type, mut data) = match item.frame {
        Frame::Message => message_data(message, kept),
        Frame::Typing => (EventType::TurnStart, Object::default()),
        Frame::Piece => (EventType::AssistantDelta, text_field("deltaContent", message.body.as_str())),
        Frame::Step => match message.steps.as_slice() {
            [step] => tool::written_step(step, kept),
            _ => return None,
        },
        Frame::Signal => return None,
    };
    let is_answer = event_type == EventType::AssistantMessage || item.frame != Frame::Message;
    if is_answer && (matches!(item.frame, Frame::Message | Frame::Piece) || message.id != plain_ids().0) {
        data.set("messageId", said_id(message));
    }
    overlay(&mut data, kept.data(), &[]);
    let mut event = Object::with_room(USUAL_FIELDS);
    event.push("data", data);
    event.push_some("id", (!is_answer && !kept.lacks("id")).then(|| said_id(message)));
    event.push_some("timestamp", (!kept.lacks("timestamp")).then(|| message.created_at.to_string()));
    event.push("type", event_type.name());
    overlay(&mut event, kept.event(), &["type", "data", extras::KEY]);
    Some(event)
}

fn message_data<'a>(message: &'a Message, kept: PreservedFields<'a>) -> (EventType, Object<'a>) {
    match usual_type(message) {
        (event_type, Some(source)) => (event_type, prompt_data(message, source, kept)),
        (EventType::AssistantMessage, _) => (EventType::AssistantMessage, answer_data(message, kept)),
        (EventType::SessionInfo, _) => {
            let news = [EventType::SessionError, EventType::SessionWarning];
            let told = kept.event_type().and_then(|name| news.into_iter().find(|one| one.name() == name));
            (told.unwrap_or(EventType::SessionInfo), text_field("message", message.body.as_str()))
        }
        (event_type, _) => (event_type, context_data(message)),
    }
}

fn prompt_data<'a>(message: &'a Message, source: Source, kept: PreservedFields<'_>) -> Object<'a> {
    let mut data = match kept.prefix() {
        Some(prefix) => text_field("content", [prefix, &message.body].concat()),
        None => {
            let mut data = text_field("content", message.body.as_str());
            data.set("source", source_name(source));
            if let Some(field) = identifier_field(source).filter(|field| !kept.lacks(field)) {
                data.set(field, said_author(NAME, &message.from));
            }
            data
        }
    };
    data.set_some("correlationId", message.correlation_id.as_deref());
    data
}

fn answer_data<'a>(message: &'a Message, kept: PreservedFields<'a>) -> Object<'a> {
    let mut data = text_field("content", message.body.as_str());
    if !message.steps.is_empty() {
        data.set("toolRequests", tool::written_requests(&message.steps, kept));
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
    let mut data = Object::with_room(USUAL_FIELDS);
    data.set(name, text);
    data
}

fn overlay<'a>(form: &mut Object<'a>, kept: Option<&'a Map<String, Value>>, except: &[&str]) {
    for (name, value) in kept.into_iter().flatten().filter(|(name, _)| !except.contains(&name.as_str())) {
        form.set(name.as_str(), Json::of(value));
    }
}
