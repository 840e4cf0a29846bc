//! The contract of a message: id, author, text, and what it belongs to. The rest follows from these.

use parlour_core::{
    Refusal,
    author::AuthorType,
    id::{ChannelId, DmId, MemberId, ThreadId},
    model_visibility::usual_kind,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{DecodeContext, fields::missing};

/// Adds what the contract leaves out, so that the fields are those of a whole message. `null` counts as left out.
pub(super) fn fill(fields: &mut Map<String, Value>, scene: &DecodeContext) -> Result<(), Refusal> {
    fields.retain(|_, value| !value.is_null());
    for name in ["id", "from", "body"] {
        if !fields.contains_key(name) {
            return Err(missing(name));
        }
    }
    fill_author(fields)?;
    fill_project(fields)?;
    fill_place(fields);
    let mut fill = |name: &str, value: &dyn Fn() -> Value| {
        if !fields.contains_key(name) {
            fields.insert(name.to_owned(), value());
        }
    };
    fill("seq", &|| Value::from(0));
    fill("importance", &|| Value::from("normal"));
    fill("blocking", &|| Value::from(false));
    fill("state", &|| Value::from("complete"));
    fill("created_at", &|| Value::from(scene.now.to_string()));
    Ok(())
}

/// An author may be told by the id of a member alone, and the kind of a message follows from its author.
fn fill_author(fields: &mut Map<String, Value>) -> Result<(), Refusal> {
    if let Some(Value::String(id)) = fields.get("from") {
        let member: MemberId = id.parse().map_err(|refusal: Refusal| refusal.at("from"))?;
        let author_type = if member.agent().is_some() { "agent" } else { "person" };
        let author = json!({"type": author_type, "id": id, "name": id});
        fields.insert("from".to_owned(), author);
    }
    if !fields.contains_key("kind") {
        // A sort of author that does not exist is refused when the author is read.
        let author_type = fields["from"].get("type").and_then(|name| AuthorType::deserialize(name).ok());
        let kind = usual_kind(author_type.unwrap_or(AuthorType::Person));
        fields.insert("kind".to_owned(), json!(kind));
    }
    Ok(())
}

/// The project may be told in either place, or in both.
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
        // Refused when the context is read.
        Some(_) => {}
    }
    fields.insert("project_id".to_owned(), project);
    Ok(())
}

/// The sort of conversation follows from its id. A message without a place stands in the one that nobody has made.
fn fill_place(fields: &mut Map<String, Value>) {
    let sort = fields.get("type").and_then(Value::as_str);
    match (fields.get("to").and_then(Value::as_str), sort) {
        (Some(id), None) if !fields.contains_key("type") => {
            let prefix = id.split('_').next().unwrap_or_default();
            let sort = match prefix {
                ThreadId::PREFIX => "thread",
                DmId::PREFIX => "dm",
                _ => "channel",
            };
            fields.insert("type".to_owned(), Value::from(sort));
        }
        (None, sort) if !fields.contains_key("to") => {
            let to = match sort {
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
