//! Messages: what was said, by whom, where, and what it belongs to.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Timestamp,
    author::Author,
    call::Held,
    conversation::ConversationType,
    id::{AgentId, ArtifactId, BatchId, ConversationId, MemberId, MessageId, ProjectId, TaskId, ThreadId},
    model_visibility::usual_kind,
    question::{AnswerTo, Question},
    reaction::Reaction,
    step::Step,
    usage::Usage,
    write::Ending,
};

/// What a message is to a model, and so which way it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Said to the conversation.
    User,
    /// An agent's answer.
    Assistant,
    /// Lasting context for models.
    System,
    /// What a tool or command gave back.
    ToolResult,
    /// About the operation of the hub; people see it, models never do.
    Host,
}

/// How much a message matters to its recipients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// As usual.
    #[default]
    Normal,
    /// Before the usual.
    High,
    /// Before everything.
    Critical,
}

/// Whether a message is finished, and how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its text still grows.
    Streaming,
    /// It is whole.
    #[default]
    Complete,
    /// It ended in an error.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// Its producer went away.
    Interrupted,
}

/// What a message belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MessageContext {
    /// The project; always that of the message.
    pub project_id: ProjectId,
    /// The task it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The batch it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<BatchId>,
}

/// What led to a message, kept by the hub for the loop guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Cause {
    /// How many answers of agents lie between this message and the last person's.
    pub depth: u32,
    /// The names of the agents that answered on the way.
    #[serde(default)]
    pub chain: Vec<String>,
    /// Those agents by their ids, as far as the hub has recorded them itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// The message that this one answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
}

/// A file that goes with a message: a stored artifact, or an address elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The file name to show.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub filename: String,
    /// What it is.
    #[cfg_attr(feature = "schema", schema(max_length = 200, pattern = "^[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+$"))]
    pub media_type: String,
    /// How long it is, in bytes.
    pub size: u64,
    /// The artifact that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<ArtifactId>,
    /// Where it can be fetched, when the hub does not hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2000, pattern = "^https?://[^/\\s]+\\S*$"))]
    pub url: Option<String>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Message {
    /// The message's id.
    pub id: MessageId,
    /// Its project.
    pub project_id: ProjectId,
    /// Which sort of conversation it stands in.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// The conversation it stands in.
    pub to: ConversationId,
    /// Its number in the conversation: 1, 2, 3 … without gaps, never reused.
    pub seq: u64,
    /// Who wrote it.
    pub from: Author,
    /// What it is to a model.
    pub kind: Kind,
    /// The text, in Markdown; empty after a removal.
    pub body: String,
    /// A structured form of what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// The members it calls by name.
    #[serde(default)]
    pub mentions: Vec<MemberId>,
    /// The agents that it calls to answer it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<AgentId>,
    /// The agents that it would have called if no rule had held them back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// The artifacts it carries.
    #[serde(default)]
    pub artifacts: Vec<ArtifactId>,
    /// The files that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// How much it matters.
    pub importance: Importance,
    /// Whether the addressed agents are to pause for it.
    pub blocking: bool,
    /// What it asks; there for every blocking message that was not removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// The question that it has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_to: Option<AnswerTo>,
    /// Whether it only informs: a notice calls nobody, whomever it mentions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_notice: bool,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// What led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What ties it to calls between agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// What it belongs to.
    pub context: MessageContext,
    /// Whether it is finished.
    pub state: State,
    /// Why it ended without being complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What its producer did on the way to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What it has cost, when a model wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What its sender noted beside it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub metadata: Map<String, Value>,
    /// When the hub took it.
    pub created_at: Timestamp,
    /// When its text was last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Timestamp>,
    /// When it was removed; it keeps its place and loses its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
    /// The thread that hangs below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// How members reacted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
}

/// A message as one line, for places that others may look at too, such as a lock screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MessagePreview {
    /// The message.
    pub message_id: MessageId,
    /// Who wrote it.
    pub from: Author,
    /// Its beginning, without secrets and personal data; empty when it has no text.
    #[cfg_attr(feature = "schema", schema(max_length = 160))]
    pub text: String,
}

impl Message {
    /// A plain message of its author's usual kind, complete and not numbered yet.
    pub fn plain(
        id: MessageId,
        project_id: ProjectId,
        to: ConversationId,
        from: Author,
        body: String,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            conversation_type: to.conversation_type(),
            to,
            seq: 0,
            kind: usual_kind(from.author_type),
            from,
            body,
            content: None,
            mentions: Vec::new(),
            calls: Vec::new(),
            held: Vec::new(),
            artifacts: Vec::new(),
            attachments: Vec::new(),
            importance: Importance::Normal,
            blocking: false,
            question: None,
            answer_to: None,
            is_notice: false,
            reply_to: None,
            cause: None,
            correlation_id: None,
            context: MessageContext { project_id: project_id.clone(), task_id: None, batch_id: None },
            project_id,
            state: State::Complete,
            reason: None,
            steps: Vec::new(),
            usage: None,
            metadata: Map::new(),
            created_at: at,
            edited_at: None,
            removed_at: None,
            thread_id: None,
            reactions: Vec::new(),
        }
    }

    /// The message with another text, as after an edit.
    #[must_use]
    pub fn edited(self, body: String, mentions: Vec<MemberId>, at: Timestamp) -> Self {
        Self { body, mentions, edited_at: Some(at), ..self }
    }

    /// The message after the end of its stream.
    #[must_use]
    pub fn finished(self, ending: &Ending) -> Self {
        Self {
            state: ending.state,
            reason: ending.reason.clone(),
            body: ending.text.body.clone(),
            mentions: ending.text.mentions.clone(),
            content: ending.content.clone().or(self.content),
            steps: ending.steps.clone(),
            usage: ending.usage.clone().or(self.usage),
            calls: ending.calls.called.iter().map(|call| call.agent_id.clone()).collect(),
            held: ending.calls.held.clone(),
            answer_to: ending.answer_to.clone(),
            ..self
        }
    }

    /// The message after its removal: its place, author and time stay, everything it said is gone.
    #[must_use]
    pub fn removed(self, at: Timestamp) -> Self {
        Self {
            body: String::new(),
            content: None,
            mentions: Vec::new(),
            calls: Vec::new(),
            held: Vec::new(),
            artifacts: Vec::new(),
            attachments: Vec::new(),
            question: None,
            answer_to: None,
            metadata: Map::new(),
            reactions: Vec::new(),
            reason: None,
            steps: Vec::new(),
            // A text that is gone no longer grows: a stream always ends.
            state: if self.state == State::Streaming { State::Cancelled } else { self.state },
            removed_at: Some(at),
            ..self
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{author::AuthorType, id::ChannelId};

    /// A short message of a person in a channel.
    pub(crate) fn sample() -> Message {
        let author = Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: "Mara".into() };
        let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1).into());
        let at = Timestamp::from_millis(0);
        Message {
            seq: 1,
            content: Some(serde_json::json!({"a": 1})),
            mentions: vec!["agt_1".parse().expect("id")],
            artifacts: vec![ArtifactId::from_bits(1)],
            ..Message::plain(MessageId::from_bits(1), project, channel, author, "Hello".into(), at)
        }
    }

    #[test]
    fn the_native_form_has_the_field_names_of_the_contract() {
        let json = serde_json::to_value(sample()).expect("json");
        for field in [
            "id",
            "from",
            "to",
            "type",
            "body",
            "mentions",
            "artifacts",
            "blocking",
            "importance",
            "created_at",
            "context",
        ] {
            assert!(json.get(field).is_some(), "{field}");
        }
        assert_eq!(json["type"], "channel");
        assert_eq!(json["context"]["project_id"], json["project_id"]);
    }

    #[test]
    fn the_native_form_round_trips() {
        let json = serde_json::to_string(&sample()).expect("json");
        assert_eq!(serde_json::from_str::<Message>(&json).expect("own form"), sample());
    }

    #[test]
    fn a_removed_message_keeps_its_place_and_loses_what_it_said() {
        let removed = sample().removed(Timestamp::from_millis(5));
        assert_eq!((removed.seq, &removed.from, removed.created_at), (1, &sample().from, sample().created_at));
        assert!(removed.body.is_empty() && removed.content.is_none() && removed.artifacts.is_empty());
        assert_eq!(removed.removed_at, Some(Timestamp::from_millis(5)));
    }

    #[test]
    fn importance_is_ordered() {
        assert!(Importance::Critical > Importance::High && Importance::High > Importance::Normal);
    }
}
