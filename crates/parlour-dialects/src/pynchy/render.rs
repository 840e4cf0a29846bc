//! Texts of messages in pynchy's channels: a mark for each kind, then the text.

use std::borrow::Cow;

use parlour_core::message::{Kind, Message, State};
use serde_json::{Map, Value};

use super::wire;
use crate::text::fence_around;

/// The version of the marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderVersion {
    /// Answers start with the assistant's name; thoughts are hidden.
    First,
    /// Answers start with 🦞; thoughts are shown, the start of a session is hidden.
    #[default]
    Later,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions<'a> {
    pub version: RenderVersion,
    /// The assistant's name.
    pub assistant: &'a str,
}

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        Self { version: RenderVersion::default(), assistant: "pynchy" }
    }
}

/// The end of a text that is still streaming.
const GROWING: &str = " ▌";
/// The maximum length of a tool call without name and input.
const CALL_CHARS_MAX: usize = 120;
/// The marks of senders. A person's text that starts with one is shown with the person's name.
const MARKS: [&str; 10] = ["🏠", "🔧", "📋", "💭", "📊", "⚙", "📢", "🦞", "🧠", "👤"];

/// Renders a message; none if there is nothing to show.
pub fn render(message: &Message, style: &RenderOptions) -> Option<String> {
    let is_growing = message.state == State::Streaming;
    if message.removed_at.is_some() || (message.body.trim().is_empty() && message.steps.is_empty() && !is_growing) {
        return None;
    }
    let mut shown = render_by_kind(message, style)?;
    if is_growing {
        shown.truncate(shown.trim_end().len());
        shown.push_str(GROWING);
    }
    Some(shown)
}

/// The exit code of a command result.
pub fn exit_code(message: &Message) -> Option<i64> {
    message.metadata.get("exit_code").filter(|_| message.kind == Kind::ToolResult)?.as_i64()
}

/// Whether a command or tool failed.
pub fn is_error(message: &Message) -> bool {
    let is_marked = |fields: &Map<String, Value>| fields.get("is_error").is_some_and(|marked| *marked == true);
    match wire::pynchy_sender(&message.from) {
        Some("tool_result") => {
            is_marked(&message.metadata) || parse_trace(message).is_some_and(|trace| is_marked(&trace))
        }
        _ => message.kind == Kind::ToolResult && (exit_code(message).unwrap_or(0) != 0 || is_marked(&message.metadata)),
    }
}

fn render_by_kind(message: &Message, style: &RenderOptions) -> Option<String> {
    let body = message.body.as_str();
    match (message.kind, wire::pynchy_sender(&message.from)) {
        // First, so that the sender cannot hide a host message.
        (Kind::Host, _) => Some(format!("🏠 {body}")),
        (_, Some("thinking")) => Some(render_thought(message, style)),
        (_, Some("tool_use")) => Some(render_tool_call(message)),
        (_, Some("tool_result")) => Some("📋 tool result".to_owned()),
        (_, Some("result_meta")) => render_cost(message),
        (_, Some("system_notice")) => Some(format!("📢 {body}")),
        (Kind::System, _) => render_system(message, style),
        (Kind::ToolResult, _) => Some(render_command_output(message)),
        (Kind::Assistant, _) => Some(match style.version {
            RenderVersion::First => format!("{}: {body}", style.assistant),
            RenderVersion::Later => format!("🦞 {body}"),
        }),
        (Kind::User, _) => Some(render_person(message, style)),
    }
}

/// A person's text; with the person's name if it starts like the text of another sender.
fn render_person(message: &Message, style: &RenderOptions) -> String {
    let begin = message.body.trim_start_matches(is_invisible);
    let name = begin.split_once(':').map(|(name, _)| name.trim());
    let is_disguised = MARKS.iter().any(|mark| begin.starts_with(mark))
        || name.is_some_and(|name| name.to_lowercase() == style.assistant.to_lowercase());
    if is_disguised { format!("👤 {}: {}", message.from.name, message.body) } else { message.body.clone() }
}

/// Whether a character is invisible at the start of a text.
fn is_invisible(character: char) -> bool {
    let is_empty = matches!(
        character,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
    );
    is_empty || character.is_whitespace() || character.is_control()
}

fn render_command_output(message: &Message) -> String {
    let mark = if is_error(message) { "❌" } else { "✅" };
    let head = match exit_code(message) {
        Some(code) => format!("🔧 {mark} Command output (exit {code}):"),
        None => format!("🔧 {mark} Command output:"),
    };
    format!("{head}\n{}", fenced(&cut_middle(&message.body)))
}

/// The text in a fence that is longer than any run of backticks in it.
fn fenced(text: &str) -> String {
    let fence = fence_around(&[text]);
    format!("{fence}\n{text}\n{fence}")
}

fn render_thought(message: &Message, style: &RenderOptions) -> String {
    let trace = parse_trace(message);
    let text = trace.as_ref().and_then(|trace| trace.get("thinking")).and_then(Value::as_str);
    let text = text.unwrap_or(if trace.is_some() { "" } else { &message.body }).trim();
    if style.version == RenderVersion::First || text.is_empty() {
        return "💭 thinking...".to_owned();
    }
    format!("💭 {}", cut_middle(text))
}

fn render_tool_call(message: &Message) -> String {
    let trace = parse_trace(message).unwrap_or_default();
    let text = trace.get("tool_name").and_then(Value::as_str).map(|name| (name, trace.get("tool_input")));
    let step = message.steps.first().map(|step| (step.name.as_str(), step.input.as_ref()));
    match text.or(step) {
        Some((name, input)) => format!("🔧 {}", tool_preview(name, input.unwrap_or(&Value::Null))),
        None => format!("🔧 {}", cut_end(message.body.trim(), CALL_CHARS_MAX)),
    }
}

fn render_system(message: &Message, style: &RenderOptions) -> Option<String> {
    let trace = parse_trace(message);
    match trace.as_ref().and_then(|trace| trace.get("subtype")).and_then(Value::as_str) {
        Some("init") if style.version == RenderVersion::Later => None,
        Some("") => Some("⚙️ system: unknown".to_owned()),
        Some(subtype) => Some(format!("⚙️ system: {}", cut_end(subtype, CALL_CHARS_MAX))),
        None => Some(format!("⚙️ {}", cut_middle(&message.body))),
    }
}

fn render_cost(message: &Message) -> Option<String> {
    let trace = parse_trace(message)?;
    let number = |name: &str| trace.get(name).and_then(Value::as_f64);
    let mut parts = Vec::new();
    if let Some(cost) = number("total_cost_usd") {
        parts.push(format!("{cost:.2} USD"));
    }
    if let Some(millis) = number("duration_ms") {
        parts.push(format!("{:.1}s", millis / 1_000.0));
    }
    if let Some(turns) = number("num_turns") {
        parts.push(format!("{turns:.0} turns"));
    }
    (!parts.is_empty()).then(|| format!("📊 {}", parts.join(" · ")))
}

/// The fields of a trace: pynchy stores the events of a run as JSON in the text of a row.
fn parse_trace(message: &Message) -> Option<Map<String, Value>> {
    serde_json::from_str(&message.body).ok()
}

/// The maximum length of the input in a preview.
const DETAIL_CHARS_MAX: usize = 60;
/// The maximum length of the tool name in a preview.
const NAME_CHARS_MAX: usize = 60;
/// The fields to show in a preview, in order of preference.
const PREVIEW_FIELDS: [&str; 6] = ["command", "url", "query", "pattern", "description", "prompt"];

/// A preview of a tool call in one line: `Bash: cargo test`.
///
/// Shows the end of a path and the beginning of any other text. Without a known field it shows the whole input as
/// JSON, truncated.
pub fn tool_preview(name: &str, input: &Value) -> String {
    let name = cut_end(name, NAME_CHARS_MAX);
    match input_preview(input) {
        Some(detail) => format!("{name}: {detail}"),
        None => name,
    }
}

fn input_preview(input: &Value) -> Option<String> {
    let text = |field: &str| input.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    if let Some(path) = text("file_path").or_else(|| text("notebook_path")) {
        return Some(cut_start(path, DETAIL_CHARS_MAX));
    }
    let telling = PREVIEW_FIELDS.iter().find_map(|field| Some((*field, text(field)?)));
    match (telling, text("path")) {
        (Some(("pattern", pattern)), Some(path)) => {
            let half = DETAIL_CHARS_MAX / 2;
            Some(format!("{} in {}", cut_end(pattern, half), cut_start(path, half - 4)))
        }
        (Some((_, text)), _) => Some(cut_end(text, DETAIL_CHARS_MAX)),
        (None, Some(path)) => Some(cut_start(path, DETAIL_CHARS_MAX)),
        (None, None) => whole_input(input),
    }
}

fn whole_input(input: &Value) -> Option<String> {
    let is_empty = match input {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    };
    (!is_empty).then(|| cut_end(&input.to_string(), DETAIL_CHARS_MAX))
}

/// Texts up to this length are shown unchanged.
const WHOLE_CHARS_MAX: usize = 4_000;
/// The length of the shown beginning of a longer text.
const HEAD_CHARS: usize = 2_000;
/// The length of its shown end.
const TAIL_CHARS: usize = 500;

/// Truncates the middle of a long text and states the number of omitted characters.
pub(super) fn cut_middle(text: &str) -> Cow<'_, str> {
    // A text has at least as many bytes as characters, so most texts are not counted.
    if text.len() <= WHOLE_CHARS_MAX {
        return text.into();
    }
    let chars = text.chars().count();
    if chars <= WHOLE_CHARS_MAX {
        return text.into();
    }
    let (head, left_out) = (first_chars(text, HEAD_CHARS), chars - HEAD_CHARS - TAIL_CHARS);
    let tail = text.char_indices().nth_back(TAIL_CHARS - 1).map_or("", |(at, _)| &text[at..]);
    format!("{head}\n… {left_out} characters left out …\n{tail}").into()
}

/// One line of at most `chars_max` characters; `…` marks a truncated end.
pub(super) fn cut_end(text: &str, chars_max: usize) -> String {
    let line = one_line(text, chars_max + 1);
    if line.chars().count() <= chars_max {
        return line;
    }
    format!("{}…", first_chars(&line, chars_max - 1))
}

/// One line of at most `chars_max` characters; `…` marks a truncated beginning.
pub(super) fn cut_start(text: &str, chars_max: usize) -> String {
    let from = text.char_indices().nth_back(chars_max).map_or(0, |(at, _)| at);
    let line = one_line(&text[from..], chars_max + 1);
    match line.char_indices().nth_back(chars_max - 2) {
        Some((at, _)) if line.chars().count() > chars_max => format!("…{}", &line[at..]),
        _ => line,
    }
}

/// The first characters of a text, with blanks for control characters and line breaks.
fn one_line(text: &str, chars_max: usize) -> String {
    let plain = |character: char| {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') { ' ' } else { character }
    };
    text.chars().take(chars_max).map(plain).collect()
}

fn first_chars(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_only_beyond_the_limit() {
        let whole = "ä".repeat(WHOLE_CHARS_MAX);
        assert_eq!(cut_middle(&whole), whole);
        let cut = cut_middle(&format!("{whole}z")).into_owned();
        let expected = format!("{}\n… 1501 characters left out …\n{}z", "ä".repeat(2_000), "ä".repeat(499));
        assert_eq!(cut, expected);
    }

    #[test]
    fn a_line_is_cut_at_either_end() {
        assert_eq!([cut_end("abcd", 4), cut_end("abcde", 4), cut_end("a\nb", 4)], ["abcd", "abc…", "a b"]);
        assert_eq!([cut_start("abcd", 4), cut_start("abcde", 4), cut_start("", 4)], ["abcd", "…cde", ""]);
    }

    proptest! {
        #[test]
        fn a_cut_keeps_whole_characters_of_both_ends(characters in "[aé🏠\u{301}]{1,9}", times in 1..1_500_usize) {
            let text = characters.repeat(times);
            let cut = cut_middle(&text);
            let head: String = text.chars().take(HEAD_CHARS).collect();
            prop_assert!(cut.starts_with(&head) && cut.chars().count() <= WHOLE_CHARS_MAX);
            let tail = cut.rsplit('\n').next().unwrap_or_default();
            prop_assert!(text.ends_with(tail));
        }

        #[test]
        fn a_cut_line_is_one_line_within_its_bound(text in any::<String>(), chars_max in 2..40_usize) {
            for line in [cut_end(&text, chars_max), cut_start(&text, chars_max)] {
                prop_assert!(line.chars().count() <= chars_max, "{line:?}");
                prop_assert!(!line.contains(char::is_control), "{line:?}");
            }
        }
    }
}
