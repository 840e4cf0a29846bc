//! A conversation as turns of a model: what one agent has said is the assistant's, everything else is the user's.
//!
//! Pure, and the same for every provider, because the strictest of them is obeyed: roles alternate, the first and the
//! last turn are the user's, none is empty. Who wrote what stands in a line before each message. That line comes from
//! the fields of the message, and no text can imitate it.

mod frame;
mod label;

use parlour_core::{audience::may_reach_model, author::AuthorType, message::Kind, message::Message};

pub(super) use self::frame::NOTHING;
use crate::engine::Prompt;

/// How many characters of a conversation a model is shown: the newest, some 25,000 tokens.
pub(super) const HISTORY_CHARS_MAX: usize = 100_000;

/// What stands before an answer that begins the visible part of a conversation.
const NO_BEGINNING: &str = "(The conversation as far as it is shown begins with your own words.)";
/// What stands at the end when nothing of what was asked can be shown.
const NO_QUESTION: &str = "(The message that called you cannot be shown any more. Say so in one sentence.)";

/// What a model is given: who it is, and what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turns {
    /// Who the agent is and how it is to answer.
    pub(super) system: String,
    /// What was said, oldest first: never empty, alternating, the user first and last.
    pub(super) list: Vec<Turn>,
}

/// What one side said before the other spoke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Which side.
    pub(super) role: Role,
    /// The text, never blank.
    pub(super) text: String,
}

/// The two sides of a model's conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Everybody but the agent.
    User,
    /// The agent.
    Assistant,
}

impl Turns {
    /// What is asked, with as much of the conversation as fits into `chars_max`; the oldest messages are left out first.
    pub(super) fn of(prompt: &Prompt, chars_max: usize) -> Self {
        let shown: Vec<&Message> = prompt.history.iter().filter(|message| has_words(message)).collect();
        let kept = newest_that_fit(&shown, chars_max);
        let mut list = Vec::new();
        for message in &shown[shown.len() - kept..] {
            add(&mut list, side_of(prompt, message), &words_of(prompt, message, chars_max));
        }
        if list.first().is_some_and(|turn| turn.role == Role::Assistant) {
            list.insert(0, Turn { role: Role::User, text: NO_BEGINNING.to_owned() });
        }
        add_question(&mut list, prompt, &shown, chars_max);
        Self { system: frame::write(prompt, kept < shown.len()), list }
    }
}

/// Whether a model may see the message, and there is something in it to see.
fn has_words(message: &Message) -> bool {
    may_reach_model(message) && !message.body.trim().is_empty()
}

/// How many of the last messages fit; the very last is always among them.
fn newest_that_fit(shown: &[&Message], chars_max: usize) -> usize {
    let mut chars = 0;
    let fits = |message: &&&Message| {
        chars += message.body.chars().count() + label::CHARS_MAX;
        chars <= chars_max
    };
    shown.iter().rev().take_while(fits).count().max(shown.len().min(1))
}

fn side_of(prompt: &Prompt, message: &Message) -> Role {
    let is_own =
        message.from.author_type == AuthorType::Agent && message.from.id.as_deref() == Some(prompt.agent.id.as_str());
    if is_own && message.kind != Kind::ToolResult { Role::Assistant } else { Role::User }
}

/// The text of one message: as it is when the agent said it, below its label otherwise.
fn words_of(prompt: &Prompt, message: &Message, chars_max: usize) -> String {
    let body: String = message.body.chars().take(chars_max).collect();
    match side_of(prompt, message) {
        Role::Assistant => body,
        Role::User => label::put_before(message, &body),
    }
}

/// Adds to the last turn when it is of the same side, so that sides alternate.
fn add(list: &mut Vec<Turn>, role: Role, text: &str) {
    let text = text.trim();
    match list.last_mut() {
        Some(last) if last.role == role => {
            last.text.push_str("\n\n");
            last.text.push_str(text);
        }
        _ => list.push(Turn { role, text: text.to_owned() }),
    }
}

/// Lets the list end with what is asked: a task, the messages that called when the agent has spoken since, or a word
/// about what is missing.
fn add_question(list: &mut Vec<Turn>, prompt: &Prompt, shown: &[&Message], chars_max: usize) {
    if let Some(task) = &prompt.task {
        return add(list, Role::User, &frame::task_text(task));
    }
    if list.last().is_some_and(|turn| turn.role == Role::User) {
        return;
    }
    let is_asked = |message: &&&Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let asked: Vec<&Message> = shown.iter().filter(is_asked).copied().collect();
    for message in &asked[asked.len() - newest_that_fit(&asked, chars_max)..] {
        add(list, Role::User, &words_of(prompt, message, chars_max));
    }
    if list.last().is_none_or(|turn| turn.role == Role::Assistant) {
        add(list, Role::User, NO_QUESTION);
    }
}

#[cfg(test)]
mod tests;
