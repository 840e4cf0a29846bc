//! The suite of the keys port for the key file.

use std::sync::Arc;

use parlour_adapters::FileKeys;
use parlour_core::Timestamp;
use parlour_hub::ports::Keys;
use parlour_testkit::key_suite;
use tempfile::TempDir;

/// A first key in a new folder.
async fn file() -> (Arc<dyn Keys>, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    (Arc::new(FileKeys::open_at(folder.path(), Timestamp::from_millis(0)).expect("open")), folder)
}

key_suite!(file);
