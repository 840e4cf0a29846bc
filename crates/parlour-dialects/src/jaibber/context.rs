//! A conversation as Jaibber's agents are given it.

use parlour_core::{audience::may_reach_model, author::AuthorType, message::Message};

/// Messages that an agent is given when it is not told otherwise.
pub const CONTEXT_MESSAGES_DEFAULT: usize = 20;
/// What stands before the conversation, in the words of the original.
pub const CONTEXT_PREAMBLE: &str = "Respond ONLY to the final user message. Previous messages are for context.";
/// What follows it when the prompt stands apart.
const ONLY_THE_ANSWER: &str = "Write the answer itself: no name in front of it, and no account of how you go about it.";
/// What stands between the conversation and the prompt.
const BORDER: &str = "---";

/// Writes the last `window` messages, oldest first, and the prompt below them.
///
/// Only messages that a model may see are written and counted. The prompt is not expected among them: unlike the
/// original, nothing is said twice. Without messages it is the prompt alone.
pub fn context_text<'a>(messages: impl IntoIterator<Item = &'a Message>, window: usize, prompt: &str) -> String {
    let seen: Vec<_> = messages.into_iter().filter(|message| may_reach_model(message)).collect();
    let last = &seen[seen.len().saturating_sub(window)..];
    if last.is_empty() {
        return prompt.to_owned();
    }
    let preamble = [CONTEXT_PREAMBLE, ONLY_THE_ANSWER].join(" ");
    let lines = last.iter().map(|message| context_line(message));
    let parts: Vec<_> = std::iter::once(preamble).chain(lines).chain([BORDER.to_owned(), prompt.to_owned()]).collect();
    parts.join("\n\n")
}

/// A message as one entry of the conversation: `Assistant (Coder): …` for an agent, `User: …` for everybody else. A text
/// can pretend to be several entries.
pub fn context_line(message: &Message) -> String {
    match message.from.author_type {
        AuthorType::Agent => ["Assistant (", &message.from.name, "): ", &message.body].concat(),
        _ => ["User: ", &message.body].concat(),
    }
}
