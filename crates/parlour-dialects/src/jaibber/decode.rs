//! Decodes frames to native messages.
//!
//! An agent runs under the account of a person, and one account can run several agents. The id of an agent is
//! therefore `jaibber:<user id>/<agent name>`.
//!
//! Jaibber puts the reason of a failure where the answer would be. Here it becomes the reason of a failed message with
//! an empty body, so that no model reads it as an answer.

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    id::{ChannelId, MessageId, ProjectId},
    limits,
    message::{Cause, Kind, Message, State},
};

use super::{
    NAME, attachment,
    preserved::FieldRecorder,
    wire::{BorrowedFrame, ExecutionMode, FrameType, owned_texts},
};
use crate::{
    Frame, Item,
    foreign_id::{foreign_author, native_id},
};

/// The metadata key of the execution mode.
pub(super) const MODE: &str = "execution_mode";

/// Converts a frame about a message.
pub(super) fn frame_to_item(mut frame: BorrowedFrame<'_>, frame_time: &FrameTime) -> Item {
    let mut recorder = FieldRecorder::default();
    recorder.record_untimed(!frame_time.is_in_extras);
    let mut message = begin_message(&mut frame, frame_time, &mut recorder);
    decode_mode(&mut message, &frame, &mut recorder);
    decode_cause(&mut message, &mut frame, &mut recorder);
    message.is_notice = frame.is_task_notification == Some(true);
    recorder.record("isTaskNotification", frame.is_task_notification.filter(|is_note| !is_note));
    if let Some(parent) = frame.parent_message_id.take() {
        let id = native_id(&parent);
        recorder.record_id("parentMessageId", parent, &id);
        message.reply_to = Some(id);
    }
    if let Some(files) = frame.attachments.take() {
        let (natives, preserved) = attachment::split_attachments(files);
        message.attachments = natives;
        recorder.record("attachments", preserved);
    }
    recorder.record("mentions", frame.mentions.take());
    recorder.record("type", (frame.frame_type == FrameType::Done).then_some(FrameType::Done.as_str()));
    match frame.frame_type {
        FrameType::Error => set_failure(&mut message, frame.text.into_owned(), &mut recorder),
        _ => message.body = frame.text.into_owned(),
    }
    recorder.record_rest(frame.rest);
    recorder.store_in(&mut message);
    Item { frame: item_frame(frame.frame_type), message }
}

/// A message with id, project, channel and author.
fn begin_message(frame: &mut BorrowedFrame<'_>, frame_time: &FrameTime, recorder: &mut FieldRecorder) -> Message {
    let id = message_id(frame, recorder);
    let text = std::mem::take(&mut frame.project_id);
    let (project, channel): (ProjectId, ChannelId) = (native_id(&text), native_id(&text));
    recorder.record_id("projectId", text, &project);
    let from = decode_author(frame, recorder);
    let mut message = Message::plain(id, project, channel.into(), from, String::new(), frame_time.now);
    if frame.frame_type == FrameType::Message {
        message.kind = Kind::User;
    }
    message
}

fn message_id(frame: &mut BorrowedFrame<'_>, recorder: &mut FieldRecorder) -> MessageId {
    let own = std::mem::take(&mut frame.message_id);
    let response = frame.response_id.take();
    if frame.frame_type != FrameType::Typing {
        recorder.record("responseId", response);
        let id = native_id(&own);
        recorder.record_id("messageId", own, &id);
        return id;
    }
    let Some(response) = response else {
        recorder.record_absent("responseId");
        let id = native_id(&own);
        recorder.record_id("messageId", own, &id);
        return id;
    };
    let id = native_id(&response);
    recorder.record("messageId", (own != canonical_typing_id(&response)).then_some(own));
    recorder.record_id("responseId", response, &id);
    id
}

/// The default id of a typing frame; it differs from that of the answer.
pub(super) fn canonical_typing_id(response_id: &str) -> String {
    [response_id, "-typing"].concat()
}

fn decode_author(frame: &mut BorrowedFrame<'_>, recorder: &mut FieldRecorder) -> Author {
    let is_agent = frame.is_of_agent();
    let canonical_mark = is_agent && (frame.frame_type.is_response() || frame.frame_type == FrameType::Message);
    recorder.record_unusual("isAgentMessage", frame.is_agent_message, canonical_mark.then_some(true));
    let author_type = if is_agent { AuthorType::Agent } else { AuthorType::Person };
    let shown = frame.agent_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&frame.from_username);
    let from = frame_author(author_type, &frame.from, shown);
    recorder.record_unusual("agentName", frame.agent_name.as_deref(), is_agent.then_some(from.name.as_str()));
    if frame.from_username != from.name {
        recorder.record("fromUsername", Some(frame.from_username.as_ref()));
    }
    from
}

/// The default mode of a person's message.
pub(super) fn canonical_mode(frame: &BorrowedFrame<'_>) -> Option<ExecutionMode> {
    let is_asked = frame.frame_type == FrameType::Message && !frame.is_of_agent();
    (is_asked && frame.is_task_notification != Some(true)).then_some(ExecutionMode::Auto)
}

fn decode_mode(message: &mut Message, frame: &BorrowedFrame<'_>, recorder: &mut FieldRecorder) {
    match (frame.execution_mode, canonical_mode(frame)) {
        (found, canonical) if found == canonical => {}
        (Some(mode), _) => drop(message.metadata.insert(MODE.to_owned(), mode.as_str().into())),
        (None, _) => recorder.record_absent("executionMode"),
    }
}

fn decode_cause(message: &mut Message, frame: &mut BorrowedFrame<'_>, recorder: &mut FieldRecorder) {
    let (depth, chain) = (frame.response_depth, frame.responding_chain.take());
    if depth.is_none() && chain.is_none() {
        return;
    }
    if depth.is_none() {
        recorder.record_absent("responseDepth");
    }
    if chain.is_none() {
        recorder.record_absent("respondingChain");
    }
    let (depth, chain) = (depth.unwrap_or_default(), chain.map(owned_texts).unwrap_or_default());
    message.cause = Some(Cause { depth, chain, agents: Vec::new(), message_id: None });
}

fn item_frame(frame_type: FrameType) -> Frame {
    match frame_type {
        FrameType::Typing => Frame::Typing,
        FrameType::Chunk => Frame::Piece,
        _ => Frame::Message,
    }
}

/// The author with this account and name.
pub(super) fn frame_author(author_type: AuthorType, from: &str, name: &str) -> Author {
    let name = if name.is_empty() { from } else { name };
    if author_type == AuthorType::Agent {
        let id = [NAME, ":", from, "/", name].concat();
        return Author { author_type, id: Some(id), name: name.to_owned() };
    }
    foreign_author(NAME, author_type, from, name)
}

/// The prefix of the reason in the text of an error.
pub(super) const LEAD: &str = "Agent error: ";
/// The metadata key of a reason without that prefix.
pub(super) const IS_BARE: &str = "isBareReason";

/// Makes the message a failed answer. A text that is too long for a reason becomes the body.
pub(super) fn set_failure(message: &mut Message, text: String, recorder: &mut FieldRecorder) {
    message.state = State::Failed;
    let reason = text.strip_prefix(LEAD);
    let is_bare = reason.is_none();
    let reason = reason.unwrap_or(&text);
    if reason.len() > limits::REASON_CHARS_MAX && reason.chars().count() > limits::REASON_CHARS_MAX {
        message.body = text;
        return;
    }
    recorder.record(IS_BARE, is_bare.then_some(true));
    message.reason = Some(if is_bare { text } else { reason.to_owned() });
}

/// The time of a form that is decoded. Frames have none: they get the time of decoding, and the metadata record that,
/// unless the extras contain a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTime {
    /// The time of decoding.
    pub(super) now: Timestamp,
    /// Whether the extras contain the time.
    pub(super) is_in_extras: bool,
}
