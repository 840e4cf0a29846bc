//! State of an MCP client between two of its requests: its run, and the messages of its last results.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use parlour_core::{
    Timestamp,
    access::Principal,
    delivery::DeliveryPath,
    id::{MemberId, MessageId, RunId, TokenId},
    limits,
};

/// State of one client, shared by its concurrent requests.
#[derive(Debug, Default)]
pub(super) struct ClientState(Mutex<ClientStateInner>);

#[derive(Debug, Default)]
struct ClientStateInner {
    run: Option<RunId>,
    /// Messages that a result contained. The next request of the client confirms that the result arrived.
    unconfirmed: Vec<(MessageId, DeliveryPath)>,
}

impl ClientState {
    /// The current run of the client.
    pub(super) fn run(&self) -> Option<RunId> {
        self.lock().run.clone()
    }

    /// Makes this the current run of the client.
    pub(super) fn set_run(&self, run: RunId) {
        self.lock().run = Some(run);
    }

    /// Forgets the run if it is still the current one.
    pub(super) fn clear_run(&self, run: &RunId) {
        let mut state = self.lock();
        if state.run.as_ref() == Some(run) {
            state.run = None;
        }
    }

    /// Adds messages of a result and returns those that were not recorded before. Messages over the limit are skipped.
    pub(super) fn add_unconfirmed(
        &self,
        ids: impl IntoIterator<Item = MessageId>,
        delivered_via: DeliveryPath,
    ) -> Vec<MessageId> {
        let mut state = self.lock();
        let mut added = Vec::new();
        for id in ids {
            let is_recorded = state.unconfirmed.iter().any(|(recorded, _)| *recorded == id);
            if !is_recorded && state.unconfirmed.len() < limits::MCP_UNCONFIRMED_MESSAGES_MAX {
                state.unconfirmed.push((id.clone(), delivered_via));
                added.push(id);
            }
        }
        added
    }

    /// The unconfirmed messages of one delivery path.
    pub(super) fn unconfirmed_via(&self, delivered_via: DeliveryPath) -> Vec<MessageId> {
        self.lock().unconfirmed.iter().filter(|(_, path)| *path == delivered_via).map(|(id, _)| id.clone()).collect()
    }

    /// Removes and returns all unconfirmed messages.
    pub(super) fn take_unconfirmed(&self) -> Vec<(MessageId, DeliveryPath)> {
        std::mem::take(&mut self.lock().unconfirmed)
    }

    fn lock(&self) -> MutexGuard<'_, ClientStateInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// States of clients without an MCP session, by token. Two programs with the same token share one state.
#[derive(Debug, Default)]
pub(super) struct SessionlessClients(Mutex<HashMap<ClientKey, (Arc<ClientState>, Timestamp)>>);

type ClientKey = (MemberId, Option<TokenId>);

impl SessionlessClients {
    /// The state of this caller. At the limit, a new caller replaces the one that has been idle the longest.
    pub(super) fn state_of(&self, caller: &Principal, now: Timestamp) -> Arc<ClientState> {
        let key = (caller.member.clone(), caller.grant.origin.token.clone());
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !states.contains_key(&key) && states.len() >= limits::MCP_TOKENS_MAX {
            let idle = states.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            idle.map(|key| states.remove(&key));
        }
        let (state, used) = states.entry(key).or_insert_with(|| (Arc::default(), now));
        *used = now;
        Arc::clone(state)
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{access::Role, name::Name};

    use super::*;

    fn message(number: u128) -> MessageId {
        MessageId::from_bits(number)
    }

    #[test]
    fn unconfirmed_messages_are_recorded_and_taken_once() {
        let state = ClientState::default();
        assert_eq!(state.add_unconfirmed([message(1), message(2)], DeliveryPath::Tool), [message(1), message(2)]);
        assert_eq!(state.add_unconfirmed([message(2)], DeliveryPath::Tool), [], "it is recorded already");
        assert_eq!(state.take_unconfirmed(), [(message(1), DeliveryPath::Tool), (message(2), DeliveryPath::Tool)]);
        assert_eq!(state.take_unconfirmed(), []);
        assert_eq!(state.add_unconfirmed([message(2)], DeliveryPath::Tool), [message(2)], "it can be recorded again");
    }

    #[test]
    fn clearing_an_old_run_keeps_the_current_one() {
        let (state, first, second) = (ClientState::default(), RunId::from_bits(1), RunId::from_bits(2));
        state.set_run(first.clone());
        state.set_run(second.clone());
        state.clear_run(&first);
        assert_eq!(state.run(), Some(second.clone()));
        state.clear_run(&second);
        assert_eq!(state.run(), None);
    }

    #[test]
    fn the_state_that_is_idle_the_longest_is_dropped_first() {
        let caller = |number: usize| {
            let id = parlour_core::id::PersonId::from_bits(number as u128);
            Principal::new(id, Name::parse("Mara").expect("a name"), Role::Person)
        };
        let at = |number: usize| Timestamp::from_millis(number as i64);
        let clients = SessionlessClients::default();
        let first = clients.state_of(&caller(0), at(0));
        let second = clients.state_of(&caller(1), at(1));
        for number in 2..limits::MCP_TOKENS_MAX {
            clients.state_of(&caller(number), at(number));
        }
        assert!(Arc::ptr_eq(&first, &clients.state_of(&caller(0), at(5_000))), "all fit");
        clients.state_of(&caller(9_999), at(9_999));
        assert!(Arc::ptr_eq(&first, &clients.state_of(&caller(0), at(10_000))), "it was used recently");
        assert!(!Arc::ptr_eq(&second, &clients.state_of(&caller(1), at(10_001))), "it was idle the longest");
        assert_eq!(clients.0.lock().expect("states").len(), limits::MCP_TOKENS_MAX);
    }
}
