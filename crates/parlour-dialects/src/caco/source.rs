//! Who sent a prompt, as Caco writes it before the text: `[applet:slug] text`, `[agent:session] text`,
//! `[scheduler:slug] text`.
//!
//! Whoever types such a prefix could be taken for somebody else. So prefixes are read from trusted histories only, and
//! written for models only.

use parlour_core::{
    author::Source,
    message::{Kind, Message},
};

use super::NAME;
use crate::foreign_author::said_author;

/// A prompt taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSource<'a> {
    /// Who sent it.
    pub source: Source,
    /// The applet's slug, the agent's session or the schedule's slug; people have none.
    pub identifier: Option<&'a str>,
    /// The text without the prefix.
    pub clean_content: &'a str,
}

/// The prefixes in the order in which Caco tries them.
const PREFIXES: [(&str, Source); 3] =
    [("[applet:", Source::Applet), ("[agent:", Source::Agent), ("[scheduler:", Source::Scheduler)];
/// What Caco puts before the first prompt after a restart begins with this line …
const RESUMED: &str = "[SESSION RESUMED]\n";
/// … and ends with this one and a blank one.
const RESUMED_END: &str = "\n---\n\n";

/// Reads the first prefix of a prompt.
///
/// A prefix counts only at the very start, in lower case and with an identifier that is not empty; the identifier ends
/// at the first `]`, and all white space after that belongs to the prefix. Everything else is a person's text.
pub fn parse_message_source(content: &str) -> MessageSource<'_> {
    let found = PREFIXES.iter().find_map(|(prefix, source)| parse_prefix(content, prefix, *source));
    found.unwrap_or(MessageSource { source: Source::User, identifier: None, clean_content: content })
}

/// Writes a prompt with its prefix. People's texts stay as they are.
///
/// The prefix can be read again when the identifier is not empty and holds no `]`, and the content does not begin with
/// white space.
pub fn prefix_message_source(source: Source, identifier: &str, content: &str) -> String {
    match PREFIXES.iter().find(|(_, known)| *known == source) {
        Some((prefix, _)) => [prefix, identifier, "] ", content].concat(),
        None => content.to_owned(),
    }
}

/// Reads the prefix of a prompt from a history, also behind the block that Caco puts before the first prompt after a
/// restart. That block belongs to what stands before the clean content.
pub fn parse_stored_source(content: &str) -> MessageSource<'_> {
    parse_message_source(without_resume_block(content))
}

/// The text that a model gets for a message: the words of applets, agents and schedules with their prefix.
///
/// A person's text that looks like a prefix is moved off the start by one blank, so it is never read as one.
pub fn for_model(message: &Message) -> String {
    let source = message.from.source().filter(|_| message.kind == Kind::User).unwrap_or(Source::User);
    if source != Source::User {
        return prefix_message_source(source, &identifier_of(message, source), &message.body);
    }
    let is_taken_for_another = parse_stored_source(&message.body).clean_content.len() != message.body.len();
    if is_taken_for_another { [" ", &message.body].concat() } else { message.body.clone() }
}

/// The word for a source.
pub(super) fn source_name(source: Source) -> &'static str {
    match source {
        Source::User => "user",
        Source::Applet => "applet",
        Source::Agent => "agent",
        Source::Scheduler => "scheduler",
    }
}

/// The source with this name.
pub(super) fn source_named(name: &str) -> Option<Source> {
    [Source::User, Source::Applet, Source::Agent, Source::Scheduler].into_iter().find(|one| source_name(*one) == name)
}

/// An identifier that can stand in a prefix.
fn identifier_of(message: &Message, source: Source) -> String {
    let said = said_author(NAME, &message.from);
    if said.is_empty() { source_name(source).to_owned() } else { said.replace(']', ")") }
}

fn without_resume_block(content: &str) -> &str {
    // The end of the block may share its first line break with the end of the first line.
    let block = content.starts_with(RESUMED).then(|| content[RESUMED.len() - 1..].split_once(RESUMED_END)).flatten();
    block.map_or(content, |(_, rest)| rest)
}

fn parse_prefix<'a>(content: &'a str, prefix: &str, source: Source) -> Option<MessageSource<'a>> {
    let (identifier, text) = content.strip_prefix(prefix)?.split_once(']')?;
    let clean_content = text.trim_start_matches(is_script_space);
    (!identifier.is_empty()).then_some(MessageSource { source, identifier: Some(identifier), clean_content })
}

/// White space as the `\s` of JavaScript has it: with the byte order mark, without the next-line sign.
fn is_script_space(sign: char) -> bool {
    (sign.is_whitespace() && sign != '\u{85}') || sign == '\u{feff}'
}
