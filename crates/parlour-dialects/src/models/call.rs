//! Steps of an agent as calls of tools, each with its one result, under ids and names that every provider takes.

use std::collections::HashSet;

use parlour_core::{Timestamp, id::MessageId, step::Step};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{label, rules, texts::trimmed};

/// How much of a result is shown.
const OUTPUT_CHARS_MAX: usize = 10_000;
/// What stands for the result of a step that never ended.
const NEVER_ENDED: &str = "This never ended: there is no result.";
/// What stands for a result that is empty.
const NO_OUTPUT: &str = "(no output)";
/// What stands at the end of a result of which there is more.
const CUT: &str = "\n(The rest is left out.)";

/// One call of a tool with what came out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Map<String, Value>,
    pub(super) output: String,
    pub(super) is_error: bool,
}

impl Call {
    /// What ties the call to its result.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool, by a name that every provider takes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it was given.
    pub fn input(&self) -> &Map<String, Value> {
        &self.input
    }

    /// What came out, as a text; of a step it is never blank.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// Whether it went wrong.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// What it was given, as a text.
    pub(super) fn arguments(&self) -> String {
        Value::Object(self.input.clone()).to_string()
    }

    /// What came out, for formats without a field for errors.
    pub(super) fn told_output(&self) -> String {
        if self.is_error { format!("Error: {}", self.output) } else { self.output.clone() }
    }
}

/// How many characters a step takes in a list, at most.
pub(super) fn chars_of(step: &Step) -> usize {
    let input = step.input.as_ref().map_or(2, |input| input.to_string().len() + "{\"input\":}".len());
    let output = step.output.as_ref().map_or(0, |output| output.to_string().len());
    // Lines of a result may be quoted, and an error is said to be one.
    let output = output.min(OUTPUT_CHARS_MAX) + NEVER_ENDED.len() + CUT.len();
    rules::NAME_CHARS_MAX + 2 * rules::ID_CHARS_MAX + input + output
}

/// The calls of one list: no two of them have the same id.
#[derive(Debug, Default)]
pub(super) struct Calls {
    ids: HashSet<String>,
}

impl Calls {
    /// The steps as calls, in rounds: what began while something else still ran was called together with it.
    pub(super) fn rounds(&mut self, message: &MessageId, steps: &[Step]) -> Vec<Vec<Call>> {
        let mut rounds: Vec<Vec<Call>> = Vec::new();
        // None: something of the round never ended.
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

    fn call(&mut self, message: &MessageId, step: &Step) -> Call {
        let (output, is_error) = match (&step.output, step.finished_at) {
            (_, None) => (NEVER_ENDED.to_owned(), true),
            (None, Some(_)) => (NO_OUTPUT.to_owned(), step.is_error),
            (Some(output), Some(_)) => (told(output), step.is_error),
        };
        let input = match &step.input {
            None => Map::new(),
            Some(Value::Object(input)) => input.clone(),
            Some(other) => Map::from_iter([("input".to_owned(), other.clone())]),
        };
        Call { id: self.id(message, &step.id), name: tool_name(&step.name), input, output, is_error }
    }

    /// The step's own id where it can stand, otherwise one that is always the same for the same step.
    fn id(&mut self, message: &MessageId, step_id: &str) -> String {
        if rules::is_call_id(step_id) && self.ids.insert(step_id.to_owned()) {
            return step_id.to_owned();
        }
        let mut round = 0_u32;
        loop {
            let id = format!("call_{}", mark(&[message.as_str(), step_id, &round.to_string()], 24));
            if self.ids.insert(id.clone()) {
                return id;
            }
            round += 1;
        }
    }
}

/// A result as a text.
fn told(output: &Value) -> String {
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

/// The name where it can stand; otherwise as much of it as can, and a mark, so that two names never become one.
pub(super) fn tool_name(name: &str) -> String {
    if rules::is_tool_name(name) {
        return name.to_owned();
    }
    let mark = mark(&[name], 8);
    let room = rules::NAME_CHARS_MAX - mark.len() - 2;
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || sign == '-' { sign } else { '_' };
    let kept: String = name.chars().take(room).map(plain).collect();
    let begin = if kept.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_') { "" } else { "_" };
    format!("{begin}{kept}_{mark}")
}

/// A short mark of texts, in hexadecimal digits.
fn mark(texts: &[&str], digits: usize) -> String {
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
