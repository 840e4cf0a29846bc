//! `dm_send`: says something to a few members and nobody else.

use parlour_core::post::PostMessage;
use parlour_hub::{Failure, use_cases::OpenDm};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect, posted};
use crate::{
    extract::json::read_as,
    mcp::{outcome::Outcome, turn::Turn},
};

pub(super) const TOOL: Definition = Definition {
    name: "dm_send",
    effect: Effect::Changes,
    description: "Write to members privately.",
    schema: r#"{"type":"object","properties":{
        "participants":{"type":"array","items":{"type":"string"},"description":"Names or ids, without yourself"},
        "body":{"type":"string"},
        "blocking":{"type":"boolean"},
        "project_id":{"type":"string"}},"required":["participants","body"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    participants: Vec<String>,
    body: String,
    blocking: Option<bool>,
    project_id: Option<String>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let project = wanted.project_id.as_deref();
    let participants = turn.members(project, &wanted.participants, "participants").await?;
    let project_id = match project {
        Some(_) => Some(turn.project(project).await?),
        None if turn.is_agent() || participants.iter().any(|member| member.agent().is_some()) => None,
        None => Some(turn.project(None).await?),
    };
    let first =
        PostMessage { body: wanted.body, blocking: wanted.blocking.unwrap_or_default(), ..PostMessage::default() };
    let opened = turn.hub.open_dm(turn.caller, OpenDm { project_id, participants, first: Some(first) }).await?;
    let Some(posted) = opened.posted else { unreachable!("something was to be said") };
    let mut outcome = posted::outcome(&posted);
    outcome.value.insert("participants".to_owned(), json!(opened.dm.participants));
    Ok(outcome)
}
