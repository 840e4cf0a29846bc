//! What the desktop client keeps on its machine: messages as they were shown.
//!
//! Such a message says whether it was `me` or `them`, and a name. Whether that was a person or an agent it does not say,
//! so everybody in it is a person.

use parlour_core::{
    Refusal,
    author::AuthorType,
    id::{ChannelId, MessageId, ProjectId},
    message::{Kind, Message, State},
};
use serde_json::Value;

use super::{
    FORM, attachment,
    attachment::MessageAttachment,
    author::author,
    frame::{ExecutionMode, null_names, said_text, set_absent, with_nulls},
    from_frame::MODE,
    kept::{FieldRecorder, PreservedFields},
    row::said_time,
};
use crate::{Item, fields, foreign_author::said_author, foreign_id::mapped, json::Object};

/// The word by which it is kept that a message came from a machine's history.
pub(super) const LOCAL: &str = "local";
const FIELDS: [&str; 9] =
    ["id", "conversationId", "sender", "senderName", "text", "timestamp", "status", "executionMode", "attachments"];
const STATUSES: [&str; 5] = ["sending", "sent", "streaming", "done", "error"];

/// Reads a message of a machine's history.
pub(super) fn item(mut fields: Object<'_>) -> Result<Item, Refusal> {
    let nulls = null_names(&fields);
    let mut keeping = FieldRecorder::default();
    keeping.keep(FORM, Some(LOCAL));
    let mut message = begin(&mut fields, &mut keeping)?;
    let status = fields.required_text("status")?;
    if !STATUSES.contains(&status.as_ref()) {
        let words = STATUSES.map(str::to_owned).to_vec();
        return Err(Refusal::invalid("Jaibber has no such status").at("status").proposing(words));
    }
    message.state = state_of(&status);
    keeping.keep("status", (status != usual_status(message.state)).then_some(status));
    if let Some(mode) = fields.text("executionMode")? {
        let refuse = || Refusal::invalid("this must be \"auto\" or \"plan\"").at("executionMode");
        let mode = ExecutionMode::parse(&mode).ok_or_else(refuse)?;
        message.metadata.insert(MODE.to_owned(), mode.as_str().into());
    }
    if let Some(files) = MessageAttachment::list(fields.any("attachments"))? {
        let (natives, kept) = attachment::taken(files);
        message.attachments = natives;
        keeping.keep("attachments", kept);
    }
    keeping.keep_rest(with_nulls(fields, nulls));
    keeping.put_into(&mut message);
    Ok(Item::message(message))
}

fn begin(fields: &mut Object<'_>, keeping: &mut FieldRecorder) -> Result<Message, Refusal> {
    let (id, project) = (said_text(fields, "id")?, said_text(fields, "conversationId")?);
    let native: MessageId = mapped(&id);
    keeping.keep_id("messageId", id, &native);
    let (place, channel): (ProjectId, ChannelId) = (mapped(&project), mapped(&project));
    keeping.keep_id("projectId", project, &place);
    let (sender, name) = (fields.required_text("sender")?, fields.text("senderName")?);
    let account = match sender.as_ref() {
        "me" => "me".to_owned(),
        "them" => ["them/", name.as_deref().unwrap_or_default()].concat(),
        _ => return Err(Refusal::invalid("this must be \"me\" or \"them\"").at("sender")),
    };
    let from = author(AuthorType::Person, &account, name.as_deref().unwrap_or(&sender));
    keeping.keep_unusual("senderName", name.as_deref(), Some(from.name.as_str()));
    let text = fields.required_text("text")?;
    let written = fields.required_text("timestamp")?;
    let at = fields::time("timestamp", &written)?;
    keeping.keep("createdAt", (at.to_string() != written).then_some(written));
    Ok(Message { kind: Kind::User, ..Message::plain(native, place, channel.into(), from, text.into_owned(), at) })
}

fn state_of(status: &str) -> State {
    match status {
        "streaming" => State::Streaming,
        "error" => State::Failed,
        _ => State::Complete,
    }
}

fn usual_status(state: State) -> &'static str {
    match state {
        State::Streaming => "streaming",
        State::Complete => "done",
        State::Failed | State::Cancelled | State::Interrupted => "error",
    }
}

/// The message as a machine's history has it, as far as that can say it.
pub(super) fn entry(message: &Message) -> Object<'_> {
    let kept = PreservedFields::of(message);
    let is_me = said_author(super::NAME, &message.from) == "me";
    let status = kept.trusted_text("status").filter(|word| STATUSES.contains(word) && state_of(word) == message.state);
    let mode = message.metadata.get(MODE).and_then(Value::as_str).and_then(ExecutionMode::parse);
    let files = attachment::given(&message.attachments, kept.open("attachments"));
    let mut out = Object::with_room(FIELDS.len() + 1);
    out.set_some("attachments", files.map(MessageAttachment::list_json));
    out.set("conversationId", kept.filled_id("projectId", &message.project_id));
    out.set_some("executionMode", mode.map(ExecutionMode::as_str));
    out.set("id", kept.filled_id("messageId", &message.id));
    out.set("sender", if is_me { "me" } else { "them" });
    out.set_some("senderName", kept.unusual("senderName", Some(&message.from.name)));
    out.set("status", status.unwrap_or_else(|| usual_status(message.state)));
    out.set("text", message.body.as_str());
    out.set("timestamp", said_time(message, kept));
    set_absent(&mut out, kept.rest(|name| FIELDS.contains(&name)).into());
    out
}
