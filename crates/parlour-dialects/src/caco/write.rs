//! Writing events.

use parlour_core::{
    author::Source,
    message::{Kind, Message},
};
use serde_json::{Map, Value};

use super::{
    NAME, SYSTEM_NAME,
    event::{EventType, plain_ids, unnamed_assistant},
    kept::Kept,
    read::{SOCKET_EVENT, author, host_author, identifier_field, read, system_author},
    source::source_name,
    tool,
};
use crate::{
    Frame, Item, Scene, extras,
    foreign_author::said_author,
    foreign_id::{mapped, said},
};

/// Writes an item so that it is read as the same again.
///
/// What was kept of the event is used as long as it does not change what the message says: anybody may have written it.
pub(super) fn write(item: &Item) -> Option<Value> {
    if item.frame == Frame::Signal {
        return own_signal(item).cloned();
    }
    let kept = Kept::of(&item.message);
    let tried = if kept.is_empty() { None } else { Some([kept, kept.without_prefix()]) };
    let faithful = tried.into_iter().flatten().find_map(|kept| faithful(item, kept));
    faithful.or_else(|| plain(item))
}

/// The event as it is told to readers of a connection: a clean text, and its source in fields.
pub(super) fn write_broadcast(item: &Item) -> Option<Value> {
    if item.frame == Frame::Signal {
        return own_signal(item).cloned();
    }
    event(item, Kept::default()).map(Value::Object)
}

/// The value of a signal that is one of this dialect.
fn own_signal(item: &Item) -> Option<&Value> {
    let scene = Scene::history(item.message.created_at);
    item.as_signal(NAME).filter(|value| read((*value).clone(), &scene).as_ref() == Ok(item))
}

/// The event in its usual form.
fn plain(item: &Item) -> Option<Value> {
    let mut form = event(item, Kept::default())?;
    let put = |form: &mut Value, extras| form[extras::KEY] = Value::Object(extras);
    let Some(understood) = expected(item) else {
        return Some(extras::complete(item, Value::Object(form), read, put));
    };
    if let Some(extras) = extras::missing(&item.message, &understood) {
        form.insert(extras::KEY.to_owned(), Value::Object(extras));
    }
    Some(Value::Object(form))
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
    let mut understood = Message::plain(id, project, channel.into(), from, message.body.clone(), message.created_at);
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
fn faithful(item: &Item, kept: Kept<'_>) -> Option<Value> {
    let message = &item.message;
    let form = event(item, kept)?;
    let wrapped = |event: Map<String, Value>| match kept.socket() {
        None => Value::Object(event),
        Some(socket) => {
            let mut socket = socket.clone();
            socket.insert("type".to_owned(), SOCKET_EVENT.into());
            socket.insert("event".to_owned(), Value::Object(event));
            Value::Object(socket)
        }
    };
    // An event without a time gets that of its reading; any other moment shows whether it says one.
    let later =
        u64::from(!kept.lacks("timestamp") && kept.event().is_none_or(|event| !event.contains_key("timestamp")));
    let understood = read(wrapped(form.clone()), &Scene::history(message.created_at.plus_millis(later))).ok()?;
    let says_the_same = understood.frame == item.frame
        && understood.message.from == message.from
        && understood.message.kind == message.kind
        && understood.message.body == message.body
        && understood.message.steps == message.steps;
    if !says_the_same {
        return None;
    }
    let mut form = form;
    if let Some(extras) = extras::missing(message, &understood.message) {
        form.insert(extras::KEY.to_owned(), Value::Object(extras));
    }
    Some(wrapped(form))
}

fn event(item: &Item, kept: Kept<'_>) -> Option<Map<String, Value>> {
    let message = &item.message;
    let (event_type, mut data) = match item.frame {
        Frame::Message => message_data(message, kept),
        Frame::Typing => (EventType::TurnStart, Map::new()),
        Frame::Piece => (EventType::AssistantDelta, text_field("deltaContent", &message.body)),
        Frame::Step => match message.steps.as_slice() {
            [step] => tool::written_step(step, kept),
            _ => return None,
        },
        Frame::Signal => return None,
    };
    let is_answer = event_type == EventType::AssistantMessage || item.frame != Frame::Message;
    let mut event = Map::new();
    event.insert("type".to_owned(), event_type.name().into());
    if is_answer && (matches!(item.frame, Frame::Message | Frame::Piece) || message.id != plain_ids().0) {
        data.insert("messageId".to_owned(), said_id(message).into());
    } else if !is_answer && !kept.lacks("id") {
        event.insert("id".to_owned(), said_id(message).into());
    }
    if !kept.lacks("timestamp") {
        event.insert("timestamp".to_owned(), message.created_at.to_string().into());
    }
    overlay(&mut data, kept.data(), &[]);
    event.insert("data".to_owned(), Value::Object(data));
    overlay(&mut event, kept.event(), &["type", "data", extras::KEY]);
    Some(event)
}

fn message_data(message: &Message, kept: Kept<'_>) -> (EventType, Map<String, Value>) {
    match usual_type(message) {
        (event_type, Some(source)) => (event_type, prompt_data(message, source, kept)),
        (EventType::AssistantMessage, _) => (EventType::AssistantMessage, answer_data(message, kept)),
        (EventType::SessionInfo, _) => {
            let news = [EventType::SessionError, EventType::SessionWarning];
            let told = kept.event_type().and_then(|name| news.into_iter().find(|one| one.name() == name));
            (told.unwrap_or(EventType::SessionInfo), text_field("message", &message.body))
        }
        (event_type, _) => (event_type, context_data(message)),
    }
}

fn prompt_data(message: &Message, source: Source, kept: Kept<'_>) -> Map<String, Value> {
    let mut data = match kept.prefix() {
        Some(prefix) => text_field("content", &[prefix, &message.body].concat()),
        None => {
            let mut data = text_field("content", &message.body);
            data.insert("source".to_owned(), source_name(source).into());
            if let Some(field) = identifier_field(source).filter(|field| !kept.lacks(field)) {
                data.insert(field.to_owned(), said_author(NAME, &message.from).into());
            }
            data
        }
    };
    if let Some(correlation_id) = &message.correlation_id {
        data.insert("correlationId".to_owned(), correlation_id.as_str().into());
    }
    data
}

fn answer_data(message: &Message, kept: Kept<'_>) -> Map<String, Value> {
    let mut data = text_field("content", &message.body);
    if !message.steps.is_empty() {
        data.insert("toolRequests".to_owned(), tool::written_requests(&message.steps, kept));
    }
    data
}

fn context_data(message: &Message) -> Map<String, Value> {
    let mut data = text_field("content", &message.body);
    if !message.from.name.is_empty() && message.from.name != SYSTEM_NAME {
        data.insert("name".to_owned(), message.from.name.as_str().into());
    }
    data
}

fn text_field(name: &str, text: &str) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), Value::from(text))])
}

fn overlay(form: &mut Map<String, Value>, kept: Option<&Map<String, Value>>, except: &[&str]) {
    for (name, value) in kept.into_iter().flatten().filter(|(name, _)| !except.contains(&name.as_str())) {
        form.insert(name.clone(), value.clone());
    }
}
