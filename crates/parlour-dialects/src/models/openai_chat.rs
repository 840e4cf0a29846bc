//! The messages of a chat completion request, for OpenAI and compatible servers.

use std::collections::{HashMap, HashSet};

use parlour_core::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    CompletedToolCall, Transcript, Turn,
    provider_rules::{self, CALLS_MAX, check_arguments, check_call, expect, expect_text},
    transcript::{self, AlternatingTurn, NO_QUESTION, ResultPlacement, non_blank},
};

/// The server of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// OpenAI: one message per turn, with the name of its author.
    OpenAi,
    /// A compatible server. Some refuse names, tool calls, consecutive messages of one role, and system messages after
    /// the first position; requests to them contain none.
    Lookalike,
}

/// The message part of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Oldest first.
    pub messages: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    System {
        #[serde(deserialize_with = "provider_rules::joined")]
        content: String,
    },
    User {
        #[serde(deserialize_with = "provider_rules::joined")]
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    Assistant {
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "provider_rules::joined_if_any")]
        content: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    Tool {
        tool_call_id: String,
        #[serde(deserialize_with = "provider_rules::joined")]
        content: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolCall {
    /// The only supported type.
    Function { id: String, function: Function },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    pub name: String,
    /// A JSON object as text.
    pub arguments: String,
}

/// Encodes a transcript.
pub fn encode(transcript: &Transcript, server: Server) -> Request {
    let messages = match server {
        Server::OpenAi => one_message_per_turn(transcript),
        Server::Lookalike => alternating_messages(transcript),
    };
    Request { messages }
}

fn one_message_per_turn(transcript: &Transcript) -> Vec<Message> {
    let mut messages: Vec<Message> =
        non_blank(&transcript.instructions).map(|content| Message::System { content }).into_iter().collect();
    for turn in &transcript.list {
        match turn {
            Turn::System(text) => messages.push(Message::System { content: text.clone() }),
            Turn::User { name, text } => {
                let name = name.clone().filter(|name| is_name(name));
                messages.push(Message::User { content: text.clone(), name });
            }
            Turn::Assistant { text, calls } => {
                let tool_calls = calls.iter().map(tool_call).collect();
                messages.push(Message::Assistant { content: non_blank(text), tool_calls });
                messages.extend(calls.iter().map(result));
            }
        }
    }
    if transcript.list.is_empty() {
        messages.push(Message::User { content: NO_QUESTION.to_owned(), name: None });
    }
    messages
}

fn alternating_messages(transcript: &Transcript) -> Vec<Message> {
    let without_calls =
        Transcript { list: transcript.list.iter().filter_map(without_calls).collect(), ..transcript.clone() };
    let system = non_blank(&transcript::system_text(transcript)).map(|content| Message::System { content });
    let sides = transcript::alternate(&without_calls, ResultPlacement::Alone);
    let message = |side| match side {
        AlternatingTurn::User { text, .. } => Message::User { content: text, name: None },
        AlternatingTurn::Assistant { text, .. } => Message::Assistant { content: Some(text), tool_calls: Vec::new() },
    };
    system.into_iter().chain(sides.into_iter().map(message)).collect()
}

fn without_calls(turn: &Turn) -> Option<Turn> {
    match turn {
        Turn::Assistant { text, .. } => non_blank(text).map(|text| Turn::Assistant { text, calls: Vec::new() }),
        other => Some(other.clone()),
    }
}

fn tool_call(call: &CompletedToolCall) -> ToolCall {
    ToolCall::Function {
        id: call.id.clone(),
        function: Function { name: call.name.clone(), arguments: call.arguments() },
    }
}

fn result(call: &CompletedToolCall) -> Message {
    Message::Tool { tool_call_id: call.id.clone(), content: call.output_with_error() }
}

/// Whether the API accepts the name.
fn is_name(name: &str) -> bool {
    let is_refused = |character: char| character.is_whitespace() || matches!(character, '<' | '|' | '\\' | '/' | '>');
    !name.is_empty() && name.chars().count() <= 64 && !name.contains(is_refused)
}

/// Decodes the messages and tools of a request. Refuses content that is not text, and requests that OpenAI refuses.
pub fn decode(request: Value) -> Result<Transcript, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("messages"))?;
    check(&request)?;
    let mut transcript = Transcript::default();
    let mut results = results_of(&request.messages);
    for (index, message) in request.messages.into_iter().enumerate() {
        match message {
            Message::System { content } if index == 0 => transcript.instructions = content,
            Message::System { content } => transcript.list.push(Turn::System(content)),
            Message::User { content, name } => transcript.list.push(Turn::User { name, text: content }),
            Message::Assistant { content, tool_calls } => {
                let calls = tool_calls.into_iter().map(|call| read_call(call, &mut results)).collect();
                transcript.list.push(Turn::Assistant { text: content.unwrap_or_default(), calls });
            }
            Message::Tool { .. } => {}
        }
    }
    Ok(transcript)
}

fn results_of(messages: &[Message]) -> HashMap<String, String> {
    let result = |message: &Message| match message {
        Message::Tool { tool_call_id, content } => Some((tool_call_id.clone(), content.clone())),
        _ => None,
    };
    messages.iter().filter_map(result).collect()
}

fn read_call(
    ToolCall::Function { id, function }: ToolCall,
    results: &mut HashMap<String, String>,
) -> CompletedToolCall {
    let output = results.remove(&id).unwrap_or_default();
    let input = serde_json::from_str(&function.arguments).unwrap_or_default();
    CompletedToolCall { id, name: function.name, input, output, is_error: false }
}

const LIST: &str = "messages";
const MESSAGES_MAX: usize = 2_048;

/// Refuses a request that OpenAI refuses; the refusal names the index and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    let mut state = RequestCheck::default();
    expect(!request.messages.is_empty(), LIST, 0, "there must be a message")?;
    for (index, message) in request.messages.iter().enumerate() {
        expect(index < MESSAGES_MAX, LIST, index, "a request can have at most 2048 messages")?;
        state.take(message, index)?;
    }
    state.expect_all_results(request.messages.len())
}

/// The state of the check after some messages.
#[derive(Default)]
struct RequestCheck<'a> {
    /// Calls of the last assistant message without a result.
    open: HashSet<&'a str>,
    ids: HashSet<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, message: &'a Message, index: usize) -> Result<(), Refusal> {
        if let Message::Tool { tool_call_id, .. } = message {
            let is_open = self.open.remove(tool_call_id.as_str());
            return expect(is_open, LIST, index, "a result must directly follow an open call");
        }
        self.expect_all_results(index)?;
        match message {
            Message::System { content } => expect_text(content, LIST, index),
            Message::User { content, name } => {
                let is_fine = name.as_deref().is_none_or(is_name);
                expect(is_fine, LIST, index, "a name must have 1 to 64 characters without blanks and <|\\/>")?;
                expect_text(content, LIST, index)
            }
            Message::Assistant { content, tool_calls } => self.take_assistant(content.as_deref(), tool_calls, index),
            Message::Tool { .. } => Ok(()),
        }
    }

    fn take_assistant(&mut self, content: Option<&str>, calls: &'a [ToolCall], index: usize) -> Result<(), Refusal> {
        expect(content.is_some() || !calls.is_empty(), LIST, index, "an assistant message must have a text or a call")?;
        content.map_or(Ok(()), |text| expect_text(text, LIST, index))?;
        expect(calls.len() <= CALLS_MAX, LIST, index, "a message can have at most 128 calls")?;
        for ToolCall::Function { id, function } in calls {
            check_call((id, &function.name), &mut self.ids, LIST, index)?;
            check_arguments(&function.arguments, LIST, index)?;
            self.open.insert(id);
        }
        Ok(())
    }

    fn expect_all_results(&self, index: usize) -> Result<(), Refusal> {
        expect(self.open.is_empty(), LIST, index, "every call must be directly followed by its result")
    }
}
