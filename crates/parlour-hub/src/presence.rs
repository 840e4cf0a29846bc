//! Who is there, and who is typing.
//!
//! The books are pure: they are told what time it is, and what they answer is told by others. Changes are gathered in
//! windows, one for each project or conversation, so that the number of frames depends on neither how many members
//! come and go nor how often.

mod due_queue;
mod member_entry;
mod book;
mod record;
mod room;
mod typing;

use parking_lot::Mutex;
use parlour_core::{Timestamp, access::Principal, event::Change};
use tokio::sync::Notify;

pub(crate) use member_entry::Source;
pub(crate) use book::{PresenceRegistry, VisibleProjects};
pub(crate) use record::{MemberRecord, person_projects};
pub(crate) use typing::TypingRegistry;

use crate::{Failure, ports::Store};

/// The books of presence and typing, and the bell for whoever tells what stands in them.
#[derive(Default)]
pub(crate) struct PresenceService {
    state: Mutex<PresenceState>,
    due_changed: Notify,
}

/// The books of presence and typing.
#[derive(Default)]
pub(crate) struct PresenceState {
    pub(crate) presence: PresenceRegistry,
    pub(crate) typing: TypingRegistry,
}

impl PresenceState {
    /// When something has to be told, or somebody counts as gone.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        [self.presence.next_due(), self.typing.next_due()].into_iter().flatten().min()
    }
}

impl PresenceService {
    /// Reads or writes the books; whoever waits for the next due moment learns when it is another one.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut PresenceState) -> T) -> T {
        let mut state = self.state.lock();
        let due = state.next_due();
        let outcome = act(&mut state);
        if state.next_due() != due {
            self.due_changed.notify_one();
        }
        outcome
    }

    /// Waits until another moment is the next due one. A change before the call counts.
    pub(crate) async fn due_changed(&self) {
        self.due_changed.notified().await;
    }

    /// Follows a change to who belongs where, or to what a member is called.
    ///
    /// The store is asked anew instead of trusting the change: two changes can arrive in the wrong order.
    pub(crate) async fn refresh_after(&self, store: &dyn Store, caller: &Principal, change: &Change, now: Timestamp) {
        let Some(who) = record::affected_member(caller, change) else { return };
        let Some(ticket) = self.with(|state| state.presence.ticket(&who.member)) else { return };
        let record = match MemberRecord::load(store, &who).await {
            Ok(record) => record,
            Err(failure) => hidden(&who, &failure),
        };
        self.with(|state| state.presence.settle(now, &who.member, ticket, record));
    }
}

/// Nobody is shown where the hub is not sure that he belongs.
fn hidden(who: &Principal, failure: &Failure) -> MemberRecord {
    tracing::warn!(member = %who.member, %failure, "presence is hidden: the projects could not be read");
    MemberRecord { name: who.name.clone(), instructions: None, projects: Default::default() }
}
