//! Checkpoints: the verdict for a run between two steps, and the nudge at its end.

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

/// How the messages that pause a run reach a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckpointDelivery {
    /// The caller adds the injection of the response to the prompt of this run. The hub records it with the run.
    #[default]
    Checkpoint,
    /// The caller gives the messages to the model of this run with a text that it requests separately, as a hook does.
    /// The response has no injection, and nothing is recorded.
    OtherText,
    /// The agent answers the messages in a separate run, as the runner does. The response has no injection, nothing is
    /// recorded, and the timeline of this run says that it does not get the messages.
    SeparateRun,
}

/// The verdict of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Checkpoint {
    /// Whether it may go on.
    pub verdict: CheckpointDecision,
    /// The run as it is now.
    pub run: Run,
    /// The text for the model when the run must pause, from the context engine, within the injection budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<String>,
    /// The messages that pause it, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Brief>,
    /// The other unread messages of the inbox.
    pub unread: InboxCounts,
}

/// The nudge at the end of a run: a report of unread messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RunFinished {
    /// The run.
    pub run: Run,
    /// The unread messages that block nothing, as a text for the model; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<String>,
    /// The messages that the nudge names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Brief>,
}

/// A message in short, with where the rest is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Brief {
    /// The message.
    pub message_id: MessageId,
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The type of the conversation.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// The author.
    pub from: Author,
    /// The importance.
    pub importance: Importance,
    /// Whether it blocks, and why: somebody's message, or the agent's own question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<PauseReason>,
    /// The text, shortened; redacted by the rules of the project for a model.
    pub summary: String,
    /// The question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

impl Brief {
    /// A message in short, with as much of `shown` as is room for: what may be shown of its text, which is never the
    /// text itself where a model reads it.
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

/// The beginning of a text in one line of at most this many characters.
pub fn summary(text: &str, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    let head: String = line.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// The expected form of the answer in one line; `None` if any answer is accepted.
pub fn wanted(question: &Question) -> Option<String> {
    if let Some(schema) = &question.schema {
        return Some(format!(
            "The answer must be JSON that matches this schema: {}",
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        Timestamp,
        author::AuthorType,
        id::{AgentId, ChannelId, MessageId, ProjectId},
        question::{AnswerOption, NewQuestion},
    };

    fn message(body: &str) -> Message {
        let author = Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: "Mara".into() };
        let (project, channel) = (ProjectId::from_bits(1), "chn_release".parse::<ChannelId>().expect("id").into());
        let id: MessageId = "msg_stop".parse().expect("id");
        Message {
            blocking: true,
            ..Message::plain(id, project, channel, author, body.into(), Timestamp::from_millis(0))
        }
    }

    fn question(ask: &NewQuestion) -> Question {
        ask.asked(vec![AgentId::from_bits(1).into()], Timestamp::from_millis(0))
    }

    #[test]
    fn options_are_listed_with_the_default_marked() {
        let option = |id: &str, label: &str| AnswerOption { id: id.into(), label: label.into(), description: None };
        let ask = NewQuestion {
            options: vec![option("main", "main"), option("new", "a new one")],
            default: Some(json!("main")),
            ..NewQuestion::default()
        };
        assert_eq!(wanted(&question(&ask)).as_deref(), Some("Options: main (default); new = a new one"));
        assert_eq!(wanted(&question(&NewQuestion::default())), None, "any answer will do");
    }

    #[test]
    fn a_schema_is_shortened() {
        let ask = NewQuestion {
            schema: Some(json!({"type": "integer", "title": "x".repeat(1_000)})),
            ..NewQuestion::default()
        };
        let text = wanted(&question(&ask)).expect("a line");
        assert!(text.contains("must be JSON that matches this schema: {") && text.chars().count() < 350, "{text}");
    }

    #[test]
    fn a_brief_contains_the_redacted_text_only() {
        let brief = Brief::of(&message("the key is 12345"), Some(PauseReason::Message), "the key\nis [key 1]");
        assert_eq!(brief.summary, "the key is [key 1]");
        assert_eq!((brief.message_id.as_str(), brief.blocks), ("msg_stop", Some(PauseReason::Message)));
    }

    proptest! {
        #[test]
        fn a_summary_keeps_its_bound_and_the_beginning(text in "(.|\n){0,600}", most in 1usize..300) {
            let short = summary(&text, most);
            prop_assert!(short.chars().count() <= most);
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert!(line.starts_with(short.trim_end_matches('…')));
        }
    }
}
