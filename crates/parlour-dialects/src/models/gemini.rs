//! The message part of a request to Google's `generateContent`.

use std::collections::VecDeque;

use parlour_core::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CompletedToolCall, Transcript, Turn,
    provider_rules::{add_below, expect, expect_text, is_tool_name},
    transcript::{self, AlternatingTurn, ResultPlacement, non_blank},
};

/// The message part of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_instruction: Option<SystemInstruction>,
    /// Oldest first.
    pub contents: Vec<Content>,
}

/// The system prompt; it has no role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemInstruction {
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    pub role: Role,
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Model,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    Text(String),
    FunctionCall(FunctionCall),
    FunctionResponse(FunctionResponse),
}

/// A tool call. It has no id: results are in the order of the calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionCall {
    pub name: String,
    pub args: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionResponse {
    pub name: String,
    /// `output`, or `error` if the call failed.
    pub response: Map<String, Value>,
}

/// Encodes a transcript.
pub fn encode(transcript: &Transcript) -> Request {
    let system_instruction =
        non_blank(&transcript::system_text(transcript)).map(|text| SystemInstruction { parts: vec![Part::Text(text)] });
    let contents = transcript::alternate(transcript, ResultPlacement::Alone).into_iter().map(content).collect();
    Request { system_instruction, contents }
}

fn content(side: AlternatingTurn<'_>) -> Content {
    match side {
        AlternatingTurn::User { results, text } => {
            let parts = results.into_iter().map(response).chain(non_blank(&text).map(Part::Text)).collect();
            Content { role: Role::User, parts }
        }
        AlternatingTurn::Assistant { text, calls } => {
            let parts = non_blank(&text).map(Part::Text).into_iter().chain(calls.into_iter().map(call)).collect();
            Content { role: Role::Model, parts }
        }
    }
}

fn call(call: &CompletedToolCall) -> Part {
    Part::FunctionCall(FunctionCall { name: call.name.clone(), args: call.input.clone() })
}

fn response(call: &CompletedToolCall) -> Part {
    let field = if call.is_error { "error" } else { "output" };
    let response = Map::from_iter([(field.to_owned(), Value::from(call.output.as_str()))]);
    Part::FunctionResponse(FunctionResponse { name: call.name.clone(), response })
}

/// Decodes the contents and instructions of a request. Refuses content that is not text, and requests that Gemini
/// refuses. Calls have no ids there and get generated ones.
pub fn decode(request: Value) -> Result<Transcript, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("contents"))?;
    check(&request)?;
    let mut state = RequestDecoder { responses: responses_of(&request), ..RequestDecoder::default() };
    for part in request.system_instruction.into_iter().flat_map(|system| system.parts) {
        if let Part::Text(text) = part {
            add_below(&mut state.transcript.instructions, &text);
        }
    }
    for content in request.contents {
        state.is_begun = false;
        for part in content.parts {
            state.take(content.role, part);
        }
    }
    Ok(state.transcript)
}

/// All results, in the order of their calls.
fn responses_of(request: &Request) -> VecDeque<Map<String, Value>> {
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    let response = |part: &Part| match part {
        Part::FunctionResponse(response) => Some(response.response.clone()),
        Part::Text(_) | Part::FunctionCall(_) => None,
    };
    parts.filter_map(response).collect()
}

/// The decoding state of a request.
#[derive(Default)]
struct RequestDecoder {
    transcript: Transcript,
    responses: VecDeque<Map<String, Value>>,
    /// The number of calls so far.
    calls: usize,
    /// Whether the last turn belongs to the current content.
    is_begun: bool,
}

impl RequestDecoder {
    fn take(&mut self, role: Role, part: Part) {
        match part {
            Part::Text(text) => self.take_text(role, text),
            Part::FunctionCall(call) => self.take_call(call),
            Part::FunctionResponse(_) => {}
        }
    }

    fn take_text(&mut self, role: Role, more: String) {
        let last = self.transcript.list.last_mut().filter(|_| self.is_begun);
        match (role, last) {
            (Role::User, Some(Turn::User { text, .. })) => add_below(text, &more),
            (Role::Model, Some(Turn::Assistant { text, calls })) if calls.is_empty() => add_below(text, &more),
            (Role::User, _) => self.transcript.list.push(Turn::User { name: None, text: more }),
            (Role::Model, _) => self.transcript.list.push(Turn::Assistant { text: more, calls: Vec::new() }),
        }
        self.is_begun = true;
    }

    fn take_call(&mut self, FunctionCall { name, args }: FunctionCall) {
        self.calls += 1;
        let (output, is_error) = response_text(self.responses.pop_front().unwrap_or_default());
        let call = CompletedToolCall { id: format!("call_{}", self.calls), name, input: args, output, is_error };
        match self.transcript.list.last_mut().filter(|_| self.is_begun) {
            Some(Turn::Assistant { calls, .. }) => calls.push(call),
            _ => self.transcript.list.push(Turn::Assistant { text: String::new(), calls: vec![call] }),
        }
        self.is_begun = true;
    }
}

/// The text of a result, and whether it is an error.
fn response_text(mut response: Map<String, Value>) -> (String, bool) {
    if response.len() == 1 {
        for (field, is_error) in [("output", false), ("error", true)] {
            if let Some(Value::String(text)) = response.get_mut(field) {
                return (std::mem::take(text), is_error);
            }
        }
    }
    (Value::Object(response).to_string(), false)
}

const LIST: &str = "contents";

/// Refuses a request that Gemini refuses; the refusal names the index and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    check_system(request).map_err(|refusal| refusal.at("systemInstruction"))?;
    expect(!request.contents.is_empty(), LIST, 0, "there must be a content")?;
    let mut state = RequestCheck::default();
    for (index, content) in request.contents.iter().enumerate() {
        state.take(content, index)?;
    }
    let last = request.contents.len() - 1;
    expect(request.contents[last].role == Role::User, LIST, last, "the last content must be the user's")
}

fn check_system(request: &Request) -> Result<(), Refusal> {
    let Some(system) = &request.system_instruction else { return Ok(()) };
    expect(!system.parts.is_empty(), "parts", 0, "a content must have parts")?;
    for (index, part) in system.parts.iter().enumerate() {
        match part {
            Part::Text(text) => expect_text(text, "parts", index)?,
            _ => expect(false, "parts", index, "instructions must be texts")?,
        }
    }
    Ok(())
}

/// The state of the check after some contents.
#[derive(Default)]
struct RequestCheck<'a> {
    last: Option<Role>,
    /// The tools of the open calls, in order.
    open: VecDeque<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, content: &'a Content, index: usize) -> Result<(), Refusal> {
        let is_turn = match self.last {
            None => content.role == Role::User,
            Some(last) => content.role != last,
        };
        expect(is_turn, LIST, index, "roles must alternate and start with the user")?;
        self.last = Some(content.role);
        expect(!content.parts.is_empty(), LIST, index, "a content must have parts")?;
        let responses = content.parts.iter().filter(|part| matches!(part, Part::FunctionResponse(_))).count();
        let is_pure = responses == 0 || responses == content.parts.len();
        expect(is_pure, LIST, index, "results cannot be mixed with other parts")?;
        content.parts.iter().try_for_each(|part| self.take_part(content.role, part, index))?;
        let is_answered = self.open.is_empty() || content.role == Role::Model;
        expect(is_answered, LIST, index, "every call must have its result in the next content")
    }

    fn take_part(&mut self, role: Role, part: &'a Part, index: usize) -> Result<(), Refusal> {
        match part {
            Part::Text(text) => expect_text(text, LIST, index),
            Part::FunctionCall(call) => {
                expect(role == Role::Model, LIST, index, "only the model can call tools")?;
                self.open.push_back(&call.name);
                let rule = "a tool name must have 1 to 64 letters, digits, _ and -, and start with a letter or _";
                expect(is_tool_name(&call.name), LIST, index, rule)
            }
            Part::FunctionResponse(response) => {
                expect(role == Role::User, LIST, index, "only the user can send results")?;
                let is_next = self.open.pop_front() == Some(response.name.as_str());
                expect(is_next, LIST, index, "results must match the preceding calls, one for each and in order")
            }
        }
    }
}
