//! `create_channel`: makes a channel.

use parlour_core::{conversation::Visibility, name::Name};
use parlour_hub::{Failure, use_cases::NewChannel};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{outcome::Outcome, turn::Turn},
};

pub(super) const TOOL: Definition = Definition {
    name: "create_channel",
    effect: Effect::Changes,
    description: "Make a channel.",
    schema: r#"{"type":"object","properties":{
        "project_id":{"type":"string","description":"Name or id; needed only if your token sees several"},
        "name":{"type":"string"},
        "visibility":{"enum":["project","private"]}},"required":["name"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    project_id: Option<String>,
    name: String,
    visibility: Option<Visibility>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let name =
        Name::parse(wanted.name.strip_prefix('#').unwrap_or(&wanted.name)).map_err(|refusal| refusal.at("name"))?;
    let request = NewChannel {
        project_id: turn.project(wanted.project_id.as_deref()).await?,
        name,
        topic: None,
        visibility: wanted.visibility.unwrap_or_default(),
    };
    let channel = turn.hub.create_channel(turn.caller, request).await?;
    let text = format!("Made the channel {} ({}).", channel.name, channel.id);
    Ok(Outcome::new(
        json!({"channel_id": channel.id, "name": channel.name, "visibility": channel.visibility, "project_id": channel.project_id}),
        text,
    ))
}
