//! The memory of a session on disk: one call of the hook at a time has it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use parlour_agent::hooks::memory::Memory;

/// How often another call is asked for whether it is done.
const PAUSE: Duration = Duration::from_millis(15);
/// A longer file was not written by a hook.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Sessions that are remembered; older ones are forgotten.
const SESSIONS_MAX: usize = 200;
/// After this long without a sign a session is forgotten.
const SESSION_AGE_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The memory of a session, locked until it is dropped.
#[derive(Debug)]
pub(super) struct SessionFile {
    file: File,
    path: PathBuf,
    /// What is remembered.
    pub(super) memory: Memory,
}

impl SessionFile {
    /// Waits until no other call of the hook is at work in the session, and reads what they left.
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
        // A call that was killed while it wrote leaves half a memory: then the session begins anew.
        let memory = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Self { file, path: path.to_owned(), memory })
    }

    /// Keeps what is remembered now.
    pub(super) fn save(&mut self) -> io::Result<()> {
        let bytes = serde_json::to_vec(&self.memory)?;
        self.file.rewind()?;
        self.file.write_all(&bytes)?;
        self.file.set_len(bytes.len() as u64)
    }

    /// Forgets the session.
    pub(super) fn forget(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// Forgets sessions that nobody has heard of for long, and the oldest of too many.
pub(super) fn forget_old(folder: &Path, now: SystemTime) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    files.sort_unstable();
    let too_many = files.len().saturating_sub(SESSIONS_MAX);
    for (at, (modified, path)) in files.iter().enumerate() {
        let is_old = now.duration_since(*modified).is_ok_and(|age| age > SESSION_AGE_MAX);
        if is_old || at < too_many {
            // One that is in use goes on under its open file, and is begun anew later.
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
    async fn what_one_call_leaves_the_next_one_finds() {
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
    async fn two_calls_at_once_come_one_after_the_other() {
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
    async fn a_broken_memory_is_begun_anew() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("s.json");
        for broken in [&b"{\"run\": 7"[..], b"[]", b"\xff", br#"{"told": "x"}"#] {
            fs::write(&path, broken).expect("written");
            assert_eq!(SessionFile::open(&path).await.expect("opened").memory, Memory::default());
        }
    }

    #[test]
    fn old_sessions_are_forgotten() {
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
