//! Encodes native messages as frames.

use std::borrow::Cow;

use parlour_core::{
    author::{Author, AuthorType},
    message::{Kind, Message, State},
    model_visibility::may_call,
};
use serde_json::Value;

use super::{
    NAME, attachment,
    decode::{IS_BARE, LEAD, MODE, canonical_mode, canonical_typing_id},
    preserved::PreservedFields,
    wire::{BorrowedFrame, ExecutionMode, FrameType},
};
use crate::{Frame, Item, foreign_id::foreign_author_id};

const FRAME_FIELDS: [&str; 16] = [
    "from",
    "fromUsername",
    "projectId",
    "text",
    "messageId",
    "type",
    "responseId",
    "agentName",
    "mentions",
    "isAgentMessage",
    "responseDepth",
    "respondingChain",
    "isTaskNotification",
    "attachments",
    "executionMode",
    "parentMessageId",
];

/// Converts an item to a frame; none if there is no such frame.
pub(super) fn item_to_frame(item: &Item) -> Option<BorrowedFrame<'_>> {
    let message = &item.message;
    let preserved = PreservedFields::of(message);
    let frame_type = frame_type(item, preserved)?;
    let is_agent = message.from.author_type == AuthorType::Agent;
    let is_marked = is_agent && (frame_type.is_response() || frame_type == FrameType::Message);
    let name = message.from.name.as_str();
    let (message_id, response_id) = frame_ids(message, frame_type, preserved);
    let mut frame = BorrowedFrame {
        from: account_text(&message.from).into(),
        from_username: preserved.trusted_text("fromUsername").unwrap_or(name).into(),
        project_id: preserved.filled_id("projectId", &message.project_id).into(),
        text: if frame_type == FrameType::Error {
            failure_text(message, preserved)
        } else {
            Cow::Borrowed(&message.body)
        },
        message_id,
        frame_type,
        response_id,
        agent_name: preserved.recorded_or("agentName", is_agent.then_some(name)).map(Cow::Borrowed),
        mentions: preserved.untrusted("mentions").and_then(string_list),
        is_agent_message: preserved.recorded_flag_or("isAgentMessage", is_marked.then_some(true)),
        response_depth: None,
        responding_chain: None,
        is_task_notification: task_notification_flag(message, frame_type, preserved),
        attachments: attachment::restore_attachments(&message.attachments, preserved.untrusted("attachments")),
        execution_mode: None,
        parent_message_id: message.reply_to.as_ref().map(|id| preserved.id("parentMessageId", id).into()),
        rest: preserved.rest(|name| FRAME_FIELDS.contains(&name)),
    };
    if let Some(cause) = &message.cause {
        frame.response_depth = Some(cause.depth).filter(|_| !preserved.is_absent("responseDepth"));
        frame.responding_chain = (!preserved.is_absent("respondingChain")).then(|| borrowed(&cause.chain));
    }
    let mode = message.metadata.get(MODE).and_then(Value::as_str).and_then(ExecutionMode::parse);
    frame.execution_mode = mode.or_else(|| canonical_mode(&frame).filter(|_| !preserved.is_absent("executionMode")));
    Some(frame)
}

/// Whether an agent's message failed, was cancelled or was interrupted. Jaibber reports all three as errors.
pub(super) fn has_failed(message: &Message) -> bool {
    let is_agent = message.from.author_type == AuthorType::Agent;
    is_agent && matches!(message.state, State::Failed | State::Cancelled | State::Interrupted)
}

fn frame_type(item: &Item, preserved: PreservedFields<'_>) -> Option<FrameType> {
    let message = &item.message;
    let is_agent = message.from.author_type == AuthorType::Agent;
    match item.frame {
        // Jaibber has typing and chunk frames of agents only.
        Frame::Typing => is_agent.then_some(FrameType::Typing),
        Frame::Piece => is_agent.then_some(FrameType::Chunk),
        Frame::Step | Frame::Signal => None,
        Frame::Message if has_failed(message) => Some(FrameType::Error),
        Frame::Message if is_agent && message.kind == Kind::Assistant => {
            let is_old = preserved.trusted_text("type") == Some(FrameType::Done.as_str());
            Some(if is_old { FrameType::Done } else { FrameType::Response })
        }
        Frame::Message => Some(FrameType::Message),
    }
}

/// The id of the frame, and the id of the announced answer.
fn frame_ids<'a>(
    message: &'a Message,
    frame_type: FrameType,
    preserved: PreservedFields<'a>,
) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
    let noted = |name: &str| preserved.untrusted(name).and_then(Value::as_str).map(Cow::Borrowed);
    if frame_type != FrameType::Typing {
        return (preserved.filled_id("messageId", &message.id).into(), noted("responseId"));
    }
    if preserved.is_absent("responseId") {
        return (preserved.filled_id("messageId", &message.id).into(), None);
    }
    let response = preserved.id("responseId", &message.id);
    let own = noted("messageId").filter(|own| !own.is_empty());
    (own.unwrap_or_else(|| canonical_typing_id(response).into()), Some(response.into()))
}

/// The flag that keeps agents from answering. A message that may not call agents here may not call them there either.
fn task_notification_flag(message: &Message, frame_type: FrameType, preserved: PreservedFields<'_>) -> Option<bool> {
    let is_chat = frame_type.is_response() || frame_type == FrameType::Message;
    let is_note = message.is_notice || (is_chat && !may_call(message));
    if is_note {
        Some(true)
    } else {
        preserved.untrusted("isTaskNotification").and_then(Value::as_bool).filter(|mark| !mark)
    }
}

fn string_list(value: &Value) -> Option<Vec<Cow<'_, str>>> {
    value.as_array()?.iter().map(|text| text.as_str().map(Cow::Borrowed)).collect()
}

fn borrowed(texts: &[String]) -> Vec<Cow<'_, str>> {
    texts.iter().map(Cow::from).collect()
}

/// The account of authors without one.
const NOBODY: &str = "nobody";

/// The account of an author, or the foreign id of an author from elsewhere. Never empty.
pub(super) fn account_text(author: &Author) -> &str {
    let id = foreign_author_id(NAME, author);
    let account = match author.author_type {
        AuthorType::Agent => id.strip_suffix(author.name.as_str()).and_then(|rest| rest.strip_suffix('/')),
        _ => None,
    };
    let found = account.unwrap_or(id);
    if found.is_empty() { NOBODY } else { found }
}

/// The text of a failed, cancelled or interrupted answer.
pub(super) fn failure_text<'a>(message: &'a Message, preserved: PreservedFields<'_>) -> Cow<'a, str> {
    let is_bare = preserved.untrusted(IS_BARE).and_then(serde_json::Value::as_bool) == Some(true);
    match &message.reason {
        Some(reason) if is_bare => reason.into(),
        Some(reason) => [LEAD, reason].concat().into(),
        None if !message.body.is_empty() => Cow::Borrowed(&message.body),
        None => [LEAD, end_reason(message.state)].concat().into(),
    }
}

fn end_reason(state: State) -> &'static str {
    match state {
        State::Cancelled => "somebody stopped it",
        State::Interrupted => "its agent went away",
        _ => "it failed",
    }
}
