//! Readers like those of live sessions: each gets the events of its audience and updates its snapshot.

use parlour_core::{
    access::Principal,
    audience::{AccessRoot, Audience, PrivateChannelMembers},
    event::{Change, Event},
    id::{MemberId, PersonId},
    snapshot::{Snapshot, SnapshotUpdate},
};
use parlour_testkit::TestStore;

use crate::fixture::SnapshotFixture;

/// An event with its audience.
#[derive(Clone)]
pub(crate) struct AddressedEvent {
    pub(crate) event: Event,
    audience: Audience,
}

impl AddressedEvent {
    pub(crate) async fn new(test_store: &TestStore, event: Event) -> Self {
        let root = match (AccessRoot::of_change(&event.change), event.change.conversation_id()) {
            (None, Some(id)) => {
                let nobody = PersonId::from_bits(0).into();
                let found = test_store.store().conversation(&id, &nobody).await.expect("read").expect("a conversation");
                Some(AccessRoot::of(&found.0))
            }
            (root, _) => root,
        };
        Self { audience: Audience::of(&event.change, root), event }
    }

    /// The event in the form that a member receives; `None` if it receives none.
    pub(crate) fn as_received_by(&self, member: &MemberId, private_members: &PrivateChannelMembers) -> Option<Event> {
        if private_members.admit(&self.audience, member) {
            return Some(self.event.clone());
        }
        let change = self.event.change.seen_from_outside()?;
        Some(Event { change, ..self.event.clone() })
    }
}

/// One reader with its snapshot; `None` while it is not in the project.
pub(crate) struct SnapshotReader {
    principal: Principal,
    snapshot: Option<Snapshot>,
}

impl SnapshotReader {
    /// A reader for each caller of the fixture.
    pub(crate) async fn all(fixture: &SnapshotFixture) -> Vec<Self> {
        let mut readers = Vec::new();
        for caller in fixture.callers() {
            let principal = caller.principal();
            let snapshot = fresh(fixture, &principal).await;
            readers.push(Self { principal, snapshot });
        }
        readers
    }

    /// Applies the events that the reader may receive with these private channel members, and compares the snapshot
    /// with a fresh one.
    pub(crate) async fn follow(
        &mut self,
        fixture: &SnapshotFixture,
        events: &[AddressedEvent],
        private_members: &PrivateChannelMembers,
    ) {
        for one in events {
            let Some(event) = one.as_received_by(&self.principal.member, private_members) else { continue };
            self.apply(fixture, &event).await;
        }
        let expected = fresh(fixture, &self.principal).await;
        if expected.is_none() {
            self.snapshot = None;
        }
        let position = expected.as_ref().map(|expected| expected.position.clone());
        // Events for others change only the position of a fresh snapshot.
        let held = self.snapshot.clone().zip(position).map(|(held, position)| Snapshot { position, ..held });
        assert_eq!(held, expected, "{} after {:?}", self.principal.name, names(events));
    }

    async fn apply(&mut self, fixture: &SnapshotFixture, event: &Event) {
        let is_gain = self.gains_history_by(&event.change);
        let outcome = match &mut self.snapshot {
            Some(snapshot) => snapshot.apply(event),
            // A reader outside of the project gets no events; it starts with a fresh snapshot.
            None => return self.snapshot = fresh(fixture, &self.principal).await.filter(|_| is_gain),
        };
        match outcome {
            SnapshotUpdate::Done | SnapshotUpdate::Known => {}
            SnapshotUpdate::Reload => {
                assert!(is_gain, "{} reloads because of {}", self.principal.name, event.change.name());
                self.snapshot = fresh(fixture, &self.principal).await;
            }
            SnapshotUpdate::Hole => unreachable!("{} misses something before {event:?}", self.principal.name),
        }
    }

    /// Whether the reader gains content with a history by this change.
    fn gains_history_by(&self, change: &Change) -> bool {
        match change {
            Change::PersonAdded(person) => self.principal.member == person.id.clone().into(),
            Change::ChannelMemberAdded(one) => self.principal.member == one.member_id,
            Change::ChannelOpened(opened) => {
                let channels = self.snapshot.iter().flat_map(|snapshot| &snapshot.channels);
                channels.into_iter().all(|channel| channel.id != opened.id)
            }
            _ => false,
        }
    }
}

/// A fresh snapshot from the store.
async fn fresh(fixture: &SnapshotFixture, principal: &Principal) -> Option<Snapshot> {
    fixture.test_store.store().snapshot(&fixture.tour.id, principal).await.expect("snapshot")
}

fn names(events: &[AddressedEvent]) -> Vec<&'static str> {
    events.iter().map(|one| one.event.change.name()).collect()
}
