//! The rows of TKR's store: the same messages in other words.
//!
//! A row has an id of its own; the id that was on the wire, which replies name, stands in its metadata and is the one that
//! counts. The store holds two rows of every answer, its empty stub and its text. The stub comes out as typing, so a
//! history that is taken over has each answer once.

use parlour_core::{Refusal, message::State};
use serde_json::{Map, Value, json};

use super::{
    content::{Content, readable},
    decode::understand,
    kept::{Keeping, Kept},
    message_type::MessageType,
    stream::Flags,
    wire::Wire,
};
use crate::{
    Frame, Item, Scene,
    extras::{self, missing, restore_from},
    fields::{self, wrong},
};

/// The field by which a row is told from a message.
pub(super) const KEY: &str = "message_uuid";
const ROW: &str = "row";
const PARTS: &str = "parts";
const METADATA: &str = "message_metadata";

/// What a row can be.
const TYPES: [(&str, MessageType); 5] = [
    ("user", MessageType::Text),
    ("agent", MessageType::Text),
    ("system", MessageType::System),
    ("error", MessageType::Error),
    // The row of a task does not name it, so it is no update of one.
    ("task", MessageType::System),
];

/// Whether this is a row.
pub(super) fn is_row(value: &Value) -> bool {
    value.get(KEY).is_some()
}

/// Reads one row.
pub(super) fn decode(value: Value, scene: &Scene) -> Result<Item, Refusal> {
    let mut row = fields::Fields::of(value, "a TKR row")?.rest();
    let mut wire = message_of(&row)?;
    wire.fill(scene.now);
    let mut item = understand(wire)?;
    end_stream(&mut item);
    let mut around: Map<String, Value> = row.remove_entry(extras::KEY).into_iter().collect();
    let mut kept = Keeping::default();
    match row.get(PARTS) {
        None => kept.lack(PARTS),
        Some(parts) if *parts == text_part(&item.message.body) => drop(row.remove(PARTS)),
        Some(_) => {}
    }
    kept.put(ROW, Some(row));
    // The rest of a row is kept as a row, not as the message that it would be on the wire.
    item.message.metadata.clear();
    kept.note_in(&mut item.message);
    restore_from(&mut item.message, &mut around)?;
    Ok(item)
}

/// What is stored grows no more: without a text it was a stub, with one it is as much as there ever was of the message.
fn end_stream(item: &mut Item) {
    if item.message.state == State::Streaming {
        let is_stub = item.message.body.is_empty();
        item.frame = if is_stub { Frame::Typing } else { Frame::Message };
        item.message.state = if is_stub { State::Streaming } else { State::Interrupted };
    }
}

/// Writes a message as the row that it came from, when it still says the same.
pub(super) fn encode(item: &Item) -> Option<Value> {
    let kept = Kept::of(&item.message);
    let mut row = kept.object(ROW)?.clone();
    row.remove(extras::KEY);
    if !row.contains_key(PARTS) && !kept.lacks(PARTS) {
        row.insert(PARTS.to_owned(), text_part(&item.message.body));
    }
    let mut row = Some(Value::Object(row)).filter(is_row)?;
    // A time that the message does not have, so that a row without one keeps the message's.
    let scene = Scene::history(item.message.created_at.plus_millis(1));
    let again = decode(row.clone(), &scene).ok().filter(|again| says_same(item, again, &scene))?;
    if let Some(extras) = missing(&item.message, &again.message) {
        row[extras::KEY] = Value::Object(extras);
    }
    Some(row)
}

/// Whether two items are the same words of the same author in the same place: anybody may have written what was kept.
fn says_same(item: &Item, again: &Item, scene: &Scene) -> bool {
    let (one, other) = (&item.message, &again.message);
    let at = other.created_at;
    item.frame == again.frame
        && (&one.id, &one.to, &one.from) == (&other.id, &other.to, &other.from)
        && (&one.body, &one.content, one.kind) == (&other.body, &other.content, other.kind)
        && (at == one.created_at || at == scene.now)
}

/// The message that a row holds.
pub(super) fn message_of(row: &Map<String, Value>) -> Result<Wire, Refusal> {
    let name = required(row, "type")?;
    let message_type = TYPES.into_iter().find(|(known, _)| *known == name).map(|(_, message_type)| message_type);
    let message_type = message_type.ok_or_else(|| {
        let names = TYPES.map(|(name, _)| name.to_owned()).to_vec();
        Refusal::invalid("this is no type of a TKR row").at("type").proposing(names)
    })?;
    let agent = match name {
        "agent" => Some(required(row, "agent_id")?),
        _ => text(row, "agent_id")?,
    };
    let agent = agent.map(str::to_owned);
    let is_user = name == "user";
    let (from_agent, to_agent) = if is_user { (None, agent) } else { (agent, None) };
    let mut wire = Wire {
        id: Some(required(row, KEY)?.to_owned()),
        message_type: Some(message_type),
        timestamp: text(row, "created_at")?.map(str::to_owned),
        session_id: Some(required(row, "session_id")?.to_owned()),
        from_user: is_user.then_some(true),
        from_agent,
        to_agent,
        content: Some(content_of(row)?),
        ..Wire::default()
    };
    read_metadata(row, &mut wire)?;
    Ok(wire)
}

fn read_metadata(row: &Map<String, Value>, wire: &mut Wire) -> Result<(), Refusal> {
    let metadata = match row.get(METADATA) {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(metadata)) => metadata,
        Some(other) => return Err(wrong(METADATA, "an object", other)),
    };
    let inside = |refusal: Refusal| refusal.at(METADATA);
    let said = |name: &str| text(metadata, name).map_err(inside).map(|text| text.filter(|text| !text.is_empty()));
    wire.id = said("message_id")?.map(str::to_owned).or(wire.id.take());
    wire.timestamp = said("timestamp")?.map(str::to_owned).or(wire.timestamp.take());
    wire.in_reply_to = said("in_reply_to")?.map(str::to_owned);
    wire.flags = Flags {
        streaming: flag(metadata, "streaming").map_err(inside)?,
        turn_complete: flag(metadata, "turn_complete").map_err(inside)?,
    };
    Ok(())
}

/// What the parts of a row say: the one object that is its only part, or all texts one below the other.
fn content_of(row: &Map<String, Value>) -> Result<Content, Refusal> {
    let parts = match row.get(PARTS) {
        None | Some(Value::Null) => return Ok(Content::Text(String::new())),
        Some(Value::Array(parts)) => parts,
        Some(other) => return Err(wrong(PARTS, "a list of parts", other)),
    };
    if let [part] = parts.as_slice()
        && let Some(Value::Object(object)) = part.get("content")
    {
        return Ok(Content::Object(object.clone()));
    }
    let texts: Vec<String> = parts.iter().enumerate().map(part_text).collect::<Result<_, _>>()?;
    Ok(Content::Text(texts.join("\n\n")))
}

fn part_text((place, part): (usize, &Value)) -> Result<String, Refusal> {
    let name = || format!("{PARTS}[{place}]");
    let Value::Object(part) = part else { return Err(wrong(&name(), "an object", part)) };
    match part.get("content") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Object(object)) => Ok(readable(object)),
        Some(other) => Err(wrong("content", "a text or an object", other).at(&name())),
    }
}

fn text_part(text: &str) -> Value {
    json!([{"type": "text", "content": text}])
}

fn required<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refusal> {
    text(fields, name)?.filter(|text| !text.is_empty()).ok_or_else(|| fields::missing(name))
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a text", other)),
    }
}

fn flag(fields: &Map<String, Value>, name: &str) -> Result<Option<bool>, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(is_so)) => Ok(Some(*is_so)),
        Some(other) => Err(wrong(name, "true or false", other)),
    }
}
