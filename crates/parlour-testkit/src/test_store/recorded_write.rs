//! A record of the writes to a store, to apply them to another store.

use parlour_core::{
    Timestamp, attribution::Attribution, id::PersonId, member::Person, name::Name, position::StartTag, token::NewToken,
    write::Entry,
};
use parlour_hub::{
    Failure,
    ports::{AuditNote, SavedStream},
};

use super::TestStore;

/// One call that changes a store, with its arguments.
#[derive(Clone, Debug)]
pub enum RecordedWrite {
    /// `Log::append`.
    Entry(Box<Entry>),
    /// `Accounts::create_person`.
    CreatePerson(Attribution, Person, NewToken),
    /// `Accounts::rename_person`.
    RenamePerson(Attribution, PersonId, Name),
    /// `Audits::note`.
    AuditNote(AuditNote),
    /// `Streams::save_streams`.
    SaveStreams(Vec<SavedStream>),
    /// `Log::prune_logs`.
    PruneLogs(Timestamp),
    /// `Log::begin_start`.
    BeginStart(StartTag),
}

impl TestStore {
    /// The same store, with a record of its writes from now on.
    #[must_use]
    pub fn recording(&self) -> Self {
        Self { recorded: Some(Default::default()), ..self.clone() }
    }

    /// The writes that were made since `recording`, in order; refused ones are included.
    pub fn recorded(&self) -> Vec<RecordedWrite> {
        self.recorded.as_ref().map(|recorded| recorded.lock().clone()).unwrap_or_default()
    }

    pub(super) fn record(&self, write: impl FnOnce() -> RecordedWrite) {
        if let Some(recorded) = &self.recorded {
            recorded.lock().push(write());
        }
    }

    /// Applies a write and records it.
    pub async fn apply(&self, write: RecordedWrite) -> Result<(), Failure> {
        self.record(|| write.clone());
        match write {
            RecordedWrite::Entry(entry) => self.store.append(*entry).await.map(drop),
            RecordedWrite::CreatePerson(attribution, person, token) => {
                self.store.create_person(attribution, person, token).await.map(drop)
            }
            RecordedWrite::RenamePerson(attribution, id, name) => {
                self.store.rename_person(attribution, &id, name).await.map(drop)
            }
            RecordedWrite::AuditNote(note) => self.store.note(note).await,
            RecordedWrite::SaveStreams(streams) => self.store.save_streams(streams).await,
            RecordedWrite::PruneLogs(now) => self.store.prune_logs(now).await.map(drop),
            RecordedWrite::BeginStart(tag) => self.store.begin_start(tag).await,
        }
    }
}
