//! `channel_history`: reads a conversation, or one message of it.

use parlour_core::{Refusal, Timestamp, id::MessageId, message::Message};
use parlour_hub::{
    Failure,
    use_cases::{HistoryMark, HistoryQuery},
};
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
    name: "channel_history",
    effect: Effect::Reads,
    description: "Read a channel, thread or dm: the newest messages, shown oldest first.",
    schema: r#"{"type":"object","properties":{
        "channel_id":{"type":"string","description":"Channel name or id; a thread, dm or single message id too"},
        "limit":{"type":"integer","minimum":1,"maximum":50},
        "since":{"type":"string","description":"Only after this message id, number or RFC 3339 time"},
        "cursor":{"type":"string","description":"The next of an earlier result"},
        "project_id":{"type":"string"}},"required":["channel_id"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    channel_id: String,
    limit: Option<usize>,
    since: Option<Mark>,
    cursor: Option<String>,
    project_id: Option<String>,
}

/// A place in a conversation; models write numbers with and without quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Mark {
    Number(u64),
    Text(String),
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    if let Ok(id) = wanted.channel_id.parse::<MessageId>() {
        return one(turn, &id).await;
    }
    let page = page(wanted.limit, wanted.cursor)?;
    let since = wanted.since.map(read_mark).transpose()?;
    let is_forward = since.is_some() || page.after().is_some_and(|cursor| cursor.starts_with("after-"));
    let to = turn.conversation(wanted.project_id.as_deref(), &wanted.channel_id).await?;
    let query = HistoryQuery { before: None, since };
    let read = turn.hub.history(turn.caller, &to, &query, &page).await?;
    let mut messages = turn.hub.views(read.items).await?;
    if !is_forward {
        messages.reverse();
    }
    let items: Vec<_> = messages.iter().map(|message| shown::message(message, Length::Cut)).collect();
    let text = in_words(&messages, read.next.as_deref(), is_forward);
    Ok(Outcome::new(without_nulls(json!({"conversation_id": to, "items": items, "next": read.next})), text))
}

/// One message, whole.
async fn one(turn: &Turn<'_>, id: &MessageId) -> Result<Outcome, Failure> {
    let found = turn.hub.views([turn.hub.message(turn.caller, id).await?]).await?;
    let message = found.first().ok_or_else(|| Refusal::not_found("message", id).at("channel_id"))?;
    let text = shown::message_text(message, Length::Whole);
    Ok(Outcome::new(json!({"items": [shown::message(message, Length::Whole)]}), text))
}

fn in_words(messages: &[Message], next: Option<&str>, is_forward: bool) -> String {
    let mut parts: Vec<_> = messages.iter().map(|message| shown::message_text(message, Length::Cut)).collect();
    if parts.is_empty() {
        parts.push("No messages here.".to_owned());
    }
    if let Some(next) = next {
        let which = if is_forward { "newer" } else { "older" };
        parts.push(format!("There are {which} ones: pass cursor {next:?}."));
    }
    parts.join("\n")
}

fn read_mark(mark: Mark) -> Result<HistoryMark, Refusal> {
    let text = match mark {
        Mark::Number(seq) => return Ok(HistoryMark::Seq(seq)),
        Mark::Text(text) => text,
    };
    if let Ok(id) = text.parse() {
        return Ok(HistoryMark::Message(id));
    }
    if let Some(seq) = text.parse::<u64>().ok().filter(|seq| i64::try_from(*seq).is_ok()) {
        return Ok(HistoryMark::Seq(seq));
    }
    let time = serde_json::from_value::<Timestamp>(Value::String(text)).map(HistoryMark::Time);
    time.map_err(|_| {
        Refusal::invalid("since is a message's id or number, or a time such as 2026-01-31T12:00:00Z").at("since")
    })
}
