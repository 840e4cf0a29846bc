//! The rows of TKR's store.
//!
//! A row has its own id; the id on the wire, which replies refer to, is in its metadata and is the one that counts.
//! The store has two rows of every answer: an empty stub and the text. The stub becomes a typing frame, so that an
//! import contains each answer once.

use std::borrow::Cow;

use parlour_core::{Refusal, message::State};

use super::{
    decode::wire_to_item,
    preserved::{FieldRecorder, PreservedFields},
    values::{Content, MessageType, readable_text},
    wire::{StreamFlags, WireMessage},
};
use crate::{
    DecodeContext, Frame, Item,
    extras::{self, extras_of, take_and_restore},
    fields::missing,
    json::{Json, Object, wrong_type},
};

/// The field that distinguishes a row from a message.
pub(super) const KEY: &str = "message_uuid";
const ROW: &str = "row";
const PARTS: &str = "parts";
const METADATA: &str = "message_metadata";

const TYPES: [(&str, MessageType); 5] = [
    ("user", MessageType::Text),
    ("agent", MessageType::Text),
    ("system", MessageType::System),
    ("error", MessageType::Error),
    // The row does not name its task, so it is not an update.
    ("task", MessageType::System),
];

pub(super) fn as_row<'a, 'b>(json: &'b Json<'a>) -> Option<&'b Object<'a>> {
    json.as_object().filter(|object| object.contains(KEY))
}

/// Decodes one row.
pub(super) fn decode_row(mut row: Object<'_>, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut wire = row_to_wire(&row)?;
    wire.fill(decode_context.now);
    let mut item = wire_to_item(wire, None)?;
    end_stream(&mut item);
    let mut extras_field = Object::default();
    extras_field.set_some(extras::KEY, row.take(extras::KEY));
    let mut preserved = FieldRecorder::default();
    match row.get(PARTS) {
        None => preserved.record_absent(PARTS),
        Some(parts) if *parts == text_part(&item.message.body) => drop(row.take(PARTS)),
        Some(_) => {}
    }
    preserved.put(ROW, Some(row.into_map()));
    // The rest is preserved as a row, not as a message.
    item.message.metadata.clear();
    preserved.store_in(&mut item.message);
    take_and_restore(&mut item.message, &mut extras_field)?;
    Ok(item)
}

/// A stored message does not grow any more: without a text it is a stub, with one it was interrupted.
fn end_stream(item: &mut Item) {
    if item.message.state == State::Streaming {
        let is_stub = item.message.body.is_empty();
        item.frame = if is_stub { Frame::Typing } else { Frame::Message };
        item.message.state = if is_stub { State::Streaming } else { State::Interrupted };
    }
}

/// Encodes a message as the row that it was decoded from, if its content is unchanged.
pub(super) fn encode_row(item: &Item) -> Option<Object<'_>> {
    let preserved = PreservedFields::of(&item.message);
    let mut row = Object::of(preserved.object(ROW).filter(|row| row.contains_key(KEY))?);
    row.take(extras::KEY);
    if !row.contains(PARTS) && !preserved.is_absent(PARTS) {
        row.set(PARTS, text_part(&item.message.body));
    }
    // Another time than that of the message, so that the extras of a row without a time contain it.
    let decode_context = DecodeContext::history(item.message.created_at.plus_millis(1));
    let decoded = decode_row(row.clone(), &decode_context)
        .ok()
        .filter(|decoded| has_same_content(item, decoded, &decode_context))?;
    row.set_some(extras::KEY, extras_of(&item.message, &decoded.message));
    Some(row)
}

/// Whether two items have the same author, conversation and content: anybody can write metadata.
fn has_same_content(item: &Item, decoded: &Item, decode_context: &DecodeContext) -> bool {
    let (one, other) = (&item.message, &decoded.message);
    let at = other.created_at;
    item.frame == decoded.frame
        && (&one.id, &one.to, &one.from) == (&other.id, &other.to, &other.from)
        && (&one.body, &one.content, one.kind) == (&other.body, &other.content, other.kind)
        && (at == one.created_at || at == decode_context.now)
}

/// The wire message of a row.
pub(super) fn row_to_wire<'a>(row: &'a Object<'_>) -> Result<WireMessage<'a>, Refusal> {
    let name = required_str(row, "type")?;
    let message_type = TYPES.into_iter().find(|(known, _)| *known == name).map(|(_, message_type)| message_type);
    let message_type = message_type.ok_or_else(|| {
        let names = TYPES.map(|(name, _)| name.to_owned()).to_vec();
        Refusal::invalid("unknown type of a TKR row").at("type").proposing(names)
    })?;
    let agent = match name {
        "agent" => Some(required_str(row, "agent_id")?),
        _ => optional_str(row, "agent_id")?,
    };
    let agent = agent.map(Cow::Borrowed);
    let is_user = name == "user";
    let (from_agent, to_agent) = if is_user { (None, agent) } else { (agent, None) };
    let mut wire = WireMessage {
        id: Some(required_str(row, KEY)?.into()),
        message_type: Some(message_type),
        timestamp: optional_str(row, "created_at")?.map(Cow::Borrowed),
        session_id: Some(required_str(row, "session_id")?.into()),
        from_user: is_user.then_some(true),
        from_agent,
        to_agent,
        content: Some(content_of(row)?),
        ..WireMessage::default()
    };
    read_metadata(row, &mut wire)?;
    Ok(wire)
}

fn read_metadata<'a>(row: &'a Object<'_>, wire: &mut WireMessage<'a>) -> Result<(), Refusal> {
    let metadata = match row.get(METADATA) {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::Object(metadata)) => metadata,
        Some(other) => return Err(wrong_type(METADATA, "an object", other)),
    };
    let inside = |refusal: Refusal| refusal.at(METADATA);
    let value =
        |name: &str| optional_str(metadata, name).map_err(inside).map(|text| text.filter(|text| !text.is_empty()));
    wire.id = value("message_id")?.map(Cow::Borrowed).or(wire.id.take());
    wire.timestamp = value("timestamp")?.map(Cow::Borrowed).or(wire.timestamp.take());
    wire.in_reply_to = value("in_reply_to")?.map(Cow::Borrowed);
    wire.flags = StreamFlags {
        streaming: optional_bool(metadata, "streaming").map_err(inside)?,
        turn_complete: optional_bool(metadata, "turn_complete").map_err(inside)?,
    };
    Ok(())
}

/// The content of the parts: the object of a single part, or all texts joined.
fn content_of<'a>(row: &'a Object<'_>) -> Result<Content<'a>, Refusal> {
    let parts = match row.get(PARTS) {
        None | Some(Json::Null) => return Ok(Content::Text("".into())),
        Some(Json::List(parts)) => parts,
        Some(other) => return Err(wrong_type(PARTS, "an array of parts", other)),
    };
    if let [Json::Object(part)] = parts.as_slice()
        && let Some(Json::Object(object)) = part.get("content")
    {
        return Ok(Content::Object(object.clone()));
    }
    let texts: Vec<Cow<'_, str>> = parts.iter().enumerate().map(part_text).collect::<Result<_, _>>()?;
    Ok(Content::Text(texts.join("\n\n").into()))
}

fn part_text<'a>((index, part): (usize, &'a Json<'_>)) -> Result<Cow<'a, str>, Refusal> {
    let name = || format!("{PARTS}[{index}]");
    let Json::Object(part) = part else { return Err(wrong_type(&name(), "an object", part)) };
    match part.get("content") {
        None | Some(Json::Null) => Ok("".into()),
        Some(Json::Text(text)) => Ok(text.as_ref().into()),
        Some(Json::Object(object)) => Ok(readable_text(object).into()),
        Some(other) => Err(wrong_type("content", "a string or an object", other).at(&name())),
    }
}

fn text_part(text: &str) -> Json<'_> {
    let mut part = Object::with_capacity(2);
    part.set("content", text);
    part.set("type", "text");
    Json::List(vec![part.into()])
}

fn required_str<'a>(fields: &'a Object<'_>, name: &str) -> Result<&'a str, Refusal> {
    optional_str(fields, name)?.filter(|text| !text.is_empty()).ok_or_else(|| missing(name))
}

fn optional_str<'a>(fields: &'a Object<'_>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(wrong_type(name, "a string", other)),
    }
}

fn optional_bool(fields: &Object<'_>, name: &str) -> Result<Option<bool>, Refusal> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Bool(boolean)) => Ok(Some(*boolean)),
        Some(other) => Err(wrong_type(name, "a boolean", other)),
    }
}
