//! `channel_history`: reads the messages of a conversation, or one message.

use parlour_core::{Refusal, Timestamp, id::MessageId, message::Message};
use parlour_hub::{
    Failure,
    use_cases::{HistoryMark, HistoryQuery},
};
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
    name: "channel_history",
    effect: Effect::Reads,
    description: "Read the newest messages of a channel, thread or DM, in chronological order.",
    schema: r#"{"type":"object","properties":{
        "channel_id":{"type":"string","description":"Channel name or id, or the id of a thread, DM or single message"},
        "limit":{"type":"integer","minimum":1,"maximum":50},
        "since":{"type":"string","description":"Only messages after this message id, number or RFC 3339 time"},
        "cursor":{"type":"string","description":"Value of next in an earlier result"},
        "project_id":{"type":"string"}},"required":["channel_id"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChannelHistoryArguments {
    channel_id: String,
    limit: Option<usize>,
    since: Option<NumberOrText>,
    cursor: Option<String>,
    project_id: Option<String>,
}

/// The argument `since`; models write numbers with and without quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(u64),
    Text(String),
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: ChannelHistoryArguments = read_as(arguments)?;
    if let Ok(id) = arguments.channel_id.parse::<MessageId>() {
        return single_message(mcp, &id).await;
    }
    let page = page(arguments.limit, arguments.cursor)?;
    let since = arguments.since.map(parse_since).transpose()?;
    let is_forward = since.is_some() || page.after().is_some_and(|cursor| cursor.starts_with("after-"));
    let to = mcp.conversation(arguments.project_id.as_deref(), &arguments.channel_id).await?;
    let query = HistoryQuery { before: None, since };
    let read = mcp.hub.history(mcp.caller, &to, &query, &page).await?;
    let mut messages = mcp.hub.views(read.items).await?;
    if !is_forward {
        messages.reverse();
    }
    let items: Vec<_> = messages.iter().map(|message| message_json(message, BodyLength::Truncated)).collect();
    let text = history_text(&messages, read.next.as_deref(), is_forward);
    Ok(ToolOutput::new(without_nulls(json!({"conversation_id": to, "items": items, "next": read.next})), text))
}

/// One message with its full body.
async fn single_message(mcp: &McpRequest<'_>, id: &MessageId) -> Result<ToolOutput, Failure> {
    let found = mcp.hub.views([mcp.hub.message(mcp.caller, id).await?]).await?;
    let message = found.first().ok_or_else(|| Refusal::not_found("message", id).at("channel_id"))?;
    let text = message_text(message, BodyLength::Full);
    Ok(ToolOutput::new(json!({"items": [message_json(message, BodyLength::Full)]}), text))
}

fn history_text(messages: &[Message], next: Option<&str>, is_forward: bool) -> String {
    let mut parts: Vec<_> = messages.iter().map(|message| message_text(message, BodyLength::Truncated)).collect();
    if parts.is_empty() {
        parts.push("No messages.".to_owned());
    }
    if let Some(next) = next {
        let which = if is_forward { "newer" } else { "older" };
        parts.push(format!("There are {which} messages: pass cursor {next:?}."));
    }
    parts.join("\n")
}

fn parse_since(since: NumberOrText) -> Result<HistoryMark, Refusal> {
    let text = match since {
        NumberOrText::Number(seq) => return Ok(HistoryMark::Seq(seq)),
        NumberOrText::Text(text) => text,
    };
    if let Ok(id) = text.parse() {
        return Ok(HistoryMark::Message(id));
    }
    if let Some(seq) = text.parse::<u64>().ok().filter(|seq| i64::try_from(*seq).is_ok()) {
        return Ok(HistoryMark::Seq(seq));
    }
    let time = serde_json::from_value::<Timestamp>(Value::String(text)).map(HistoryMark::Time);
    time.map_err(|_| {
        Refusal::invalid("since must be a message id, a message number, or a time such as 2026-01-31T12:00:00Z")
            .at("since")
    })
}
