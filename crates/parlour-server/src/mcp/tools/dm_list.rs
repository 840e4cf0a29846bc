//! `dm_list`: lists the caller's dms.

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

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{
        outcome::{Outcome, without_nulls},
        turn::{Turn, page},
    },
};

pub(super) const TOOL: Definition = Definition {
    name: "dm_list",
    effect: Effect::Reads,
    description: "List your dms; read one with channel_history.",
    schema: r#"{"type":"object","properties":{
        "agent_id":{"type":"string","description":"Default: you; nobody else's are shown"},
        "limit":{"type":"integer"},
        "cursor":{"type":"string"}}}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_id: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    check_own(turn, wanted.agent_id.as_deref()).await?;
    let dms = turn.hub.dms(turn.caller, None, &page(wanted.limit, wanted.cursor)?).await?;
    let rosters = rosters_of(turn, &dms.items).await?;
    let name_of = |dm: &Dm, member: &MemberId| {
        rosters
            .get(&dm.project_id)
            .and_then(|roster| roster.name_of(member))
            .map_or_else(|| member.to_string(), ToString::to_string)
    };
    let (mut items, mut lines) = (Vec::new(), Vec::new());
    for dm in &dms.items {
        let others = dm.participants.iter().filter(|member| **member != turn.caller.member);
        let names: Vec<_> = others.map(|member| name_of(dm, member)).collect();
        lines.push(format!("{} with {}", dm.id, names.join(", ")));
        items.push(json!({"dm_id": dm.id, "with": names, "participants": dm.participants}));
    }
    if lines.is_empty() {
        lines.push("No dms yet; dm_send opens one.".to_owned());
    }
    lines.extend(dms.next.as_ref().map(|next| format!("There are more: pass cursor {next:?}.")));
    Ok(Outcome::new(without_nulls(json!({"items": items, "next": dms.next})), lines.join("\n")))
}

/// Dms are for their members alone, also for those who may act for them.
async fn check_own(turn: &Turn<'_>, named: Option<&str>) -> Result<(), Failure> {
    let Some(named) = named else { return Ok(()) };
    let agent = turn.agent_named(None, Some(named)).await?;
    if turn.caller.member == MemberId::from(agent) {
        return Ok(());
    }
    Err(Refusal::forbidden("only its members list a dm; leave agent_id out for your own").at("agent_id").into())
}

async fn rosters_of(turn: &Turn<'_>, dms: &[Dm]) -> Result<HashMap<ProjectId, Roster>, Failure> {
    let mut rosters = HashMap::new();
    for dm in dms {
        if !rosters.contains_key(&dm.project_id) {
            rosters.insert(dm.project_id.clone(), turn.roster(&dm.project_id).await?);
        }
    }
    Ok(rosters)
}
