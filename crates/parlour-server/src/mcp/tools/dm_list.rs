//! `dm_list`: lists the DMs of the caller.

use std::collections::HashMap;

use parlour_core::{
    Refusal,
    conversation::Dm,
    id::{MemberId, ProjectId},
    mention::Roster,
};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{
        message_format::quoted_names,
        request::{McpRequest, page},
        tool_output::{ToolOutput, without_nulls},
    },
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "dm_list",
    effect: Effect::Reads,
    description: "List your DMs; read one with channel_history.",
    schema: r#"{"type":"object","properties":{
        "agent_id":{"type":"string","description":"Default: you; others are refused"},
        "limit":{"type":"integer"},
        "cursor":{"type":"string"}}}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DmListArguments {
    agent_id: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: DmListArguments = read_as(arguments)?;
    require_self(mcp, arguments.agent_id.as_deref()).await?;
    let dms = mcp.hub.dms(mcp.caller, None, &page(arguments.limit, arguments.cursor)?).await?;
    let rosters = rosters_of(mcp, &dms.items).await?;
    let name_of = |dm: &Dm, member: &MemberId| {
        rosters
            .get(&dm.project_id)
            .and_then(|roster| roster.name_of(member))
            .map_or_else(|| member.to_string(), ToString::to_string)
    };
    let (mut items, mut lines) = (Vec::new(), Vec::new());
    for dm in &dms.items {
        let others = dm.participants.iter().filter(|member| **member != mcp.caller.member);
        let names: Vec<_> = others.map(|member| name_of(dm, member)).collect();
        lines.push(format!("{} with {}", dm.id, quoted_names(names.iter().map(String::as_str))));
        items.push(json!({"dm_id": dm.id, "with": names, "participants": dm.participants}));
    }
    if lines.is_empty() {
        lines.push("You have no DMs; open one with dm_send.".to_owned());
    }
    lines.extend(dms.next.as_ref().map(|next| format!("There are more: pass cursor {next:?}.")));
    Ok(ToolOutput::new(without_nulls(json!({"items": items, "next": dms.next})), lines.join("\n")))
}

/// Only the members of a DM can list it; a token that may act for an agent cannot.
async fn require_self(mcp: &McpRequest<'_>, named: Option<&str>) -> Result<(), Failure> {
    let Some(named) = named else { return Ok(()) };
    let agent = mcp.agent_named(None, Some(named)).await?;
    if mcp.caller.member == MemberId::from(agent) {
        return Ok(());
    }
    Err(Refusal::forbidden("you can list only your own DMs; omit agent_id").at("agent_id").into())
}

async fn rosters_of(mcp: &McpRequest<'_>, dms: &[Dm]) -> Result<HashMap<ProjectId, Roster>, Failure> {
    let mut rosters = HashMap::new();
    for dm in dms {
        if !rosters.contains_key(&dm.project_id) {
            rosters.insert(dm.project_id.clone(), mcp.roster(&dm.project_id).await?);
        }
    }
    Ok(rosters)
}
