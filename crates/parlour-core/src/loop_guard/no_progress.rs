//! No progress: agents that say nearly the same again and again are stopped.

use super::{
    GuardFacts, Stop,
    alike::{Gist, NameWords},
    since,
};
use crate::{
    message::{Kind, Message},
    model_visibility,
};

/// Messages of which one is always fresh: whoever says something for the first time repeats nobody.
const ALIKE_MIN: u64 = 2;

/// Holds everybody when agents have written `similar_answers_max` nearly equal messages, this one included, since a
/// person spoke here or lifted the guard. A text that nobody has written before is never held, even with a limit of 1.
pub(super) fn stop(facts: &GuardFacts<'_>) -> Option<Stop> {
    let most = facts.limits.similar_answers_max.max(ALIKE_MIN);
    let earlier: Vec<&Message> = since::since_person(facts).filter(|message| is_answer(message)).collect();
    if (earlier.len() as u64) + 1 < most {
        return None;
    }
    let names = NameWords::new(facts);
    let gist = Gist::of(facts.message, &names)?;
    let is_alike = |message: &&Message| Gist::of(message, &names).is_some_and(|other| other.is_alike(&gist));
    let wanted = usize::try_from(most - 1).unwrap_or(usize::MAX);
    let alike = earlier.into_iter().filter(is_alike).take(wanted).count();
    (alike == wanted).then_some(Stop::FOR_A_PERSON)
}

/// What an agent has said: no notices, and nothing that models never see.
fn is_answer(message: &Message) -> bool {
    since::is_agents(message)
        && model_visibility::may_reach_model(message)
        && message.kind != Kind::ToolResult
        && !message.is_notice
}
