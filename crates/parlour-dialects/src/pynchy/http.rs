//! What pynchy tells over HTTP: the events of `GET /api/events` and the entries of `GET /api/messages`.
//!
//! These forms have no room for the id, the kind and the metadata of a message, so unlike a row they do not give back
//! the message that they were made from. An event that was read is written again as it was.

use parlour_core::{
    Refusal, Timestamp,
    author::AuthorType,
    id::ChannelId,
    message::{Kind, Message},
};
use serde_json::{Map, Value, json};

use super::{NAME, NOWHERE, Row, chat_jid, kept, time};
use crate::{
    DecodeContext, Frame, Item,
    fields::{Fields, missing},
    foreign_author::foreign_author,
    foreign_id::{mapped, unsaid},
};

/// What an event can tell.
const MESSAGE: &str = "message";
const ACTIVITY: &str = "agent_activity";
const TRACE: &str = "agent_trace";
const SIGNALS: [&str; 3] = [ACTIVITY, TRACE, "chat_cleared"];

/// Reads an event. Everything but a message is a signal.
pub fn decode_http(value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    let fields = Fields::of(value, "an event of pynchy")?;
    match fields.peek("type").and_then(Value::as_str) {
        Some(MESSAGE) => read_message(fields),
        Some(name) if SIGNALS.contains(&name) => Ok(Item::signal(NAME, fields.rest().into(), scene.now)),
        _ => {
            let names = [MESSAGE].into_iter().chain(SIGNALS).map(str::to_owned).collect::<Vec<_>>();
            let refusal = Refusal::out_of_bounds(format!("this must be one of {}", names.join(", ")));
            Err(refusal.proposing(names).at("type"))
        }
    }
}

/// Writes an event; none for a frame that pynchy has no event for.
pub fn encode_http(item: &Item) -> Option<Value> {
    let message = &item.message;
    let jid = chat_jid(message);
    match item.frame {
        Frame::Message => Some(written_message(message)),
        Frame::Typing if message.from.author_type == AuthorType::Agent => {
            Some(json!({"type": ACTIVITY, "chat_jid": jid, "active": true}))
        }
        Frame::Typing => None,
        Frame::Piece => Some(json!({"type": TRACE, "chat_jid": jid, "trace_type": "text", "text": message.body})),
        Frame::Step => written_step(message),
        Frame::Signal => item.as_signal(NAME).cloned(),
    }
}

/// Writes a message as one entry of a history.
pub fn encode_http_entry(message: &Message) -> Value {
    let row = Row::of(message);
    json!({
        "sender_name": shown_name(message),
        "content": row.content,
        "timestamp": row.timestamp,
        "is_from_me": row.is_from_me,
    })
}

fn read_message(mut fields: Fields) -> Result<Item, Refusal> {
    let jid = fields.required_text("chat_jid")?;
    let name = fields.required_text("sender_name")?;
    let content = fields.required_text("content")?;
    let timestamp = fields.required_text("timestamp")?;
    let is_bot = fields.boolean("is_bot")?.ok_or_else(|| missing("is_bot"))?;
    let at: Timestamp = time::read(&timestamp).map_err(|refusal| refusal.at("timestamp"))?;
    // Only pynchy itself marks an event as its own, so only then does the name tell the sort of author.
    let (author_type, sender, kind) = match (is_bot, name.as_str()) {
        (false, _) => (AuthorType::Person, name.as_str(), Kind::User),
        (true, "host") => (AuthorType::Host, "host", Kind::Host),
        (true, "command") => (AuthorType::Tool, "command_output", Kind::ToolResult),
        (true, "System") => (AuthorType::System, "system_notice", Kind::System),
        (true, _) => (AuthorType::Agent, "bot", Kind::Assistant),
    };
    let mut author = foreign_author(NAME, author_type, sender, &name);
    let channel: ChannelId = mapped(&jid);
    // An event has no id: its chat, time, author and text stand for it, so that the same event is the same message.
    let id = mapped(&format!("{}:{jid}:{timestamp}:{}:{name}:{content}", jid.len(), name.len()));
    let mut kept = Map::new();
    if let Some(jid) = unsaid(jid, &channel) {
        kept.insert("chat_jid".to_owned(), jid.into());
    }
    if time::written(at) != timestamp {
        kept.insert("timestamp".to_owned(), timestamp.into());
    }
    fields.any("type");
    let more = fields.rest();
    if !more.is_empty() {
        kept.insert("more".to_owned(), more.into());
    }
    author.name = name;
    let plain = Message::plain(id, NOWHERE.clone(), channel.into(), author, content, at);
    let mut message = Message { kind, ..plain };
    if !kept.is_empty() {
        message.metadata.insert(NAME.to_owned(), kept.into());
    }
    Ok(Item::message(message))
}

fn written_message(message: &Message) -> Value {
    let row = Row::of(message);
    let more = kept(message).and_then(|kept| kept.get("more")).and_then(Value::as_object);
    let mut event = more.cloned().unwrap_or_default();
    event.insert("type".to_owned(), MESSAGE.into());
    event.insert("chat_jid".to_owned(), row.chat_jid.into());
    event.insert("sender_name".to_owned(), shown_name(message).into());
    event.insert("content".to_owned(), row.content.into());
    event.insert("timestamp".to_owned(), row.timestamp.into());
    event.insert("is_bot".to_owned(), (message.from.author_type != AuthorType::Person).into());
    event.into()
}

/// The name to show. That of the host is always the same, because nothing else in an event tells who speaks.
fn shown_name(message: &Message) -> &str {
    if message.kind == Kind::Host { "host" } else { &message.from.name }
}

/// A step as the trace of its beginning or of its end.
fn written_step(message: &Message) -> Option<Value> {
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
