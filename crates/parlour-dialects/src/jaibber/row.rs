//! What Jaibber's server has stored: the rows of `GET /api/projects/{id}/messages`.

use std::borrow::Cow;

use super::{
    FORM,
    author::{author, said_from},
    failure::{read_failure, said_failure},
    frame::{null_names, said_text, set_absent, with_nulls},
    kept::{FieldRecorder, PreservedFields},
    to_frame::has_failed,
    when::FrameTime,
};
use crate::{
    Item, fields,
    foreign_id::mapped,
    json::{Json, Object},
};
use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Kind, Message},
};

/// The word by which it is kept that a message came as a row.
pub(super) const ROW: &str = "row";
const FIELDS: [&str; 10] = [
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

/// Reads a row. Without `createdAt`, as clients post it, it was written now.
pub(super) fn item(mut fields: Object<'_>, when: &FrameTime) -> Result<Item, Refusal> {
    let mut nulls = null_names(&fields);
    let mut keeping = FieldRecorder::default();
    keeping.keep(FORM, Some(ROW));
    let row_type = word(&mut fields, "type", &TYPES)?;
    let from = read_author(&mut fields, row_type, &mut keeping)?;
    let at = read_time(&mut fields, when, &mut keeping)?;
    let mut message = begin(&mut fields, from, at, &mut keeping)?;
    match row_type {
        "error" => read_failure(&mut message, fields.required_text("text")?.into_owned(), &mut keeping),
        _ => message.body = fields.required_text("text")?.into_owned(),
    }
    if row_type == "message" {
        message.kind = Kind::User;
    }
    if let Some(parent) = fields.text("parentMessageId")? {
        let id = mapped(&parent);
        keeping.keep_id("parentMessageId", parent, &id);
        message.reply_to = Some(id);
    }
    match fields.object("metadata")? {
        Some(metadata) => keeping.keep("metadata", Some(metadata.into_map())),
        None if nulls.iter().any(|name| name == "metadata") => {}
        None => keeping.keep_absent("metadata"),
    }
    nulls.retain(|name| name != "metadata");
    keeping.keep_rest(with_nulls(fields, nulls));
    keeping.put_into(&mut message);
    Ok(Item::message(message))
}

fn word(fields: &mut Object<'_>, name: &str, words: &'static [&'static str]) -> Result<&'static str, Refusal> {
    let found = fields.required_text(name)?;
    words.iter().copied().find(|word| *word == found).ok_or_else(|| {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Refusal::invalid("Jaibber's server has no such word here").at(name).proposing(words)
    })
}

fn begin(
    fields: &mut Object<'_>,
    from: Author,
    at: Timestamp,
    keeping: &mut FieldRecorder,
) -> Result<Message, Refusal> {
    let (id, project) = (said_text(fields, "id")?, said_text(fields, "projectId")?);
    let native: MessageId = mapped(&id);
    keeping.keep_id("messageId", id, &native);
    let (place, channel): (ProjectId, ChannelId) = (mapped(&project), mapped(&project));
    keeping.keep_id("projectId", project, &place);
    Ok(Message::plain(native, place, channel.into(), from, String::new(), at))
}

fn read_author(fields: &mut Object<'_>, row_type: &str, keeping: &mut FieldRecorder) -> Result<Author, Refusal> {
    let sender = word(fields, "senderType", &SENDER_TYPES)?;
    let author_type = match (row_type, sender) {
        ("system", _) => AuthorType::Host,
        ("response" | "error", _) | (_, "agent") => AuthorType::Agent,
        (_, "user") => AuthorType::Person,
        _ => AuthorType::Applet,
    };
    let (id, name) = (read_account(fields)?, fields.required_text("senderName")?);
    if id.is_none() {
        keeping.keep_absent("senderId");
    }
    // Whoever has no account there is known by the name.
    let from = author(author_type, id.as_deref().unwrap_or(&name), &name);
    keeping.keep("senderType", (sender != usual_sender(author_type)).then_some(sender));
    keeping.keep("senderName", (name != from.name).then_some(name));
    Ok(from)
}

fn read_account<'a>(fields: &mut Object<'a>) -> Result<Option<Cow<'a, str>>, Refusal> {
    match fields.text("senderId")? {
        Some(id) if id.is_empty() => Err(Refusal::invalid("this must not be empty").at("senderId")),
        id => Ok(id),
    }
}

fn read_time(fields: &mut Object<'_>, when: &FrameTime, keeping: &mut FieldRecorder) -> Result<Timestamp, Refusal> {
    let Some(text) = fields.text("createdAt")? else {
        keeping.keep_untimed(!when.is_told);
        return Ok(when.now);
    };
    let time = fields::time("createdAt", &text)?;
    keeping.keep("createdAt", (time.to_string() != text).then_some(text));
    Ok(time)
}

/// The row for a message, as far as a row can say it.
pub(super) fn row(message: &Message) -> Object<'_> {
    let kept = PreservedFields::of(message);
    let sender = kept.trusted_text("senderType").filter(|word| SENDER_TYPES.contains(word));
    let row_type = row_type(message);
    let text = if row_type == "error" { said_failure(message, kept) } else { Cow::Borrowed(message.body.as_str()) };
    let mut out = Object::with_room(FIELDS.len() + 1);
    if !kept.is_untimed() {
        out.set("createdAt", said_time(message, kept));
    }
    out.set("id", kept.filled_id("messageId", &message.id));
    if !kept.is_absent("metadata") {
        out.set("metadata", kept.trusted("metadata").filter(|kept| kept.is_object()).map_or(Json::Null, Json::of));
    }
    out.set_some("parentMessageId", message.reply_to.as_ref().map(|parent| kept.id("parentMessageId", parent)));
    out.set("projectId", kept.filled_id("projectId", &message.project_id));
    if !kept.is_absent("senderId") {
        out.set("senderId", said_from(&message.from));
    }
    out.set("senderName", kept.trusted_text("senderName").unwrap_or(&message.from.name));
    out.set("senderType", sender.unwrap_or_else(|| usual_sender(message.from.author_type)));
    out.set("text", text);
    out.set("type", row_type);
    set_absent(&mut out, kept.rest(|name| FIELDS.contains(&name)).into());
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

fn usual_sender(author_type: AuthorType) -> &'static str {
    match author_type {
        AuthorType::Person => "user",
        AuthorType::Agent => "agent",
        _ => "api",
    }
}

/// The time of a message, written as it was.
pub(super) fn said_time<'a>(message: &Message, kept: PreservedFields<'a>) -> Cow<'a, str> {
    let is_this = |text: &&str| text.parse() == Ok(message.created_at);
    kept.trusted_text("createdAt").filter(is_this).map_or_else(|| message.created_at.to_string().into(), Cow::Borrowed)
}
