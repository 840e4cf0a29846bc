use std::pin::Pin;

use async_trait::async_trait;
use parlour_core::artifact::ContentHash;
use tokio::io::AsyncRead;

use crate::Failure;

/// The bytes of an upload or a download.
pub type BlobReader = Pin<Box<dyn AsyncRead + Send>>;

/// A stored content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBlob {
    pub hash: ContentHash,
    /// Length in bytes.
    pub size: u64,
}

/// The contents of artifacts by hash.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Stores a content and returns when it would survive a power failure.
    ///
    /// Equal contents are stored once. A content of more than `bytes_max` bytes is refused as too large. A refused or
    /// interrupted upload leaves no file. A disk that cannot be written to, most often because it is full, is refused as
    /// `StoreUnavailable`.
    async fn put(&self, content: BlobReader, bytes_max: u64) -> Result<StoredBlob, Failure>;

    /// Opens the content with this hash at the byte `start`, if it exists. Nothing is behind its end.
    async fn open(&self, hash: &ContentHash, start: u64) -> Result<Option<BlobReader>, Failure>;
}
