//! `search`: finds messages by words.

use parlour_core::{checkpoint::summary, limits};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{
        message_format::{quoted, quoted_name},
        request::{McpRequest, page},
        tool_output::{ToolOutput, without_nulls},
    },
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "search",
    effect: Effect::Reads,
    description: "Find messages that contain all of these words, newest first.",
    schema: r#"{"type":"object","properties":{
        "query":{"type":"string"},
        "project_id":{"type":"string"},
        "limit":{"type":"integer"},
        "cursor":{"type":"string"}},"required":["query"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    project_id: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: SearchArguments = read_as(arguments)?;
    let page = page(arguments.limit, arguments.cursor)?;
    let project = mcp.project(arguments.project_id.as_deref()).await?;
    let found = mcp.hub.search(mcp.caller, &project, &arguments.query, &page).await?;
    let (mut items, mut parts) = (Vec::new(), Vec::new());
    let views = mcp.hub.views(found.items.iter().map(|hit| hit.message.clone())).await?;
    for message in &views {
        let Some(hit) = found.items.iter().find(|hit| hit.message.id == message.id) else { continue };
        // A snippet could contain part of a redacted secret, so a redacted message shows the beginning of its view instead.
        let is_unredacted = message.body == hit.message.body;
        let snippet = if is_unredacted { hit.snippet.clone() } else { summary(&message.body, limits::BRIEF_CHARS_MAX) };
        parts.push(format!(
            "{} in {} {} {}",
            message.id,
            message.to,
            quoted_name(&message.from.name),
            message.created_at
        ));
        parts.push(quoted(&snippet));
        items.push(json!({
            "id": message.id, "conversation_id": message.to, "from": message.from.name, "at": message.created_at,
            "snippet": snippet,
        }));
    }
    if items.is_empty() {
        parts.push("Nothing found.".to_owned());
    }
    parts.extend(found.next.as_ref().map(|next| format!("There may be more: pass cursor {next:?}.")));
    Ok(ToolOutput::new(without_nulls(json!({"items": items, "next": found.next})), parts.join("\n")))
}
