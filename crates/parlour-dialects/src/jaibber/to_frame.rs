//! How a message is said in a frame.

use std::borrow::Cow;

use parlour_core::{
    author::AuthorType,
    message::{Kind, Message, State},
    model_visibility::may_call,
};
use serde_json::Value;

use super::{
    attachment,
    author::said_from,
    failure::said_failure,
    frame::{BorrowedFrame, ExecutionMode, FrameType},
    from_frame::{MODE, usual_mode, usual_typing_id},
    kept::PreservedFields,
};
use crate::{Frame, Item};

/// The names of all fields of a frame.
const FIELDS: [&str; 16] = [
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

/// The frame for an item, as far as a frame can say it; none when there is no such frame.
pub(super) fn frame(item: &Item) -> Option<BorrowedFrame<'_>> {
    let message = &item.message;
    let kept = PreservedFields::of(message);
    let frame_type = frame_type(item, kept)?;
    let is_agent = message.from.author_type == AuthorType::Agent;
    let is_marked = is_agent && (frame_type.is_response() || frame_type == FrameType::Message);
    let name = message.from.name.as_str();
    let (message_id, response_id) = ids(message, frame_type, kept);
    let mut frame = BorrowedFrame {
        from: said_from(&message.from).into(),
        from_username: kept.trusted_text("fromUsername").unwrap_or(name).into(),
        project_id: kept.filled_id("projectId", &message.project_id).into(),
        text: if frame_type == FrameType::Error { said_failure(message, kept) } else { Cow::Borrowed(&message.body) },
        message_id,
        frame_type,
        response_id,
        agent_name: kept.unusual("agentName", is_agent.then_some(name)).map(Cow::Borrowed),
        mentions: kept.open("mentions").and_then(texts),
        is_agent_message: kept.unusual_flag("isAgentMessage", is_marked.then_some(true)),
        response_depth: None,
        responding_chain: None,
        is_task_notification: note_mark(message, frame_type, kept),
        attachments: attachment::given(&message.attachments, kept.open("attachments")),
        execution_mode: None,
        parent_message_id: message.reply_to.as_ref().map(|id| kept.id("parentMessageId", id).into()),
        rest: kept.rest(|name| FIELDS.contains(&name)),
    };
    if let Some(cause) = &message.cause {
        frame.response_depth = Some(cause.depth).filter(|_| !kept.is_absent("responseDepth"));
        frame.responding_chain = (!kept.is_absent("respondingChain")).then(|| borrowed(&cause.chain));
    }
    let mode = message.metadata.get(MODE).and_then(Value::as_str).and_then(ExecutionMode::parse);
    frame.execution_mode = mode.or_else(|| usual_mode(&frame).filter(|_| !kept.is_absent("executionMode")));
    Some(frame)
}

/// Whether an answer ended without being whole: Jaibber calls all of these errors.
pub(super) fn has_failed(message: &Message) -> bool {
    let is_agent = message.from.author_type == AuthorType::Agent;
    is_agent && matches!(message.state, State::Failed | State::Cancelled | State::Interrupted)
}

fn frame_type(item: &Item, kept: PreservedFields<'_>) -> Option<FrameType> {
    let message = &item.message;
    let is_agent = message.from.author_type == AuthorType::Agent;
    match item.frame {
        // Jaibber knows no people who type, and no pieces of what people say.
        Frame::Typing => is_agent.then_some(FrameType::Typing),
        Frame::Piece => is_agent.then_some(FrameType::Chunk),
        Frame::Step | Frame::Signal => None,
        Frame::Message if has_failed(message) => Some(FrameType::Error),
        Frame::Message if is_agent && message.kind == Kind::Assistant => {
            let is_old = kept.trusted_text("type") == Some(FrameType::Done.as_str());
            Some(if is_old { FrameType::Done } else { FrameType::Response })
        }
        Frame::Message => Some(FrameType::Message),
    }
}

/// The frame's own id, and that of the answer it announces.
fn ids<'a>(
    message: &'a Message,
    frame_type: FrameType,
    kept: PreservedFields<'a>,
) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
    let noted = |name: &str| kept.open(name).and_then(Value::as_str).map(Cow::Borrowed);
    if frame_type != FrameType::Typing {
        return (kept.filled_id("messageId", &message.id).into(), noted("responseId"));
    }
    if kept.is_absent("responseId") {
        return (kept.filled_id("messageId", &message.id).into(), None);
    }
    let response = kept.id("responseId", &message.id);
    let own = noted("messageId").filter(|own| !own.is_empty());
    (own.unwrap_or_else(|| usual_typing_id(response).into()), Some(response.into()))
}

/// The mark that no agent answers and no agent's context holds. What may not call here may not call there either, above
/// all what the hub says of itself.
fn note_mark(message: &Message, frame_type: FrameType, kept: PreservedFields<'_>) -> Option<bool> {
    let is_chat = frame_type.is_response() || frame_type == FrameType::Message;
    let is_note = message.is_notice || (is_chat && !may_call(message));
    if is_note { Some(true) } else { kept.open("isTaskNotification").and_then(Value::as_bool).filter(|mark| !mark) }
}

fn texts(value: &Value) -> Option<Vec<Cow<'_, str>>> {
    value.as_array()?.iter().map(|text| text.as_str().map(Cow::Borrowed)).collect()
}

fn borrowed(texts: &[String]) -> Vec<Cow<'_, str>> {
    texts.iter().map(Cow::from).collect()
}
