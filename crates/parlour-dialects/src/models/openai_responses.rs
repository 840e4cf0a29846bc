//! The message part of a request to OpenAI's responses API.

use std::collections::{HashMap, HashSet};

use parlour_core::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    CompletedToolCall, Transcript, Turn,
    provider_rules::{self, check_arguments, check_call, expect, expect_text, is_blank},
    transcript::{NO_QUESTION, non_blank},
};

/// The message part of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Messages, calls and results, oldest first.
    pub input: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Item {
    Message {
        role: Role,
        #[serde(deserialize_with = "provider_rules::joined")]
        content: String,
    },
    FunctionCall {
        call_id: String,
        name: String,
        /// A JSON object as text.
        arguments: String,
    },
    FunctionCallOutput {
        call_id: String,
        #[serde(deserialize_with = "provider_rules::joined")]
        output: String,
    },
}

/// The role of a message. There is no field for a name: only the label contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// Encodes a transcript.
pub fn encode(transcript: &Transcript) -> Request {
    let mut input: Vec<Item> = transcript.list.iter().flat_map(items).collect();
    if input.is_empty() {
        input.push(message(Role::User, NO_QUESTION));
    }
    Request { instructions: non_blank(&transcript.instructions), input }
}

fn items(turn: &Turn) -> Vec<Item> {
    match turn {
        Turn::System(text) => vec![message(Role::System, text)],
        Turn::User { text, .. } => vec![message(Role::User, text)],
        Turn::Assistant { text, calls } => {
            let spoken = non_blank(text).map(|text| message(Role::Assistant, &text));
            spoken.into_iter().chain(calls.iter().map(call)).chain(calls.iter().map(output)).collect()
        }
    }
}

fn message(role: Role, text: &str) -> Item {
    Item::Message { role, content: text.to_owned() }
}

fn call(call: &CompletedToolCall) -> Item {
    Item::FunctionCall { call_id: call.id.clone(), name: call.name.clone(), arguments: call.arguments() }
}

fn output(call: &CompletedToolCall) -> Item {
    Item::FunctionCallOutput { call_id: call.id.clone(), output: call.output_with_error() }
}

/// Decodes the items and instructions of a request. Refuses content that is not text, and requests that OpenAI
/// refuses.
pub fn decode(request: Value) -> Result<Transcript, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("input"))?;
    check(&request)?;
    let mut outputs = outputs_of(&request.input);
    let mut transcript = Transcript { instructions: request.instructions.unwrap_or_default(), ..Transcript::default() };
    // Whether a call belongs to the previous turn; a result ends the turn.
    let mut is_round_open = false;
    for item in request.input {
        match item {
            Item::Message { role, content } => {
                is_round_open = role == Role::Assistant;
                transcript.list.push(message_turn(role, content));
            }
            Item::FunctionCall { call_id, name, arguments } => {
                let input = serde_json::from_str(&arguments).unwrap_or_default();
                let output = outputs.remove(&call_id).unwrap_or_default();
                let call = CompletedToolCall { id: call_id, name, input, output, is_error: false };
                match transcript.list.last_mut() {
                    Some(Turn::Assistant { calls, .. }) if is_round_open => calls.push(call),
                    _ => transcript.list.push(Turn::Assistant { text: String::new(), calls: vec![call] }),
                }
                is_round_open = true;
            }
            Item::FunctionCallOutput { .. } => is_round_open = false,
        }
    }
    Ok(transcript)
}

fn outputs_of(items: &[Item]) -> HashMap<String, String> {
    let output = |item: &Item| match item {
        Item::FunctionCallOutput { call_id, output } => Some((call_id.clone(), output.clone())),
        Item::Message { .. } | Item::FunctionCall { .. } => None,
    };
    items.iter().filter_map(output).collect()
}

fn message_turn(role: Role, text: String) -> Turn {
    match role {
        Role::System => Turn::System(text),
        Role::User => Turn::User { name: None, text },
        Role::Assistant => Turn::Assistant { text, calls: Vec::new() },
    }
}

const LIST: &str = "input";

/// Refuses a request that OpenAI refuses; the refusal names the index and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    if request.instructions.as_deref().is_some_and(is_blank) {
        return Err(Refusal::invalid("a text must not be blank").at("instructions"));
    }
    expect(!request.input.is_empty(), LIST, 0, "there must be an item")?;
    let mut state = RequestCheck::default();
    for (index, item) in request.input.iter().enumerate() {
        state.take(item, index)?;
    }
    state.expect_all_results(request.input.len())
}

/// The state of the check after some items.
#[derive(Default)]
struct RequestCheck<'a> {
    /// Calls without a result.
    open: HashSet<&'a str>,
    ids: HashSet<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, item: &'a Item, index: usize) -> Result<(), Refusal> {
        match item {
            Item::Message { content, .. } => {
                self.expect_all_results(index)?;
                expect_text(content, LIST, index)
            }
            Item::FunctionCall { call_id, name, arguments } => {
                check_call((call_id, name), &mut self.ids, LIST, index)?;
                self.open.insert(call_id);
                check_arguments(arguments, LIST, index)
            }
            Item::FunctionCallOutput { call_id, .. } => {
                let is_open = self.open.remove(call_id.as_str());
                expect(is_open, LIST, index, "a result must belong to an earlier open call")
            }
        }
    }

    fn expect_all_results(&self, index: usize) -> Result<(), Refusal> {
        expect(self.open.is_empty(), LIST, index, "every call must have its result before the next message")
    }
}
