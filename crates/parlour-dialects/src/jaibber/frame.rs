//! The frames of a project channel, as Jaibber's clients type them.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{attachment::MessageAttachment, draft::Draft};
use crate::json::{Json, Object};

/// What refusals call a frame.
pub(super) const A_FRAME: &str = "a frame of Jaibber";
/// How many fields a frame has with what is kept for the way back; few have more.
const FIELDS_USUAL: usize = 12;

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

/// One frame of a project channel. `T` is how it holds its texts: by itself, or as parts of a line or of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct AblyMessage<T = String> {
    /// The sender's user id; on frames of agents, the account that the agent runs under.
    pub from: T,
    /// The sender's name; on frames of agents, the agent's.
    pub from_username: T,
    /// The project.
    pub project_id: T,
    /// The text.
    pub text: T,
    /// The message's id; a `typing` frame has one of its own.
    pub message_id: T,
    /// What the frame is.
    pub frame_type: FrameType,
    /// On `typing`: the id of the answer to come.
    pub response_id: Option<T>,
    /// The agent that speaks; on `deregister`, the one that is to leave.
    pub agent_name: Option<T>,
    /// Names that the sender has found in the text. Nothing is decided by them.
    pub mentions: Option<Vec<T>>,
    /// Whether an agent wrote it.
    pub is_agent_message: Option<bool>,
    /// How many answers of agents led to it.
    pub response_depth: Option<u32>,
    /// The agents that gave them.
    pub responding_chain: Option<Vec<T>>,
    /// Whether it only tells of a task, so that no agent answers it.
    pub is_task_notification: Option<bool>,
    /// The files that go with it.
    pub attachments: Option<Vec<MessageAttachment>>,
    /// How far an agent may go for it.
    pub execution_mode: Option<ExecutionMode>,
    /// The message that it quotes.
    pub parent_message_id: Option<T>,
    /// Fields that Jaibber does not know, and those that are `null`.
    pub rest: Map<String, Value>,
}

/// A frame whose texts stand elsewhere.
pub(super) type BorrowedFrame<'a> = AblyMessage<Cow<'a, str>>;

impl AblyMessage {
    /// Reads a frame.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        BorrowedFrame::read(Object::read(Json::from(value), A_FRAME)?).map(BorrowedFrame::into_owned)
    }

    /// Writes the frame.
    pub fn into_value(self) -> Value {
        Value::Object(self.into_object().into_map())
    }
}

impl<'a> BorrowedFrame<'a> {
    pub(super) fn read(fields: Object<'a>) -> Result<Self, Refusal> {
        let mut draft = Draft::default();
        for (name, value) in fields {
            draft.take(name, value)?;
        }
        draft.finish()
    }

    fn into_owned(self) -> AblyMessage {
        AblyMessage {
            from: self.from.into_owned(),
            from_username: self.from_username.into_owned(),
            project_id: self.project_id.into_owned(),
            text: self.text.into_owned(),
            message_id: self.message_id.into_owned(),
            frame_type: self.frame_type,
            response_id: self.response_id.map(Cow::into_owned),
            agent_name: self.agent_name.map(Cow::into_owned),
            mentions: self.mentions.map(owned_texts),
            is_agent_message: self.is_agent_message,
            response_depth: self.response_depth,
            responding_chain: self.responding_chain.map(owned_texts),
            is_task_notification: self.is_task_notification,
            attachments: self.attachments,
            execution_mode: self.execution_mode,
            parent_message_id: self.parent_message_id.map(Cow::into_owned),
            rest: self.rest,
        }
    }
}

impl<T> AblyMessage<T> {
    /// Whether an agent sent it.
    pub fn is_of_agent(&self) -> bool
    where
        T: AsRef<str>,
    {
        self.frame_type.is_of_agents()
            || self.is_agent_message == Some(true)
            || self.agent_name.as_ref().is_some_and(|name| !name.as_ref().is_empty())
    }

    /// The frame as an object. Its fields are put in the order of their names, so that none has to make room.
    pub(super) fn into_object<'a>(self) -> Object<'a>
    where
        T: Into<Json<'a>>,
    {
        let mut out = Object::with_room(FIELDS_USUAL);
        out.set_some("agentName", self.agent_name);
        out.set_some("attachments", self.attachments.map(MessageAttachment::list_json));
        out.set_some("executionMode", self.execution_mode.map(ExecutionMode::as_str));
        out.set("from", self.from);
        out.set("fromUsername", self.from_username);
        out.set_some("isAgentMessage", self.is_agent_message);
        out.set_some("isTaskNotification", self.is_task_notification);
        out.set_some("mentions", self.mentions.map(list));
        out.set("messageId", self.message_id);
        out.set_some("parentMessageId", self.parent_message_id);
        out.set("projectId", self.project_id);
        out.set_some("respondingChain", self.responding_chain.map(list));
        out.set_some("responseDepth", self.response_depth.map(u64::from));
        out.set_some("responseId", self.response_id);
        out.set("text", self.text);
        out.set("type", self.frame_type.as_str());
        set_absent(&mut out, self.rest.into());
        out
    }
}

fn list<'a>(texts: Vec<impl Into<Json<'a>>>) -> Json<'a> {
    Json::List(texts.into_iter().map(Into::into).collect())
}

pub(super) fn owned_texts(texts: Vec<Cow<'_, str>>) -> Vec<String> {
    texts.into_iter().map(Cow::into_owned).collect()
}

/// Sets the fields of which there is none yet.
pub(super) fn set_absent<'a>(out: &mut Object<'a>, fields: Object<'a>) {
    for (name, value) in fields {
        if !out.contains(&name) {
            out.set(name, value);
        }
    }
}

/// The names of the fields that are `null`: they mean the same as absent ones, and come back as they were.
pub(super) fn null_names(fields: &Object<'_>) -> Vec<String> {
    fields.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.to_owned()).collect()
}

/// What was not read of an object, with the fields that were `null`.
pub(super) fn with_nulls(fields: Object<'_>, names: Vec<String>) -> Map<String, Value> {
    let mut rest = fields.into_map();
    rest.extend(names.into_iter().map(|name| (name, Value::Null)));
    rest
}

/// An id: a text that says something.
pub(super) fn said_text<'a>(fields: &mut Object<'a>, name: &str) -> Result<Cow<'a, str>, Refusal> {
    let text = fields.required_text(name)?;
    if text.is_empty() { Err(Refusal::invalid("this must not be empty").at(name)) } else { Ok(text) }
}
