//! `reply_thread`: posts a reply in a thread or to a message.

use parlour_core::{
    id::{ArtifactId, ConversationId, MessageId, ThreadId},
    message::Importance,
    post::PostMessage,
};
use parlour_hub::{Failure, use_cases::OpenThread};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Effect, ToolDefinition,
    post_message::{addressed_to, posted_output},
};
use crate::{
    extract::json::read_as,
    mcp::{request::McpRequest, tool_output::ToolOutput},
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "reply_thread",
    effect: Effect::Changes,
    description: "Reply in a thread or to a message. A reply to a blocking message answers it.",
    schema: r#"{"type":"object","properties":{
        "project_id":{"type":"string"},
        "thread_id":{"type":"string","description":"Thread id, or the id of the message to reply to"},
        "body":{"type":"string"},
        "mentions":{"type":"array","items":{"type":"string"}},
        "artifacts":{"type":"array","items":{"type":"string"}},
        "blocking":{"type":"boolean"},
        "importance":{"enum":["normal","high","critical"]}},"required":["thread_id","body"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyThreadArguments {
    #[expect(dead_code, reason = "accepted for compatibility; the id of the thread determines the project")]
    project_id: Option<String>,
    #[serde(alias = "message_id")]
    thread_id: String,
    body: String,
    mentions: Option<Vec<String>>,
    artifacts: Option<Vec<ArtifactId>>,
    blocking: Option<bool>,
    importance: Option<Importance>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: ReplyThreadArguments = read_as(arguments)?;
    let (to, reply_to) = reply_target(mcp, &arguments.thread_id).await?;
    let request = PostMessage {
        body: arguments.body,
        mentions: arguments.mentions.unwrap_or_default(),
        artifacts: arguments.artifacts.unwrap_or_default(),
        blocking: arguments.blocking.unwrap_or_default(),
        importance: arguments.importance.unwrap_or_default(),
        reply_to,
        ..PostMessage::default()
    };
    Ok(posted_output(&mcp.hub.post_message(mcp.caller, addressed_to(to, request)).await?))
}

/// The conversation of a reply, and the message that it answers. A reply to a message of a channel goes into the thread of
/// that message, which is opened if necessary; a reply to a message of a thread or DM goes into the same conversation.
pub(super) async fn reply_target(
    mcp: &McpRequest<'_>,
    named: &str,
) -> Result<(ConversationId, Option<MessageId>), Failure> {
    if let Ok(id) = named.parse::<ThreadId>() {
        return Ok((id.into(), None));
    }
    let id: MessageId = named.parse().map_err(|refusal: parlour_core::Refusal| refusal.at("thread_id"))?;
    let message = mcp.hub.message(mcp.caller, &id).await?;
    match message.to {
        ConversationId::Channel(channel_id) => {
            let request = OpenThread { channel_id, root_message_id: id.clone() };
            let (thread, _) = mcp.hub.open_thread(mcp.caller, request).await?;
            Ok((thread.id.into(), Some(id)))
        }
        same_conversation => Ok((same_conversation, Some(id))),
    }
}
