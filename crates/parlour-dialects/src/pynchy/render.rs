//! How pynchy shows messages in its channels: a mark for each sort, then the text.

use parlour_core::message::{Kind, Message, State};
use serde_json::{Map, Value};

use super::{
    cut::{cut_end, cut_middle},
    sender,
    tool_preview::tool_preview,
};

/// Whose marks are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// Those of the first form: answers begin with the assistant's name, thoughts are not shown.
    First,
    /// Those of the later form: answers begin with 🦞, thoughts are shown, the beginning of a session is not.
    #[default]
    Later,
}

/// How messages are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style<'a> {
    /// Whose marks are used.
    pub era: Era,
    /// The assistant's name.
    pub assistant: &'a str,
}

impl Default for Style<'_> {
    fn default() -> Self {
        Self { era: Era::default(), assistant: "pynchy" }
    }
}

/// What stands at the end of a text that still grows.
const GROWING: &str = " ▌";
/// Characters of a call of a tool that is not told by its name and input.
const CALL_CHARS_MAX: usize = 120;
/// The marks that tell who speaks. No text of a person is shown with one of them at its beginning.
const MARKS: [&str; 10] = ["🏠", "🔧", "📋", "💭", "📊", "⚙", "📢", "🦞", "🧠", "👤"];

/// The text that channels show for a message; none when there is nothing to show.
pub fn render(message: &Message, style: &Style) -> Option<String> {
    let is_growing = message.state == State::Streaming;
    if message.removed_at.is_some() || (message.body.trim().is_empty() && message.steps.is_empty() && !is_growing) {
        return None;
    }
    let mut shown = shown(message, style)?;
    if is_growing {
        shown.truncate(shown.trim_end().len());
        shown.push_str(GROWING);
    }
    Some(shown)
}

/// How a command ended, as the metadata of its result tell.
pub fn exit_code(message: &Message) -> Option<i64> {
    message.metadata.get("exit_code").filter(|_| message.kind == Kind::ToolResult)?.as_i64()
}

/// Whether a message tells that a command or tool failed.
pub fn is_error(message: &Message) -> bool {
    let is_marked = |fields: &Map<String, Value>| fields.get("is_error").is_some_and(|marked| *marked == true);
    match sender::own(&message.from) {
        Some("tool_result") => is_marked(&message.metadata) || trace(message).is_some_and(|trace| is_marked(&trace)),
        _ => message.kind == Kind::ToolResult && (exit_code(message).unwrap_or(0) != 0 || is_marked(&message.metadata)),
    }
}

fn shown(message: &Message, style: &Style) -> Option<String> {
    let body = message.body.as_str();
    match (message.kind, sender::own(&message.from)) {
        // First of all, so that no word of a sender hides that the host speaks.
        (Kind::Host, _) => Some(format!("🏠 {body}")),
        (_, Some("thinking")) => Some(thought(message, style)),
        (_, Some("tool_use")) => Some(call(message)),
        (_, Some("tool_result")) => Some("📋 tool result".to_owned()),
        (_, Some("result_meta")) => cost(message),
        (_, Some("system_notice")) => Some(format!("📢 {body}")),
        (Kind::System, _) => system(message, style),
        (Kind::ToolResult, _) => Some(command_output(message)),
        (Kind::Assistant, _) => Some(match style.era {
            Era::First => format!("{}: {body}", style.assistant),
            Era::Later => format!("🦞 {body}"),
        }),
        (Kind::User, _) => Some(said_by_a_person(message, style)),
    }
}

/// A text as it is; with the author's name before it when it begins as if somebody else spoke.
fn said_by_a_person(message: &Message, style: &Style) -> String {
    let begin = message.body.trim_start_matches(is_unseen);
    let name = begin.split_once(':').map(|(name, _)| name.trim());
    let is_disguised = MARKS.iter().any(|mark| begin.starts_with(mark))
        || name.is_some_and(|name| name.to_lowercase() == style.assistant.to_lowercase());
    if is_disguised { format!("👤 {}: {}", message.from.name, message.body) } else { message.body.clone() }
}

/// Whether a sign at the beginning of a text would not be seen there.
fn is_unseen(sign: char) -> bool {
    let is_empty = matches!(
        sign,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
    );
    is_empty || sign.is_whitespace() || sign.is_control()
}

fn command_output(message: &Message) -> String {
    let mark = if is_error(message) { "❌" } else { "✅" };
    let head = match exit_code(message) {
        Some(code) => format!("🔧 {mark} Command output (exit {code}):"),
        None => format!("🔧 {mark} Command output:"),
    };
    format!("{head}\n{}", fenced(&cut_middle(&message.body)))
}

/// A text between fences that are longer than any row of backticks in it, so that it cannot end them.
fn fenced(text: &str) -> String {
    let longest = text.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{text}\n{fence}")
}

fn thought(message: &Message, style: &Style) -> String {
    let trace = trace(message);
    let told = trace.as_ref().and_then(|trace| trace.get("thinking")).and_then(Value::as_str);
    let told = told.unwrap_or(if trace.is_some() { "" } else { &message.body }).trim();
    if style.era == Era::First || told.is_empty() {
        return "💭 thinking...".to_owned();
    }
    format!("💭 {}", cut_middle(told))
}

fn call(message: &Message) -> String {
    let trace = trace(message).unwrap_or_default();
    let told = trace.get("tool_name").and_then(Value::as_str).map(|name| (name, trace.get("tool_input")));
    let step = message.steps.first().map(|step| (step.name.as_str(), step.input.as_ref()));
    match told.or(step) {
        Some((name, input)) => format!("🔧 {}", tool_preview(name, input.unwrap_or(&Value::Null))),
        None => format!("🔧 {}", cut_end(message.body.trim(), CALL_CHARS_MAX)),
    }
}

fn system(message: &Message, style: &Style) -> Option<String> {
    let trace = trace(message);
    match trace.as_ref().and_then(|trace| trace.get("subtype")).and_then(Value::as_str) {
        Some("init") if style.era == Era::Later => None,
        Some("") => Some("⚙️ system: unknown".to_owned()),
        Some(subtype) => Some(format!("⚙️ system: {}", cut_end(subtype, CALL_CHARS_MAX))),
        None => Some(format!("⚙️ {}", cut_middle(&message.body))),
    }
}

fn cost(message: &Message) -> Option<String> {
    let trace = trace(message)?;
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

/// The fields of a trace: pynchy stores what happens in a run as JSON in the text of a row.
fn trace(message: &Message) -> Option<Map<String, Value>> {
    serde_json::from_str(&message.body).ok()
}
