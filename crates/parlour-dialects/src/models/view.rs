//! What of a log one agent's model is shown.

use parlour_core::{
    author::AuthorType,
    id::AgentId,
    message::{Kind, Message},
    model_visibility::may_reach_model,
    step::Step,
};

use super::{
    call::{self, Calls},
    label, rules,
    texts::trimmed,
    turns::{Turn, Turns},
    words,
};

/// How many messages are shown at most: no provider takes more than 2,048 entries, and calls need some of them.
const MESSAGES_MAX: usize = 1_000;

/// Whose side a conversation is seen from, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The agent whose own messages are the assistant's.
    pub agent: &'a AgentId,
    /// What becomes of its steps.
    pub steps: Steps,
    /// How many characters of messages are shown. The newest are kept; the very last is shown in part if need be.
    pub chars_max: usize,
}

/// What becomes of the steps of the agent's own messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// They are calls of tools with their results, for a model that has tools.
    AsCalls,
    /// They are not shown. Not every model takes a list with calls in it.
    OmissionReason,
}

/// Which side speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpeakerSide {
    System,
    User,
    Assistant,
}

/// A message that is shown, with how many of its last steps.
struct ShownMessage<'m> {
    message: &'m Message,
    text: String,
    steps: usize,
}

impl View<'_> {
    /// The log as turns. What a model may not see is left out, as are messages without words, and the oldest messages
    /// that do not fit.
    pub fn turns(&self, log: &[Message]) -> Turns {
        let candidates: Vec<&Message> = log.iter().filter(|message| self.has_words(message)).collect();
        let mut shown = self.newest_that_fit(&candidates);
        shown.reverse();
        let mut turns = Turns { left_out: candidates.len() - shown.len(), ..Turns::default() };
        let mut calls = Calls::default();
        for one in &shown {
            self.add(&mut turns, &mut calls, one);
        }
        turns
    }

    /// Adds the newest of these messages at the end once more, as far as they may be seen and fit, without their steps.
    pub fn repeat<'m>(&self, turns: &mut Turns, messages: impl Iterator<Item = &'m Message>) {
        let without_steps = Self { steps: Steps::OmissionReason, ..*self };
        let candidates: Vec<&Message> = messages.filter(|message| without_steps.has_words(message)).collect();
        for one in without_steps.newest_that_fit(&candidates).iter().rev() {
            without_steps.add(turns, &mut Calls::default(), one);
        }
    }

    /// Whether a model may see the message, and there is something in it to see.
    fn has_words(&self, message: &Message) -> bool {
        may_reach_model(message) && (!words::of(message).is_empty() || !self.steps_of(message).is_empty())
    }

    fn side_of(&self, message: &Message) -> SpeakerSide {
        let author = &message.from;
        let is_own = author.author_type == AuthorType::Agent && author.id.as_deref() == Some(self.agent.as_str());
        match (message.kind, author.author_type) {
            // Only the hub writes these, and it has no id; whoever else is said to have written one, be it the hub of
            // another place, gets no more weight by it.
            (Kind::System, AuthorType::System | AuthorType::Host) if author.id.is_none() => SpeakerSide::System,
            (Kind::System | Kind::ToolResult, _) => SpeakerSide::User,
            _ if is_own => SpeakerSide::Assistant,
            _ => SpeakerSide::User,
        }
    }

    fn steps_of<'m>(&self, message: &'m Message) -> &'m [Step] {
        let is_shown = self.steps == Steps::AsCalls && self.side_of(message) == SpeakerSide::Assistant;
        if is_shown { &message.steps } else { &[] }
    }

    /// The last messages, newest first. Words come first: steps are shown where there is room beside all of them.
    fn newest_that_fit<'m>(&self, candidates: &[&'m Message]) -> Vec<ShownMessage<'m>> {
        let mut chars_left = self.chars_max;
        let mut shown: Vec<ShownMessage<'_>> = Vec::new();
        for &message in candidates.iter().rev().take(MESSAGES_MAX) {
            let mut text = words::of(message);
            match chars_left.checked_sub(text.chars().count() + label::chars_max(message)) {
                Some(left) => chars_left = left,
                None if shown.is_empty() => {
                    text = text.chars().take(self.chars_max).collect();
                    chars_left = 0;
                }
                None => break,
            }
            shown.push(ShownMessage { message, text, steps: 0 });
        }
        let mut calls_left = rules::CALLS_MAX;
        for one in &mut shown {
            one.steps = self.steps_that_fit(one.message, &mut chars_left, &mut calls_left);
        }
        shown
    }

    /// How many of the last steps fit. Once one does not, no older one is shown.
    fn steps_that_fit(&self, message: &Message, chars_left: &mut usize, calls_left: &mut usize) -> usize {
        let mut count = 0;
        for step in self.steps_of(message).iter().rev() {
            match (calls_left.checked_sub(1), chars_left.checked_sub(call::chars_of(step))) {
                (Some(calls), Some(chars)) => (*calls_left, *chars_left) = (calls, chars),
                _ => {
                    *calls_left = 0;
                    break;
                }
            }
            count += 1;
        }
        count
    }

    fn add(&self, turns: &mut Turns, calls: &mut Calls, shown: &ShownMessage<'_>) {
        let ShownMessage { message, text, steps } = shown;
        let text = trimmed(text);
        let all_steps = self.steps_of(message);
        for round in calls.rounds(&message.id, &all_steps[all_steps.len() - steps..]) {
            turns.list.push(Turn::Assistant { text: String::new(), calls: round });
        }
        if text.is_empty() {
            return;
        }
        turns.list.push(match self.side_of(message) {
            SpeakerSide::System => Turn::System(label::quote_labels(text)),
            SpeakerSide::Assistant => Turn::Assistant { text: text.to_owned(), calls: Vec::new() },
            SpeakerSide::User => {
                // A name in its field says nothing about whose word it is: only a member has one there.
                let name = message.from.foreign_system().is_none().then(|| label::shown_name(&message.from));
                Turn::User { name, text: label::put_before(message, text) }
            }
        });
    }
}
