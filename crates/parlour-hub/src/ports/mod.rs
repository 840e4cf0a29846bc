//! Ports: the interfaces of the hub to stores, files, clock, keys and models. Each sentence of their comments is a
//! contract with a test in `parlour-testkit`.

mod audits;
mod blobs;
mod call_records;
mod clock;
mod context_records;
mod deliveries;
mod ids;
mod inboxes;
mod keys;
mod log;
mod models;
mod passwords;
mod questions;
mod related_lookups;
mod runs;
mod store;

pub use audits::{AuditNote, Audits};
pub use blobs::{BlobReader, Blobs, StoredBlob};
pub use call_records::CallRecords;
pub use clock::Clock;
#[cfg(test)]
pub(crate) use clock::StoppedClock;
pub use context_records::{ContextRecords, KeptSummary, SummarySpan};
pub use deliveries::Deliveries;
pub use ids::Ids;
pub use inboxes::Inboxes;
pub use keys::{ForeignIdentity, Issuers, Keys, NoIssuers};
pub use log::{AppendedBatch, Log, LogRange};
pub use models::{ModelError, NoModels, Reranker, Summariser};
pub use passwords::Passwords;
pub use questions::Questions;
pub use related_lookups::RelatedLookups;
pub use runs::Runs;
pub use store::{
    Accounts, Conversations, Directory, History, HistoryRange, Invites, MissingRef, PostContext, PostRefs,
    PrivateChannelMembersAt, SavedStream, SearchPage, Snapshots, Store, Streams, Work,
};
