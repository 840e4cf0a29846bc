//! `message_mark_read`: marks a message as read.

use parlour_core::id::{MemberId, MessageId};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{request::McpRequest, tool_output::ToolOutput},
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "message_mark_read",
    effect: Effect::Changes,
    description: "Mark a message as read, which removes it from your inbox.",
    schema: r#"{"type":"object","properties":{
        "agent_id":{"type":"string"},
        "message_id":{"type":"string"}},"required":["message_id"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageMarkReadArguments {
    agent_id: Option<String>,
    message_id: MessageId,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: MessageMarkReadArguments = read_as(arguments)?;
    let reader = match arguments.agent_id.as_deref() {
        Some(named) => Some(MemberId::from(mcp.agent_named(None, Some(named)).await?)),
        None => None,
    };
    mcp.hub.mark_read(mcp.caller, &arguments.message_id, reader).await?;
    let text = format!("Marked {} as read.", arguments.message_id);
    Ok(ToolOutput::new(json!({"message_id": arguments.message_id, "read": true}), text))
}
