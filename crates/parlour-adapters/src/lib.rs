//! The ports of the hub on the real world: SQLite, files, the system's clock and its randomness.
//!
//! Each adapter keeps the promises of its port, which the suites in `parlour_testkit` check. Nothing but the
//! program that wires everything up names an adapter.

mod blobs;
mod clock;
mod failpoint;
mod folders;
#[cfg(test)]
mod fuzz;
mod ids;
mod issuers;
mod keys;
mod passwords;
mod sqlite;

pub use blobs::FileBlobs;
pub use clock::SystemClock;
pub use ids::RandomIds;
pub use issuers::{BadKeySource, KeySource, TrustedIssuers};
pub use keys::{FileKeys, KeysInspection, token_ends_at};
pub use passwords::Argon2Passwords;
pub use sqlite::{Inspection, OpenError, SqliteOptions, SqliteStore};
