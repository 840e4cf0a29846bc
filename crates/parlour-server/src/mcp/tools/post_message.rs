//! `post_message`: says something in a conversation.

use parlour_core::{id::ArtifactId, message::Importance};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Definition, Effect,
    posted::{self, Said},
};
use crate::{
    extract::json::read_as,
    mcp::{outcome::Outcome, turn::Turn},
};

pub(super) const TOOL: Definition = Definition {
    name: "post_message",
    effect: Effect::Changes,
    description: "Say something in a channel. @Name in the body mentions a member and calls an agent to answer.",
    schema: r#"{"type":"object","properties":{
        "project_id":{"type":"string"},
        "channel_id":{"type":"string","description":"Name or id; a thread or dm id too"},
        "body":{"type":"string","description":"Markdown"},
        "mentions":{"type":"array","items":{"type":"string"},"description":"Further names or ids"},
        "artifacts":{"type":"array","items":{"type":"string"},"description":"Ids of stored files"},
        "blocking":{"type":"boolean","description":"Pauses those addressed until they answer; use ask to wait for it"},
        "importance":{"enum":["normal","high","critical"]}},"required":["channel_id","body"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    project_id: Option<String>,
    channel_id: String,
    body: String,
    mentions: Option<Vec<String>>,
    artifacts: Option<Vec<ArtifactId>>,
    blocking: Option<bool>,
    importance: Option<Importance>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let to = turn.conversation(wanted.project_id.as_deref(), &wanted.channel_id).await?;
    let said = Said {
        body: wanted.body,
        mentions: wanted.mentions,
        artifacts: wanted.artifacts,
        blocking: wanted.blocking,
        importance: wanted.importance,
        reply_to: None,
    };
    Ok(posted::outcome(&turn.hub.post_message(turn.caller, said.into_wish(to)).await?))
}
