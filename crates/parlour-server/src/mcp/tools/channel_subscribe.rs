//! `channel_subscribe`: gets everything of a channel into an agent's inbox.

use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{outcome::Outcome, turn::Turn},
};

pub(super) const TOOL: Definition = Definition {
    name: "channel_subscribe",
    effect: Effect::Changes,
    description: "Get everything of a channel into your inbox.",
    schema: r#"{"type":"object","properties":{
        "agent_id":{"type":"string","description":"Default: you"},
        "channel_id":{"type":"string","description":"Name or id"},
        "project_id":{"type":"string"}},"required":["channel_id"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_id: Option<String>,
    channel_id: String,
    project_id: Option<String>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let project = wanted.project_id.as_deref();
    let channel = turn.channel(project, &wanted.channel_id).await?;
    let agent = turn.agent_named(project, wanted.agent_id.as_deref()).await?;
    let subscription = turn.hub.subscribe(turn.caller, &channel, &agent).await?;
    let text = format!("{} follows {}.", subscription.agent_id, subscription.channel_id);
    Ok(Outcome::new(json!({"channel_id": subscription.channel_id, "agent_id": subscription.agent_id}), text))
}
