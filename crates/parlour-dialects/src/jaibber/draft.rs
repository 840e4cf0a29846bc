//! A frame that is being read, one field after the other.

use std::borrow::Cow;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{
    attachment::MessageAttachment,
    frame::{BorrowedFrame, ExecutionMode, FrameType},
};
use crate::{
    fields::missing,
    json::{Json, wrong},
};

/// What was read of a frame. Its fields are those of the frame, none of them required yet.
#[derive(Debug, Default)]
pub(super) struct Draft<'a> {
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

impl<'a> Draft<'a> {
    /// Takes a field; `null` counts as absent, and comes back as it was.
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

    /// The frame, when everything is there that a frame must have.
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
        other => Err(wrong(name, "a text", &other)),
    }
}

fn texts<'a>(name: &str, value: Json<'a>) -> Result<Vec<Cow<'a, str>>, Refusal> {
    let Json::List(items) = value else { return Err(wrong(name, "a list of texts", &value)) };
    let item = |(place, item)| match item {
        Json::Text(text) => Ok(text),
        other => Err(wrong(&format!("{name}[{place}]"), "a text", &other)),
    };
    items.into_iter().enumerate().map(item).collect()
}

fn flag(name: &str, value: &Json<'_>) -> Result<bool, Refusal> {
    value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
}

fn depth(name: &str, value: &Json<'_>) -> Result<u32, Refusal> {
    let depth = value.as_u64().ok_or_else(|| wrong(name, "a whole number from 0", value))?;
    u32::try_from(depth).map_err(|_| Refusal::out_of_bounds(format!("this is at most {}", u32::MAX)).at(name))
}

fn mode(name: &str, value: &Json<'_>) -> Result<ExecutionMode, Refusal> {
    let word = value.as_str().ok_or_else(|| wrong(name, "a text", value))?;
    ExecutionMode::parse(word).ok_or_else(|| Refusal::invalid("this must be \"auto\" or \"plan\"").at(name))
}
