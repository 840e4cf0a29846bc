//! Checkpoints: what a run is told between two steps of its work, and what an agent is told at the end of a run.

use serde::{Deserialize, Serialize};

use crate::{
    author::Author,
    conversation::ConversationType,
    id::{ConversationId, MessageId},
    inbox::InboxCounts,
    message::{Importance, Message},
    question::Question,
    run::{PauseReason, Run},
};

/// Characters of a message, or of a schema, in these texts.
const BRIEF_MAX: usize = crate::limits::BRIEF_CHARS_MAX;

/// Whether a run may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckpointDecision {
    /// Go on.
    Continue,
    /// Pause: handle what is in the injection first, then resume; or wait for the answer to your own question.
    Pause,
}

/// What a run is told at a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Checkpoint {
    /// Whether it may go on.
    pub verdict: CheckpointDecision,
    /// The run as it is now.
    pub run: Run,
    /// What to put before the model, when it is to pause: made by the context engine, within the budget of injections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<String>,
    /// The messages that pause it, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Brief>,
    /// What else waits in the inbox.
    pub unread: InboxCounts,
}

/// What an agent is told at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RunFinished {
    /// The run.
    pub run: Run,
    /// The unread messages that block nothing, as a text for the model; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<String>,
    /// Those of them that the nudge names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Brief>,
}

/// A message in short, with where the rest is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Brief {
    /// The message.
    pub message_id: MessageId,
    /// Where it stands.
    pub conversation_id: ConversationId,
    /// Which sort of conversation that is.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// Who wrote it.
    pub from: Author,
    /// How much it matters.
    pub importance: Importance,
    /// Whether it blocks, and why: somebody's message, or the agent's own question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<PauseReason>,
    /// Its text, shortened; where it is told to a model, without secrets by the rules of the project.
    pub summary: String,
    /// What it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

impl Brief {
    /// A message in short, with as much of `shown` as is room for: what may be shown of its text, which is never the text
    /// itself where a model reads it.
    pub fn of(message: &Message, blocks: Option<PauseReason>, shown: &str) -> Self {
        Self {
            message_id: message.id.clone(),
            conversation_id: message.to.clone(),
            conversation_type: message.conversation_type,
            from: message.from.clone(),
            importance: message.importance,
            blocks,
            summary: summary(shown, BRIEF_MAX),
            question: message.question.clone(),
        }
    }
}

/// The beginning of a text in at most so many characters, in one line.
pub fn summary(text: &str, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    let head: String = line.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// What an answer is to look like, in one line; nothing where any will do.
pub fn wanted(question: &Question) -> Option<String> {
    if let Some(schema) = &question.schema {
        return Some(format!(
            "The answer must be JSON that fits this schema: {}",
            summary(&schema.to_string(), BRIEF_MAX)
        ));
    }
    if question.options.is_empty() {
        return None;
    }
    let is_default = |id: &str| question.default.as_ref().and_then(|value| value.as_str()) == Some(id);
    let shown = question.options.iter().map(|option| {
        let mark = if is_default(&option.id) { " (default)" } else { "" };
        let label = if option.label == option.id { String::new() } else { format!(" = {}", option.label) };
        format!("{}{label}{mark}", option.id)
    });
    Some(format!("Options: {}", shown.collect::<Vec<_>>().join("; ")))
}

#[cfg(test)]
mod tests;
