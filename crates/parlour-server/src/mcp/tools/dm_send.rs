//! `dm_send`: posts a message in the DM with the given members and opens it if necessary.

use parlour_core::post::PostMessage;
use parlour_hub::{Failure, use_cases::OpenDm};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition, post_message::posted_output};
use crate::{
    extract::json::read_as,
    mcp::{request::McpRequest, tool_output::ToolOutput},
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "dm_send",
    effect: Effect::Changes,
    description: "Send a direct message to members.",
    schema: r#"{"type":"object","properties":{
        "participants":{"type":"array","items":{"type":"string"},"description":"Names or ids, without yourself"},
        "body":{"type":"string"},
        "blocking":{"type":"boolean"},
        "project_id":{"type":"string"}},"required":["participants","body"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DmSendArguments {
    participants: Vec<String>,
    body: String,
    blocking: Option<bool>,
    project_id: Option<String>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: DmSendArguments = read_as(arguments)?;
    let project = arguments.project_id.as_deref();
    let participants = mcp.members(project, &arguments.participants, "participants").await?;
    let project_id = match project {
        Some(_) => Some(mcp.project(project).await?),
        None if mcp.is_agent() || participants.iter().any(|member| member.agent().is_some()) => None,
        None => Some(mcp.project(None).await?),
    };
    let first = PostMessage {
        body: arguments.body,
        blocking: arguments.blocking.unwrap_or_default(),
        ..PostMessage::default()
    };
    let opened = mcp.hub.open_dm(mcp.caller, OpenDm { project_id, participants, first: Some(first) }).await?;
    let Some(posted) = opened.posted else { unreachable!("a DM with a first message posts it") };
    let mut output = posted_output(&posted);
    output.value.insert("participants".to_owned(), json!(opened.dm.participants));
    Ok(output)
}
