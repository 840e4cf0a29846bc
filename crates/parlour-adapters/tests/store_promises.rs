//! The suite of the store port for SQLite.

use std::sync::Arc;

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_hub::ports::Store;
use parlour_testkit::store_suite;
use tempfile::TempDir;

/// An empty store in a new folder.
async fn sqlite() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("open");
    (Arc::new(store), folder)
}

store_suite!(sqlite);
