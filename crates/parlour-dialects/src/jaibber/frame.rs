//! The frames of a project channel, as Jaibber's clients type them.

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{attachment::MessageAttachment, draft::Draft};
use crate::fields::Fields;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameType {
    /// Something said by a person, or by an agent that prompts.
    Message,
    /// An agent is at work.
    Typing,
    /// A piece of an answer.
    Chunk,
    /// A whole answer.
    Response,
    /// The old name of a whole answer.
    Done,
    /// An answer that failed.
    Error,
    /// A task was made.
    TaskCreated,
    /// A task was changed.
    TaskUpdated,
    /// A task was removed.
    TaskDeleted,
    /// Agents are asked to leave.
    Deregister,
}

impl FrameType {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Message,
        Self::Typing,
        Self::Chunk,
        Self::Response,
        Self::Done,
        Self::Error,
        Self::TaskCreated,
        Self::TaskUpdated,
        Self::TaskDeleted,
        Self::Deregister,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Typing => "typing",
            Self::Chunk => "chunk",
            Self::Response => "response",
            Self::Done => "done",
            Self::Error => "error",
            Self::TaskCreated => "task-created",
            Self::TaskUpdated => "task-updated",
            Self::TaskDeleted => "task-deleted",
            Self::Deregister => "deregister",
        }
    }

    /// Finds the type by its word.
    pub fn parse(word: &str) -> Result<Self, Refusal> {
        Self::find(word).ok_or_else(|| {
            let words = Self::ALL.iter().map(|known| known.as_str().to_owned()).collect();
            Refusal::invalid("Jaibber has no frame of this type").at("type").proposing(words)
        })
    }

    pub(super) fn find(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == word)
    }

    /// Whether it says nothing about a message.
    pub fn is_signal(self) -> bool {
        matches!(self, Self::TaskCreated | Self::TaskUpdated | Self::TaskDeleted | Self::Deregister)
    }

    /// Whether only agents send it.
    pub fn is_of_agents(self) -> bool {
        matches!(self, Self::Typing | Self::Chunk | Self::Response | Self::Done | Self::Error)
    }

    /// Whether it is a whole answer, by either name.
    pub fn is_response(self) -> bool {
        matches!(self, Self::Response | Self::Done)
    }
}

/// How far an agent may go for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExecutionMode {
    /// It does what is asked.
    Auto,
    /// It only says what it would do.
    Plan,
}

impl ExecutionMode {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    /// Finds the mode by its word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Auto, Self::Plan].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// One frame of a project channel.
#[derive(Clone, Debug, PartialEq)]
pub struct AblyMessage {
    /// The sender's user id; on frames of agents, the account that the agent runs under.
    pub from: String,
    /// The sender's name; on frames of agents, the agent's.
    pub from_username: String,
    /// The project.
    pub project_id: String,
    /// The text.
    pub text: String,
    /// The message's id; a `typing` frame has one of its own.
    pub message_id: String,
    /// What the frame is.
    pub frame_type: FrameType,
    /// On `typing`: the id of the answer to come.
    pub response_id: Option<String>,
    /// The agent that speaks; on `deregister`, the one that is to leave.
    pub agent_name: Option<String>,
    /// Names that the sender has found in the text. Nothing is decided by them.
    pub mentions: Option<Vec<String>>,
    /// Whether an agent wrote it.
    pub is_agent_message: Option<bool>,
    /// How many answers of agents led to it.
    pub response_depth: Option<u32>,
    /// The agents that gave them.
    pub responding_chain: Option<Vec<String>>,
    /// Whether it only tells of a task, so that no agent answers it.
    pub is_task_notification: Option<bool>,
    /// The files that go with it.
    pub attachments: Option<Vec<MessageAttachment>>,
    /// How far an agent may go for it.
    pub execution_mode: Option<ExecutionMode>,
    /// The message that it quotes.
    pub parent_message_id: Option<String>,
    /// Fields that Jaibber does not know, and those that are `null`.
    pub rest: Map<String, Value>,
}

impl AblyMessage {
    /// Reads a frame.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let fields = Fields::of(value, "a frame of Jaibber")?.rest();
        let mut draft = Draft::default();
        for (name, value) in fields {
            draft.take(name, value)?;
        }
        draft.finish()
    }

    /// Writes the frame.
    pub fn into_value(self) -> Value {
        let mut out = Map::new();
        let mut put = |name: &str, value: Option<Value>| drop(value.map(|value| out.insert(name.to_owned(), value)));
        put("from", Some(self.from.into()));
        put("fromUsername", Some(self.from_username.into()));
        put("projectId", Some(self.project_id.into()));
        put("text", Some(self.text.into()));
        put("messageId", Some(self.message_id.into()));
        put("type", Some(self.frame_type.as_str().into()));
        put("responseId", self.response_id.map(Value::from));
        put("agentName", self.agent_name.map(Value::from));
        put("mentions", self.mentions.map(Value::from));
        put("isAgentMessage", self.is_agent_message.map(Value::from));
        put("responseDepth", self.response_depth.map(Value::from));
        put("respondingChain", self.responding_chain.map(Value::from));
        put("isTaskNotification", self.is_task_notification.map(Value::from));
        put("attachments", self.attachments.map(MessageAttachment::list_value));
        put("executionMode", self.execution_mode.map(|mode| mode.as_str().into()));
        put("parentMessageId", self.parent_message_id.map(Value::from));
        for (name, value) in self.rest {
            out.entry(name).or_insert(value);
        }
        Value::Object(out)
    }

    /// Whether an agent sent it.
    pub fn is_of_agent(&self) -> bool {
        self.frame_type.is_of_agents()
            || self.is_agent_message == Some(true)
            || self.agent_name.as_ref().is_some_and(|name| !name.is_empty())
    }
}

/// The names of the fields that are `null`: they mean the same as absent ones, and come back as they were.
pub(super) fn null_names(value: &Value) -> Vec<String> {
    let fields = value.as_object().into_iter().flatten();
    fields.filter(|(_, value)| value.is_null()).map(|(name, _)| name.clone()).collect()
}

/// An id: a text that says something.
pub(super) fn said_text(fields: &mut Fields, name: &str) -> Result<String, Refusal> {
    let text = fields.required_text(name)?;
    if text.is_empty() { Err(Refusal::invalid("this must not be empty").at(name)) } else { Ok(text) }
}
