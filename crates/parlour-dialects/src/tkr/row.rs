//! The rows of TKR's store: the same messages in other words.
//!
//! A row has an id of its own; the id that was on the wire, which replies name, stands in its metadata and is the one that
//! counts. The store holds two rows of every answer, its empty stub and its text. The stub comes out as typing, so a
//! history that is taken over has each answer once.

use std::borrow::Cow;

use parlour_core::{Refusal, message::State};

use super::{
    content::{Content, readable},
    decode::understand,
    kept::{FieldRecorder, PreservedFields},
    message_type::MessageType,
    stream::Flags,
    wire::Wire,
};
use crate::{
    DecodeContext, Frame, Item,
    extras::{self, take_back, unsaid},
    fields::missing,
    json::{Json, Object, wrong},
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

/// The row, if this is one.
pub(super) fn as_row<'a, 'b>(json: &'b Json<'a>) -> Option<&'b Object<'a>> {
    json.as_object().filter(|object| object.contains(KEY))
}

/// Reads one row.
pub(super) fn read(mut row: Object<'_>, scene: &DecodeContext) -> Result<Item, Refusal> {
    let mut wire = message_of(&row)?;
    wire.fill(scene.now);
    let mut item = understand(wire, None)?;
    end_stream(&mut item);
    let mut around = Object::default();
    around.set_some(extras::KEY, row.take(extras::KEY));
    let mut kept = FieldRecorder::default();
    match row.get(PARTS) {
        None => kept.lack(PARTS),
        Some(parts) if *parts == text_part(&item.message.body) => drop(row.take(PARTS)),
        Some(_) => {}
    }
    kept.put(ROW, Some(row.into_map()));
    // The rest of a row is kept as a row, not as the message that it would be on the wire.
    item.message.metadata.clear();
    kept.note_in(&mut item.message);
    take_back(&mut item.message, &mut around)?;
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
pub(super) fn write(item: &Item) -> Option<Object<'_>> {
    let kept = PreservedFields::of(&item.message);
    let mut row = Object::of(kept.object(ROW).filter(|row| row.contains_key(KEY))?);
    row.take(extras::KEY);
    if !row.contains(PARTS) && !kept.lacks(PARTS) {
        row.set(PARTS, text_part(&item.message.body));
    }
    // A time that the message does not have, so that a row without one keeps the message's.
    let scene = DecodeContext::history(item.message.created_at.plus_millis(1));
    let again = read(row.clone(), &scene).ok().filter(|again| says_same(item, again, &scene))?;
    row.set_some(extras::KEY, unsaid(&item.message, &again.message));
    Some(row)
}

/// Whether two items are the same words of the same author in the same place: anybody may have written what was kept.
fn says_same(item: &Item, again: &Item, scene: &DecodeContext) -> bool {
    let (one, other) = (&item.message, &again.message);
    let at = other.created_at;
    item.frame == again.frame
        && (&one.id, &one.to, &one.from) == (&other.id, &other.to, &other.from)
        && (&one.body, &one.content, one.kind) == (&other.body, &other.content, other.kind)
        && (at == one.created_at || at == scene.now)
}

/// The message that a row holds.
pub(super) fn message_of<'a>(row: &'a Object<'_>) -> Result<Wire<'a>, Refusal> {
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
    let agent = agent.map(Cow::Borrowed);
    let is_user = name == "user";
    let (from_agent, to_agent) = if is_user { (None, agent) } else { (agent, None) };
    let mut wire = Wire {
        id: Some(required(row, KEY)?.into()),
        message_type: Some(message_type),
        timestamp: text(row, "created_at")?.map(Cow::Borrowed),
        session_id: Some(required(row, "session_id")?.into()),
        from_user: is_user.then_some(true),
        from_agent,
        to_agent,
        content: Some(content_of(row)?),
        ..Wire::default()
    };
    read_metadata(row, &mut wire)?;
    Ok(wire)
}

fn read_metadata<'a>(row: &'a Object<'_>, wire: &mut Wire<'a>) -> Result<(), Refusal> {
    let metadata = match row.get(METADATA) {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::Object(metadata)) => metadata,
        Some(other) => return Err(wrong(METADATA, "an object", other)),
    };
    let inside = |refusal: Refusal| refusal.at(METADATA);
    let said = |name: &str| text(metadata, name).map_err(inside).map(|text| text.filter(|text| !text.is_empty()));
    wire.id = said("message_id")?.map(Cow::Borrowed).or(wire.id.take());
    wire.timestamp = said("timestamp")?.map(Cow::Borrowed).or(wire.timestamp.take());
    wire.in_reply_to = said("in_reply_to")?.map(Cow::Borrowed);
    wire.flags = Flags {
        streaming: flag(metadata, "streaming").map_err(inside)?,
        turn_complete: flag(metadata, "turn_complete").map_err(inside)?,
    };
    Ok(())
}

/// What the parts of a row say: the one object that is its only part, or all texts one below the other.
fn content_of<'a>(row: &'a Object<'_>) -> Result<Content<'a>, Refusal> {
    let parts = match row.get(PARTS) {
        None | Some(Json::Null) => return Ok(Content::Text("".into())),
        Some(Json::List(parts)) => parts,
        Some(other) => return Err(wrong(PARTS, "a list of parts", other)),
    };
    if let [Json::Object(part)] = parts.as_slice()
        && let Some(Json::Object(object)) = part.get("content")
    {
        return Ok(Content::Object(object.clone()));
    }
    let texts: Vec<Cow<'_, str>> = parts.iter().enumerate().map(part_text).collect::<Result<_, _>>()?;
    Ok(Content::Text(texts.join("\n\n").into()))
}

fn part_text<'a>((place, part): (usize, &'a Json<'_>)) -> Result<Cow<'a, str>, Refusal> {
    let name = || format!("{PARTS}[{place}]");
    let Json::Object(part) = part else { return Err(wrong(&name(), "an object", part)) };
    match part.get("content") {
        None | Some(Json::Null) => Ok("".into()),
        Some(Json::Text(text)) => Ok(text.as_ref().into()),
        Some(Json::Object(object)) => Ok(readable(object).into()),
        Some(other) => Err(wrong("content", "a text or an object", other).at(&name())),
    }
}

fn text_part(text: &str) -> Json<'_> {
    let mut part = Object::with_room(2);
    part.set("content", text);
    part.set("type", "text");
    Json::List(vec![part.into()])
}

fn required<'a>(fields: &'a Object<'_>, name: &str) -> Result<&'a str, Refusal> {
    text(fields, name)?.filter(|text| !text.is_empty()).ok_or_else(|| missing(name))
}

fn text<'a>(fields: &'a Object<'_>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a text", other)),
    }
}

fn flag(fields: &Object<'_>, name: &str) -> Result<Option<bool>, Refusal> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Bool(is_so)) => Ok(Some(*is_so)),
        Some(other) => Err(wrong(name, "true or false", other)),
    }
}
