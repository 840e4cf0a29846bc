//! `create_channel`: creates a channel.

use parlour_core::{conversation::Visibility, name::Name};
use parlour_hub::{Failure, use_cases::NewChannel};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{message_format::quoted_name, request::McpRequest, tool_output::ToolOutput},
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "create_channel",
    effect: Effect::Changes,
    description: "Create a channel.",
    schema: r#"{"type":"object","properties":{
        "project_id":{"type":"string","description":"Name or id; required only if you can see several projects"},
        "name":{"type":"string"},
        "visibility":{"enum":["project","private"]}},"required":["name"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CreateChannelArguments {
    project_id: Option<String>,
    name: String,
    visibility: Option<Visibility>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: CreateChannelArguments = read_as(arguments)?;
    let name = Name::parse(arguments.name.strip_prefix('#').unwrap_or(&arguments.name))
        .map_err(|refusal| refusal.at("name"))?;
    let request = NewChannel {
        project_id: mcp.project(arguments.project_id.as_deref()).await?,
        name,
        topic: None,
        visibility: arguments.visibility.unwrap_or_default(),
    };
    let channel = mcp.hub.create_channel(mcp.caller, request).await?;
    let text = format!("Created the channel {} ({}).", quoted_name(channel.name.as_str()), channel.id);
    Ok(ToolOutput::new(
        json!({"channel_id": channel.id, "name": channel.name, "visibility": channel.visibility, "project_id": channel.project_id}),
        text,
    ))
}
