//! Messages: text, author, conversation, references and state.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Code, Refusal, Timestamp,
    author::Author,
    call::HeldCall,
    conversation::ConversationType,
    engine::Usage,
    id::{AgentId, ArtifactId, BatchId, ConversationId, MemberId, MessageId, ProjectId, TaskId, ThreadId},
    model_visibility::usual_kind,
    question::{AnswerTo, Question},
    reaction::Reaction,
    step::Step,
    write::StreamEnding,
};

/// The role of a message for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A message to the conversation.
    User,
    /// An answer of an agent.
    Assistant,
    /// Persistent context for models.
    System,
    /// The output of a tool or command.
    ToolResult,
    /// A message of the hub about its own operation. People see it, models never do.
    Host,
}

/// The importance of a message for its recipients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    /// The default.
    #[default]
    Normal,
    /// Before normal messages.
    High,
    /// Before all others.
    Critical,
}

/// Whether a message is finished, and how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The text still grows.
    Streaming,
    /// The message is complete.
    #[default]
    Complete,
    /// The producer reported an error.
    Failed,
    /// A member cancelled it.
    Cancelled,
    /// The producer's lease ran out.
    Interrupted,
}

/// The project, task and batch of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MessageContext {
    /// The project; always that of the message.
    pub project_id: ProjectId,
    /// The task that the message is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The batch that the message is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<BatchId>,
}

/// The chain of agent answers that led to a message. The hub records it for the loop guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Cause {
    /// The number of agent answers since the last message of a person, this one included.
    pub depth: u32,
    /// The names of the agents in the chain.
    #[serde(default)]
    pub chain: Vec<String>,
    /// The ids of these agents, as far as the hub recorded them itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// The message that this one answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
}

/// A file of a message: an artifact or a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The file name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub filename: String,
    /// The media type.
    #[cfg_attr(feature = "schema", schema(max_length = 200, pattern = "^[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+$"))]
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
    /// The artifact with the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<ArtifactId>,
    /// The URL of a file that the hub does not store.
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
    /// The type of the conversation.
    #[serde(rename = "type")]
    pub conversation_type: ConversationType,
    /// The conversation of the message.
    pub to: ConversationId,
    /// Its number in the conversation: 1, 2, 3 … without gaps, never reused.
    pub seq: u64,
    /// The author.
    pub from: Author,
    /// The role for a model.
    pub kind: Kind,
    /// The text, in Markdown; empty after a removal.
    pub body: String,
    /// Structured content in addition to the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// The mentioned members.
    #[serde(default)]
    pub mentions: Vec<MemberId>,
    /// The agents that the message calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<AgentId>,
    /// The agents that it would call if the loop guard had not held the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldCall>,
    /// The attached artifacts.
    #[serde(default)]
    pub artifacts: Vec<ArtifactId>,
    /// The attached files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The importance.
    pub importance: Importance,
    /// Whether the message pauses its addressees.
    pub blocking: bool,
    /// The question of a blocking message; absent after a removal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// The question that this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_to: Option<AnswerTo>,
    /// Whether the message only informs: a notice calls no agent, whomever it mentions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_notice: bool,
    /// The message that this one replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The chain of answers that led to the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The correlation id of calls between agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The project, task and batch of the message.
    pub context: MessageContext,
    /// Whether the message is finished.
    pub state: State,
    /// Why it ended without being complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The steps of the producer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The token usage, if a model wrote the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Free data of the sender.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub metadata: Map<String, Value>,
    /// When the hub stored it.
    pub created_at: Timestamp,
    /// When the text was last edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Timestamp>,
    /// When it was removed. It keeps its number and loses its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
    /// The thread below the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The reactions of members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
}

/// A message as one line, for places that other people can see, such as a lock screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MessagePreview {
    /// The message.
    pub message_id: MessageId,
    /// The author.
    pub from: Author,
    /// The beginning of the text, redacted; empty without a text.
    #[cfg_attr(feature = "schema", schema(max_length = 160))]
    pub text: String,
}

impl Message {
    /// A complete message of its author's usual kind, without a number yet.
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

    /// The message after an edit.
    #[must_use]
    pub fn edited(self, body: String, mentions: Vec<MemberId>, at: Timestamp) -> Self {
        Self { body, mentions, edited_at: Some(at), ..self }
    }

    /// The message as the store keeps it after the post: with its number and calls, and without data of later events.
    #[must_use]
    pub fn posted(self, project_id: ProjectId, seq: u64, calls: Vec<AgentId>) -> Self {
        Self {
            seq,
            calls,
            project_id,
            conversation_type: self.to.conversation_type(),
            thread_id: None,
            reactions: Vec::new(),
            ..self
        }
    }

    /// Refuses (`StreamOpen`) to change a message that is still streaming.
    pub fn check_not_streaming(&self) -> Result<(), Refusal> {
        if self.state == State::Streaming {
            return Err(Refusal::new(Code::StreamOpen, format!("message {} is still streaming", self.id)));
        }
        Ok(())
    }

    /// Whether the message is the result of this ending. An edit since then does not count; calls, held calls and the
    /// answered question were decided at the end and are not compared.
    pub fn has_ended_with(&self, ending: &StreamEnding) -> bool {
        let again = self.clone().finished(ending);
        let (body, mentions) = match self.edited_at {
            Some(_) => (self.body.clone(), self.mentions.clone()),
            None => (again.body.clone(), again.mentions.clone()),
        };
        let (calls, held, answer_to) = (self.calls.clone(), self.held.clone(), self.answer_to.clone());
        Self { body, mentions, calls, held, answer_to, ..again } == *self
    }

    /// The agents that the message called at its start, then those that its end calls, each once.
    pub fn calls_with(&self, more: Vec<AgentId>) -> Vec<AgentId> {
        let new = more.into_iter().filter(|agent| !self.calls.contains(agent));
        self.calls.iter().cloned().chain(new).collect()
    }

    /// The message after the end of its stream.
    #[must_use]
    pub fn finished(self, ending: &StreamEnding) -> Self {
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

    /// The message after its removal: number, author and time stay, its content is gone.
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
    use crate::{author::AuthorType, call::Calls, id::ChannelId, write::NewText};

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
    fn a_removed_message_keeps_its_number_and_author_and_loses_its_content() {
        let removed = sample().removed(Timestamp::from_millis(5));
        assert_eq!((removed.seq, &removed.from, removed.created_at), (1, &sample().from, sample().created_at));
        assert!(removed.body.is_empty() && removed.content.is_none() && removed.artifacts.is_empty());
        assert_eq!(removed.removed_at, Some(Timestamp::from_millis(5)));
    }

    #[test]
    fn importance_is_ordered() {
        assert!(Importance::Critical > Importance::High && Importance::High > Importance::Normal);
    }

    fn ending(state: State) -> StreamEnding {
        let text =
            NewText { body: "Done".into(), mentions: vec!["agt_2".parse().expect("id")], deliveries: Vec::new() };
        StreamEnding {
            state,
            reason: None,
            text,
            content: None,
            steps: Vec::new(),
            calls: Calls::default(),
            usage: None,
            answer_to: None,
        }
    }

    #[test]
    fn a_posted_message_gets_number_project_and_calls_and_no_thread_or_reactions() {
        let reaction = Reaction { emoji: "+1".into(), members: vec!["per_1".parse().expect("id")] };
        let sent = Message {
            project_id: ProjectId::from_bits(9),
            conversation_type: ConversationType::Dm,
            thread_id: Some(ThreadId::from_bits(1)),
            reactions: vec![reaction],
            ..sample()
        };
        let posted = sent.posted(ProjectId::from_bits(2), 7, vec![AgentId::from_bits(3)]);
        let expected =
            Message { project_id: ProjectId::from_bits(2), seq: 7, calls: vec![AgentId::from_bits(3)], ..sample() };
        assert_eq!(posted, expected);
    }

    #[test]
    fn only_a_streaming_message_refuses_a_change() {
        for state in [State::Complete, State::Failed, State::Cancelled, State::Interrupted] {
            assert_eq!(Message { state, ..sample() }.check_not_streaming(), Ok(()), "{state:?}");
        }
        let refusal = Message { state: State::Streaming, ..sample() }.check_not_streaming().expect_err("streaming");
        assert_eq!(refusal.code, Code::StreamOpen);
    }

    #[test]
    fn a_repeated_ending_is_recognised() {
        let finished = Message { state: State::Streaming, ..sample() }.finished(&ending(State::Complete));
        let other_text = NewText { body: "Other".into(), ..ending(State::Complete).text };
        let called = Message { calls: vec![AgentId::from_bits(4)], ..finished.clone() };
        let edited = finished.clone().edited("Corrected".into(), Vec::new(), Timestamp::from_millis(9));
        let cases = [
            ("the same ending", &finished, ending(State::Complete), true),
            ("another state", &finished, ending(State::Failed), false),
            ("another reason", &finished, StreamEnding { reason: Some("x".into()), ..ending(State::Complete) }, false),
            ("another text", &finished, StreamEnding { text: other_text.clone(), ..ending(State::Complete) }, false),
            ("calls decided at the end", &called, ending(State::Complete), true),
            ("a text edited since", &edited, StreamEnding { text: other_text, ..ending(State::Complete) }, true),
            ("another state of an edited text", &edited, ending(State::Failed), false),
        ];
        for (case, message, ending, expected) in cases {
            assert_eq!(message.has_ended_with(&ending), expected, "{case}");
        }
    }

    #[test]
    fn calls_of_the_end_are_appended_without_duplicates() {
        let agents = |numbers: &[u128]| numbers.iter().map(|bits| AgentId::from_bits(*bits)).collect::<Vec<_>>();
        let message = Message { calls: agents(&[1, 2]), ..sample() };
        assert_eq!(message.calls_with(agents(&[3, 1])), agents(&[1, 2, 3]));
        assert_eq!(message.calls_with(Vec::new()), agents(&[1, 2]));
    }
}
