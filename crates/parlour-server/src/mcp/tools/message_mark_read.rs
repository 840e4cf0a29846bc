//! `message_mark_read`: says that a message was read.

use parlour_core::id::{MemberId, MessageId};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{outcome::Outcome, turn::Turn},
};

pub(super) const TOOL: Definition = Definition {
    name: "message_mark_read",
    effect: Effect::Changes,
    description: "Take a message out of your inbox: you have read it.",
    schema: r#"{"type":"object","properties":{
        "agent_id":{"type":"string"},
        "message_id":{"type":"string"}},"required":["message_id"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_id: Option<String>,
    message_id: MessageId,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let reader = match wanted.agent_id.as_deref() {
        Some(named) => Some(MemberId::from(turn.agent_named(None, Some(named)).await?)),
        None => None,
    };
    turn.hub.mark_read(turn.caller, &wanted.message_id, reader).await?;
    let text = format!("{} is read.", wanted.message_id);
    Ok(Outcome::new(json!({"message_id": wanted.message_id, "read": true}), text))
}
