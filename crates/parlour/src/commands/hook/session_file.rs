//! The memory of a session on disk: one call of the hook at a time has it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use parlour_agent::hooks::session_memory::SessionMemory;

/// The polling interval of the lock.
const PAUSE: Duration = Duration::from_millis(15);
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Maximum number of session files.
const SESSIONS_MAX: usize = 200;
/// Session files that are not used for this time are removed.
const SESSION_AGE_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The state of a session, locked until it is dropped.
#[derive(Debug)]
pub(super) struct SessionFile {
    file: File,
    path: PathBuf,
    pub(super) memory: SessionMemory,
}

impl SessionFile {
    /// Waits for the lock of the session and reads its state.
    pub(super) async fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(path)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
        // A killed call may leave an incomplete file: then the session starts with an empty state.
        let memory = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Self { file, path: path.to_owned(), memory })
    }

    pub(super) fn save(&mut self) -> io::Result<()> {
        let bytes = serde_json::to_vec(&self.memory)?;
        self.file.rewind()?;
        self.file.write_all(&bytes)?;
        self.file.set_len(bytes.len() as u64)
    }

    /// Removes the file.
    pub(super) fn forget(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// Removes old session files, and the oldest ones over the limit.
pub(super) fn forget_old(folder: &Path, now: SystemTime) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    files.sort_unstable();
    let too_many = files.len().saturating_sub(SESSIONS_MAX);
    for (at, (modified, path)) in files.iter().enumerate() {
        let is_old = now.duration_since(*modified).is_ok_and(|age| age > SESSION_AGE_MAX);
        if is_old || at < too_many {
            // A session in use keeps its open file, and later starts with an empty state.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use parlour_core::id::RunId;

    use super::*;

    #[tokio::test]
    async fn the_memory_is_kept_between_calls() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("s.json");
        let mut first = SessionFile::open(&path).await.expect("opened");
        first.memory.run = Some(RunId::from_bits(7));
        first.save().expect("saved");
        drop(first);
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        let next = SessionFile::open(&path).await.expect("opened");
        assert_eq!(next.memory.run, Some(RunId::from_bits(7)));
        next.forget().expect("forgotten");
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn concurrent_calls_are_serialised() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("s.json");
        let mut first = SessionFile::open(&path).await.expect("opened");
        let waiting = tokio::spawn({
            let path = path.clone();
            async move { SessionFile::open(&path).await.expect("opened").memory }
        });
        first.memory.run = Some(RunId::from_bits(1));
        first.save().expect("saved");
        assert!(!waiting.is_finished());
        drop(first);
        assert_eq!(waiting.await.expect("done").run, Some(RunId::from_bits(1)));
    }

    #[tokio::test]
    async fn a_damaged_memory_is_replaced() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("s.json");
        for broken in [&b"{\"run\": 7"[..], b"[]", b"\xff", br#"{"told": "x"}"#] {
            fs::write(&path, broken).expect("written");
            assert_eq!(SessionFile::open(&path).await.expect("opened").memory, SessionMemory::default());
        }
    }

    #[test]
    fn old_session_files_are_removed() {
        let folder = tempfile::tempdir().expect("folder");
        for number in 0..SESSIONS_MAX + 5 {
            fs::write(folder.path().join(format!("{number}.json")), "{}").expect("written");
        }
        let count = || fs::read_dir(folder.path()).expect("listed").count();
        forget_old(folder.path(), SystemTime::now());
        assert_eq!(count(), SESSIONS_MAX);
        forget_old(folder.path(), SystemTime::now() + SESSION_AGE_MAX + Duration::from_secs(60));
        assert_eq!(count(), 0);
        forget_old(Path::new("/nowhere/at/all"), SystemTime::now());
    }
}
