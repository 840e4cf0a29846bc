//! The frames of a project channel, as Jaibber's clients define them.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::attachment::MessageAttachment;
use crate::{
    fields::missing,
    json::{Json, Object, wrong_type},
};

/// The name of a frame in refusals.
pub(super) const A_FRAME: &str = "a frame of Jaibber";
/// The capacity for the fields of a frame.
const FIELDS_USUAL: usize = 12;

/// The type of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameType {
    /// A message of a person, or of an agent that prompts.
    Message,
    Typing,
    /// A part of an answer.
    Chunk,
    /// A complete answer.
    Response,
    /// The old name of `response`.
    Done,
    /// A failed answer.
    Error,
    TaskCreated,
    TaskUpdated,
    TaskDeleted,
    /// Agents are asked to leave the channel.
    Deregister,
}

impl FrameType {
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

    /// The name on the wire.
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

    /// Parses the name of a type.
    pub fn parse(word: &str) -> Result<Self, Refusal> {
        Self::find(word).ok_or_else(|| {
            let words = Self::ALL.iter().map(|known| known.as_str().to_owned()).collect();
            Refusal::invalid("unknown type of a Jaibber frame").at("type").proposing(words)
        })
    }

    pub(super) fn find(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == word)
    }

    /// Whether the frame is not about a message.
    pub fn is_signal(self) -> bool {
        matches!(self, Self::TaskCreated | Self::TaskUpdated | Self::TaskDeleted | Self::Deregister)
    }

    /// Whether only agents send it.
    pub fn is_of_agents(self) -> bool {
        matches!(self, Self::Typing | Self::Chunk | Self::Response | Self::Done | Self::Error)
    }

    /// Whether it is a complete answer, under either name.
    pub fn is_response(self) -> bool {
        matches!(self, Self::Response | Self::Done)
    }
}

/// What an agent may do for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExecutionMode {
    /// The agent acts.
    Auto,
    /// The agent only plans.
    Plan,
}

impl ExecutionMode {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    /// Parses the name of a mode.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Auto, Self::Plan].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// One frame of a project channel. `T` is the type of its texts: owned or borrowed.
#[derive(Clone, Debug, PartialEq)]
pub struct AblyMessage<T = String> {
    /// The user id of the sender, or the account of the agent.
    pub from: T,
    /// The name of the sender.
    pub from_username: T,
    pub project_id: T,
    pub text: T,
    /// The id of the message; a `typing` frame has its own.
    pub message_id: T,
    pub frame_type: FrameType,
    /// On `typing`: the id of the future answer.
    pub response_id: Option<T>,
    /// The sending agent; on `deregister`, the agent that leaves.
    pub agent_name: Option<T>,
    /// Names that the sender found in the text; they decide nothing.
    pub mentions: Option<Vec<T>>,
    pub is_agent_message: Option<bool>,
    /// The number of agent answers that led to this frame.
    pub response_depth: Option<u32>,
    /// The agents of these answers.
    pub responding_chain: Option<Vec<T>>,
    /// Whether it is a notification about a task, which no agent answers.
    pub is_task_notification: Option<bool>,
    pub attachments: Option<Vec<MessageAttachment>>,
    pub execution_mode: Option<ExecutionMode>,
    /// The quoted message.
    pub parent_message_id: Option<T>,
    /// Unknown fields, and fields that are `null`.
    pub rest: Map<String, Value>,
}

/// A frame with borrowed texts.
pub(super) type BorrowedFrame<'a> = AblyMessage<Cow<'a, str>>;

impl AblyMessage {
    /// Decodes a frame.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        BorrowedFrame::read(Object::read(Json::from(value), A_FRAME)?).map(BorrowedFrame::into_owned)
    }

    /// Encodes the frame.
    pub fn into_value(self) -> Value {
        Value::Object(self.into_object().into_map())
    }
}

impl<'a> BorrowedFrame<'a> {
    pub(super) fn read(fields: Object<'a>) -> Result<Self, Refusal> {
        let mut builder = FrameBuilder::default();
        for (name, value) in fields {
            builder.take(name, value)?;
        }
        builder.finish()
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
    /// Whether an agent sent the frame.
    pub fn is_of_agent(&self) -> bool
    where
        T: AsRef<str>,
    {
        self.frame_type.is_of_agents()
            || self.is_agent_message == Some(true)
            || self.agent_name.as_ref().is_some_and(|name| !name.as_ref().is_empty())
    }

    /// The frame as an object. Fields are set in order of their names, which avoids moves.
    pub(super) fn into_object<'a>(self) -> Object<'a>
    where
        T: Into<Json<'a>>,
    {
        let mut out = Object::with_capacity(FIELDS_USUAL);
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

/// Sets the fields that are not there yet.
pub(super) fn set_absent<'a>(out: &mut Object<'a>, fields: Object<'a>) {
    for (name, value) in fields {
        if !out.contains(&name) {
            out.set(name, value);
        }
    }
}

/// The names of the fields that are `null`. They count as absent and are preserved.
pub(super) fn null_names(fields: &Object<'_>) -> Vec<String> {
    fields.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.to_owned()).collect()
}

/// The remaining fields of an object, with those that were `null`.
pub(super) fn with_nulls(fields: Object<'_>, names: Vec<String>) -> Map<String, Value> {
    let mut rest = fields.into_map();
    rest.extend(names.into_iter().map(|name| (name, Value::Null)));
    rest
}

/// A required text that is not empty.
pub(super) fn required_filled_text<'a>(fields: &mut Object<'a>, name: &str) -> Result<Cow<'a, str>, Refusal> {
    let text = fields.required_text(name)?;
    if text.is_empty() { Err(Refusal::invalid("this must not be empty").at(name)) } else { Ok(text) }
}

/// A frame during decoding; no field is required yet.
#[derive(Debug, Default)]
pub(super) struct FrameBuilder<'a> {
    from: Option<Cow<'a, str>>,
    from_username: Option<Cow<'a, str>>,
    project_id: Option<Cow<'a, str>>,
    text: Option<Cow<'a, str>>,
    message_id: Option<Cow<'a, str>>,
    frame_type: Option<FrameType>,
    response_id: Option<Cow<'a, str>>,
    agent_name: Option<Cow<'a, str>>,
    mentions: Option<Vec<Cow<'a, str>>>,
    is_agent_message: Option<bool>,
    response_depth: Option<u32>,
    responding_chain: Option<Vec<Cow<'a, str>>>,
    is_task_notification: Option<bool>,
    attachments: Option<Vec<MessageAttachment>>,
    execution_mode: Option<ExecutionMode>,
    parent_message_id: Option<Cow<'a, str>>,
    rest: Map<String, Value>,
}

impl<'a> FrameBuilder<'a> {
    /// Sets a field; `null` counts as absent and is preserved.
    pub(super) fn take(&mut self, name: Cow<'a, str>, value: Json<'a>) -> Result<(), Refusal> {
        if value.is_null() {
            self.rest.insert(name.into_owned(), Value::Null);
            return Ok(());
        }
        match name.as_ref() {
            "from" => self.from = Some(text(&name, value)?),
            "fromUsername" => self.from_username = Some(text(&name, value)?),
            "projectId" => self.project_id = Some(text(&name, value)?),
            "text" => self.text = Some(text(&name, value)?),
            "messageId" => self.message_id = Some(text(&name, value)?),
            "type" => self.frame_type = Some(FrameType::parse(&text(&name, value)?)?),
            "responseId" => self.response_id = Some(text(&name, value)?),
            "agentName" => self.agent_name = Some(text(&name, value)?),
            "mentions" => self.mentions = Some(texts(&name, value)?),
            "isAgentMessage" => self.is_agent_message = Some(flag(&name, &value)?),
            "responseDepth" => self.response_depth = Some(depth(&name, &value)?),
            "respondingChain" => self.responding_chain = Some(texts(&name, value)?),
            "isTaskNotification" => self.is_task_notification = Some(flag(&name, &value)?),
            "attachments" => self.attachments = MessageAttachment::list(Some(value))?,
            "executionMode" => self.execution_mode = Some(mode(&name, &value)?),
            "parentMessageId" => self.parent_message_id = Some(text(&name, value)?),
            _ => drop(self.rest.insert(name.into_owned(), value.into_value())),
        }
        Ok(())
    }

    /// Builds the frame; refuses it if a required field is missing.
    pub(super) fn finish(self) -> Result<BorrowedFrame<'a>, Refusal> {
        Ok(BorrowedFrame {
            frame_type: self.frame_type.ok_or_else(|| missing("type"))?,
            from: filled("from", self.from)?,
            from_username: self.from_username.ok_or_else(|| missing("fromUsername"))?,
            project_id: filled("projectId", self.project_id)?,
            text: self.text.ok_or_else(|| missing("text"))?,
            message_id: filled("messageId", self.message_id)?,
            response_id: self.response_id,
            agent_name: self.agent_name,
            mentions: self.mentions,
            is_agent_message: self.is_agent_message,
            response_depth: self.response_depth,
            responding_chain: self.responding_chain,
            is_task_notification: self.is_task_notification,
            attachments: self.attachments,
            execution_mode: self.execution_mode,
            parent_message_id: self.parent_message_id,
            rest: self.rest,
        })
    }
}

fn filled<'a>(name: &str, text: Option<Cow<'a, str>>) -> Result<Cow<'a, str>, Refusal> {
    match text {
        None => Err(missing(name)),
        Some(text) if text.is_empty() => Err(Refusal::invalid("this must not be empty").at(name)),
        Some(text) => Ok(text),
    }
}

fn text<'a>(name: &str, value: Json<'a>) -> Result<Cow<'a, str>, Refusal> {
    match value {
        Json::Text(text) => Ok(text),
        other => Err(wrong_type(name, "a string", &other)),
    }
}

fn texts<'a>(name: &str, value: Json<'a>) -> Result<Vec<Cow<'a, str>>, Refusal> {
    let Json::List(items) = value else { return Err(wrong_type(name, "an array of strings", &value)) };
    let item = |(index, item)| match item {
        Json::Text(text) => Ok(text),
        other => Err(wrong_type(&format!("{name}[{index}]"), "a string", &other)),
    };
    items.into_iter().enumerate().map(item).collect()
}

fn flag(name: &str, value: &Json<'_>) -> Result<bool, Refusal> {
    value.as_bool().ok_or_else(|| wrong_type(name, "a boolean", value))
}

fn depth(name: &str, value: &Json<'_>) -> Result<u32, Refusal> {
    let depth = value.as_u64().ok_or_else(|| wrong_type(name, "a non-negative integer", value))?;
    u32::try_from(depth).map_err(|_| Refusal::out_of_bounds(format!("this is at most {}", u32::MAX)).at(name))
}

fn mode(name: &str, value: &Json<'_>) -> Result<ExecutionMode, Refusal> {
    let word = value.as_str().ok_or_else(|| wrong_type(name, "a string", value))?;
    ExecutionMode::parse(word).ok_or_else(|| Refusal::invalid("this must be \"auto\" or \"plan\"").at(name))
}
