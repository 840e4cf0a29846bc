//! The rules of the loop guard. Each returns a hold, or nothing when the call may be made.

use std::collections::HashMap;

use crate::{
    Timestamp,
    call::Call,
    id::{AgentId, MemberId},
    limits,
    loop_guard::{
        GuardFacts, Hold,
        history::{self, AnswerChain},
        similarity::{NameWords, TextFingerprint},
    },
    message::{Kind, Message},
    model_visibility,
    name::Name,
};

/// Depth: a message as deep as `response_depth_max` calls nobody, so no answer is deeper.
pub(super) fn depth_hold(facts: &GuardFacts<'_>) -> Option<Hold> {
    (u64::from(AnswerChain::of(facts).depth) >= facts.limits.response_depth_max).then_some(Hold::UNTIL_PERSON)
}

/// Chain: holds a candidate that occurs in the chain more than `chain_repeats_max` times, by its id or by its name. The
/// hub records ids; names can also come from clients.
pub(super) fn chain_hold(facts: &GuardFacts<'_>, candidate: &AgentId) -> Option<Hold> {
    let chain = AnswerChain::of(facts);
    let by_id = chain.agents.iter().filter(|agent| *agent == candidate).count();
    let fold = Name::fold(facts.name_of(candidate).as_str());
    let by_name = chain.names.iter().filter(|name| Name::fold(name) == fold).count();
    (by_id.max(by_name) as u64 > facts.limits.chain_repeats_max).then_some(Hold::UNTIL_PERSON)
}

/// Pair: holds a candidate until `pair_silence_seconds` after the last call between it and the author, when the last
/// `pair_messages_max` of those calls, in any conversation of the project, lie within `pair_window_seconds`.
///
/// Calls in this conversation from before a reset do not count. At most `GUARD_CALLS_MAX` calls of each agent are
/// loaded, so a larger `pair_messages_max` has the effect of that number.
pub(super) fn pair_hold(facts: &GuardFacts<'_>, candidate: &AgentId) -> Option<Hold> {
    let times = call_times(facts, candidate);
    let most = usize::try_from(facts.limits.pair_messages_max).unwrap_or(usize::MAX).min(limits::GUARD_CALLS_MAX);
    let (last, first) = (times.first()?, times.get(most.max(1) - 1)?);
    let until = last.plus_millis(facts.limits.pair_silence_seconds.saturating_mul(1_000));
    let is_full = *last <= first.plus_millis(facts.limits.pair_window_seconds.saturating_mul(1_000));
    (is_full && facts.now < until).then_some(Hold { until: Some(until) })
}

/// The times at which the author and the candidate called each other, newest first.
fn call_times(facts: &GuardFacts<'_>, candidate: &AgentId) -> Vec<Timestamp> {
    let Some(author) = facts.author() else { return Vec::new() };
    let reset = history::last_reset(facts);
    let counts = |call: &Call| call.conversation_id != facts.message.to || reset.is_none_or(|at| call.called_at > at);
    let is_between = |call: &Call| {
        let from = call.from.member_id();
        let from = from.as_ref().and_then(|member| member.agent());
        (call.agent_id == author && from == Some(candidate)) || (call.agent_id == *candidate && from == Some(&author))
    };
    let mut calls: Vec<&Call> = facts.calls.iter().filter(|call| is_between(call) && counts(call)).collect();
    // The hub loads calls by agent, so a call can be loaded twice; it counts once.
    let key = |call: &&Call| (call.called_at, call.message_id.clone(), call.agent_id.clone());
    calls.sort_by_key(key);
    calls.dedup_by_key(|call| key(call));
    calls.iter().rev().map(|call| call.called_at).collect()
}

/// Budget: holds every call once agents have written `conversation_answers_max` messages, this one included, since the
/// last message of a person or the last reset.
///
/// Without a message of a person among the last `GUARD_WINDOW_MAX` messages the budget is exhausted too, however large
/// it is: older messages are not loaded.
pub(super) fn budget_hold(facts: &GuardFacts<'_>) -> Option<Hold> {
    let written = history::since_person(facts).filter(|message| history::is_from_agent(message)).count();
    let is_exhausted = written as u64 + 1 >= facts.limits.conversation_answers_max;
    let is_full = facts.window.iter().filter(|message| history::is_native(message)).count() >= limits::GUARD_WINDOW_MAX;
    let is_person_out_of_window = is_full && !facts.window.iter().any(history::is_end);
    (is_exhausted || is_person_out_of_window).then_some(Hold::UNTIL_PERSON)
}

/// The smallest effective limit: a text that is written for the first time repeats nothing.
const SIMILAR_MIN: u64 = 2;

/// No progress: holds every call when agents have written `similar_answers_max` nearly equal messages, this one
/// included, since the last message of a person or the last reset. A new text is never held, even with a limit of 1.
pub(super) fn no_progress_hold(facts: &GuardFacts<'_>) -> Option<Hold> {
    let most = facts.limits.similar_answers_max.max(SIMILAR_MIN);
    let earlier: Vec<&Message> = history::since_person(facts).filter(|message| is_answer(message)).collect();
    if (earlier.len() as u64) + 1 < most {
        return None;
    }
    let names = NameWords::new(facts);
    let fingerprint = TextFingerprint::of(facts.message, &names)?;
    let is_similar =
        |message: &&Message| TextFingerprint::of(message, &names).is_some_and(|other| other.is_similar(&fingerprint));
    let wanted = usize::try_from(most - 1).unwrap_or(usize::MAX);
    let similar = earlier.into_iter().filter(is_similar).take(wanted).count();
    (similar == wanted).then_some(Hold::UNTIL_PERSON)
}

/// Whether the message is an answer of an agent: not a notice, not a tool result, visible to models.
fn is_answer(message: &Message) -> bool {
    history::is_from_agent(message)
        && model_visibility::may_reach_model(message)
        && message.kind != Kind::ToolResult
        && !message.is_notice
}

/// Correlation: holds a candidate when its call would be deeper than `correlation_depth_max`, later than
/// `correlation_age_seconds` after the first call, or exceed `correlation_calls_max` calls within
/// `correlation_window_seconds`. A value equal to its limit is allowed. `called` is the number of agents that the same
/// message already calls.
///
/// The depth is that of the path without cycles: a call back to an agent returns to the position of that agent. Calls
/// in this conversation from before a reset do not count. A correlation id with `GUARD_CALLS_MAX` calls is exhausted.
pub(super) fn correlation_hold(facts: &GuardFacts<'_>, candidate: &AgentId, called: usize) -> Option<Hold> {
    facts.message.correlation_id.as_ref()?;
    let calls = counted_calls(facts);
    let is_exhausted = facts.correlated.len() >= limits::GUARD_CALLS_MAX;
    if is_exhausted || is_too_old(facts, &calls) || is_too_deep(facts, &calls, candidate) {
        return Some(Hold::UNTIL_PERSON);
    }
    rate_frees_at(facts, &calls, called).map(|until| Hold { until: Some(until) })
}

fn counted_calls<'a>(facts: &GuardFacts<'a>) -> Vec<&'a Call> {
    let reset = history::last_reset(facts);
    let is_lifted =
        |call: &Call| call.conversation_id == facts.message.to && reset.is_some_and(|at| call.called_at <= at);
    facts.correlated.iter().filter(|call| !is_lifted(call)).collect()
}

fn is_too_old(facts: &GuardFacts<'_>, calls: &[&Call]) -> bool {
    let age_ms = facts.limits.correlation_age_seconds.saturating_mul(1_000);
    calls.iter().map(|call| call.called_at).min().is_some_and(|first| facts.now > first.plus_millis(age_ms))
}

fn is_too_deep(facts: &GuardFacts<'_>, calls: &[&Call], candidate: &AgentId) -> bool {
    let Some(author) = facts.author() else { return false };
    let mut lines: HashMap<AgentId, Vec<AgentId>> = HashMap::new();
    for call in calls {
        if let Some(MemberId::Agent(from)) = call.from.member_id() {
            let line = path_without_cycles(lines.get(&from), &from, &call.agent_id);
            lines.insert(call.agent_id.clone(), line);
        }
    }
    let agents = path_without_cycles(lines.get(&author), &author, candidate).len();
    // The first agent of the path was not called under this id.
    agents as u64 > facts.limits.correlation_depth_max.saturating_add(1)
}

/// The path of agents to `to` when `from` calls it, without cycles.
fn path_without_cycles(line: Option<&Vec<AgentId>>, from: &AgentId, to: &AgentId) -> Vec<AgentId> {
    let mut line = line.cloned().unwrap_or_else(|| vec![from.clone()]);
    match line.iter().position(|agent| agent == to) {
        Some(index) => line.truncate(index + 1),
        None => line.push(to.clone()),
    }
    line
}

/// The time at which one more call is within the rate, if it is not now.
fn rate_frees_at(facts: &GuardFacts<'_>, calls: &[&Call], called: usize) -> Option<Timestamp> {
    let window_ms = facts.limits.correlation_window_seconds.saturating_mul(1_000);
    let ends = calls.iter().map(|call| call.called_at).chain(std::iter::repeat_n(facts.now, called));
    let mut ends: Vec<_> = ends.map(|at| at.plus_millis(window_ms)).filter(|end| facts.now < *end).collect();
    ends.sort_unstable();
    let most = usize::try_from(facts.limits.correlation_calls_max).unwrap_or(usize::MAX).max(1);
    ends.len().checked_sub(most).map(|index| ends[index])
}
