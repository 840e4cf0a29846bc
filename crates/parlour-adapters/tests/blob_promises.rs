//! The suite of the blobs port for plain files.

use std::sync::Arc;

use parlour_adapters::FileBlobs;
use parlour_hub::ports::Blobs;
use parlour_testkit::blob_suite;
use tempfile::TempDir;

/// Empty storage in a new folder.
async fn files() -> (Arc<dyn Blobs>, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    (Arc::new(FileBlobs::open(folder.path()).expect("open")), folder)
}

blob_suite!(files);
