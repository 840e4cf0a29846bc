//! What a frame means.

use parlour_core::{
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    message::{Cause, Kind, Message},
};

use super::{
    attachment,
    author::author,
    failure::read_failure,
    frame::{BorrowedFrame, ExecutionMode, FrameType, owned_texts},
    kept::FieldRecorder,
    when::FrameTime,
};
use crate::{Frame, Item, foreign_id::mapped};

/// Where native messages say how far an agent may go.
pub(super) const MODE: &str = "execution_mode";

/// Reads a frame about a message.
pub(super) fn item(mut frame: BorrowedFrame<'_>, when: &FrameTime) -> Item {
    let mut keeping = FieldRecorder::default();
    keeping.keep_untimed(!when.is_told);
    let mut message = begin(&mut frame, when, &mut keeping);
    read_mode(&mut message, &frame, &mut keeping);
    read_cause(&mut message, &mut frame, &mut keeping);
    message.is_notice = frame.is_task_notification == Some(true);
    keeping.keep("isTaskNotification", frame.is_task_notification.filter(|is_note| !is_note));
    if let Some(parent) = frame.parent_message_id.take() {
        let id = mapped(&parent);
        keeping.keep_id("parentMessageId", parent, &id);
        message.reply_to = Some(id);
    }
    if let Some(files) = frame.attachments.take() {
        let (natives, kept) = attachment::taken(files);
        message.attachments = natives;
        keeping.keep("attachments", kept);
    }
    keeping.keep("mentions", frame.mentions.take());
    keeping.keep("type", (frame.frame_type == FrameType::Done).then_some(FrameType::Done.as_str()));
    match frame.frame_type {
        FrameType::Error => read_failure(&mut message, frame.text.into_owned(), &mut keeping),
        _ => message.body = frame.text.into_owned(),
    }
    keeping.keep_rest(frame.rest);
    keeping.put_into(&mut message);
    Item { frame: told(frame.frame_type), message }
}

/// The message with its id and place.
fn begin(frame: &mut BorrowedFrame<'_>, when: &FrameTime, keeping: &mut FieldRecorder) -> Message {
    let id = message_id(frame, keeping);
    let text = std::mem::take(&mut frame.project_id);
    let (project, channel): (ProjectId, ChannelId) = (mapped(&text), mapped(&text));
    keeping.keep_id("projectId", text, &project);
    let from = read_author(frame, keeping);
    let mut message = Message::plain(id, project, channel.into(), from, String::new(), when.now);
    if frame.frame_type == FrameType::Message {
        message.kind = Kind::User;
    }
    message
}

fn message_id(frame: &mut BorrowedFrame<'_>, keeping: &mut FieldRecorder) -> MessageId {
    let own = std::mem::take(&mut frame.message_id);
    let response = frame.response_id.take();
    if frame.frame_type != FrameType::Typing {
        keeping.keep("responseId", response);
        let id = mapped(&own);
        keeping.keep_id("messageId", own, &id);
        return id;
    }
    let Some(response) = response else {
        keeping.keep_absent("responseId");
        let id = mapped(&own);
        keeping.keep_id("messageId", own, &id);
        return id;
    };
    let id = mapped(&response);
    keeping.keep("messageId", (own != usual_typing_id(&response)).then_some(own));
    keeping.keep_id("responseId", response, &id);
    id
}

/// The id of a typing frame itself when nobody has given it one: never that of the answer.
pub(super) fn usual_typing_id(response_id: &str) -> String {
    [response_id, "-typing"].concat()
}

fn read_author(frame: &mut BorrowedFrame<'_>, keeping: &mut FieldRecorder) -> Author {
    let is_agent = frame.is_of_agent();
    let usual_mark = is_agent && (frame.frame_type.is_response() || frame.frame_type == FrameType::Message);
    keeping.keep_unusual("isAgentMessage", frame.is_agent_message, usual_mark.then_some(true));
    let author_type = if is_agent { AuthorType::Agent } else { AuthorType::Person };
    let shown = frame.agent_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&frame.from_username);
    let from = author(author_type, &frame.from, shown);
    keeping.keep_unusual("agentName", frame.agent_name.as_deref(), is_agent.then_some(from.name.as_str()));
    if frame.from_username != from.name {
        keeping.keep("fromUsername", Some(frame.from_username.as_ref()));
    }
    from
}

/// The mode that people's messages have on the wire when nothing else is said.
pub(super) fn usual_mode(frame: &BorrowedFrame<'_>) -> Option<ExecutionMode> {
    let is_asked = frame.frame_type == FrameType::Message && !frame.is_of_agent();
    (is_asked && frame.is_task_notification != Some(true)).then_some(ExecutionMode::Auto)
}

fn read_mode(message: &mut Message, frame: &BorrowedFrame<'_>, keeping: &mut FieldRecorder) {
    match (frame.execution_mode, usual_mode(frame)) {
        (found, usual) if found == usual => {}
        (Some(mode), _) => drop(message.metadata.insert(MODE.to_owned(), mode.as_str().into())),
        (None, _) => keeping.keep_absent("executionMode"),
    }
}

fn read_cause(message: &mut Message, frame: &mut BorrowedFrame<'_>, keeping: &mut FieldRecorder) {
    let (depth, chain) = (frame.response_depth, frame.responding_chain.take());
    if depth.is_none() && chain.is_none() {
        return;
    }
    if depth.is_none() {
        keeping.keep_absent("responseDepth");
    }
    if chain.is_none() {
        keeping.keep_absent("respondingChain");
    }
    let (depth, chain) = (depth.unwrap_or_default(), chain.map(owned_texts).unwrap_or_default());
    message.cause = Some(Cause { depth, chain, agents: Vec::new(), message_id: None });
}

fn told(frame_type: FrameType) -> Frame {
    match frame_type {
        FrameType::Typing => Frame::Typing,
        FrameType::Chunk => Frame::Piece,
        _ => Frame::Message,
    }
}
