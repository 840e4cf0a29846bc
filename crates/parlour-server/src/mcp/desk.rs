//! What is kept in mind of one MCP client between two of its calls.

use std::{collections::HashMap, sync::Arc};

use parlour_core::{
    Timestamp,
    access::Principal,
    delivery::DeliveryPath,
    id::{MemberId, MessageId, RunId, TokenId},
    limits,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is kept in mind of one client: its run, and what it was given.
#[derive(Debug, Default)]
pub(super) struct Desk(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    run: Option<RunId>,
    /// Messages that stood in a result. That the client took it is known when it calls again.
    given: Vec<(MessageId, DeliveryPath)>,
}

impl Desk {
    /// The run of the client, if it has begun one.
    pub(super) fn run(&self) -> Option<RunId> {
        self.lock().run.clone()
    }

    /// The client works in this run from now on.
    pub(super) fn begin(&self, run: RunId) {
        self.lock().run = Some(run);
    }

    /// The run has ended. Another one that was begun meanwhile stays.
    pub(super) fn end(&self, run: &RunId) {
        let mut state = self.lock();
        if state.run.as_ref() == Some(run) {
            state.run = None;
        }
    }

    /// Keeps in mind that these stand in a result; answers those that did not before.
    pub(super) fn give(&self, ids: impl IntoIterator<Item = MessageId>, delivered_via: DeliveryPath) -> Vec<MessageId> {
        let mut state = self.lock();
        let mut fresh = Vec::new();
        for id in ids {
            let is_known = state.given.iter().any(|(known, _)| *known == id);
            if !is_known && state.given.len() < limits::MCP_RIDERS_MAX {
                state.given.push((id.clone(), delivered_via));
                fresh.push(id);
            }
        }
        fresh
    }

    /// What this call has given by this delivery path already.
    pub(super) fn given_by(&self, delivered_via: DeliveryPath) -> Vec<MessageId> {
        self.lock().given.iter().filter(|(_, by)| *by == delivered_via).map(|(id, _)| id.clone()).collect()
    }

    /// What the client was given before this call, and has so taken.
    pub(super) fn taken(&self) -> Vec<(MessageId, DeliveryPath)> {
        std::mem::take(&mut self.lock().given)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The desks of clients without a session, by their tokens: two programs with one token share theirs.
#[derive(Debug, Default)]
pub(super) struct Desks(Mutex<HashMap<Key, (Arc<Desk>, Timestamp)>>);

type Key = (MemberId, Option<TokenId>);

impl Desks {
    /// The desk of this caller, used now.
    pub(super) fn of(&self, caller: &Principal, now: Timestamp) -> Arc<Desk> {
        let key = (caller.member.clone(), caller.grant.origin.token.clone());
        let mut desks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !desks.contains_key(&key) && desks.len() >= limits::MCP_TOKENS_MAX {
            let quiet = desks.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            quiet.map(|key| desks.remove(&key));
        }
        let (desk, used) = desks.entry(key).or_insert_with(|| (Arc::default(), now));
        *used = now;
        Arc::clone(desk)
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
    fn what_was_given_is_taken_once() {
        let desk = Desk::default();
        assert_eq!(desk.give([message(1), message(2)], DeliveryPath::Tool), [message(1), message(2)]);
        assert_eq!(desk.give([message(2)], DeliveryPath::Tool), [], "it is known already");
        assert_eq!(desk.taken(), [(message(1), DeliveryPath::Tool), (message(2), DeliveryPath::Tool)]);
        assert_eq!(desk.taken(), []);
        assert_eq!(desk.give([message(2)], DeliveryPath::Tool), [message(2)], "it may be given again");
    }

    #[test]
    fn an_ended_run_does_not_end_the_next() {
        let (desk, first, second) = (Desk::default(), RunId::from_bits(1), RunId::from_bits(2));
        desk.begin(first.clone());
        desk.begin(second.clone());
        desk.end(&first);
        assert_eq!(desk.run(), Some(second.clone()));
        desk.end(&second);
        assert_eq!(desk.run(), None);
    }

    #[test]
    fn the_desk_that_was_quiet_for_longest_is_forgotten_first() {
        let caller = |number: usize| {
            let id = parlour_core::id::PersonId::from_bits(number as u128);
            Principal::new(id, Name::parse("Mara").expect("a name"), Role::Person)
        };
        let at = |number: usize| Timestamp::from_millis(number as i64);
        let desks = Desks::default();
        let first = desks.of(&caller(0), at(0));
        for number in 1..limits::MCP_TOKENS_MAX {
            desks.of(&caller(number), at(number));
        }
        assert!(Arc::ptr_eq(&first, &desks.of(&caller(0), at(5_000))), "it is still there");
        desks.of(&caller(9_999), at(9_999));
        assert!(Arc::ptr_eq(&first, &desks.of(&caller(0), at(10_000))), "it was used");
        assert_eq!(desks.0.lock().expect("desks").len(), limits::MCP_TOKENS_MAX);
    }
}
