//! What must hold in every arena, whatever its agents do: found out from the log alone.

use std::collections::{HashMap, HashSet};

use super::world::World;
use crate::{
    author::AuthorType,
    call::{Call, HoldRule},
    id::AgentId,
    limits,
    loop_guard::GuardMark,
    message::Message,
};

impl World {
    /// Checks all laws.
    pub(super) fn check(&self) {
        for messages in &self.channels {
            let oldest_first: Vec<&Message> = messages.iter().rev().collect();
            for stretch in oldest_first.split(|message| message.from.author_type == AuthorType::Person) {
                self.check_stretch(stretch);
            }
            oldest_first.into_iter().for_each(|message| self.check_message(message));
        }
        self.check_calls();
        self.check_pairs();
    }

    /// What agents do after a person's message in one conversation, until a person speaks there again.
    fn check_stretch(&self, stretch: &[&Message]) {
        let budget = self.policy.loop_limits.conversation_answers_max as usize;
        let is_calling = |message: &&&Message| !message.calls.is_empty();
        assert!(stretch.iter().filter(is_calling).count() < budget, "too many calls");
        let mut told: HashMap<HoldRule, usize> = HashMap::new();
        for (place, message) in stretch.iter().enumerate() {
            if let Some(GuardMark::Tripped { rule, .. }) = GuardMark::of(message) {
                let before = told.insert(rule, place);
                // What has left the window may be told again.
                let is_new = before.is_none_or(|before| place - before > limits::GUARD_WINDOW_MAX);
                assert!(is_new, "{rule:?} is told twice");
            }
            assert!(
                !told.contains_key(&HoldRule::Budget) || message.calls.is_empty(),
                "a call after the budget was spent"
            );
            let is_told = |rule: HoldRule| rule == HoldRule::Waiting || told.contains_key(&rule);
            let held_before = stretch.iter().take_while(|one| one.id != message.id).flat_map(|one| &one.held);
            let is_due = |message: &Message| message.from.author_type == AuthorType::Agent;
            assert!(!is_due(message) || held_before.into_iter().all(|held| is_told(held.rule)), "a stop is not told");
        }
    }

    fn check_message(&self, message: &Message) {
        let Some(cause) = message.cause.as_ref().filter(|_| !message.calls.is_empty()) else { return };
        let loops = &self.policy.loop_limits;
        assert!(u64::from(cause.depth) < loops.response_depth_max, "called from too deep");
        for called in &message.calls {
            let times = cause.agents.iter().filter(|agent| *agent == called).count();
            assert!(times as u64 <= loops.chain_repeats_max, "called again within a chain");
        }
    }

    fn check_calls(&self) {
        let mut seen = HashSet::new();
        for call in &self.calls {
            assert!(seen.insert((&call.agent_id, &call.message_id)), "called twice by the same message");
            assert_ne!(call.from.id.as_deref(), Some(call.agent_id.as_str()), "an agent has called itself");
        }
    }

    /// After a full window, two agents are silent towards each other.
    fn check_pairs(&self) {
        let loops = &self.policy.loop_limits;
        let (window, silence) = (loops.pair_window_seconds * 1_000, loops.pair_silence_seconds * 1_000);
        let most = loops.pair_messages_max as usize;
        for pair in self.pairs() {
            for calls in pair.windows(most + 1) {
                let (first, last, next) = (calls[0].called_at, calls[most - 1].called_at, calls[most].called_at);
                assert!(last > first.plus_millis(window) || next >= last.plus_millis(silence), "no silence");
            }
        }
    }

    fn pairs(&self) -> Vec<Vec<&Call>> {
        let key = |call: &Call| -> Option<(AgentId, AgentId)> {
            let from = call.from.member_id()?.agent()?.clone();
            Some((from.clone().min(call.agent_id.clone()), from.max(call.agent_id.clone())))
        };
        let mut keys: Vec<_> = self.calls.iter().filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        let of_pair = |wanted| self.calls.iter().filter(|call| key(call).as_ref() == Some(&wanted)).collect();
        keys.into_iter().map(of_pair).collect()
    }
}
