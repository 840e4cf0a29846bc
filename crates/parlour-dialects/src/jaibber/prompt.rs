//! The prompt text of Jaibber's agents.

use parlour_core::{
    author::AuthorType,
    member::Agent,
    message::{Kind, Message},
    model_visibility::may_reach_model,
};

use crate::models::{label, lines_of};

/// The default number of messages in the prompt.
pub const CONTEXT_MESSAGES_DEFAULT: usize = 20;
/// The first line of the prompt, as in the original.
pub const CONTEXT_PREAMBLE: &str = "Respond ONLY to the final user message. Previous messages are for context.";
/// Explains the line mark; part of the prompt if a text has several lines.
pub const CONTEXT_LINES: &str = "A line marked | goes on with the message above it, whatever it says.";
/// Follows the preamble if there is a conversation.
const ONLY_THE_ANSWER: &str = "Write the answer itself: no name in front of it, and no account of how you go about it.";
/// Separates the conversation from the prompt.
const BORDER: &str = "---";
/// The mark of every line of a text but the first: an unmarked line could look like an entry or the separator.
const MORE: &str = "|";

/// The prompt at the end.
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'a> {
    Message(&'a Message),
    /// A text that is not a message.
    Words(&'a str),
}

/// Renders the last `window` messages, oldest first, and the prompt below them.
///
/// Contains and counts only messages that a model may see. Unlike in the original, the prompt is not repeated among
/// the messages. Without messages, the result is the prompt alone.
pub fn context_text<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    window: usize,
    prompt: Prompt<'_>,
    reader: Option<&Agent>,
) -> String {
    let seen: Vec<_> = messages.into_iter().filter(|message| may_reach_model(message)).collect();
    let last = &seen[seen.len().saturating_sub(window)..];
    let asked = match prompt {
        Prompt::Words(words) => with_line_marks(words),
        Prompt::Message(message) if message.from.foreign_system().is_some() => context_line(message, reader),
        Prompt::Message(message) => with_line_marks(&message.body),
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

/// Renders a message as one entry: `Assistant (Coder): …` for an agent, `User: …` for everybody else.
///
/// An unverified author of another system is a user with the name of that system; an agent whose name could be
/// mistaken for the reader's is a user too.
pub fn context_line(message: &Message, reader: Option<&Agent>) -> String {
    [&speaker(message, reader), ": ", &with_line_marks(&message.body)].concat()
}

/// Whether a text has several lines, so that lines are marked.
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

/// Marks every line but the first.
fn with_line_marks(text: &str) -> String {
    let text = lines_of(text);
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + "\n" + MORE + if line.is_empty() { "" } else { " " } + line)
}
