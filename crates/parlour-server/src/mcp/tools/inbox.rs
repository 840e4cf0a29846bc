//! `inbox`: what the caller has not read.

use parlour_core::{
    delivery::DeliveryPath,
    inbox::{InboxEntry, InboxFilter, InboxOrder},
    message::Importance,
    paging::Page,
};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{
        outcome::{Outcome, without_nulls},
        shown::{self, Length},
        turn::{Turn, page},
    },
};

pub(super) const TOOL: Definition = Definition {
    name: "inbox",
    effect: Effect::Reads,
    description: "List your unread messages, the most important first.",
    schema: r#"{"type":"object","properties":{
        "limit":{"type":"integer"},
        "cursor":{"type":"string"},
        "importance":{"enum":["high","critical"],"description":"At least this"},
        "mentions":{"type":"boolean","description":"Only what mentions you"},
        "blocking":{"type":"boolean","description":"Only what waits for your answer"},
        "agent_id":{"type":"string"},
        "project_id":{"type":"string"}}}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    limit: Option<usize>,
    cursor: Option<String>,
    importance: Option<Importance>,
    mentions: Option<bool>,
    blocking: Option<bool>,
    agent_id: Option<String>,
    project_id: Option<String>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let page = page(wanted.limit, wanted.cursor)?;
    let project = wanted.project_id.as_deref();
    if !turn.is_agent() && wanted.agent_id.is_none() {
        let found = turn.hub.my_inbox(turn.caller, &turn.project(project).await?, &page).await?;
        return outcome(turn, found, None).await;
    }
    let agent = turn.agent_named(project, wanted.agent_id.as_deref()).await?;
    let filter = InboxFilter {
        importance: wanted.importance,
        only_mentions: wanted.mentions.unwrap_or_default(),
        only_blocking: wanted.blocking.unwrap_or_default(),
        conversation_id: None,
        order: InboxOrder::Importance,
    };
    let (found, unread) = turn.hub.inbox(turn.caller, &agent, &filter, &page).await?;
    let is_own = turn.caller.member.agent() == Some(&agent);
    if is_own {
        turn.give(found.items.iter().map(|entry| entry.message.id.clone()), DeliveryPath::Tool).await;
    }
    outcome(turn, found, Some(unread)).await
}

async fn outcome(turn: &Turn<'_>, found: Page<InboxEntry>, unread: Option<u64>) -> Result<Outcome, Failure> {
    let next = found.next;
    let messages = turn.hub.views(found.items.into_iter().map(|entry| entry.message)).await?;
    let items: Vec<_> = messages.iter().map(|message| shown::message(message, Length::Cut)).collect();
    let mut parts: Vec<String> = unread.map(|count| format!("{count} unread.")).into_iter().collect();
    parts.extend(messages.iter().map(|message| shown::message_text(message, Length::Cut)));
    if messages.is_empty() {
        parts.push("Nothing here.".to_owned());
    } else {
        parts.push("message_mark_read takes one out, reply_thread answers one.".to_owned());
    }
    parts.extend(next.as_ref().map(|next| format!("There are more: pass cursor {next:?}.")));
    Ok(Outcome::new(without_nulls(json!({"unread": unread, "items": items, "next": next})), parts.join("\n")))
}
