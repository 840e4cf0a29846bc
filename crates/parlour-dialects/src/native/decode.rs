//! Decodes messages, and fills the fields that the contract omits.

use parlour_core::{
    Code, Refusal,
    author::AuthorType,
    id::{ChannelId, DmId, MemberId, ThreadId},
    message::Message,
    model_visibility::usual_kind,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::wire::{check_field_names, check_nested_names};
use crate::{
    DecodeContext, Frame, Item,
    fields::{Fields, missing},
};

/// The field of frames other than messages.
pub(super) const FRAME: &str = "frame";

/// Decodes one message, complete or in the form of the contract.
pub fn decode(value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let mut fields = Fields::of(value, "a native message")?.rest();
    let frame = take_frame(&mut fields)?;
    check_field_names(&fields)?;
    fill_defaults(&mut fields, decode_context)?;
    // Large fields are moved out; the rest is deserialised by reference, so that it is still there for an error text.
    let content = fields.remove("content").filter(|content| !content.is_null());
    let metadata = take_object(&mut fields, "metadata");
    let value = Value::Object(fields);
    let mut message = Message::deserialize(&value).map_err(|error| explain(&value, &error))?;
    check_nested_names(&value, &message)?;
    message.content = content;
    message.metadata = metadata;
    Ok(Item { frame, message })
}

fn take_frame(fields: &mut Map<String, Value>) -> Result<Frame, Refusal> {
    match fields.remove(FRAME) {
        None | Some(Value::Null) => Ok(Frame::Message),
        Some(name) => Frame::deserialize(&name).map_err(|error| Refusal::invalid(error.to_string()).at(FRAME)),
    }
}

/// Takes an object; another value stays and is refused later.
fn take_object(fields: &mut Map<String, Value>, name: &str) -> Map<String, Value> {
    match fields.get_mut(name) {
        Some(Value::Object(object)) => std::mem::take(object),
        _ => Map::new(),
    }
}

/// Deserialises again and records the path; only refusals pay for it.
fn explain(value: &Value, error: &serde_json::Error) -> Refusal {
    let Err(placed) = serde_path_to_error::deserialize::<_, Message>(value) else {
        return Refusal::invalid(error.to_string());
    };
    let (path, complaint) = (placed.path().to_string(), placed.inner().to_string());
    let named = |start| complaint.strip_prefix(start).and_then(|rest: &str| rest.split('`').next());
    let (unknown, missing) = (named("unknown field `"), named("missing field `"));
    let code = if unknown.is_some() { Code::UnknownField } else { Code::WrongShape };
    let refusal = Refusal::new(code, complaint.as_str());
    // The path ends before a missing field and at an unknown one.
    let refusal = missing.map_or(refusal.clone(), |name| refusal.at(name));
    if path == "." { refusal } else { refusal.at(&path) }
}

/// Fills omitted fields with defaults. `null` counts as omitted.
pub(super) fn fill_defaults(fields: &mut Map<String, Value>, decode_context: &DecodeContext) -> Result<(), Refusal> {
    fields.retain(|_, value| !value.is_null());
    for name in ["id", "from", "body"] {
        if !fields.contains_key(name) {
            return Err(missing(name));
        }
    }
    fill_author(fields)?;
    fill_project(fields)?;
    fill_conversation(fields);
    let mut fill = |name: &str, value: &dyn Fn() -> Value| {
        if !fields.contains_key(name) {
            fields.insert(name.to_owned(), value());
        }
    };
    fill("seq", &|| Value::from(0));
    fill("importance", &|| Value::from("normal"));
    fill("blocking", &|| Value::from(false));
    fill("state", &|| Value::from("complete"));
    fill("created_at", &|| Value::from(decode_context.now.to_string()));
    Ok(())
}

/// Expands an author that is only a member id, and sets the kind from the author.
fn fill_author(fields: &mut Map<String, Value>) -> Result<(), Refusal> {
    if let Some(Value::String(id)) = fields.get("from") {
        let member: MemberId = id.parse().map_err(|refusal: Refusal| refusal.at("from"))?;
        let author_type = if member.agent().is_some() { "agent" } else { "person" };
        let author = json!({"type": author_type, "id": id, "name": id});
        fields.insert("from".to_owned(), author);
    }
    if !fields.contains_key("kind") {
        // An unknown author type is refused when the author is deserialised.
        let author_type = fields["from"].get("type").and_then(|name| AuthorType::deserialize(name).ok());
        let kind = usual_kind(author_type.unwrap_or(AuthorType::Person));
        fields.insert("kind".to_owned(), json!(kind));
    }
    Ok(())
}

/// The project can be in `project_id`, in `context`, or in both.
fn fill_project(fields: &mut Map<String, Value>) -> Result<(), Refusal> {
    let inner = fields.get("context").and_then(|context| context.get("project_id"));
    let outer = fields.get("project_id");
    let Some(project) = outer.or(inner).filter(|id| !id.is_null()) else { return Err(missing("context.project_id")) };
    if outer.is_some() && inner.is_some_and(|id| !id.is_null()) {
        return Ok(());
    }
    let project = project.clone();
    match fields.get_mut("context") {
        None => {
            fields.insert("context".to_owned(), json!({"project_id": project}));
        }
        Some(Value::Object(context)) => {
            context.insert("project_id".to_owned(), project.clone());
        }
        // Refused when the context is deserialised.
        Some(_) => {}
    }
    fields.insert("project_id".to_owned(), project);
    Ok(())
}

/// Derives the conversation type from its id. A message without a conversation gets the nil channel.
fn fill_conversation(fields: &mut Map<String, Value>) {
    let conversation_type = fields.get("type").and_then(Value::as_str);
    match (fields.get("to").and_then(Value::as_str), conversation_type) {
        (Some(id), None) if !fields.contains_key("type") => {
            let prefix = id.split('_').next().unwrap_or_default();
            let conversation_type = match prefix {
                ThreadId::PREFIX => "thread",
                DmId::PREFIX => "dm",
                _ => "channel",
            };
            fields.insert("type".to_owned(), Value::from(conversation_type));
        }
        (None, conversation_type) if !fields.contains_key("to") => {
            let to = match conversation_type {
                Some("thread") => ThreadId::from_bits(0).to_string(),
                Some("dm") => DmId::from_bits(0).to_string(),
                _ => ChannelId::from_bits(0).to_string(),
            };
            fields.insert("to".to_owned(), Value::from(to));
            fields.entry("type").or_insert_with(|| Value::from("channel"));
        }
        _ => {}
    }
}
