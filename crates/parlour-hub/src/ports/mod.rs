//! Ports: what the hub needs from the world. Each sentence of their comments is a promise with a test in `testkit`.

mod audits;
mod beside;
mod blobs;
mod call_records;
mod clock;
mod context_records;
mod deliveries;
mod ids;
mod inboxes;
mod keys;
mod models;
mod passwords;
mod questions;
mod runs;
mod store;

pub use audits::{Audits, Note};
pub use beside::Beside;
pub use blobs::{BlobReader, Blobs, StoredBlob};
pub use call_records::CallRecords;
pub use clock::Clock;
pub use context_records::{ContextRecords, KeptSummary, SummarySpan};
pub use deliveries::Deliveries;
pub use ids::Ids;
pub use inboxes::Inboxes;
pub use keys::{Identity, Issuers, Keys, NoIssuers};
pub use models::{ModelTrouble, NoModels, Reranker, Summariser};
pub use passwords::Passwords;
pub use questions::Questions;
pub use runs::Runs;
pub use store::{
    Accounts, Conversations, Directory, History, Invites, Log, LogRange, MissingRef, PostRefs, SavedStream, Scene,
    SearchPage, SeatsAt, Series, Slice, Snapshots, Store, Streams, Work,
};
