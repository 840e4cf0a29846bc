//! Correlation: calls that belong together by their correlation id go neither too deep, nor for too long, nor too fast.

use std::collections::HashMap;

use super::{GuardFacts, Stop, since};
use crate::{
    Timestamp,
    call::Call,
    id::{AgentId, MemberId},
    limits,
};

/// Holds a candidate when a call of it would be deeper than `correlation_depth_max`, come later than
/// `correlation_age_seconds` after the first call, or be one more than `correlation_calls_max` within
/// `correlation_window_seconds`; exactly at a limit is allowed. `called` others are called by the same message already.
///
/// Depth is that of the collapsed line: coming back to an agent leads back to where that agent stands. Calls in this
/// conversation from before a reset do not count. An id with `GUARD_CALLS_MAX` calls is used up.
pub(super) fn stop(facts: &GuardFacts<'_>, candidate: &AgentId, called: usize) -> Option<Stop> {
    facts.message.correlation_id.as_ref()?;
    let calls = counted(facts);
    let is_used_up = facts.correlated.len() >= limits::GUARD_CALLS_MAX;
    if is_used_up || is_too_old(facts, &calls) || is_too_deep(facts, &calls, candidate) {
        return Some(Stop::FOR_A_PERSON);
    }
    free_again(facts, &calls, called).map(|until| Stop { until: Some(until) })
}

fn counted<'a>(facts: &GuardFacts<'a>) -> Vec<&'a Call> {
    let reset = since::last_reset(facts);
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
            let line = collapsed(lines.get(&from), &from, &call.agent_id);
            lines.insert(call.agent_id.clone(), line);
        }
    }
    let agents = collapsed(lines.get(&author), &author, candidate).len();
    // The first in the line was called by nobody under this id.
    agents as u64 > facts.limits.correlation_depth_max.saturating_add(1)
}

/// The line of agents that leads to `to` when `from` calls it.
fn collapsed(line: Option<&Vec<AgentId>>, from: &AgentId, to: &AgentId) -> Vec<AgentId> {
    let mut line = line.cloned().unwrap_or_else(|| vec![from.clone()]);
    match line.iter().position(|agent| agent == to) {
        Some(place) => line.truncate(place + 1),
        None => line.push(to.clone()),
    }
    line
}

/// When one more call would not be too many, if it is now.
fn free_again(facts: &GuardFacts<'_>, calls: &[&Call], called: usize) -> Option<Timestamp> {
    let window_ms = facts.limits.correlation_window_seconds.saturating_mul(1_000);
    let ends = calls.iter().map(|call| call.called_at).chain(std::iter::repeat_n(facts.now, called));
    let mut ends: Vec<_> = ends.map(|at| at.plus_millis(window_ms)).filter(|end| facts.now < *end).collect();
    ends.sort_unstable();
    let most = usize::try_from(facts.limits.correlation_calls_max).unwrap_or(usize::MAX).max(1);
    ends.len().checked_sub(most).map(|place| ends[place])
}
