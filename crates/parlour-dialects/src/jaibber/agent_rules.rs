//! The rules of Jaibber's agents: when an agent answers, mentions, and hand-offs.
//!
//! The rules of Parlour are in `parlour_core::mention` and `parlour_core::handoff`; they use the roster and accept
//! more names. These functions match exactly what Jaibber's clients match.

use super::wire::{AblyMessage, FrameType};
use crate::text::is_javascript_space;

/// The default response depth from which agents stop answering.
pub const RESPONSE_DEPTH_MAX: u32 = 3;
/// The maximum length of a prompt in UTF-16 code units.
pub const PROMPT_CHARS_MAX: usize = 100_000;

/// The program that runs an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentProgram {
    #[default]
    Kit,
    /// The desktop client: answers a response only if it is marked as an agent's.
    Desktop,
}

/// The agent that decides.
#[derive(Clone, Copy, Debug)]
pub struct RespondingAgent<'a> {
    pub name: &'a str,
    pub connection_id: &'a str,
    /// The response depth from which the agent stops answering.
    pub depth_max: u32,
    pub client: AgentProgram,
}

impl<'a> RespondingAgent<'a> {
    /// An agent of the kit with the default depth.
    pub fn new(name: &'a str, connection_id: &'a str) -> Self {
        Self { name, connection_id, depth_max: RESPONSE_DEPTH_MAX, client: AgentProgram::Kit }
    }
}

/// The decision about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Answer,
    /// The first reason against an answer.
    Pass(PassReason),
}

/// Why an agent does not answer, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PassReason {
    /// The frame came from the agent's own connection.
    OwnConnection,
    /// The frame is neither a message nor a response.
    OtherType,
    /// The response is not marked as an agent's; the desktop client requires it.
    Unmarked,
    /// The frame is a task notification.
    TaskNote,
    /// The text exceeds [`PROMPT_CHARS_MAX`].
    TooLong,
    /// The response depth is reached.
    TooDeep,
    /// The agent is in the responding chain.
    InChain,
    NotMentioned,
    /// The agent is already answering the message.
    Answering,
}

/// Decides whether an agent answers a frame.
///
/// `is_answering` returns whether the agent is already answering the message with this id. Depth and chain are claims
/// of the sender; the loop guard of the hub keeps its own count. Names in the chain are compared without case.
pub fn decide(
    frame: &AblyMessage,
    connection_id: &str,
    me: &RespondingAgent<'_>,
    is_answering: impl FnOnce(&str) -> bool,
) -> Decision {
    pass_reason(frame, connection_id, me, is_answering).map_or(Decision::Answer, Decision::Pass)
}

fn pass_reason(
    frame: &AblyMessage,
    connection_id: &str,
    me: &RespondingAgent<'_>,
    is_answering: impl FnOnce(&str) -> bool,
) -> Option<PassReason> {
    let is_response = frame.frame_type == FrameType::Response;
    if connection_id == me.connection_id {
        return Some(PassReason::OwnConnection);
    }
    if !is_response && frame.frame_type != FrameType::Message {
        return Some(PassReason::OtherType);
    }
    if me.client == AgentProgram::Desktop && is_response && frame.is_agent_message != Some(true) {
        return Some(PassReason::Unmarked);
    }
    if frame.is_task_notification == Some(true) {
        return Some(PassReason::TaskNote);
    }
    if is_too_long(&frame.text) {
        return Some(PassReason::TooLong);
    }
    if frame.response_depth.unwrap_or_default() >= me.depth_max {
        return Some(PassReason::TooDeep);
    }
    if is_in_chain(frame, me.name) {
        return Some(PassReason::InChain);
    }
    if !mentions_agent(&frame.text, me.name) {
        return Some(PassReason::NotMentioned);
    }
    is_answering(&frame.message_id).then_some(PassReason::Answering)
}

fn is_too_long(text: &str) -> bool {
    // A text has at least as many bytes as UTF-16 units, so most texts are not counted.
    text.len() > PROMPT_CHARS_MAX && text.encode_utf16().count() > PROMPT_CHARS_MAX
}

fn is_in_chain(frame: &AblyMessage, name: &str) -> bool {
    let name = name.to_lowercase();
    frame.responding_chain.iter().flatten().any(|link| link.to_lowercase() == name)
}

/// Whether a text mentions an agent, by the rule that wakes agents.
///
/// The rule is `@` and the name, ignoring case, not followed by a word character. The character before `@` does not
/// matter. An empty name is never mentioned. Takes linear time if the name contains no `@`.
pub fn mentions_agent(text: &str, name: &str) -> bool {
    let is_here = |(index, _)| after_name(&text[index + 1..], name).is_some_and(|rest| !rest.starts_with(is_word));
    !name.is_empty() && text.match_indices('@').any(is_here)
}

/// The mentions of a text for the `mentions` field of frames.
///
/// Each mention is in lower case and includes all following words: `@Coder please fix this` gives `coder please fix
/// this`. It is for display only.
pub fn list_mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(index) = rest.find('@') {
        rest = &rest[index + 1..];
        let end = end_of_words(rest);
        if end > 0 {
            found.push(rest[..end].to_lowercase());
        }
        rest = &rest[end..];
    }
    found
}

/// The mentions of a text by the rule of the bridges: a lower-case word that may contain `-`.
pub fn adapter_mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(index) = rest.find('@') {
        rest = &rest[index + 1..];
        if rest.starts_with(is_word) {
            let end = rest.find(|character| !is_word(character) && character != '-').unwrap_or(rest.len());
            found.push(rest[..end].to_ascii_lowercase());
            rest = &rest[end..];
        }
    }
    found
}

/// Whether a bridge with this name answers: the text mentions nobody, or a mention and the name contain one another.
pub fn adapter_answers(text: &str, name: &str) -> bool {
    let (mentions, name) = (adapter_mentions(text), name.to_lowercase());
    mentions.is_empty() || mentions.iter().any(|mention| name.contains(mention.as_str()) || mention.contains(&name))
}

/// The rest of the text after the name, if the text starts with it.
fn after_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut characters = text.chars();
    let mut is_next = |expected| {
        characters
            .next()
            .is_some_and(|character| character == expected || case_folded(character) == case_folded(expected))
    };
    let is_name = name.chars().all(&mut is_next);
    is_name.then_some(characters.as_str())
}

/// The end of the leading words that are separated by white space.
fn end_of_words(text: &str) -> usize {
    let mut end = word_len(text);
    while end > 0 {
        let rest = &text[end..];
        let blank = rest.len() - rest.trim_start_matches(is_javascript_space).len();
        let word = word_len(&rest[blank..]);
        if blank == 0 || word == 0 {
            break;
        }
        end += blank + word;
    }
    end
}

fn word_len(text: &str) -> usize {
    text.find(|character| !is_word(character)).unwrap_or(text.len())
}

/// The form of a character that JavaScript compares when it ignores case: the capital, if it is one UTF-16 unit and
/// does not turn a non-ASCII character into an ASCII one.
fn case_folded(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_uppercase();
    }
    let mut capitals = character.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) if !capital.is_ascii() && character.len_utf16() == 1 && capital.len_utf16() == 1 => {
            capital
        }
        _ => character,
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

const START: &str = "[HANDOFF:";

/// A hand-off as it is written in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handoff<'a> {
    /// The agent that continues.
    pub name: &'a str,
    /// The task.
    pub title: &'a str,
}

/// Finds `[HANDOFF: @name "title"]` in a text. The name has ASCII letters, digits, `_` and `-`; the title extends to
/// the next quotation mark and may contain line breaks.
pub fn parse_handoffs(text: &str) -> Vec<Handoff<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(index) = rest.find(START) {
        rest = &rest[index + START.len()..];
        if let Some((handoff, after)) = parse_handoff(rest) {
            found.push(handoff);
            rest = after;
        }
    }
    found
}

/// Parses the text after the start of a hand-off; returns the hand-off and the rest.
fn parse_handoff(tail: &str) -> Option<(Handoff<'_>, &str)> {
    let tail = tail.trim_start_matches(is_javascript_space).strip_prefix('@')?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    let (name, tail) = tail.split_at(tail.find(|character| !is_name(character))?);
    let quoted = tail.trim_start_matches(is_javascript_space);
    let is_apart = !name.is_empty() && quoted.len() < tail.len();
    let (title, after) = quoted.strip_prefix('"').filter(|_| is_apart)?.split_once('"')?;
    let after = after.strip_prefix(']').filter(|_| !title.is_empty())?;
    Some((Handoff { name, title }, after))
}
