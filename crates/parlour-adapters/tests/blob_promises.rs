//! Every promise of the blobs port, kept by plain files.

use std::sync::Arc;

use parlour_adapters::FileBlobs;
use parlour_hub::{blob_suite, ports::Blobs};
use tempfile::TempDir;

/// No contents, in a folder of their own.
async fn files() -> (Arc<dyn Blobs>, TempDir) {
    let folder = tempfile::tempdir().expect("folder");
    (Arc::new(FileBlobs::open(folder.path()).expect("open")), folder)
}

blob_suite!(files);
