mod access;
mod asking;
mod build;
mod draft;
mod injecting;
mod pages;
mod recorded_write;
mod snapshot;
mod test_member;

use std::sync::Arc;

use parlour_core::{
    Code, Timestamp,
    attribution::{Attribution, Origin},
    author::Author,
    event::Change,
    id::ProjectId,
    write::{Appended, Entry, Novelty, Write},
};

pub(crate) use asking::{reporting, yes};
pub use draft::{MessageDraft, PostTarget};
pub(crate) use injecting::{full_item, summary_item};
pub(crate) use pages::{check_pages, read_all};
pub use recorded_write::RecordedWrite;
pub use snapshot::StoreSnapshot;
pub use test_member::TestMember;

use parking_lot::Mutex;

use super::{CountingIds, ManualClock};
use parlour_hub::{
    Failure,
    ports::{Clock, Ids, Store},
};

/// A store under test, with short methods that create people, projects, conversations and messages in it.
///
/// The methods call the ports of the store directly, without the rules of the hub. Every write is one millisecond later
/// than the one before.
#[derive(Clone)]
pub struct TestStore {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    ids: Arc<CountingIds>,
    number: u64,
    recorded: Option<Arc<Mutex<Vec<RecordedWrite>>>>,
}

impl From<Arc<dyn Store>> for TestStore {
    fn from(store: Arc<dyn Store>) -> Self {
        Self::new(store)
    }
}

impl TestStore {
    /// Wraps a store; adds nothing to it.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, clock: Arc::default(), ids: Arc::default(), number: 0, recorded: None }
    }

    /// The same store for another case of a property: the number is added to all names, which makes them unique.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Self {
        Self { number, ..self.clone() }
    }

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

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Appends a write.
    pub async fn append(
        &self,
        project_id: &ProjectId,
        actor: &dyn TestMember,
        write: Write,
    ) -> Result<Appended, Failure> {
        self.append_by(project_id, actor.author(), write).await
    }

    async fn append_by(&self, project_id: &ProjectId, actor: Author, write: Write) -> Result<Appended, Failure> {
        let at = self.clock.advance(1);
        let write = stamped(write, at);
        let attribution = Attribution { actor, at, origin: Origin::default() };
        let entry = Entry { project_id: project_id.clone(), attribution, write };
        self.record(|| RecordedWrite::Entry(Box::new(entry.clone())));
        self.store.append(entry).await
    }

    /// Appends a write that must change the store, and returns the change.
    pub async fn change(&self, project_id: &ProjectId, actor: &dyn TestMember, write: Write) -> Change {
        self.change_by(project_id, actor.author(), write).await
    }

    async fn change_by(&self, project_id: &ProjectId, actor: Author, write: Write) -> Change {
        let text = format!("{write:?}");
        let appended = self.append_by(project_id, actor, write).await.expect(&text);
        assert_eq!(appended.novelty, Novelty::New, "{text}");
        appended.change
    }

    /// Appends a write that must change nothing, and returns the present state.
    pub async fn repeat(&self, project_id: &ProjectId, actor: &dyn TestMember, write: Write) -> Change {
        let text = format!("{write:?}");
        let appended = self.append(project_id, actor, write).await.expect(&text);
        assert_eq!(appended.novelty, Novelty::Repeated, "{text}");
        appended.change
    }

    /// Appends a write that must be refused, and returns the code.
    pub async fn refusal(&self, project_id: &ProjectId, actor: &dyn TestMember, write: Write) -> Code {
        let text = format!("{write:?}");
        let failure = self.append(project_id, actor, write).await.expect_err(&text);
        failure.refusal().expect(&text).code
    }
}

/// Sets the time of a post to the time of its write, as the hub does: a retry has another time than the first try.
fn stamped(write: Write, at: Timestamp) -> Write {
    match write {
        Write::PostMessage(mut post) => {
            post.message.created_at = at;
            Write::PostMessage(post)
        }
        other => other,
    }
}
