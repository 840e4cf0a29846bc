//! What a model is given: the conversation as far as it fits, the frame around it, and at the end what is asked.
//!
//! How that is written for each provider is the business of the dialects. What the agent did on the way to earlier
//! answers is not shown: these engines have no tools, and some models refuse a list with calls of tools in it.

mod frame;

use parlour_core::message::Message;
use parlour_dialects::models::{Steps, Turns, View};

pub(super) use self::frame::NOTHING;
use crate::engine::Prompt;

/// How many characters of a conversation a model is shown: the newest, some 25,000 tokens.
pub(super) const HISTORY_CHARS_MAX: usize = 100_000;

/// What stands at the end when nothing of what was asked can be shown.
const NO_QUESTION: &str = "(The message that called you cannot be shown any more. Say so in one sentence.)";

/// What is asked, with as much of the conversation as fits into `chars_max`; the oldest messages are left out first.
pub(super) fn turns_of(prompt: &Prompt, chars_max: usize) -> Turns {
    let view = View { agent: &prompt.agent.id, steps: Steps::OmissionReason, chars_max };
    let mut turns = view.turns(&prompt.history);
    turns.instruct(&frame::write(prompt, turns.left_out() > 0));
    add_question(&mut turns, prompt, &view);
    turns
}

/// Lets the list end with what is asked: a task, the messages that called when somebody has spoken since, or a word
/// about what is missing.
fn add_question(turns: &mut Turns, prompt: &Prompt, view: &View<'_>) {
    if let Some(task) = &prompt.task {
        return turns.ask(&frame::task_text(task));
    }
    let is_asked = |message: &&Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    if turns.is_answered() || !prompt.history.last().as_ref().is_some_and(is_asked) {
        view.repeat(turns, prompt.history.iter().filter(is_asked));
    }
    if turns.is_answered() {
        turns.ask(NO_QUESTION);
    }
}

#[cfg(test)]
mod tests;
