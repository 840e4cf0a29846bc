//! Whether an agent of Jaibber answers a frame.

use super::{
    frame::{AblyMessage, FrameType},
    mention::mentions_agent,
};

/// The depth from which on nobody answers, when an agent is not told otherwise.
pub const RESPONSE_DEPTH_MAX: u32 = 3;
/// Characters of a prompt, as JavaScript counts them, that an agent still answers.
pub const PROMPT_CHARS_MAX: usize = 100_000;

/// Which program runs the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Client {
    /// The agent kit.
    #[default]
    Kit,
    /// The desktop client: it answers an answer only when that is marked as an agent's.
    Desktop,
}

/// The agent that is to decide.
#[derive(Clone, Copy, Debug)]
pub struct Me<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its connection.
    pub connection_id: &'a str,
    /// The depth from which on it does not answer.
    pub depth_max: u32,
    /// What runs it.
    pub client: Client,
}

impl<'a> Me<'a> {
    /// An agent of the kit with the usual depth.
    pub fn new(name: &'a str, connection_id: &'a str) -> Self {
        Self { name, connection_id, depth_max: RESPONSE_DEPTH_MAX, client: Client::Kit }
    }
}

/// Whether to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The frame is to be answered.
    Answer,
    /// It is not, and the first reason that was found.
    Pass(WhyNot),
}

/// Why a frame is not answered, in the order in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyNot {
    /// It came from the agent's own connection.
    OwnConnection,
    /// It is neither a message nor an answer.
    OtherType,
    /// It is an answer without the mark of an agent, which the desktop client wants.
    Unmarked,
    /// It only tells of a task.
    TaskNote,
    /// It is longer than a prompt may be.
    TooLong,
    /// Too many answers of agents led to it.
    TooDeep,
    /// The agent is among those that led to it.
    InChain,
    /// The agent is not mentioned.
    NotMentioned,
    /// The agent is already at work on it.
    Answering,
}

/// Decides whether an agent answers a frame that came over a connection.
///
/// `is_answering` tells whether the agent is already at work on the message of this id. Depth and chain are what the
/// sender claims; the loop guard of a hub counts for itself. The names of the chain are compared without regard to case
/// on both sides, so that a name in capitals does not open the chain again.
pub fn decide(
    frame: &AblyMessage,
    connection_id: &str,
    me: &Me<'_>,
    is_answering: impl FnOnce(&str) -> bool,
) -> Decision {
    why_not(frame, connection_id, me, is_answering).map_or(Decision::Answer, Decision::Pass)
}

fn why_not(
    frame: &AblyMessage,
    connection_id: &str,
    me: &Me<'_>,
    is_answering: impl FnOnce(&str) -> bool,
) -> Option<WhyNot> {
    let is_response = frame.frame_type == FrameType::Response;
    if connection_id == me.connection_id {
        return Some(WhyNot::OwnConnection);
    }
    if !is_response && frame.frame_type != FrameType::Message {
        return Some(WhyNot::OtherType);
    }
    if me.client == Client::Desktop && is_response && frame.is_agent_message != Some(true) {
        return Some(WhyNot::Unmarked);
    }
    if frame.is_task_notification == Some(true) {
        return Some(WhyNot::TaskNote);
    }
    if is_too_long(&frame.text) {
        return Some(WhyNot::TooLong);
    }
    if frame.response_depth.unwrap_or_default() >= me.depth_max {
        return Some(WhyNot::TooDeep);
    }
    if is_in_chain(frame, me.name) {
        return Some(WhyNot::InChain);
    }
    if !mentions_agent(&frame.text, me.name) {
        return Some(WhyNot::NotMentioned);
    }
    is_answering(&frame.message_id).then_some(WhyNot::Answering)
}

fn is_too_long(text: &str) -> bool {
    // Bytes bound the units of JavaScript from above, so most texts are not walked through.
    text.len() > PROMPT_CHARS_MAX && text.encode_utf16().count() > PROMPT_CHARS_MAX
}

fn is_in_chain(frame: &AblyMessage, name: &str) -> bool {
    let name = name.to_lowercase();
    frame.responding_chain.iter().flatten().any(|link| link.to_lowercase() == name)
}
