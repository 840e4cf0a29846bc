//! The test kit of adapters and surfaces: one suite of tests per port, a store with short methods, a manual clock and
//! counted ids.
//!
//! A suite has one function for each promise of a port. An adapter runs a suite with one line in its tests:
//! [`store_suite!`](crate::store_suite), [`blob_suite!`](crate::blob_suite), [`key_suite!`](crate::key_suite),
//! [`issuer_suite!`](crate::issuer_suite) or [`password_suite!`](crate::password_suite).
//!
//! A new promise is a function in the file of its area and a line in the
//! list of its suite.

pub mod blob_suite;
mod counting_ids;
pub mod issuer_suite;
pub mod key_suite;
mod manual_clock;
pub mod password_suite;
mod property;
pub mod store_suite;
mod test_store;

pub use blob_suite::broken_stream;
pub use counting_ids::CountingIds;
pub use issuer_suite::{SignForeign, TrustedIssuerFixture};
pub use manual_clock::ManualClock;
pub use test_store::{MessageDraft, PostTarget, RecordedWrite, StoreSnapshot, TestMember, TestStore};

/// Creates one test for each promise of the list; `make` creates the adapter under test.
#[doc(hidden)]
#[macro_export]
macro_rules! promise_tests {
    ($suite:ident, $make:ident; $($area:ident { $($promise:ident)+ })+) => {
        $(mod $area {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $promise() {
                // The guard holds resources of the subject, for example its folder, until the test ends.
                let (subject, _guard) = super::$make().await;
                $crate::$suite::$area::$promise(subject.into()).await;
            })+
        })+
    };
}
