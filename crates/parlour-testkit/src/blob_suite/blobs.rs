//! Contents are stored once, completely or not at all, and are found by their hash.

use std::{io::Cursor, sync::Arc};

use parlour_core::{Code, artifact::ContentHash};
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncReadExt, repeat},
    task::JoinSet,
};

use super::broken_stream;
use parlour_hub::ports::{BlobReader, Blobs, StoredBlob};

/// Larger than the buffer of an adapter.
const LARGE_BYTES: usize = 300_000;

fn reader(content: &[u8]) -> BlobReader {
    Box::pin(Cursor::new(content.to_vec()))
}

fn hash_of(content: &[u8]) -> ContentHash {
    ContentHash::from_bytes(Sha256::digest(content).into())
}

async fn put(blobs: &Arc<dyn Blobs>, content: &[u8]) -> StoredBlob {
    blobs.put(reader(content), LARGE_BYTES as u64).await.expect("a content within its limit")
}

async fn read(blobs: &Arc<dyn Blobs>, hash: &ContentHash) -> Option<Vec<u8>> {
    read_from(blobs, hash, 0).await
}

async fn read_from(blobs: &Arc<dyn Blobs>, hash: &ContentHash, start: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    blobs.open(hash, start).await.expect("open")?.read_to_end(&mut content).await.expect("read");
    Some(content)
}

/// A content of many chunks in which each chunk differs.
fn large() -> Vec<u8> {
    (0..LARGE_BYTES).map(|index| (index / 251 + index) as u8).collect()
}

/// This holds also for a content of several chunks.
pub async fn a_content_is_opened_as_it_was_put(blobs: Arc<dyn Blobs>) {
    for content in [b"abc".to_vec(), large()] {
        let stored = put(&blobs, &content).await;
        assert_eq!(stored.size, content.len() as u64);
        assert!(read(&blobs, &stored.hash).await.as_ref() == Some(&content), "{} bytes", content.len());
    }
}

/// Behind the end there is nothing, and an unknown content stays unknown.
pub async fn a_content_is_opened_at_any_byte(blobs: Arc<dyn Blobs>) {
    let stored = put(&blobs, &large()).await;
    for start in [1, 70_000, LARGE_BYTES - 1, LARGE_BYTES, LARGE_BYTES + 9] {
        let found = read_from(&blobs, &stored.hash, start as u64).await;
        assert!(found.as_deref() == Some(large().get(start..).unwrap_or_default()), "from byte {start}");
    }
    assert_eq!(read_from(&blobs, &hash_of(b"unknown"), 1).await, None);
}

pub async fn an_empty_content_can_be_stored(blobs: Arc<dyn Blobs>) {
    let stored = put(&blobs, b"").await;
    assert_eq!((stored.size, read(&blobs, &stored.hash).await), (0, Some(Vec::new())));
}

pub async fn the_hash_is_the_sha256_of_the_content(blobs: Arc<dyn Blobs>) {
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(put(&blobs, b"abc").await.hash.to_string(), known);
    assert_eq!(put(&blobs, &large()).await.hash, hash_of(&large()));
}

/// An unknown hash is no fault.
pub async fn an_unknown_hash_opens_nothing(blobs: Arc<dyn Blobs>) {
    put(&blobs, b"abc").await;
    assert_eq!(read(&blobs, &hash_of(b"abd")).await, None);
}

/// Storing a content again changes nothing.
pub async fn equal_contents_have_one_hash_and_stay_readable(blobs: Arc<dyn Blobs>) {
    let (first, second) = (put(&blobs, b"abc").await, put(&blobs, b"abc").await);
    assert_eq!(first, second);
    assert_eq!(read(&blobs, &first.hash).await.as_deref(), Some(&b"abc"[..]));
}

pub async fn concurrent_uploads_of_one_content_all_succeed(blobs: Arc<dyn Blobs>) {
    let mut puts = JoinSet::new();
    for _ in 0..16 {
        let blobs = Arc::clone(&blobs);
        puts.spawn(async move { put(&blobs, &large()).await });
    }
    let stored = puts.join_all().await;
    assert_eq!(stored, vec![StoredBlob { hash: hash_of(&large()), size: LARGE_BYTES as u64 }; 16]);
    assert!(read(&blobs, &hash_of(&large())).await == Some(large()));
}

pub async fn a_content_of_exactly_the_limit_is_stored(blobs: Arc<dyn Blobs>) {
    let stored = blobs.put(reader(b"abc"), 3).await.expect("within the limit");
    assert_eq!(stored.size, 3);
}

/// One byte too many is refused as too large, and nothing is stored under the hash of the whole or of its start.
pub async fn a_content_above_the_limit_is_refused_and_leaves_nothing(blobs: Arc<dyn Blobs>) {
    let failure = blobs.put(reader(b"abc"), 2).await.expect_err("above the limit");
    assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::TooLarge));
    for left in [&b"abc"[..], b"ab", b""] {
        assert_eq!(read(&blobs, &hash_of(left)).await, None);
    }
}

/// An endless stream is refused: a sender cannot fill the disk by omitting the length.
pub async fn a_content_above_the_limit_is_not_read_to_its_end(blobs: Arc<dyn Blobs>) {
    let failure = blobs.put(Box::pin(repeat(7)), LARGE_BYTES as u64).await.expect_err("endless");
    assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::TooLarge));
}

pub async fn an_interrupted_upload_fails_and_leaves_nothing(blobs: Arc<dyn Blobs>) {
    blobs.put(broken_stream(b"half"), 100).await.expect_err("broken");
    for left in [&b"half"[..], b""] {
        assert_eq!(read(&blobs, &hash_of(left)).await, None);
    }
}

pub async fn a_refused_content_can_be_put_again_under_a_larger_limit(blobs: Arc<dyn Blobs>) {
    blobs.put(reader(b"abc"), 2).await.expect_err("above the limit");
    let stored = blobs.put(reader(b"abc"), 3).await.expect("within the limit");
    assert_eq!(read(&blobs, &stored.hash).await.as_deref(), Some(&b"abc"[..]));
}
