//! Adapters for the ports of the hub: SQLite, files, the system clock and random numbers.
//!
//! The suites in `parlour_testkit` check the contract of each port. Only the program that connects everything refers to
//! adapters.

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
