use std::pin::Pin;

use async_trait::async_trait;
use parlour_core::artifact::ContentHash;
use tokio::io::AsyncRead;

use crate::Failure;

/// A stream of bytes, as it comes from an upload or goes to a download.
pub type BlobReader = Pin<Box<dyn AsyncRead + Send>>;

/// A content that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBlob {
    /// The SHA-256 of the content.
    pub hash: ContentHash,
    /// Its length in bytes.
    pub size: u64,
}

/// Contents of artifacts, found by their hash.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Stores a content and answers when it would survive a power cut.
    ///
    /// Equal contents are stored once. A content of more than `bytes_max` bytes is refused as too large and leaves
    /// nothing behind; so does a stream that breaks off.
    async fn put(&self, content: BlobReader, bytes_max: u64) -> Result<StoredBlob, Failure>;

    /// Opens a content, or answers that there is none with this hash.
    async fn open(&self, hash: &ContentHash) -> Result<Option<BlobReader>, Failure>;
}
