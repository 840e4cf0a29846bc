//! How far back the guard looks: to a person's last word, or to the last reset.

use super::{GuardFacts, GuardMark};
use crate::{Timestamp, author::AuthorType, message::Message};

/// The messages since a person spoke here or lifted the guard, newest first, without the one that is judged.
pub(super) fn since_person<'a>(facts: &GuardFacts<'a>) -> impl Iterator<Item = &'a Message> + use<'a> {
    let id = &facts.message.id;
    in_window(facts.window).filter(move |message| message.id != *id)
}

/// The messages of a window since a person spoke there or lifted the guard, newest first.
pub(super) fn in_window(window: &[Message]) -> impl Iterator<Item = &Message> {
    window.iter().take_while(|message| !is_end(message))
}

/// A person's message or a reset: what lies before it no longer counts.
pub(super) fn is_end(message: &Message) -> bool {
    (is_own(message) && message.from.author_type == AuthorType::Person) || is_reset(message)
}

/// Whether an agent of this hub wrote it.
pub(super) fn is_agents(message: &Message) -> bool {
    is_own(message) && message.from.author_type == AuthorType::Agent
}

/// Whether it was written here. What was taken over from another system stops nobody and lifts nothing.
pub(super) fn is_own(message: &Message) -> bool {
    message.from.foreign_system().is_none()
}

pub(super) fn is_reset(message: &Message) -> bool {
    matches!(GuardMark::of(message), Some(GuardMark::Reset { .. }))
}

/// When the guard was last lifted in this conversation.
pub(super) fn last_reset(facts: &GuardFacts<'_>) -> Option<Timestamp> {
    facts.window.iter().find(|message| is_reset(message)).map(|message| message.created_at)
}
