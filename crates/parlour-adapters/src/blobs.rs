//! The contents of artifacts as files that are named by their hash.

use std::{
    io::{self, ErrorKind, SeekFrom},
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
    io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt},
    task::spawn_blocking,
};

use crate::folders::{make_folder, remove_files, sync_folder};

/// The size of the read buffer.
const CHUNK_BYTES_MAX: usize = 64 * 1024;

/// Files `blobs/ab/ab…` below the data folder, readable by the user of the hub only.
///
/// An upload is written to `blobs/incoming` and renamed after it was synced, so a file with the name of a hash is
/// always complete.
#[derive(Clone, Debug)]
pub struct FileBlobs {
    root: PathBuf,
}

impl FileBlobs {
    /// Opens the contents of this data folder and removes temporary files of interrupted uploads.
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

    /// Renames a complete file to its hash and syncs the folders.
    fn keep(&self, file: NamedTempFile, hash: &ContentHash) -> io::Result<()> {
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.root);
        make_folder(folder)?;
        // An existing file with the same content is replaced; open readers keep the old file.
        file.persist(&path)?;
        // Both folders, even if this call created neither: a concurrent call may not have synced them yet.
        sync_folder(folder)?;
        sync_folder(&self.root)
    }
}

#[async_trait]
impl Blobs for FileBlobs {
    async fn put(&self, content: BlobReader, bytes_max: u64) -> Result<StoredBlob, Failure> {
        let incoming = self.incoming();
        // Dropping this handle removes the file, so only `keep` leaves a file.
        let file = blocking("make a file for a content", move || NamedTempFile::new_in(incoming)).await?;
        let out = file.as_file().try_clone().map_err(|error| unavailable("write a content", &error))?;
        let blob = receive(content, bytes_max, out).await?;
        let (blobs, hash) = (self.clone(), blob.hash);
        blocking("keep a content", move || blobs.keep(file, &hash)).await?;
        Ok(blob)
    }

    async fn open(&self, hash: &ContentHash, start: u64) -> Result<Option<BlobReader>, Failure> {
        match open_at(&self.path(hash), start).await {
            Ok(file) => Ok(Some(Box::pin(file))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Fault::new(format!("open content {hash}"), error).into()),
        }
    }
}

async fn open_at(path: &Path, start: u64) -> io::Result<File> {
    let mut file = File::open(path).await?;
    if start > 0 {
        file.seek(SeekFrom::Start(start)).await?;
    }
    Ok(file)
}

/// Writes, hashes and syncs the content; refuses it as soon as it exceeds the limit.
async fn receive(mut content: BlobReader, bytes_max: u64, out: std::fs::File) -> Result<StoredBlob, Failure> {
    let refuse = |error: io::Error| unavailable("write a content", &error);
    let mut out = File::from_std(out);
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
        out.write_all(&chunk[..count]).await.map_err(refuse)?;
    }
    // Reports the error of the last write; `sync_all` does not.
    out.flush().await.map_err(refuse)?;
    out.sync_all().await.map_err(refuse)?;
    Ok(StoredBlob { hash: ContentHash::from_bytes(hasher.finalize().into()), size })
}

fn too_large(bytes_max: u64) -> Refusal {
    Refusal::new(Code::TooLarge, format!("the content has more than {bytes_max} bytes"))
}

/// The refusal of a write that failed on the disk: the same upload may succeed later.
fn unavailable(operation: &'static str, error: &io::Error) -> Refusal {
    tracing::error!(%error, operation, "a content was not stored");
    Refusal::new(Code::StoreUnavailable, "the hub could not write to its disk; nothing was stored")
}

/// Runs file operations on a blocking thread.
async fn blocking<T: Send + 'static>(
    operation: &'static str,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    match spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| unavailable(operation, &error).into()),
        Err(error) => Err(Fault::new(operation, error).into()),
    }
}

#[cfg(test)]
mod tests;
