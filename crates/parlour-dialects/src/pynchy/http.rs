//! HTTP forms of pynchy: the events of `GET /api/events` and the entries of `GET /api/messages`.
//!
//! These forms have no id, kind or metadata, so a message does not survive a round trip through them. A decoded event
//! is encoded unchanged.

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::ChannelId,
    message::{Kind, Message},
};
use serde_json::{Map, Value, json};

use super::{
    NAME, Row,
    decode::chat_jid,
    wire::{self, NIL_PROJECT, preserved},
};
use crate::{
    DecodeContext, Frame, Item,
    fields::{Fields, missing},
    foreign_id::{foreign_author, native_id, unrecoverable_text},
};

/// The types of events.
const MESSAGE: &str = "message";
const ACTIVITY: &str = "agent_activity";
const TRACE: &str = "agent_trace";
const SIGNALS: [&str; 3] = [ACTIVITY, TRACE, "chat_cleared"];

/// Decodes an event. Everything but a message is a signal.
pub fn decode_http(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let fields = Fields::of(value, "an event of pynchy")?;
    match fields.peek("type").and_then(Value::as_str) {
        Some(MESSAGE) => decode_event_message(fields),
        Some(name) if SIGNALS.contains(&name) => Ok(Item::signal(NAME, fields.rest().into(), decode_context.now)),
        _ => {
            let names = [MESSAGE].into_iter().chain(SIGNALS).map(str::to_owned).collect::<Vec<_>>();
            let refusal = Refusal::out_of_bounds(format!("this must be one of {}", names.join(", ")));
            Err(refusal.proposing(names).at("type"))
        }
    }
}

/// Encodes an event; none if pynchy has no event for the frame.
pub fn encode_http(item: &Item) -> Option<Value> {
    let message = &item.message;
    let jid = chat_jid(message);
    match item.frame {
        Frame::Message => Some(encode_event_message(message)),
        Frame::Typing if message.from.author_type == AuthorType::Agent => {
            Some(json!({"type": ACTIVITY, "chat_jid": jid, "active": true}))
        }
        Frame::Typing => None,
        Frame::Piece => Some(json!({"type": TRACE, "chat_jid": jid, "trace_type": "text", "text": message.body})),
        Frame::Step => encode_step_trace(message),
        Frame::Signal => item.as_signal(NAME).cloned(),
    }
}

/// Encodes a message as an entry of the history.
pub fn encode_http_entry(message: &Message) -> Value {
    let row = Row::of(message);
    json!({
        "sender_name": event_sender_name(message),
        "content": row.content,
        "timestamp": row.timestamp,
        "is_from_me": row.is_from_me,
    })
}

fn decode_event_message(mut fields: Fields) -> Result<Item, Refusal> {
    let jid = fields.required_text("chat_jid")?;
    let name = fields.required_text("sender_name")?;
    let content = fields.required_text("content")?;
    let timestamp = fields.required_text("timestamp")?;
    let is_bot = fields.boolean("is_bot")?.ok_or_else(|| missing("is_bot"))?;
    let at: Timestamp = wire::parse_time(&timestamp).map_err(|refusal| refusal.at("timestamp"))?;
    // Only pynchy sets `is_bot`, so only then the name gives the author type.
    let (author_type, sender, kind) = match (is_bot, name.as_str()) {
        (false, _) => (AuthorType::Person, name.as_str(), Kind::User),
        (true, "host") => (AuthorType::Host, "host", Kind::Host),
        (true, "command") => (AuthorType::Tool, "command_output", Kind::ToolResult),
        (true, "System") => (AuthorType::System, "system_notice", Kind::System),
        (true, _) => (AuthorType::Agent, "bot", Kind::Assistant),
    };
    let mut author = foreign_author(NAME, author_type, sender, &name);
    let channel: ChannelId = native_id(&jid);
    // An event has no id. It is derived from chat, time, author and text, so that decoding is repeatable.
    let id = native_id(&format!("{}:{jid}:{timestamp}:{}:{name}:{content}", jid.len(), name.len()));
    let mut preserved = Map::new();
    if let Some(jid) = unrecoverable_text(jid, &channel) {
        preserved.insert("chat_jid".to_owned(), jid.into());
    }
    if wire::time_text(at) != timestamp {
        preserved.insert("timestamp".to_owned(), timestamp.into());
    }
    fields.take_non_null("type");
    let more = fields.rest();
    if !more.is_empty() {
        preserved.insert("more".to_owned(), more.into());
    }
    author.name = name;
    let plain = Message::plain(id, NIL_PROJECT.clone(), channel.into(), author, content, at);
    let mut message = Message { kind, ..plain };
    if !preserved.is_empty() {
        message.metadata.insert(NAME.to_owned(), preserved.into());
    }
    Ok(Item::message(message))
}

fn encode_event_message(message: &Message) -> Value {
    let row = Row::of(message);
    let more = preserved(message).and_then(|preserved| preserved.get("more")).and_then(Value::as_object);
    let mut event = more.cloned().unwrap_or_default();
    event.insert("type".to_owned(), MESSAGE.into());
    event.insert("chat_jid".to_owned(), row.chat_jid.into());
    event.insert("sender_name".to_owned(), event_sender_name(message).into());
    event.insert("content".to_owned(), row.content.into());
    event.insert("timestamp".to_owned(), row.timestamp.into());
    event.insert("is_bot".to_owned(), (message.from.author_type != AuthorType::Person).into());
    event.into()
}

/// The name of the sender. A host message always has the same, because no other field marks it.
fn event_sender_name(message: &Message) -> &str {
    if message.kind == Kind::Host { "host" } else { &message.from.name }
}

/// The trace of the start or the end of a step.
fn encode_step_trace(message: &Message) -> Option<Value> {
    let step = message.steps.first()?;
    let jid = chat_jid(message);
    if step.finished_at.is_none() {
        let input = step.input.clone().unwrap_or_else(|| json!({}));
        let name = &step.name;
        return Some(
            json!({"type": TRACE, "chat_jid": jid, "trace_type": "tool_use", "tool_name": name, "tool_input": input}),
        );
    }
    let content = match &step.output {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Some(json!({
        "type": TRACE, "chat_jid": jid, "trace_type": "tool_result",
        "tool_use_id": step.id, "content": content, "is_error": step.is_error,
    }))
}
