//! Ports: what the hub needs from the world. Each sentence of their comments is a promise with a test in `testkit`.

mod blobs;
mod clock;
mod ids;
mod store;

pub use blobs::{BlobReader, Blobs, StoredBlob};
pub use clock::Clock;
pub use ids::Ids;
pub use store::{
    Accounts, Conversations, Directory, History, Inboxes, Log, LogRange, MissingRef, PostRefs, SavedStream, Scene,
    SearchPage, SeatsAt, Slice, Snapshots, Store, Streams, Work,
};
