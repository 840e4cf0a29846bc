//! The stored forms of Jaibber: rows of its server (`GET /api/projects/{id}/messages`) and entries of the local
//! history of its desktop client.
//!
//! A local entry has only the sender `me` or `them` and a name. It does not distinguish people from agents, so every
//! author of it is a person.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Kind, Message, State},
};
use serde_json::Value;

use super::{
    FORM,
    attachment::{self, MessageAttachment},
    decode::{FrameTime, MODE, frame_author, set_failure},
    encode::{account_text, failure_text, has_failed},
    preserved::{FieldRecorder, PreservedFields},
    wire::{ExecutionMode, null_names, required_filled_text, set_absent, with_nulls},
};
use crate::{
    Item, fields,
    foreign_id::{foreign_author_id, native_id},
    json::{Json, Object},
};

/// The recorded form of a row.
pub(super) const ROW: &str = "row";
const ROW_FIELDS: [&str; 10] = [
    "id",
    "projectId",
    "senderId",
    "senderType",
    "senderName",
    "type",
    "text",
    "parentMessageId",
    "metadata",
    "createdAt",
];
const SENDER_TYPES: [&str; 3] = ["user", "agent", "api"];
const TYPES: [&str; 4] = ["message", "response", "error", "system"];

/// Decodes a row. A row without `createdAt`, as clients post it, gets the time of decoding.
pub(super) fn row_to_item(mut fields: Object<'_>, frame_time: &FrameTime) -> Result<Item, Refusal> {
    let mut nulls = null_names(&fields);
    let mut recorder = FieldRecorder::default();
    recorder.record(FORM, Some(ROW));
    let row_type = known_word(&mut fields, "type", &TYPES)?;
    let from = decode_sender(&mut fields, row_type, &mut recorder)?;
    let at = decode_time(&mut fields, frame_time, &mut recorder)?;
    let mut message = begin_row(&mut fields, from, at, &mut recorder)?;
    match row_type {
        "error" => set_failure(&mut message, fields.required_text("text")?.into_owned(), &mut recorder),
        _ => message.body = fields.required_text("text")?.into_owned(),
    }
    if row_type == "message" {
        message.kind = Kind::User;
    }
    if let Some(parent) = fields.text("parentMessageId")? {
        let id = native_id(&parent);
        recorder.record_id("parentMessageId", parent, &id);
        message.reply_to = Some(id);
    }
    match fields.object("metadata")? {
        Some(metadata) => recorder.record("metadata", Some(metadata.into_map())),
        None if nulls.iter().any(|name| name == "metadata") => {}
        None => recorder.record_absent("metadata"),
    }
    nulls.retain(|name| name != "metadata");
    recorder.record_rest(with_nulls(fields, nulls));
    recorder.store_in(&mut message);
    Ok(Item::message(message))
}

fn known_word(fields: &mut Object<'_>, name: &str, words: &'static [&'static str]) -> Result<&'static str, Refusal> {
    let found = fields.required_text(name)?;
    words.iter().copied().find(|word| *word == found).ok_or_else(|| {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Refusal::invalid("unknown value in a Jaibber row").at(name).proposing(words)
    })
}

fn begin_row(
    fields: &mut Object<'_>,
    from: Author,
    at: Timestamp,
    recorder: &mut FieldRecorder,
) -> Result<Message, Refusal> {
    let (id, project) = (required_filled_text(fields, "id")?, required_filled_text(fields, "projectId")?);
    let native: MessageId = native_id(&id);
    recorder.record_id("messageId", id, &native);
    let (project_id, channel): (ProjectId, ChannelId) = (native_id(&project), native_id(&project));
    recorder.record_id("projectId", project, &project_id);
    Ok(Message::plain(native, project_id, channel.into(), from, String::new(), at))
}

fn decode_sender(fields: &mut Object<'_>, row_type: &str, recorder: &mut FieldRecorder) -> Result<Author, Refusal> {
    let sender = known_word(fields, "senderType", &SENDER_TYPES)?;
    let author_type = match (row_type, sender) {
        ("system", _) => AuthorType::Host,
        ("response" | "error", _) | (_, "agent") => AuthorType::Agent,
        (_, "user") => AuthorType::Person,
        _ => AuthorType::Applet,
    };
    let (id, name) = (decode_account(fields)?, fields.required_text("senderName")?);
    if id.is_none() {
        recorder.record_absent("senderId");
    }
    // An author without an account is identified by its name.
    let from = frame_author(author_type, id.as_deref().unwrap_or(&name), &name);
    recorder.record("senderType", (sender != canonical_sender(author_type)).then_some(sender));
    recorder.record("senderName", (name != from.name).then_some(name));
    Ok(from)
}

fn decode_account<'a>(fields: &mut Object<'a>) -> Result<Option<Cow<'a, str>>, Refusal> {
    match fields.text("senderId")? {
        Some(id) if id.is_empty() => Err(Refusal::invalid("this must not be empty").at("senderId")),
        id => Ok(id),
    }
}

fn decode_time(
    fields: &mut Object<'_>,
    frame_time: &FrameTime,
    recorder: &mut FieldRecorder,
) -> Result<Timestamp, Refusal> {
    let Some(text) = fields.text("createdAt")? else {
        recorder.record_untimed(!frame_time.is_in_extras);
        return Ok(frame_time.now);
    };
    let time = fields::parse_time("createdAt", &text)?;
    recorder.record("createdAt", (time.to_string() != text).then_some(text));
    Ok(time)
}

/// Encodes a message as a row.
pub(super) fn message_to_row(message: &Message) -> Object<'_> {
    let preserved = PreservedFields::of(message);
    let sender = preserved.trusted_text("senderType").filter(|word| SENDER_TYPES.contains(word));
    let row_type = row_type(message);
    let text =
        if row_type == "error" { failure_text(message, preserved) } else { Cow::Borrowed(message.body.as_str()) };
    let mut out = Object::with_capacity(ROW_FIELDS.len() + 1);
    if !preserved.is_untimed() {
        out.set("createdAt", time_text(message, preserved));
    }
    out.set("id", preserved.filled_id("messageId", &message.id));
    if !preserved.is_absent("metadata") {
        out.set(
            "metadata",
            preserved.trusted("metadata").filter(|preserved| preserved.is_object()).map_or(Json::Null, Json::of),
        );
    }
    out.set_some("parentMessageId", message.reply_to.as_ref().map(|parent| preserved.id("parentMessageId", parent)));
    out.set("projectId", preserved.filled_id("projectId", &message.project_id));
    if !preserved.is_absent("senderId") {
        out.set("senderId", account_text(&message.from));
    }
    out.set("senderName", preserved.trusted_text("senderName").unwrap_or(&message.from.name));
    out.set("senderType", sender.unwrap_or_else(|| canonical_sender(message.from.author_type)));
    out.set("text", text);
    out.set("type", row_type);
    set_absent(&mut out, preserved.rest(|name| ROW_FIELDS.contains(&name)).into());
    out
}

fn row_type(message: &Message) -> &'static str {
    match message.kind {
        _ if has_failed(message) => "error",
        Kind::Host | Kind::System => "system",
        Kind::Assistant if message.from.author_type == AuthorType::Agent => "response",
        _ => "message",
    }
}

fn canonical_sender(author_type: AuthorType) -> &'static str {
    match author_type {
        AuthorType::Person => "user",
        AuthorType::Agent => "agent",
        _ => "api",
    }
}

/// The time text of a message: the recorded one if it is the same time.
pub(super) fn time_text<'a>(message: &Message, preserved: PreservedFields<'a>) -> Cow<'a, str> {
    let is_this = |text: &&str| text.parse() == Ok(message.created_at);
    preserved
        .trusted_text("createdAt")
        .filter(is_this)
        .map_or_else(|| message.created_at.to_string().into(), Cow::Borrowed)
}

/// The recorded form of a local entry.
pub(super) const LOCAL: &str = "local";
const ENTRY_FIELDS: [&str; 9] =
    ["id", "conversationId", "sender", "senderName", "text", "timestamp", "status", "executionMode", "attachments"];
const STATUSES: [&str; 5] = ["sending", "sent", "streaming", "done", "error"];

/// Decodes a local entry.
pub(super) fn entry_to_item(mut fields: Object<'_>) -> Result<Item, Refusal> {
    let nulls = null_names(&fields);
    let mut recorder = FieldRecorder::default();
    recorder.record(FORM, Some(LOCAL));
    let mut message = begin_entry(&mut fields, &mut recorder)?;
    let status = fields.required_text("status")?;
    if !STATUSES.contains(&status.as_ref()) {
        let words = STATUSES.map(str::to_owned).to_vec();
        return Err(Refusal::invalid("unknown status of a Jaibber message").at("status").proposing(words));
    }
    message.state = state_of(&status);
    recorder.record("status", (status != canonical_status(message.state)).then_some(status));
    if let Some(mode) = fields.text("executionMode")? {
        let refuse = || Refusal::invalid("this must be \"auto\" or \"plan\"").at("executionMode");
        let mode = ExecutionMode::parse(&mode).ok_or_else(refuse)?;
        message.metadata.insert(MODE.to_owned(), mode.as_str().into());
    }
    if let Some(files) = MessageAttachment::list(fields.take_non_null("attachments"))? {
        let (natives, preserved) = attachment::split_attachments(files);
        message.attachments = natives;
        recorder.record("attachments", preserved);
    }
    recorder.record_rest(with_nulls(fields, nulls));
    recorder.store_in(&mut message);
    Ok(Item::message(message))
}

fn begin_entry(fields: &mut Object<'_>, recorder: &mut FieldRecorder) -> Result<Message, Refusal> {
    let (id, project) = (required_filled_text(fields, "id")?, required_filled_text(fields, "conversationId")?);
    let native: MessageId = native_id(&id);
    recorder.record_id("messageId", id, &native);
    let (project_id, channel): (ProjectId, ChannelId) = (native_id(&project), native_id(&project));
    recorder.record_id("projectId", project, &project_id);
    let (sender, name) = (fields.required_text("sender")?, fields.text("senderName")?);
    let account = match sender.as_ref() {
        "me" => "me".to_owned(),
        "them" => ["them/", name.as_deref().unwrap_or_default()].concat(),
        _ => return Err(Refusal::invalid("this must be \"me\" or \"them\"").at("sender")),
    };
    let from = frame_author(AuthorType::Person, &account, name.as_deref().unwrap_or(&sender));
    recorder.record_unusual("senderName", name.as_deref(), Some(from.name.as_str()));
    let text = fields.required_text("text")?;
    let written = fields.required_text("timestamp")?;
    let at = fields::parse_time("timestamp", &written)?;
    recorder.record("createdAt", (at.to_string() != written).then_some(written));
    Ok(Message { kind: Kind::User, ..Message::plain(native, project_id, channel.into(), from, text.into_owned(), at) })
}

fn state_of(status: &str) -> State {
    match status {
        "streaming" => State::Streaming,
        "error" => State::Failed,
        _ => State::Complete,
    }
}

fn canonical_status(state: State) -> &'static str {
    match state {
        State::Streaming => "streaming",
        State::Complete => "done",
        State::Failed | State::Cancelled | State::Interrupted => "error",
    }
}

/// Encodes a message as a local entry.
pub(super) fn message_to_entry(message: &Message) -> Object<'_> {
    let preserved = PreservedFields::of(message);
    let is_me = foreign_author_id(super::NAME, &message.from) == "me";
    let status =
        preserved.trusted_text("status").filter(|word| STATUSES.contains(word) && state_of(word) == message.state);
    let mode = message.metadata.get(MODE).and_then(Value::as_str).and_then(ExecutionMode::parse);
    let files = attachment::restore_attachments(&message.attachments, preserved.untrusted("attachments"));
    let mut out = Object::with_capacity(ENTRY_FIELDS.len() + 1);
    out.set_some("attachments", files.map(MessageAttachment::list_json));
    out.set("conversationId", preserved.filled_id("projectId", &message.project_id));
    out.set_some("executionMode", mode.map(ExecutionMode::as_str));
    out.set("id", preserved.filled_id("messageId", &message.id));
    out.set("sender", if is_me { "me" } else { "them" });
    out.set_some("senderName", preserved.recorded_or("senderName", Some(&message.from.name)));
    out.set("status", status.unwrap_or_else(|| canonical_status(message.state)));
    out.set("text", message.body.as_str());
    out.set("timestamp", time_text(message, preserved));
    set_absent(&mut out, preserved.rest(|name| ENTRY_FIELDS.contains(&name)).into());
    out
}
