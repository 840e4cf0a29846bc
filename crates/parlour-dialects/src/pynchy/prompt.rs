//! Prompts of pynchy: a list for its SDK or an XML-like text, tags in answers, and system notices.
//!
//! Prompts contain only messages that [`may_reach_model`] allows. pynchy omits host messages; here unfinished, failed
//! and removed messages are omitted too.
//!
//! Tags are read only in answers of a model that pynchy started: on import, and on the surface with its protocol.
//! Posted texts are never scanned for tags, otherwise anybody could write host messages.
//!
//! A system notice applies to one run and is never stored; permanent context is a message of kind `system`.

use std::borrow::Cow;

use parlour_core::{Refusal, message::Message, model_visibility::may_reach_model};
use serde_json::{Map, Value};

use super::{NAME, Row, wire::type_name};
use crate::Dialect;

const OPEN: &str = "<messages>";
const CLOSE: &str = "</messages>";
/// The sender without a name.
const UNKNOWN: &str = "Unknown";
/// Characters that could end a text or an attribute, and their escapes.
const ESCAPES: [(char, &str); 7] =
    [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\n', "&#10;"), ('\r', "&#13;"), ('\t', "&#9;")];

/// One message of the XML-like prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMessage {
    pub sender: String,
    pub time: String,
    pub content: String,
}

/// The messages that a model may see, in order, as objects for the SDK of pynchy.
pub fn format_messages_for_sdk(messages: &[Message]) -> Vec<Value> {
    let object = |message: &Message| {
        let row = Row::of(message);
        let mut object = Map::new();
        object.insert("message_type".to_owned(), type_name(row.message_type).into());
        object.insert("sender".to_owned(), row.sender.into());
        object.insert("sender_name".to_owned(), row.sender_name.into());
        object.insert("content".to_owned(), row.content.into());
        object.insert("timestamp".to_owned(), row.timestamp.into());
        let metadata = row.metadata.map(without_dialects).filter(|metadata| !metadata.is_empty());
        object.insert("metadata".to_owned(), metadata.map_or(Value::Null, Value::Object));
        Value::Object(object)
    };
    messages.iter().filter(|message| may_reach_model(message)).map(object).collect()
}

/// The metadata without the keys of other dialects, which a model must not see.
fn without_dialects(mut metadata: Map<String, Value>) -> Map<String, Value> {
    metadata.retain(|name, _| name == NAME || Dialect::ALL.iter().all(|dialect| dialect.as_str() != name));
    metadata
}

/// The messages that a model may see, in order, as XML-like text; empty without messages.
///
/// Texts and names are escaped: [`parse_messages_xml`] returns exactly the same values.
pub fn format_messages_xml(messages: &[Message]) -> String {
    let mut out = String::new();
    for message in messages.iter().filter(|message| may_reach_model(message)) {
        let row = Row::of(message);
        let name = row.sender_name.filter(|name| !name.is_empty());
        out.push_str(if out.is_empty() { OPEN } else { "" });
        out.push_str("\n<message sender=\"");
        // An attribute stays on its line, so that every message starts a line.
        push_escaped(&mut out, name.as_deref().unwrap_or(UNKNOWN), ESCAPES.len());
        out.push_str("\" time=\"");
        push_escaped(&mut out, &row.timestamp, ESCAPES.len());
        out.push_str("\">");
        push_escaped(&mut out, &row.content, 4);
        out.push_str("</message>");
    }
    if !out.is_empty() {
        out.push('\n');
        out.push_str(CLOSE);
    }
    out
}

/// Parses the XML-like prompt. Refuses anything that [`format_messages_xml`] does not write, with its position.
pub fn parse_messages_xml(text: &str) -> Result<Vec<PromptMessage>, Refusal> {
    let mut messages = Vec::new();
    if text.is_empty() {
        return Ok(messages);
    }
    let mut rest = PromptScanner { text, rest: text };
    rest.take(OPEN)?;
    while !rest.rest.starts_with("\n</") {
        rest.take("\n<message sender=\"")?;
        let sender = rest.until("\" time=\"")?;
        let time = rest.until("\">")?;
        let content = rest.until("</message>")?;
        messages.push(PromptMessage { sender, time, content });
    }
    rest.take("\n")?;
    rest.take(CLOSE)?;
    if rest.rest.is_empty() { Ok(messages) } else { Err(rest.refused("the end")) }
}

/// Appends a text with the first `escapes` escapes.
fn push_escaped(out: &mut String, text: &str, escapes: usize) {
    let escapes = &ESCAPES[..escapes];
    let mut rest = text;
    while let Some(at) = rest.find(|character| escapes.iter().any(|(escaped, _)| *escaped == character)) {
        let escape = escapes.iter().find(|(escaped, _)| rest[at..].starts_with(*escaped));
        out.push_str(&rest[..at]);
        out.push_str(escape.map_or("", |(_, escape)| escape));
        // All of these characters have one byte.
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// The position in a prompt that is parsed.
struct PromptScanner<'a> {
    text: &'a str,
    rest: &'a str,
}

impl PromptScanner<'_> {
    fn take(&mut self, mark: &str) -> Result<(), Refusal> {
        self.rest = self.rest.strip_prefix(mark).ok_or_else(|| self.refused(mark.trim_start()))?;
        Ok(())
    }

    /// Reads the text up to the next unescaped special character, which must start this mark.
    fn until(&mut self, mark: &str) -> Result<String, Refusal> {
        let end = self.rest.find(['<', '>', '"']).ok_or_else(|| self.refused(mark))?;
        let inner = unescape(&self.rest[..end]).ok_or_else(|| self.refused("an escape such as &amp;"))?.into_owned();
        self.rest = &self.rest[end..];
        self.take(mark)?;
        Ok(inner)
    }

    fn refused(&self, expected: &str) -> Refusal {
        let at = self.text.len() - self.rest.len();
        Refusal::invalid(format!("expected {expected} at byte {at} of the prompt"))
    }
}

fn unescape(text: &str) -> Option<Cow<'_, str>> {
    let Some(first) = text.find('&') else { return Some(Cow::Borrowed(text)) };
    let mut out = text[..first].to_owned();
    for part in text[first + 1..].split('&') {
        let (character, escape) = ESCAPES.iter().find(|(_, escape)| part.starts_with(&escape[1..]))?;
        out.push(*character);
        out.push_str(&part[escape.len() - 1..]);
    }
    Some(Cow::Owned(out))
}

const THOUGHT: (&str, &str) = ("<internal>", "</internal>");
const HOST: (&str, &str) = ("<host>", "</host>");

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaggedAnswer<'a> {
    /// The whole answer is inside `<host>…</host>` and becomes a host message.
    Host(&'a str),
    Text(&'a str),
}

/// Removes `<internal>…</internal>` and surrounding white space.
///
/// An unclosed tag extends to the end, so that a truncated answer shows no part of a thought.
pub fn strip_internal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_part(text, |part| {
        if let TagPart::Text(text) = part {
            out.push_str(text);
        }
    });
    out.trim().to_owned()
}

/// Shows `<internal>…</internal>` as `🧠 _thought_`; blank thoughts are removed.
pub fn show_internal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_part(text, |part| match part {
        TagPart::Text(text) => out.push_str(text),
        TagPart::Thought(thought) if thought.trim().is_empty() => {}
        TagPart::Thought(thought) => out.extend(["🧠 _", thought.trim(), "_"]),
    });
    out.trim().to_owned()
}

/// Recognises a host message: exactly one pair of tags around the whole text, apart from white space.
pub fn split_host(text: &str) -> TaggedAnswer<'_> {
    let inner = text.trim().strip_prefix(HOST.0).and_then(|rest| rest.strip_suffix(HOST.1));
    match inner.filter(|inner| !inner.contains(HOST.0) && !inner.contains(HOST.1)) {
        Some(inner) => TaggedAnswer::Host(inner.trim()),
        None => TaggedAnswer::Text(text),
    }
}

enum TagPart<'a> {
    Text(&'a str),
    Thought(&'a str),
}

/// Calls `visit` with consecutive slices of the text. Nothing is scanned twice, so the cost is linear.
fn each_part<'a>(text: &'a str, mut visit: impl FnMut(TagPart<'a>)) {
    let mut rest = text;
    while let Some((text, inner)) = rest.split_once(THOUGHT.0) {
        visit(TagPart::Text(text));
        let (thought, after) = inner.split_once(THOUGHT.1).unwrap_or((inner, ""));
        visit(TagPart::Thought(thought));
        rest = after;
    }
    visit(TagPart::Text(rest));
}

/// The system prompt followed by the notices, as early versions of pynchy did.
pub fn system_prompt_with_notices(system: &str, notices: &[String]) -> String {
    let parts = [system].into_iter().chain(notices.iter().map(String::as_str));
    let text: Vec<&str> = parts.map(str::trim_end).filter(|part| !part.trim().is_empty()).collect();
    text.join("\n\n")
}

/// The notices as lines before the prompt. The system prompt stays equal between runs, so that providers can cache it.
pub fn notice_lines(notices: &[String]) -> String {
    let text = notices.iter().map(|notice| notice.trim()).filter(|notice| !notice.is_empty());
    // A notice with several lines becomes one line.
    let line = |notice: &str| {
        let words: Vec<&str> = notice.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        format!("[System Notice] {}\n", words.join(" "))
    };
    text.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_consecutive_slices_and_at_most_two_per_tag() {
        for unit in ["<internal>", "</internal>", "<internal></internal>", "a<internal>b</internal>c"] {
            let text = unit.repeat(10_000);
            let (mut parts, mut scanned_to) = (0, 0);
            each_part(&text, |part| {
                let (TagPart::Text(part) | TagPart::Thought(part)) = part;
                // The last part may be an empty text that is no slice of the input.
                if !part.is_empty() {
                    let start = part.as_ptr().addr() - text.as_ptr().addr();
                    assert!(start >= scanned_to, "{unit}: bytes before {scanned_to} are visited twice");
                    scanned_to = start + part.len();
                }
                parts += 1;
            });
            assert!(scanned_to <= text.len());
            assert!(parts <= 2 * text.matches(THOUGHT.0).count() + 1, "{unit}: {parts} parts");
        }
    }
}
