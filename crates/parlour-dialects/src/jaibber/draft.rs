//! A frame that is being read, one field after the other.

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{
    attachment::MessageAttachment,
    frame::{AblyMessage, ExecutionMode, FrameType},
};
use crate::fields::{missing, wrong};

/// What was read of a frame. Its fields are those of [`AblyMessage`], none of them required yet.
#[derive(Debug, Default)]
pub(super) struct Draft {
    from: Option<String>,
    from_username: Option<String>,
    project_id: Option<String>,
    text: Option<String>,
    message_id: Option<String>,
    frame_type: Option<FrameType>,
    response_id: Option<String>,
    agent_name: Option<String>,
    mentions: Option<Vec<String>>,
    is_agent_message: Option<bool>,
    response_depth: Option<u32>,
    responding_chain: Option<Vec<String>>,
    is_task_notification: Option<bool>,
    attachments: Option<Vec<MessageAttachment>>,
    execution_mode: Option<ExecutionMode>,
    parent_message_id: Option<String>,
    rest: Map<String, Value>,
}

impl Draft {
    /// Takes a field; `null` counts as absent, and comes back as it was.
    pub(super) fn take(&mut self, name: String, value: Value) -> Result<(), Refusal> {
        if value.is_null() {
            self.rest.insert(name, value);
            return Ok(());
        }
        match name.as_str() {
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
            _ => drop(self.rest.insert(name, value)),
        }
        Ok(())
    }

    /// The frame, when everything is there that a frame must have.
    pub(super) fn finish(self) -> Result<AblyMessage, Refusal> {
        Ok(AblyMessage {
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

fn filled(name: &str, text: Option<String>) -> Result<String, Refusal> {
    match text {
        None => Err(missing(name)),
        Some(text) if text.is_empty() => Err(Refusal::invalid("this must not be empty").at(name)),
        Some(text) => Ok(text),
    }
}

fn text(name: &str, value: Value) -> Result<String, Refusal> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong(name, "a text", &other)),
    }
}

fn texts(name: &str, value: Value) -> Result<Vec<String>, Refusal> {
    let Value::Array(items) = value else { return Err(wrong(name, "a list of texts", &value)) };
    let item = |(place, item)| match item {
        Value::String(text) => Ok(text),
        other => Err(wrong(&format!("{name}[{place}]"), "a text", &other)),
    };
    items.into_iter().enumerate().map(item).collect()
}

fn flag(name: &str, value: &Value) -> Result<bool, Refusal> {
    value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
}

fn depth(name: &str, value: &Value) -> Result<u32, Refusal> {
    let depth = value.as_u64().ok_or_else(|| wrong(name, "a whole number from 0", value))?;
    u32::try_from(depth).map_err(|_| Refusal::out_of_bounds(format!("this is at most {}", u32::MAX)).at(name))
}

fn mode(name: &str, value: &Value) -> Result<ExecutionMode, Refusal> {
    let word = value.as_str().ok_or_else(|| wrong(name, "a text", value))?;
    ExecutionMode::parse(word).ok_or_else(|| Refusal::invalid("this must be \"auto\" or \"plan\"").at(name))
}
