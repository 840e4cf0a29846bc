//! What tests of adapters and surfaces share: suites of promises, a manual clock, counted ids and a small world.
//!
//! A suite holds one plain function for each promise that a port makes. An adapter runs all of them with one line
//! in its tests: [`store_suite!`](crate::store_suite), [`blob_suite!`](crate::blob_suite),
//! [`key_suite!`](crate::key_suite), [`issuer_suite!`](crate::issuer_suite) or
//! [`password_suite!`](crate::password_suite). A new promise is a function in the file of its area and a line in the
//! list of its suite.

pub mod blob_suite;
mod counting_ids;
pub mod issuer_suite;
pub mod key_suite;
mod manual_clock;
pub mod password_suite;
mod property;
pub mod store_suite;
mod world;

pub use blob_suite::broken_stream;
pub use counting_ids::CountingIds;
pub use issuer_suite::{SignForeign, TrustedOne};
pub use manual_clock::ManualClock;
pub use world::{Caller, Draft, Place, Snapshot, World};

/// Turns a list of promises into one test each, over what `make` makes.
#[doc(hidden)]
#[macro_export]
macro_rules! promise_tests {
    ($suite:ident, $make:ident; $($area:ident { $($promise:ident)+ })+) => {
        $(mod $area {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $promise() {
                // The guard keeps what the subject needs, for example its folder, until the test is over.
                let (subject, _guard) = super::$make().await;
                $crate::$suite::$area::$promise(subject.into()).await;
            })+
        })+
    };
}
