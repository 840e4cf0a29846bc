mod access;
mod asking;
mod build;
mod caller;
mod draft;
mod injecting;
mod pages;
mod place;
mod snapshot;

use std::sync::Arc;

use parlour_core::{
    Code, Timestamp,
    attribution::Attribution,
    author::Author,
    event::Change,
    id::ProjectId,
    origin::Origin,
    write::{Appended, Entry, Novelty, Write},
};

pub(crate) use asking::{reporting, yes};
pub use caller::Caller;
pub use draft::Draft;
pub(crate) use injecting::{shown, summed_up};
pub(crate) use pages::{check_pages, read_all};
pub use place::Place;
pub use snapshot::Snapshot;

use super::{CountingIds, ManualClock};
use parlour_hub::{
    Failure,
    ports::{Clock, Ids, Store},
};

/// A store with people, projects and conversations in it, made with as few words as a test needs.
///
/// It writes through the log of the store alone: no rule of the hub stands between a test and the port.
/// Every write is one millisecond later than the one before it.
#[derive(Clone)]
pub struct World {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    ids: Arc<CountingIds>,
    number: u64,
}

impl From<Arc<dyn Store>> for World {
    fn from(store: Arc<dyn Store>) -> Self {
        Self::new(store)
    }
}

impl World {
    /// A world over this store, with nobody in it that was not there before.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, clock: Arc::default(), ids: Arc::default(), number: 0 }
    }

    /// Another world over the same store: the number is added to all names, so that none is taken.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Self {
        Self { number, ..self.clone() }
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// The clock of all writes.
    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// New bits for an id.
    pub fn bits(&self) -> u128 {
        self.ids.next_bits()
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Asks the store for a write.
    pub async fn append(&self, project_id: &ProjectId, actor: &dyn Caller, write: Write) -> Result<Appended, Failure> {
        self.append_by(project_id, actor.author(), write).await
    }

    async fn append_by(&self, project_id: &ProjectId, actor: Author, write: Write) -> Result<Appended, Failure> {
        let at = self.clock.advance(1);
        let write = stamped(write, at);
        let attribution = Attribution { actor, at, origin: Origin::default() };
        self.store.append(Entry { project_id: project_id.clone(), attribution, write }).await
    }

    /// Makes a change that must be new, and tells what became of it.
    pub async fn change(&self, project_id: &ProjectId, actor: &dyn Caller, write: Write) -> Change {
        self.change_by(project_id, actor.author(), write).await
    }

    async fn change_by(&self, project_id: &ProjectId, actor: Author, write: Write) -> Change {
        let text = format!("{write:?}");
        let appended = self.append_by(project_id, actor, write).await.expect(&text);
        assert_eq!(appended.novelty, Novelty::New, "{text}");
        appended.change
    }

    /// Asks for a write that must find everything as wanted already, and tells what is there.
    pub async fn repeat(&self, project_id: &ProjectId, actor: &dyn Caller, write: Write) -> Change {
        let text = format!("{write:?}");
        let appended = self.append(project_id, actor, write).await.expect(&text);
        assert_eq!(appended.novelty, Novelty::Repeated, "{text}");
        appended.change
    }

    /// Asks for a write that must be refused, and tells with which code.
    pub async fn refusal(&self, project_id: &ProjectId, actor: &dyn Caller, write: Write) -> Code {
        let text = format!("{write:?}");
        let failure = self.append(project_id, actor, write).await.expect_err(&text);
        failure.refusal().expect(&text).code
    }
}

/// A post is taken when it arrives, as the hub does it: so a retry bears another time than the first try.
fn stamped(write: Write, at: Timestamp) -> Write {
    match write {
        Write::PostMessage(mut post) => {
            post.message.created_at = at;
            Write::PostMessage(post)
        }
        other => other,
    }
}
