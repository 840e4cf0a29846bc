//! Converts steps of an agent to tool calls with one result each, with ids and names that every provider accepts.

use std::collections::HashSet;

use parlour_core::{Timestamp, id::MessageId, step::Step};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{
    label,
    provider_rules::{self, trimmed},
};

/// The maximum length of a result.
const OUTPUT_CHARS_MAX: usize = 10_000;
/// The result of a step that never ended.
const NEVER_ENDED: &str = "This never ended: there is no result.";
/// The result of a step without output.
const NO_OUTPUT: &str = "(no output)";
/// The end of a truncated result.
const CUT: &str = "\n(The rest is left out.)";

/// One tool call with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Map<String, Value>,
    pub(super) output: String,
    pub(super) is_error: bool,
}

impl CompletedToolCall {
    /// The id that connects the call with its result.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments.
    pub fn input(&self) -> &Map<String, Value> {
        &self.input
    }

    /// The result; for a step never blank.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The arguments as JSON text.
    pub(super) fn arguments(&self) -> String {
        Value::Object(self.input.clone()).to_string()
    }

    /// The result, for formats without an error field.
    pub(super) fn output_with_error(&self) -> String {
        if self.is_error { format!("Error: {}", self.output) } else { self.output.clone() }
    }
}

/// The maximum number of characters of a step in a list.
pub(super) fn step_chars_max(step: &Step) -> usize {
    let input = step.input.as_ref().map_or(2, |input| input.to_string().len() + "{\"input\":}".len());
    let output = step.output.as_ref().map_or(0, |output| output.to_string().len());
    // Lines of a result may be quoted, and errors get a prefix.
    let output = output.min(OUTPUT_CHARS_MAX) + NEVER_ENDED.len() + CUT.len();
    provider_rules::NAME_CHARS_MAX + 2 * provider_rules::ID_CHARS_MAX + input + output
}

/// Converts steps to calls; keeps the ids of one list unique.
#[derive(Debug, Default)]
pub(super) struct ToolCallConverter {
    ids: HashSet<String>,
}

impl ToolCallConverter {
    /// Converts steps to rounds of calls: a step that started while another one ran belongs to the same round.
    pub(super) fn rounds(&mut self, message: &MessageId, steps: &[Step]) -> Vec<Vec<CompletedToolCall>> {
        let mut rounds: Vec<Vec<CompletedToolCall>> = Vec::new();
        // None if a step of the round never ended.
        let mut round_ends: Option<Timestamp> = None;
        for step in steps {
            let is_together = round_ends.is_none_or(|end| step.started_at < end);
            let call = self.call(message, step);
            match rounds.last_mut() {
                Some(round) if is_together => {
                    round.push(call);
                    round_ends = round_ends.zip(step.finished_at).map(|(one, other)| one.max(other));
                }
                _ => {
                    rounds.push(vec![call]);
                    round_ends = step.finished_at;
                }
            }
        }
        rounds
    }

    fn call(&mut self, message: &MessageId, step: &Step) -> CompletedToolCall {
        let (output, is_error) = match (&step.output, step.finished_at) {
            (_, None) => (NEVER_ENDED.to_owned(), true),
            (None, Some(_)) => (NO_OUTPUT.to_owned(), step.is_error),
            (Some(output), Some(_)) => (output_text(output), step.is_error),
        };
        let input = match &step.input {
            None => Map::new(),
            Some(Value::Object(input)) => input.clone(),
            Some(other) => Map::from_iter([("input".to_owned(), other.clone())]),
        };
        CompletedToolCall { id: self.id(message, &step.id), name: tool_name(&step.name), input, output, is_error }
    }

    /// The id of the step if it is valid and unique, else one derived from it.
    fn id(&mut self, message: &MessageId, step_id: &str) -> String {
        if provider_rules::is_call_id(step_id) && self.ids.insert(step_id.to_owned()) {
            return step_id.to_owned();
        }
        let mut round = 0_u32;
        loop {
            let id = format!("call_{}", hash_digits(&[message.as_str(), step_id, &round.to_string()], 24));
            if self.ids.insert(id.clone()) {
                return id;
            }
            round += 1;
        }
    }
}

fn output_text(output: &Value) -> String {
    let text = match output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_cut = text.chars().nth(OUTPUT_CHARS_MAX).is_some();
    let text: String = text.chars().take(OUTPUT_CHARS_MAX).collect();
    let text = label::quote_labels(trimmed(&text));
    match (text.is_empty(), is_cut) {
        (true, false) => NO_OUTPUT.to_owned(),
        (_, true) => text + CUT,
        (false, false) => text,
    }
}

/// The name if it is valid; else its valid characters and a hash, so that two names stay different.
pub(super) fn tool_name(name: &str) -> String {
    if provider_rules::is_tool_name(name) {
        return name.to_owned();
    }
    let mark = hash_digits(&[name], 8);
    let room = provider_rules::NAME_CHARS_MAX - mark.len() - 2;
    let plain = |character: char| if character.is_ascii_alphanumeric() || character == '-' { character } else { '_' };
    let preserved: String = name.chars().take(room).map(plain).collect();
    let begin = if preserved.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_') {
        ""
    } else {
        "_"
    };
    format!("{begin}{preserved}_{mark}")
}

/// The first digits of a SHA-256 hash of the texts.
fn hash_digits(texts: &[&str], digits: usize) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().flat_map(|byte| [byte >> 4, byte & 15]).take(digits).map(digit).collect()
}

fn digit(number: u8) -> char {
    char::from_digit(number.into(), 16).unwrap_or('0')
}
