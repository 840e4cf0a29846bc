//! `reply_thread`: says something in a thread, or below a message.

use parlour_core::{
    id::{ArtifactId, ConversationId, MessageId, ThreadId},
    message::Importance,
};
use parlour_hub::{Failure, use_cases::OpenThread};
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
    name: "reply_thread",
    effect: Effect::Changes,
    description: "Reply in a thread, or to a message; this also answers a blocking message.",
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
struct Arguments {
    /// Follows from the thread; taken because it belongs to the tool's parameters.
    #[expect(dead_code, reason = "a thread is known by its id alone")]
    project_id: Option<String>,
    #[serde(alias = "message_id")]
    thread_id: String,
    body: String,
    mentions: Option<Vec<String>>,
    artifacts: Option<Vec<ArtifactId>>,
    blocking: Option<bool>,
    importance: Option<Importance>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let (to, reply_to) = place_of(turn, &wanted.thread_id).await?;
    let said = Said {
        body: wanted.body,
        mentions: wanted.mentions,
        artifacts: wanted.artifacts,
        blocking: wanted.blocking,
        importance: wanted.importance,
        reply_to,
    };
    Ok(posted::outcome(&turn.hub.post_message(turn.caller, said.into_wish(to)).await?))
}

/// Where a reply goes, and what it refers to. A message of a channel has a thread below it, which is opened when there is
/// none; in a thread or dm the reply stands beside the message. What the caller names is what it answers.
pub(super) async fn place_of(turn: &Turn<'_>, named: &str) -> Result<(ConversationId, Option<MessageId>), Failure> {
    if let Ok(id) = named.parse::<ThreadId>() {
        return Ok((id.into(), None));
    }
    let id: MessageId = named.parse().map_err(|refusal: parlour_core::Refusal| refusal.at("thread_id"))?;
    let message = turn.hub.message(turn.caller, &id).await?;
    match message.to {
        ConversationId::Channel(channel_id) => {
            let request = OpenThread { channel_id, root_message_id: id.clone() };
            let (thread, _) = turn.hub.open_thread(turn.caller, request).await?;
            Ok((thread.id.into(), Some(id)))
        }
        beside => Ok((beside, Some(id))),
    }
}
