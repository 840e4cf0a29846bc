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
use serde_json::{Map, Value};

use super::{
    FORM, attachment,
    attachment::MessageAttachment,
    author::author,
    frame::{ExecutionMode, null_names, said_text},
    from_frame::{MODE, restore},
    kept::{Keeping, Kept},
};
use crate::{
    Item, extras, fields,
    fields::Fields,
    foreign_author::said_author,
    foreign_id::{mapped, unsaid},
};

/// The word by which it is kept that a message came from a machine's history.
pub(super) const LOCAL: &str = "local";
const FIELDS: [&str; 9] =
    ["id", "conversationId", "sender", "senderName", "text", "timestamp", "status", "executionMode", "attachments"];
const STATUSES: [&str; 5] = ["sending", "sent", "streaming", "done", "error"];

/// Reads a message of a machine's history.
pub(super) fn item(value: Value) -> Result<Item, Refusal> {
    let nulls = null_names(&value);
    let mut fields = Fields::of(value, "a message of Jaibber's history")?;
    let mut keeping = Keeping::default();
    keeping.keep(FORM, Some(LOCAL));
    let mut message = begin(&mut fields, &mut keeping)?;
    let status = fields.required_text("status")?;
    if !STATUSES.contains(&status.as_str()) {
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
    let mut rest = fields.rest();
    let kept_for_native = rest.remove(extras::KEY);
    rest.extend(nulls.into_iter().map(|name| (name, Value::Null)));
    keeping.keep_rest(rest);
    keeping.put_into(&mut message);
    restore(&mut message, kept_for_native)?;
    Ok(Item::message(message))
}

fn begin(fields: &mut Fields, keeping: &mut Keeping) -> Result<Message, Refusal> {
    let (id, project) = (said_text(fields, "id")?, said_text(fields, "conversationId")?);
    let native: MessageId = mapped(&id);
    keeping.keep("messageId", unsaid(id, &native));
    let (place, channel): (ProjectId, ChannelId) = (mapped(&project), mapped(&project));
    keeping.keep("projectId", unsaid(project, &place));
    let (sender, name) = (fields.required_text("sender")?, fields.text("senderName")?);
    let account = match sender.as_str() {
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
    Ok(Message { kind: Kind::User, ..Message::plain(native, place, channel.into(), from, text, at) })
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
pub(super) fn entry(message: &Message) -> Value {
    let kept = Kept::of(message);
    let is_me = said_author(super::NAME, &message.from) == "me";
    let status = kept.trusted_text("status").filter(|word| STATUSES.contains(word) && state_of(word) == message.state);
    let is_this = |text: &&str| text.parse() == Ok(message.created_at);
    let written = kept.trusted_text("createdAt").filter(is_this);
    let mut out = Map::new();
    let mut put = |name: &str, value: Option<Value>| drop(value.map(|value| out.insert(name.to_owned(), value)));
    put("id", Some(kept.id("messageId", &message.id).into()));
    put("conversationId", Some(kept.id("projectId", &message.project_id).into()));
    put("sender", Some(if is_me { "me" } else { "them" }.into()));
    put("senderName", kept.unusual("senderName", Some(message.from.name.clone())).map(Value::from));
    put("text", Some(message.body.clone().into()));
    put("timestamp", Some(written.map_or_else(|| message.created_at.to_string(), str::to_owned).into()));
    put("status", Some(status.unwrap_or_else(|| usual_status(message.state)).into()));
    let mode = message.metadata.get(MODE).and_then(Value::as_str).and_then(ExecutionMode::parse);
    put("executionMode", mode.map(|mode| mode.as_str().into()));
    let files = attachment::given(&message.attachments, kept.open("attachments"));
    put("attachments", files.map(MessageAttachment::list_value));
    for (name, value) in kept.rest(|name| FIELDS.contains(&name)) {
        out.entry(name).or_insert(value);
    }
    Value::Object(out)
}
