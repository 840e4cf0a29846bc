//! Pair: two agents may exchange so many messages in a short time, then they are silent towards each other for a while.

use super::{GuardFacts, Stop, since};
use crate::{Timestamp, call::Call, id::AgentId, limits};

/// Holds a candidate until `pair_silence_seconds` after the last call between it and the author, when the last
/// `pair_messages_max` of those calls, in whatever conversation of the project, lie within `pair_window_seconds`.
///
/// Calls in this conversation from before a reset do not count. Of each agent `GUARD_CALLS_MAX` calls are known at the
/// most, so a greater `pair_messages_max` means that many.
pub(super) fn stop(facts: &GuardFacts<'_>, candidate: &AgentId) -> Option<Stop> {
    let times = exchange(facts, candidate);
    let most = usize::try_from(facts.limits.pair_messages_max).unwrap_or(usize::MAX).min(limits::GUARD_CALLS_MAX);
    let (last, first) = (times.first()?, times.get(most.max(1) - 1)?);
    let until = last.plus_millis(facts.limits.pair_silence_seconds.saturating_mul(1_000));
    let is_full = *last <= first.plus_millis(facts.limits.pair_window_seconds.saturating_mul(1_000));
    (is_full && facts.now < until).then_some(Stop { until: Some(until) })
}

/// When the author and the candidate have called each other, newest first.
fn exchange(facts: &GuardFacts<'_>, candidate: &AgentId) -> Vec<Timestamp> {
    let Some(author) = facts.author() else { return Vec::new() };
    let reset = since::last_reset(facts);
    let counts = |call: &Call| call.conversation_id != facts.message.to || reset.is_none_or(|at| call.called_at > at);
    let is_between = |call: &Call| {
        let from = call.from.member_id();
        let from = from.as_ref().and_then(|member| member.agent());
        (call.agent_id == author && from == Some(candidate)) || (call.agent_id == *candidate && from == Some(&author))
    };
    let mut calls: Vec<&Call> = facts.calls.iter().filter(|call| is_between(call) && counts(call)).collect();
    // The hub reads calls by agent; should it name one twice, its calls still count once.
    let key = |call: &&Call| (call.called_at, call.message_id.clone(), call.agent_id.clone());
    calls.sort_by_key(key);
    calls.dedup_by_key(|call| key(call));
    calls.iter().rev().map(|call| call.called_at).collect()
}
