//! Contents of artifacts as plain files, named by their hash.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use parlour_core::{Code, Refusal, artifact::ContentHash};
use parlour_hub::{
    Failure, Fault,
    ports::{BlobReader, Blobs, StoredBlob},
};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;
use tokio::{
    fs::File,
    io::{AsyncReadExt, AsyncWriteExt},
    task::spawn_blocking,
};

use crate::folders::{make_folder, remove_files, sync_folder};

/// How much of a content is held in memory at once.
const CHUNK_BYTES_MAX: usize = 64 * 1024;

/// Contents as files `blobs/ab/ab…` below the data folder, readable by the hub's own user only.
///
/// A content grows in `blobs/incoming` and moves to its place when the disk has all of it, so a file with the
/// name of a hash is always whole.
#[derive(Clone, Debug)]
pub struct FileBlobs {
    root: PathBuf,
}

impl FileBlobs {
    /// Opens the contents of this data folder, and removes what unfinished uploads of an earlier life have left.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let blobs = Self { root: folder.join("blobs") };
        blobs.prepare().map_err(|error| Fault::new(format!("open the contents in {}", folder.display()), error))?;
        Ok(blobs)
    }

    fn prepare(&self) -> io::Result<()> {
        make_folder(&self.incoming())?;
        remove_files(&self.incoming(), "")?;
        sync_folder(&self.root)
    }

    fn incoming(&self) -> PathBuf {
        self.root.join("incoming")
    }

    fn path(&self, hash: &ContentHash) -> PathBuf {
        let name = hash.to_string();
        self.root.join(&name[..2]).join(name)
    }

    /// Moves a finished file to the place of its hash and makes the move last.
    fn keep(&self, file: NamedTempFile, hash: &ContentHash) -> io::Result<()> {
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.root);
        make_folder(folder)?;
        // An equal content that is there already is replaced by its equal; readers of the old file keep it.
        file.persist(&path)?;
        // Both folders, even when this call has made neither: another call may have, and not synced it yet.
        sync_folder(folder)?;
        sync_folder(&self.root)
    }
}

#[async_trait]
impl Blobs for FileBlobs {
    async fn put(&self, content: BlobReader, bytes_max: u64) -> Result<StoredBlob, Failure> {
        let incoming = self.incoming();
        // Dropping this handle removes the file: so every way out but `keep` leaves nothing behind.
        let file = blocking("make a file for a content", move || NamedTempFile::new_in(incoming)).await?;
        let blob = receive(content, bytes_max, &file).await?;
        let (blobs, hash) = (self.clone(), blob.hash);
        blocking("keep a content", move || blobs.keep(file, &hash)).await?;
        Ok(blob)
    }

    async fn open(&self, hash: &ContentHash) -> Result<Option<BlobReader>, Failure> {
        match File::open(self.path(hash)).await {
            Ok(file) => Ok(Some(Box::pin(file))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Fault::new(format!("open content {hash}"), error).into()),
        }
    }
}

/// Writes the content into the file and syncs it, hashing on the way; stops at the first byte too many.
async fn receive(mut content: BlobReader, bytes_max: u64, file: &NamedTempFile) -> Result<StoredBlob, Failure> {
    let fault = |error: io::Error| Fault::new("write a content", error);
    let mut out = File::from_std(file.as_file().try_clone().map_err(fault)?);
    let (mut hasher, mut size) = (Sha256::new(), 0_u64);
    let mut chunk = vec![0; CHUNK_BYTES_MAX];
    loop {
        let count = content.read(&mut chunk).await.map_err(|error| Fault::new("receive a content", error))?;
        if count == 0 {
            break;
        }
        size += count as u64;
        if size > bytes_max {
            return Err(too_large(bytes_max).into());
        }
        hasher.update(&chunk[..count]);
        out.write_all(&chunk[..count]).await.map_err(fault)?;
    }
    out.sync_all().await.map_err(fault)?;
    Ok(StoredBlob { hash: ContentHash::from_bytes(hasher.finalize().into()), size })
}

fn too_large(bytes_max: u64) -> Refusal {
    Refusal::new(Code::TooLarge, format!("the content has more than {bytes_max} bytes"))
}

/// Runs file work off the async threads.
async fn blocking<T: Send + 'static>(
    operation: &'static str,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Fault> {
    match spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| Fault::new(operation, error)),
        Err(error) => Err(Fault::new(operation, error)),
    }
}

#[cfg(test)]
mod tests;
