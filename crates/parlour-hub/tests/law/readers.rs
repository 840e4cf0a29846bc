//! Readers as live sessions make them: each hears what its audience allows and keeps its snapshot up to date.

use parlour_core::{
    access::Principal,
    audience::{AccessRoot, Audience, PrivateChannelMembers},
    event::{Change, Event},
    id::{MemberId, PersonId},
    snapshot::{Applied, Snapshot},
};
use parlour_testkit::World;

use crate::fixture::LawFixture;

/// An event with those who may learn of it.
#[derive(Clone)]
pub(crate) struct AddressedEvent {
    pub(crate) event: Event,
    audience: Audience,
}

impl AddressedEvent {
    /// Finds out who may learn of an event.
    pub(crate) async fn new(world: &World, event: Event) -> Self {
        let root = match (AccessRoot::told_by(&event.change), event.change.conversation_id()) {
            (None, Some(id)) => {
                let nobody = PersonId::from_bits(0).into();
                let found = world.store().conversation(&id, &nobody).await.expect("read").expect("a conversation");
                Some(AccessRoot::of(&found.0))
            }
            (root, _) => root,
        };
        Self { audience: Audience::of(&event.change, root), event }
    }

    /// The event as a member hears it, if it does.
    pub(crate) fn heard_by(&self, member: &MemberId, private_members: &PrivateChannelMembers) -> Option<Event> {
        if private_members.admit(&self.audience, member) {
            return Some(self.event.clone());
        }
        let change = self.event.change.seen_from_outside()?;
        Some(Event { change, ..self.event.clone() })
    }
}

/// One reader with its snapshot; none while it does not see the project.
pub(crate) struct Reader {
    principal: Principal,
    snapshot: Option<Snapshot>,
}

impl Reader {
    /// A reader for each caller of the stage.
    pub(crate) async fn all(fixture: &LawFixture) -> Vec<Self> {
        let mut readers = Vec::new();
        for caller in fixture.callers() {
            let principal = caller.principal();
            let snapshot = fresh(fixture, &principal).await;
            readers.push(Self { principal, snapshot });
        }
        readers
    }

    /// Takes what was told, judged by these private channel members, and then holds exactly what a fresh snapshot would.
    pub(crate) async fn follow(
        &mut self,
        fixture: &LawFixture,
        told: &[AddressedEvent],
        private_members: &PrivateChannelMembers,
    ) {
        for one in told {
            let Some(event) = one.heard_by(&self.principal.member, private_members) else { continue };
            self.hear(fixture, &event).await;
        }
        let expected = fresh(fixture, &self.principal).await;
        if expected.is_none() {
            self.snapshot = None;
        }
        let position = expected.as_ref().map(|expected| expected.position.clone());
        // What was not for this reader moves only the position of a fresh snapshot.
        let held = self.snapshot.clone().zip(position).map(|(held, position)| Snapshot { position, ..held });
        assert_eq!(held, expected, "{} after {:?}", self.principal.name, names(told));
    }

    async fn hear(&mut self, fixture: &LawFixture, event: &Event) {
        let is_gain = self.gains_by(&event.change);
        let outcome = match &mut self.snapshot {
            Some(snapshot) => snapshot.apply(event),
            // Who is not in the project is told nothing; it begins with a fresh snapshot.
            None => return self.snapshot = fresh(fixture, &self.principal).await.filter(|_| is_gain),
        };
        match outcome {
            Applied::Done | Applied::Known => {}
            Applied::Reload => {
                assert!(is_gain, "{} loads anew because of {}", self.principal.name, event.change.name());
                self.snapshot = fresh(fixture, &self.principal).await;
            }
            Applied::Hole => unreachable!("{} misses something before {event:?}", self.principal.name),
        }
    }

    /// Whether a change lets the reader see something with a past.
    fn gains_by(&self, change: &Change) -> bool {
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

/// What the store shows to a caller now.
async fn fresh(fixture: &LawFixture, principal: &Principal) -> Option<Snapshot> {
    fixture.world.store().snapshot(&fixture.tour.id, principal).await.expect("snapshot")
}

fn names(told: &[AddressedEvent]) -> Vec<&'static str> {
    told.iter().map(|one| one.event.change.name()).collect()
}
