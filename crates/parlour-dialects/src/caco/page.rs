//! The output of Caco's page: outputs (`[output:id]` in texts), queued embeds, the event filter and the texts of tool
//! calls.

use std::{borrow::Cow, collections::VecDeque};

use parlour_core::limits;
use serde_json::Value;

use crate::text::{backtick_run_max, fence_around};

/// A part of a text with outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputPart<'a> {
    /// Text between outputs, never empty.
    Text(&'a str),
    /// The id of an output.
    Output(&'a str),
}

/// The name of an output: `out_<milliseconds>_<six base-36 digits>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputName<'a> {
    pub name: &'a str,
    /// Creation time in milliseconds since 1970.
    pub made_at_ms: u64,
    /// The six digits at the end.
    pub tail: &'a str,
}

/// The kind of a file in the outputs folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFile {
    /// The metadata of an output (`.meta.json`).
    Metadata,
    Json,
    Base64,
    Text,
}

const MARK: &str = "[output:";
/// The maximum number of digits of the time; a longer number is not a time.
const TIME_DIGITS: usize = 15;
const TAIL_DIGITS: usize = 6;

/// Splits a text at its output markers. The concatenated parts are the whole text; an incomplete marker stays text.
pub fn output_parts(text: &str) -> Vec<OutputPart<'_>> {
    let (mut parts, mut begun, mut looked) = (Vec::new(), 0, 0);
    while let Some(found) = text[looked..].find(MARK) {
        let start = looked + found;
        let id = marked_id(&text[start + MARK.len()..]);
        looked = start + MARK.len() + id.len();
        if id.is_empty() || !text[looked..].starts_with(']') {
            continue;
        }
        push_text(&mut parts, &text[begun..start]);
        parts.push(OutputPart::Output(id));
        looked += 1;
        begun = looked;
    }
    push_text(&mut parts, &text[begun..]);
    parts
}

/// The marker of an output in a text.
pub fn output_marker(id: &str) -> String {
    [MARK, id, "]"].concat()
}

/// Parses the name of an output.
pub fn parse_output_name(name: &str) -> Option<OutputName<'_>> {
    let (time, tail) = name.strip_prefix("out_")?.split_once('_')?;
    let is_time = (1..=TIME_DIGITS).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    let is_tail = tail.len() == TAIL_DIGITS && tail.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z'));
    (is_time && is_tail).then(|| Some(OutputName { name, made_at_ms: time.parse().ok()?, tail })).flatten()
}

/// Parses the name of a file in the outputs folder. A path is refused.
pub fn parse_output_file(file_name: &str) -> Option<(OutputName<'_>, OutputFile)> {
    let (name, extension) = file_name.split_once('.')?;
    let file = match extension {
        "meta.json" => OutputFile::Metadata,
        "json" => OutputFile::Json,
        "b64" => OutputFile::Base64,
        "txt" => OutputFile::Text,
        _ => return None,
    };
    Some((parse_output_name(name)?, file))
}

/// The longest prefix that can be an id in a marker.
fn marked_id(text: &str) -> &str {
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let end = text.bytes().position(|byte| !is_id(byte)).unwrap_or(text.len());
    &text[..end]
}

fn push_text<'a>(parts: &mut Vec<OutputPart<'a>>, text: &'a str) {
    if !text.is_empty() {
        parts.push(OutputPart::Text(text));
    }
}

/// Events before which queued embeds are sent. No event follows `session.idle`, so no embed stays in the queue after
/// it.
const TRIGGERS: [&str; 4] = ["assistant.message_delta", "assistant.message", "session.error", "session.idle"];

/// The embeds of one session that are not sent yet, oldest first.
#[derive(Clone, Debug, Default)]
pub struct EmbedQueue(VecDeque<Value>);

impl EmbedQueue {
    /// Queues an embed. Returns the oldest embed when the queue is full; the caller sends it at once.
    #[must_use]
    pub fn queue(&mut self, embed: Value) -> Option<Value> {
        self.0.push_back(embed);
        if self.0.len() > limits::EMBEDS_QUEUED_MAX { self.0.pop_front() } else { None }
    }

    /// Takes the embeds to send directly before an event of this type.
    #[must_use]
    pub fn take_before(&mut self, event_type: &str) -> VecDeque<Value> {
        if TRIGGERS.contains(&event_type) { std::mem::take(&mut self.0) } else { VecDeque::new() }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The embeds that are left when a history ends.
    pub fn finish(self) -> VecDeque<Value> {
        self.0
    }
}

/// Events that the page always receives.
const ALWAYS: [&str; 5] = [
    "session.idle",
    "session.error",
    "assistant.turn_start",
    "session.compaction_start",
    "session.compaction_complete",
];
/// The data fields that the page can show.
const SHOWN: [&str; 9] = [
    "content",
    "deltaContent",
    "intent",
    "toolName",
    "toolCallId",
    "message",
    "progressMessage",
    "partialOutput",
    "agentName",
];

/// Whether an event is sent to the page: it always is, or its data contain something to show.
///
/// A text counts unless it is empty. `null`, `false` and zero do not count.
pub fn passes_filter(event_type: &str, data: Option<&Value>) -> bool {
    let shows = |data: &Value| SHOWN.iter().any(|name| data.get(name).is_some_and(is_shown));
    ALWAYS.contains(&event_type) || event_type.starts_with("caco.") || data.is_some_and(shows)
}

fn is_shown(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(boolean) => *boolean,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// The text of a running tool call: its name, and the command as code below it.
pub fn tool_start_text(name: &str, command: &str) -> String {
    if command.is_empty() {
        return name.to_owned();
    }
    // A line break would end the code span.
    let command = command.replace(['\r', '\n'], " ");
    let ticks = "`".repeat(backtick_run_max(&command) + 1);
    let needs_gap = command.starts_with('`') || command.ends_with('`');
    let gap = if needs_gap { " " } else { "" };
    [name, "\n", &ticks, gap, &command, gap, &ticks].concat()
}

/// The text of a finished tool call: its name, and a block with input and output.
///
/// The fence of the block is longer than any run of backticks in it.
pub fn tool_end_text(name: &str, input: &str, output: &str) -> String {
    let fence = fence_around(&[input, output]);
    let mut text = ["*", name, "*\n\n", &fence, &tag(name), "\n"].concat();
    for part in [input, output].into_iter().filter(|part| !part.is_empty()) {
        text.push_str(part);
        if !part.ends_with('\n') {
            text.push('\n');
        }
    }
    text.push_str(&fence);
    text
}

/// The name as info string of a fence, without backticks and white space.
fn tag(name: &str) -> Cow<'_, str> {
    let is_bad = |character: char| character == '`' || character.is_whitespace();
    if name.contains(is_bad) { name.replace(is_bad, "-").into() } else { name.into() }
}
