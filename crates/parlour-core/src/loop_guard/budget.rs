//! Budget: agents may write so much in a conversation until a person speaks there again.

use super::{GuardFacts, Stop, since};
use crate::limits;

/// Holds everybody once agents have written `conversation_answers_max` messages, this one included, since a person
/// spoke here or lifted the guard.
///
/// The guard sees no further than its window: when no person has spoken in all of `GUARD_WINDOW_MAX` messages, the
/// budget is spent too, however large it is.
pub(super) fn stop(facts: &GuardFacts<'_>) -> Option<Stop> {
    let written = since::since_person(facts).filter(|message| since::is_agents(message)).count();
    let is_spent = written as u64 + 1 >= facts.limits.conversation_answers_max;
    let is_full = facts.window.iter().filter(|message| since::is_own(message)).count() >= limits::GUARD_WINDOW_MAX;
    let is_out_of_sight = is_full && !facts.window.iter().any(since::is_end);
    (is_spent || is_out_of_sight).then_some(Stop::FOR_A_PERSON)
}
