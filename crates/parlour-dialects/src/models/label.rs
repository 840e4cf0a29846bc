//! The line before a message that tells its author. It is made of fields, and lines of a text that look like it are
//! quoted, so that nobody can speak in the name of another.

use parlour_core::{
    author::{Author, AuthorType},
    limits,
    message::{Kind, Message},
};

/// How every label begins.
const BEGIN: &str = "[from ";
/// The longest label with its line break, and the break between two messages.
pub(super) const CHARS_MAX: usize = BEGIN.len() + limits::NAME_CHARS_MAX + ", tool result]\n\n\n".len();

/// The author's name without signs that could end the label. Names of members hold none; those of applets might.
pub fn shown_name(author: &Author) -> String {
    let is_plain = |sign: &char| !sign.is_control() && !matches!(sign, '[' | ']' | '\u{2028}' | '\u{2029}');
    let name: String = author.name.chars().filter(is_plain).take(limits::NAME_CHARS_MAX).collect();
    if name.trim().is_empty() { "somebody".to_owned() } else { name.trim().to_owned() }
}

/// Marks lines that look like a label as quoted. Every sign that may be shown as a line break becomes one first.
pub fn quote_labels(text: &str) -> String {
    let is_break = |sign| matches!(sign, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let text = text.replace("\r\n", "\n").replace(is_break, "\n");
    let mut quoted = String::with_capacity(text.len());
    for (place, line) in text.split('\n').enumerate() {
        quoted.push_str(if place == 0 { "" } else { "\n" });
        quoted.push_str(if looks_like_label(line) { "> " } else { "" });
        quoted.push_str(line);
    }
    quoted
}

/// Whether a line begins like a label, after whatever nobody would see before it.
pub fn looks_like_label(line: &str) -> bool {
    let is_seen = |sign: char| sign.is_alphanumeric() || sign.is_ascii_punctuation();
    let line = line.trim_start_matches(|sign| !is_seen(sign));
    line.get(..BEGIN.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(BEGIN))
}

/// The text below the label of its message.
pub(super) fn put_before(message: &Message, text: &str) -> String {
    format!("{BEGIN}{}, {}]\n{}", shown_name(&message.from), sort_of(message), quote_labels(text))
}

/// What the author is: a person, another agent, or no member at all.
fn sort_of(message: &Message) -> &'static str {
    match (message.kind, message.from.author_type) {
        (Kind::ToolResult, _) | (_, AuthorType::Tool) => "tool result",
        (_, AuthorType::Person) => "person",
        (_, AuthorType::Agent) => "agent",
        (_, AuthorType::Applet) => "applet",
        (_, AuthorType::Scheduler) => "schedule",
        (_, AuthorType::Host | AuthorType::System) => "the hub",
    }
}
