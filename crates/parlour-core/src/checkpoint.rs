//! Checkpoints: what a run is told between two steps of its work, and what an agent is told at the end of a run.

use serde::{Deserialize, Serialize};

use crate::{
    author::Author,
    conversation::ConversationType,
    id::{ConversationId, MessageId, RunId},
    inbox::InboxCounts,
    message::{Importance, Message},
    question::Question,
    run::{PauseReason, Run},
};

/// Whether a run may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
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
    pub verdict: Verdict,
    /// The run as it is now.
    pub run: Run,
    /// What to put before the model, when it is to pause.
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
    /// Its text, shortened.
    pub summary: String,
    /// What it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

impl Brief {
    /// A message in short.
    pub fn of(message: &Message, blocks: Option<PauseReason>) -> Self {
        Self {
            message_id: message.id.clone(),
            conversation_id: message.to.clone(),
            conversation_type: message.conversation_type,
            from: message.from.clone(),
            importance: message.importance,
            blocks,
            summary: summary(&message.body, crate::limits::BRIEF_CHARS_MAX),
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

/// The text that is put before the model of a run that is to pause.
pub fn injection(briefs: &[Brief], run: &RunId) -> String {
    let _ = run;
    briefs.iter().map(|brief| format!("You received a message from {}: {}", brief.from.name, brief.summary)).collect()
}

/// The text that lists what is unread at the end of a run; nothing when nothing is.
pub fn nudge(briefs: &[Brief], counts: &InboxCounts) -> Option<String> {
    (!briefs.is_empty()).then(|| format!("{} unread", counts.total))
}
