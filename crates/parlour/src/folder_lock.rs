//! The lock of a data folder: only one hub at a time can use it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use serde::{Deserialize, Serialize};

const FILE_NAME: &str = "lock";
const FILE_BYTES_MAX: u64 = 4096;

/// The lock of a data folder, held until this value is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
}

/// The process that holds the lock, as written to the lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) pid: u32,
    /// The address on which it listens; absent while it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
}

#[derive(Debug)]
pub(crate) enum NotTaken {
    Held(Option<Holder>),
    Broken(io::Error),
}

impl FolderLock {
    /// Takes the lock and writes the process id to its file.
    pub(crate) fn take(folder: &Path) -> Result<Self, NotTaken> {
        let path = folder.join(FILE_NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path).map_err(NotTaken::Broken)?;
        match file.try_lock() {
            Ok(()) => {
                let mut lock = Self { file };
                lock.announce(None).map_err(NotTaken::Broken)?;
                Ok(lock)
            }
            Err(TryLockError::WouldBlock) => Err(NotTaken::Held(read_holder(&file))),
            Err(TryLockError::Error(error)) => Err(NotTaken::Broken(error)),
        }
    }

    /// Writes the address of this process to the lock file.
    pub(crate) fn announce(&mut self, url: Option<&str>) -> io::Result<()> {
        let holder = Holder { pid: std::process::id(), url: url.map(str::to_owned) };
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&serde_json::to_vec(&holder)?)
    }

    /// Returns the holder of the lock of a folder; it takes a shared lock for a short time.
    pub(crate) fn holder(folder: &Path) -> io::Result<Option<Holder>> {
        let file = match File::open(folder.join(FILE_NAME)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(Some(read_holder(&file).unwrap_or_default())),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Reads the lock file; none while the holder is writing it.
fn read_holder(file: &File) -> Option<Holder> {
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_lock_holder_and_names_it() {
        let folder = tempfile::tempdir().expect("folder");
        let mut lock = FolderLock::take(folder.path()).expect("free");
        lock.announce(Some("http://127.0.0.1:1")).expect("written");
        let expected = Holder { pid: std::process::id(), url: Some("http://127.0.0.1:1".into()) };
        let refused = FolderLock::take(folder.path()).expect_err("held");
        assert!(matches!(&refused, NotTaken::Held(Some(holder)) if *holder == expected), "{refused:?}");
        assert_eq!(FolderLock::holder(folder.path()).expect("readable"), Some(expected));
    }

    #[test]
    fn a_dropped_lock_is_released_and_its_text_is_replaced() {
        let folder = tempfile::tempdir().expect("folder");
        let mut lock = FolderLock::take(folder.path()).expect("free");
        lock.announce(Some("http://127.0.0.1:65535")).expect("written");
        drop(lock);
        assert_eq!(FolderLock::holder(folder.path()).expect("readable"), None);
        let _lock = FolderLock::take(folder.path()).expect("free again");
        let holder = FolderLock::holder(folder.path()).expect("readable");
        assert_eq!(holder, Some(Holder { pid: std::process::id(), url: None }));
    }

    #[test]
    fn an_unused_folder_is_not_locked() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(FolderLock::holder(folder.path()).expect("readable"), None);
        assert!(matches!(FolderLock::take(&folder.path().join("none")), Err(NotTaken::Broken(_))));
    }
}
