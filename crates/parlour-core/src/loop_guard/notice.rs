//! What people read when the guard has stopped agents: which rule, whom, since when, and how to lift it.

use super::{GuardFacts, GuardMark, since};
use crate::{
    Timestamp,
    author::{Author, AuthorType},
    call::{HeldCall, HoldRule},
    message::Message,
};

/// The host messages that are due after a message whose calls were held: one for each rule that was not told in the
/// conversation since a person spoke there or lifted the guard, as far as the window tells. `Waiting` is told to the
/// sender alone.
pub fn notices(facts: &GuardFacts<'_>, held: &[HeldCall]) -> Vec<(GuardMark, String)> {
    let mut rules: Vec<HoldRule> = held.iter().map(|one| one.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules.retain(|rule| *rule != HoldRule::Waiting && !is_told(facts.window, *rule));
    rules.into_iter().map(|rule| notice(facts, rule, held)).collect()
}

/// What the conversation reads when a person has lifted the guard.
pub fn reset_text(by: &Author) -> String {
    format!("{} has lifted the loop guard here: agents may call each other again.", by.name)
}

fn is_told(window: &[Message], wanted: HoldRule) -> bool {
    let is_same = |mark| matches!(mark, GuardMark::Tripped { rule, .. } if rule == wanted);
    since::in_window(window).filter_map(GuardMark::of).any(is_same)
}

fn notice(facts: &GuardFacts<'_>, rule: HoldRule, held: &[HeldCall]) -> (GuardMark, String) {
    let stopped: Vec<&HeldCall> = held.iter().filter(|one| one.rule == rule).collect();
    let until = stopped.iter().filter_map(|one| one.until).max();
    let names: Vec<&str> = stopped.iter().map(|one| one.name.as_str()).collect();
    let (author, names) = (&facts.message.from.name, listed(&names));
    let text = format!(
        "The loop guard keeps {author} from calling {names}: {}. {}",
        reason(facts, rule),
        remedy(facts, rule, until)
    );
    let agents = stopped.iter().map(|one| one.agent_id.clone()).collect();
    (GuardMark::Tripped { rule, agents, until }, text)
}

fn reason(facts: &GuardFacts<'_>, rule: HoldRule) -> String {
    let (limits, since) = (facts.limits, since_when(facts));
    match rule {
        HoldRule::Depth => {
            format!("agents have answered each other {} in a row without a person", times(limits.response_depth_max))
        }
        HoldRule::Chain => "who is called has already answered on the way to this message".to_owned(),
        HoldRule::Pair => format!(
            "the two have called each other {} within {} seconds",
            times(limits.pair_messages_max),
            limits.pair_window_seconds
        ),
        HoldRule::Budget => format!("agents have used up their {} messages {since}", limits.conversation_answers_max),
        HoldRule::NoProgress => format!("agents say nearly the same again and again {since}"),
        HoldRule::Correlation => {
            "the calls under one correlation id go too deep, last too long or come too fast".to_owned()
        }
        HoldRule::Waiting => "too many calls wait already".to_owned(),
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Since when the guard counts here.
fn since_when(facts: &GuardFacts<'_>) -> String {
    match facts.window.iter().find(|message| since::is_end(message)) {
        Some(message) if message.from.author_type == AuthorType::Person => {
            format!("since {} wrote at {}", message.from.name, clock(message.created_at))
        }
        Some(message) => format!("since it was lifted at {}", clock(message.created_at)),
        None => "since a person last wrote here".to_owned(),
    }
}

fn remedy(facts: &GuardFacts<'_>, rule: HoldRule, until: Option<Timestamp>) -> String {
    let by_person = match (until, rule) {
        (Some(until), _) => format!("It ends by itself at {}. Call them yourself", clock(until)),
        (None, HoldRule::Correlation) => "Call them yourself, let them take another correlation id".to_owned(),
        (None, HoldRule::Depth | HoldRule::Chain) => "Write here yourself and mention whom you want".to_owned(),
        (None, _) => "Write here yourself".to_owned(),
    };
    let id = &facts.message.to;
    format!("{by_person}, or lift it with `parlour guard reset {id}` (`POST /conversations/{id}/loop-guard/reset`).")
}

/// A moment as people read it, to the second.
fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    match (text.get(..10), text.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => text,
    }
}

/// Names as a sentence lists them.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
