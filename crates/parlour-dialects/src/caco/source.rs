//! Source prefixes of prompts: `[applet:slug] text`, `[agent:session] text`, `[scheduler:slug] text`.
//!
//! Anybody can type such a prefix. Prefixes are therefore parsed in trusted histories only, and written for models
//! only.

use parlour_core::{
    author::Source,
    message::{Kind, Message},
};

use super::NAME;
use crate::{foreign_id::foreign_author_id, text::is_javascript_space};

/// A prompt split into source and text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSource<'a> {
    pub source: Source,
    /// The applet slug, session id or schedule slug; a user has none.
    pub identifier: Option<&'a str>,
    /// The text without the prefix.
    pub clean_content: &'a str,
}

/// The prefixes in the order in which Caco tries them.
const PREFIXES: [(&str, Source); 3] =
    [("[applet:", Source::Applet), ("[agent:", Source::Agent), ("[scheduler:", Source::Scheduler)];
/// The first line of the block that Caco puts before the first prompt after a restart.
const RESUMED: &str = "[SESSION RESUMED]\n";
/// The end of that block.
const RESUMED_END: &str = "\n---\n\n";

/// Parses the prefix of a prompt.
///
/// A prefix is at the very start, in lower case, with a non-empty identifier that ends at the first `]`. White space
/// after it belongs to the prefix. Any other text is a user's.
pub fn parse_message_source(content: &str) -> MessageSource<'_> {
    let found = PREFIXES.iter().find_map(|(prefix, source)| parse_prefix(content, prefix, *source));
    found.unwrap_or(MessageSource { source: Source::User, identifier: None, clean_content: content })
}

/// Prepends the prefix of a source to a prompt; a user's text stays as it is.
///
/// The result can be parsed again if the identifier is not empty and contains no `]`, and the content does not start
/// with white space.
pub fn prefix_message_source(source: Source, identifier: &str, content: &str) -> String {
    match PREFIXES.iter().find(|(_, known)| *known == source) {
        Some((prefix, _)) => [prefix, identifier, "] ", content].concat(),
        None => content.to_owned(),
    }
}

/// Parses the prefix of a stored prompt, also after the block that Caco puts before the first prompt after a restart.
pub fn parse_stored_source(content: &str) -> MessageSource<'_> {
    parse_message_source(without_resume_block(content))
}

/// The text of a message for a model: texts of applets, agents and schedules get their prefix.
///
/// A user's text that looks like a prefix gets a leading blank, so that it is not parsed as one.
pub fn for_model(message: &Message) -> String {
    let source = message.from.source().filter(|_| message.kind == Kind::User).unwrap_or(Source::User);
    if source != Source::User {
        return prefix_message_source(source, &identifier_of(message, source), &message.body);
    }
    let is_taken_for_another = parse_stored_source(&message.body).clean_content.len() != message.body.len();
    if is_taken_for_another { [" ", &message.body].concat() } else { message.body.clone() }
}

pub(super) fn source_name(source: Source) -> &'static str {
    match source {
        Source::User => "user",
        Source::Applet => "applet",
        Source::Agent => "agent",
        Source::Scheduler => "scheduler",
    }
}

pub(super) fn source_named(name: &str) -> Option<Source> {
    [Source::User, Source::Applet, Source::Agent, Source::Scheduler].into_iter().find(|one| source_name(*one) == name)
}

/// The identifier of the author, without characters that would end the prefix.
fn identifier_of(message: &Message, source: Source) -> String {
    let id = foreign_author_id(NAME, &message.from);
    if id.is_empty() { source_name(source).to_owned() } else { id.replace(']', ")") }
}

fn without_resume_block(content: &str) -> &str {
    // The end of the block may share its first line break with the end of the first line.
    let block = content.starts_with(RESUMED).then(|| content[RESUMED.len() - 1..].split_once(RESUMED_END)).flatten();
    block.map_or(content, |(_, rest)| rest)
}

fn parse_prefix<'a>(content: &'a str, prefix: &str, source: Source) -> Option<MessageSource<'a>> {
    let (identifier, text) = content.strip_prefix(prefix)?.split_once(']')?;
    let clean_content = text.trim_start_matches(is_javascript_space);
    (!identifier.is_empty()).then_some(MessageSource { source, identifier: Some(identifier), clean_content })
}
