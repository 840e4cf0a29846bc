//! What pynchy gives to models: a list for its SDK, or one text in the manner of XML.
//!
//! Both leave out whatever [`may_reach_model`] forbids: host messages, as pynchy does, and besides what is unfinished,
//! failed or removed, which pynchy does not know.

use std::borrow::Cow;

use parlour_core::{Refusal, message::Message, model_visibility::may_reach_model};
use serde_json::{Map, Value};

use super::{NAME, Row, row::type_name};
use crate::Dialect;

const OPEN: &str = "<messages>";
const CLOSE: &str = "</messages>";
/// What stands for a name that is missing.
const UNKNOWN: &str = "Unknown";
/// The signs that could end a text or an attribute, and what is written for them.
const ESCAPES: [(char, &str); 7] =
    [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\n', "&#10;"), ('\r', "&#13;"), ('\t', "&#9;")];

/// One message of the prompt form: all that is left of it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMessage {
    /// The name of its author.
    pub sender: String,
    /// Its time, as the row has it.
    pub time: String,
    /// Its text.
    pub content: String,
}

/// The messages that a model may see, in their order, as the objects that pynchy gives to its SDK.
pub fn format_messages_for_sdk(messages: &[Message]) -> Vec<Value> {
    let object = |message: &Message| {
        let row = Row::of(message);
        let mut object = Map::new();
        object.insert("message_type".to_owned(), type_name(row.message_type).into());
        object.insert("sender".to_owned(), row.sender.into());
        object.insert("sender_name".to_owned(), row.sender_name.into());
        object.insert("content".to_owned(), row.content.into());
        object.insert("timestamp".to_owned(), row.timestamp.into());
        let notes = row.metadata.map(without_dialects).filter(|notes| !notes.is_empty());
        object.insert("metadata".to_owned(), notes.map_or(Value::Null, Value::Object));
        Value::Object(object)
    };
    messages.iter().filter(|message| may_reach_model(message)).map(object).collect()
}

/// Notes without what other dialects keep for themselves, which no model should see.
fn without_dialects(mut notes: Map<String, Value>) -> Map<String, Value> {
    notes.retain(|name, _| name == NAME || Dialect::ALL.iter().all(|dialect| dialect.as_str() != name));
    notes
}

/// The messages that a model may see, in their order, as the text that pynchy prompts with; empty when there are none.
///
/// No text can leave its element, nor a name its attribute: [`parse_messages_xml`] gives back exactly what went in.
pub fn format_messages_xml(messages: &[Message]) -> String {
    let mut out = String::new();
    for message in messages.iter().filter(|message| may_reach_model(message)) {
        let row = Row::of(message);
        let name = row.sender_name.filter(|name| !name.is_empty());
        out.push_str(if out.is_empty() { OPEN } else { "" });
        out.push_str("\n<message sender=\"");
        // An attribute stays on its line, so that every message begins at the beginning of one.
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

/// Reads the prompt form. Anything but what [`format_messages_xml`] writes is refused with its place.
pub fn parse_messages_xml(text: &str) -> Result<Vec<PromptMessage>, Refusal> {
    let mut messages = Vec::new();
    if text.is_empty() {
        return Ok(messages);
    }
    let mut rest = UnreadText { text, rest: text };
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

/// Appends a text, with the first so many of the escapes.
fn push_escaped(out: &mut String, text: &str, escapes: usize) {
    let escapes = &ESCAPES[..escapes];
    let mut rest = text;
    while let Some(at) = rest.find(|sign| escapes.iter().any(|(escaped, _)| *escaped == sign)) {
        let escape = escapes.iter().find(|(escaped, _)| rest[at..].starts_with(*escaped));
        out.push_str(&rest[..at]);
        out.push_str(escape.map_or("", |(_, escape)| escape));
        // All of these signs are one byte long.
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// What is not read yet of a text.
struct UnreadText<'a> {
    text: &'a str,
    rest: &'a str,
}

impl UnreadText<'_> {
    fn take(&mut self, mark: &str) -> Result<(), Refusal> {
        self.rest = self.rest.strip_prefix(mark).ok_or_else(|| self.refused(mark.trim_start()))?;
        Ok(())
    }

    /// The text before the next sign that is always escaped inside one, which must begin this mark.
    fn until(&mut self, mark: &str) -> Result<String, Refusal> {
        let end = self.rest.find(['<', '>', '"']).ok_or_else(|| self.refused(mark))?;
        let inner = unescaped(&self.rest[..end]).ok_or_else(|| self.refused("an escape such as &amp;"))?.into_owned();
        self.rest = &self.rest[end..];
        self.take(mark)?;
        Ok(inner)
    }

    fn refused(&self, wanted: &str) -> Refusal {
        let at = self.text.len() - self.rest.len();
        Refusal::invalid(format!("at byte {at} of the prompt there should be {wanted}"))
    }
}

fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    let Some(first) = text.find('&') else { return Some(Cow::Borrowed(text)) };
    let mut out = text[..first].to_owned();
    for part in text[first + 1..].split('&') {
        let (sign, escape) = ESCAPES.iter().find(|(_, escape)| part.starts_with(&escape[1..]))?;
        out.push(*sign);
        out.push_str(&part[escape.len() - 1..]);
    }
    Some(Cow::Owned(out))
}
