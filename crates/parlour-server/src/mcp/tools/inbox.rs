//! `inbox`: lists the unread messages of the caller.

use parlour_core::{
    delivery::DeliveryPath,
    inbox::{InboxEntry, InboxFilter, InboxOrder},
    message::Importance,
    paging::Page,
};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{
        message_format::{BodyLength, message_json, message_text},
        request::{McpRequest, page},
        tool_output::{ToolOutput, without_nulls},
    },
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "inbox",
    effect: Effect::Reads,
    description: "List your unread messages, the most important first.",
    schema: r#"{"type":"object","properties":{
        "limit":{"type":"integer"},
        "cursor":{"type":"string"},
        "importance":{"enum":["high","critical"],"description":"Minimum importance"},
        "mentions":{"type":"boolean","description":"Only messages that mention you"},
        "blocking":{"type":"boolean","description":"Only messages that wait for your answer"},
        "agent_id":{"type":"string"},
        "project_id":{"type":"string"}}}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InboxArguments {
    limit: Option<usize>,
    cursor: Option<String>,
    importance: Option<Importance>,
    mentions: Option<bool>,
    blocking: Option<bool>,
    agent_id: Option<String>,
    project_id: Option<String>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: InboxArguments = read_as(arguments)?;
    let page = page(arguments.limit, arguments.cursor)?;
    let project = arguments.project_id.as_deref();
    if !mcp.is_agent() && arguments.agent_id.is_none() {
        let found = mcp.hub.my_inbox(mcp.caller, &mcp.project(project).await?, &page).await?;
        return inbox_output(mcp, found, None).await;
    }
    let agent = mcp.agent_named(project, arguments.agent_id.as_deref()).await?;
    let filter = InboxFilter {
        importance: arguments.importance,
        only_mentions: arguments.mentions.unwrap_or_default(),
        only_blocking: arguments.blocking.unwrap_or_default(),
        conversation_id: None,
        order: InboxOrder::Importance,
    };
    let (found, unread) = mcp.hub.inbox(mcp.caller, &agent, &filter, &page).await?;
    let is_own = mcp.caller.member.agent() == Some(&agent);
    if is_own {
        mcp.queue_deliveries(found.items.iter().map(|entry| entry.message.id.clone()), DeliveryPath::Tool).await;
    }
    inbox_output(mcp, found, Some(unread)).await
}

async fn inbox_output(
    mcp: &McpRequest<'_>,
    found: Page<InboxEntry>,
    unread: Option<u64>,
) -> Result<ToolOutput, Failure> {
    let next = found.next;
    let messages = mcp.hub.views(found.items.into_iter().map(|entry| entry.message)).await?;
    let items: Vec<_> = messages.iter().map(|message| message_json(message, BodyLength::Truncated)).collect();
    let mut parts: Vec<String> = unread.map(|count| format!("{count} unread.")).into_iter().collect();
    parts.extend(messages.iter().map(|message| message_text(message, BodyLength::Truncated)));
    if messages.is_empty() {
        parts.push("No messages.".to_owned());
    } else {
        parts
            .push("Use reply_thread to answer a message and message_mark_read to remove it from the inbox.".to_owned());
    }
    parts.extend(next.as_ref().map(|next| format!("There are more: pass cursor {next:?}.")));
    Ok(ToolOutput::new(without_nulls(json!({"unread": unread, "items": items, "next": next})), parts.join("\n")))
}
