//! A list of Gemini's as turns.

use std::collections::VecDeque;

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{FunctionCall, Part, Request, Role, check};
use crate::models::{Call, Turn, Turns, texts::add_below};

/// Reads the contents and instructions of a request; what is no text is refused, as is what Gemini refuses. Calls have
/// no ids there, so they get some.
pub fn decode(request: Value) -> Result<Turns, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("contents"))?;
    check(&request)?;
    let mut reading = RequestDecoder { responses: responses_of(&request), ..RequestDecoder::default() };
    for part in request.system_instruction.into_iter().flat_map(|system| system.parts) {
        if let Part::Text(text) = part {
            add_below(&mut reading.turns.instructions, &text);
        }
    }
    for content in request.contents {
        reading.is_begun = false;
        for part in content.parts {
            reading.take(content.role, part);
        }
    }
    Ok(reading.turns)
}

/// All results; they stand in the order of their calls.
fn responses_of(request: &Request) -> VecDeque<Map<String, Value>> {
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    let response = |part: &Part| match part {
        Part::FunctionResponse(response) => Some(response.response.clone()),
        Part::Text(_) | Part::FunctionCall(_) => None,
    };
    parts.filter_map(response).collect()
}

/// A request, as far as it was read.
#[derive(Default)]
struct RequestDecoder {
    turns: Turns,
    responses: VecDeque<Map<String, Value>>,
    /// How many calls there were.
    calls: usize,
    /// Whether the last turn belongs to the content that is read.
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
        let last = self.turns.list.last_mut().filter(|_| self.is_begun);
        match (role, last) {
            (Role::User, Some(Turn::User { text, .. })) => add_below(text, &more),
            (Role::Model, Some(Turn::Assistant { text, calls })) if calls.is_empty() => add_below(text, &more),
            (Role::User, _) => self.turns.list.push(Turn::User { name: None, text: more }),
            (Role::Model, _) => self.turns.list.push(Turn::Assistant { text: more, calls: Vec::new() }),
        }
        self.is_begun = true;
    }

    fn take_call(&mut self, FunctionCall { name, args }: FunctionCall) {
        self.calls += 1;
        let (output, is_error) = told(self.responses.pop_front().unwrap_or_default());
        let call = Call { id: format!("call_{}", self.calls), name, input: args, output, is_error };
        match self.turns.list.last_mut().filter(|_| self.is_begun) {
            Some(Turn::Assistant { calls, .. }) => calls.push(call),
            _ => self.turns.list.push(Turn::Assistant { text: String::new(), calls: vec![call] }),
        }
        self.is_begun = true;
    }
}

/// A result as a text, and whether it is an error.
fn told(mut response: Map<String, Value>) -> (String, bool) {
    if response.len() == 1 {
        for (field, is_error) in [("output", false), ("error", true)] {
            if let Some(Value::String(text)) = response.get_mut(field) {
                return (std::mem::take(text), is_error);
            }
        }
    }
    (Value::Object(response).to_string(), false)
}
