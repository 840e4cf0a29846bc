//! `search`: finds messages by their words.

use parlour_core::{checkpoint::summary, limits};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{
        outcome::{Outcome, without_nulls},
        shown,
        turn::{Turn, page},
    },
};

pub(super) const TOOL: Definition = Definition {
    name: "search",
    effect: Effect::Reads,
    description: "Find messages that hold all of these words, newest first.",
    schema: r#"{"type":"object","properties":{
        "query":{"type":"string"},
        "project_id":{"type":"string"},
        "limit":{"type":"integer"},
        "cursor":{"type":"string"}},"required":["query"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    project_id: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let page = page(wanted.limit, wanted.cursor)?;
    let project = turn.project(wanted.project_id.as_deref()).await?;
    let found = turn.hub.search(turn.caller, &project, &wanted.query, &page).await?;
    let (mut items, mut parts) = (Vec::new(), Vec::new());
    let views = turn.hub.views(found.items.iter().map(|hit| hit.message.clone())).await?;
    for message in &views {
        let Some(hit) = found.items.iter().find(|hit| hit.message.id == message.id) else { continue };
        // Half a secret has no shape: where something was taken out, the beginning is shown instead of the place.
        let is_whole = message.body == hit.message.body;
        let snippet = if is_whole { hit.snippet.clone() } else { summary(&message.body, limits::BRIEF_CHARS_MAX) };
        parts.push(format!(
            "{} in {} {} {}",
            message.id,
            message.to,
            shown::one_line(&message.from.name),
            message.created_at
        ));
        parts.push(shown::marked(&snippet));
        items.push(json!({
            "id": message.id, "conversation_id": message.to, "from": message.from.name, "at": message.created_at,
            "snippet": snippet,
        }));
    }
    if items.is_empty() {
        parts.push("Nothing found.".to_owned());
    }
    parts.extend(found.next.as_ref().map(|next| format!("There may be more: pass cursor {next:?}.")));
    Ok(Outcome::new(without_nulls(json!({"items": items, "next": found.next})), parts.join("\n")))
}
