//! `channel_subscribe`: subscribes an agent to a channel.

use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{request::McpRequest, tool_output::ToolOutput},
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "channel_subscribe",
    effect: Effect::Changes,
    description: "Receive every message of a channel in your inbox.",
    schema: r#"{"type":"object","properties":{
        "agent_id":{"type":"string","description":"Default: you"},
        "channel_id":{"type":"string","description":"Name or id"},
        "project_id":{"type":"string"}},"required":["channel_id"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChannelSubscribeArguments {
    agent_id: Option<String>,
    channel_id: String,
    project_id: Option<String>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: ChannelSubscribeArguments = read_as(arguments)?;
    let project = arguments.project_id.as_deref();
    let channel = mcp.channel(project, &arguments.channel_id).await?;
    let agent = mcp.agent_named(project, arguments.agent_id.as_deref()).await?;
    let subscription = mcp.hub.subscribe(mcp.caller, &channel, &agent).await?;
    let text = format!("{} is subscribed to {}.", subscription.agent_id, subscription.channel_id);
    Ok(ToolOutput::new(json!({"channel_id": subscription.channel_id, "agent_id": subscription.agent_id}), text))
}
