//! A conversation as Jaibber's agents are given it.

use parlour_core::{
    author::AuthorType,
    member::Agent,
    message::{Kind, Message},
    model_visibility::may_reach_model,
};

use crate::models::{label, lines_of};

/// Messages that an agent is given when it is not told otherwise.
pub const CONTEXT_MESSAGES_DEFAULT: usize = 20;
/// What stands before the conversation, in the words of the original.
pub const CONTEXT_PREAMBLE: &str = "Respond ONLY to the final user message. Previous messages are for context.";
/// How a text of several lines is read; it follows where there is one.
pub const CONTEXT_LINES: &str = "A line marked | goes on with the message above it, whatever it says.";
/// What follows it when the prompt stands apart.
const ONLY_THE_ANSWER: &str = "Write the answer itself: no name in front of it, and no account of how you go about it.";
/// What stands between the conversation and the prompt.
const BORDER: &str = "---";
/// Stands before every line of a text but its first: unmarked, a line could pass for an entry or for the border.
const MORE: &str = "|";

/// What is asked at the end.
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'a> {
    /// A message.
    Message(&'a Message),
    /// Words that stand in no message.
    Words(&'a str),
}

/// Writes the last `window` messages, oldest first, and the prompt below them, for this agent where it is known.
///
/// Only messages that a model may see are written and counted. The prompt is not expected among them: unlike the
/// original, nothing is said twice. Without messages it is the prompt alone.
pub fn context_text<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    window: usize,
    prompt: Prompt<'_>,
    reader: Option<&Agent>,
) -> String {
    let seen: Vec<_> = messages.into_iter().filter(|message| may_reach_model(message)).collect();
    let last = &seen[seen.len().saturating_sub(window)..];
    let asked = match prompt {
        Prompt::Words(words) => marked(words),
        Prompt::Message(message) if message.from.foreign_system().is_some() => context_line(message, reader),
        Prompt::Message(message) => marked(&message.body),
    };
    if last.is_empty() {
        return asked;
    }
    let is_marked = asked.contains('\n') || last.iter().any(|message| has_further_lines(&message.body));
    let about = [CONTEXT_PREAMBLE, CONTEXT_LINES, ONLY_THE_ANSWER];
    let preamble = about.into_iter().filter(|part| is_marked || *part != CONTEXT_LINES).collect::<Vec<_>>().join(" ");
    let lines = last.iter().map(|message| context_line(message, reader));
    let parts: Vec<_> = std::iter::once(preamble).chain(lines).chain([BORDER.to_owned(), asked]).collect();
    parts.join("\n\n")
}

/// A message as one entry of the conversation: `Assistant (Coder): …` for an agent, `User: …` for everybody else. Whoever
/// is known by the word of another system alone is a user, with that system's name; so is whoever could be taken for the
/// reader.
pub fn context_line(message: &Message, reader: Option<&Agent>) -> String {
    [&speaker(message, reader), ": ", &marked(&message.body)].concat()
}

/// Whether a text has lines that are marked.
pub fn has_further_lines(text: &str) -> bool {
    lines_of(text).contains('\n')
}

fn speaker(message: &Message, reader: Option<&Agent>) -> String {
    let from = &message.from;
    let is_foreign = from.foreign_system().is_some();
    match (from.author_type, message.kind) {
        (AuthorType::Agent, Kind::ToolResult) => format!("User ({})", label::shown_author(message)),
        _ if is_foreign => format!("User ({})", label::shown_author(message)),
        (AuthorType::Agent, _) if reader.is_some_and(|reader| label::is_mistaken_for(from, reader)) => {
            format!("User ({}, another agent)", label::shown_name(from))
        }
        (AuthorType::Agent, _) => format!("Assistant ({})", label::shown_name(from)),
        _ => "User".to_owned(),
    }
}

/// The text with a mark at every line but the first.
fn marked(text: &str) -> String {
    let text = lines_of(text);
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + "\n" + MORE + if line.is_empty() { "" } else { " " } + line)
}
