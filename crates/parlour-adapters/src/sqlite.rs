//! The store on SQLite: one file, one writer with group commit, a few readers.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::{self, JoinHandle},
};

use parking_lot::Mutex;
use parlour_core::{Code, Refusal, event::Event, limits};
use parlour_hub::{Failure, Fault};
use rusqlite::Connection;

use self::{
    error::StoreResult,
    migrate::MigrateError,
    queue::{Queue, Rejected},
    readers::{ReadJob, read_job},
    tx::Tx,
    watchers::Watchers,
    writer::{Job, write_job},
};

mod access;
mod audit;
mod connect;
mod error;
mod inbox;
mod injections;
mod inspect;
mod lookup;
mod message_key;
mod migrate;
mod queue;
mod read;
mod readers;
mod rows;
mod starts;
mod streams;
mod summaries;
mod text_index;
mod tx;
mod watchers;
mod write;
mod writer;

pub use inspect::Inspection;

/// The name of the database in the data folder.
const FILE_NAME: &str = "parlour.db";

/// The store on SQLite. Clones share one database.
///
/// Every write is on the disk before it is answered. Dropping the last clone still writes the queue.
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<StoreThreads>,
}

/// Settings of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The number of reader threads; at least one.
    pub readers: usize,
    /// The length of the write queue and of the read queue; further requests are refused as retryable.
    pub queue_len_max: usize,
    /// The maximum size of the database file; further writes are refused as retryable.
    pub file_bytes_max: Option<u64>,
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data folder cannot be created or used.
    #[error("the data folder {} cannot be used", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The database cannot be opened.
    #[error("the database {} cannot be opened", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The database can be read, but not written.
    #[error("the database {} is read-only: check the rights of the file and of its folder", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A newer Parlour created the database.
    #[error(
        "the database {} was made by a newer Parlour: it has version {found}, this program knows versions up to {known}",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of the database.
        found: i64,
        /// The newest version that this program supports.
        known: i64,
    },
    /// A migration failed.
    #[error("the database {} could not be migrated to version {version}", path.display())]
    Migrate {
        /// The file.
        path: PathBuf,
        /// The version of the failed step.
        version: i64,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// No thread could be started.
    #[error("no thread could be started for the store")]
    Thread(#[source] std::io::Error),
}

struct StoreThreads {
    writes: Arc<Queue<Box<dyn Job>>>,
    reads: Arc<Queue<ReadJob>>,
    watchers: Arc<Watchers>,
    writer: Mutex<Vec<JoinHandle<()>>>,
    readers: Mutex<Vec<JoinHandle<()>>>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Self { readers: cores.clamp(2, 8), queue_len_max: limits::STORE_QUEUE_LEN_MAX, file_bytes_max: None }
    }
}

impl SqliteStore {
    /// Opens the database in this folder and migrates it; creates both if they do not exist.
    ///
    /// It blocks. The caller ensures that only one process opens a folder.
    pub fn open(folder: &Path, options: SqliteOptions) -> Result<Self, OpenError> {
        let path = folder.join(FILE_NAME);
        std::fs::create_dir_all(folder).map_err(|source| OpenError::Folder { folder: folder.to_owned(), source })?;
        create_private_file(&path);
        let writer = open_writer(&path, options)?;
        let readers = (0..options.readers.max(1)).map(|_| connect::open_reader(&path));
        let readers: Vec<Connection> =
            readers.collect::<Result<_, _>>().map_err(|source| OpenError::Open { path, source })?;
        Self::start(writer, readers, options.queue_len_max)
    }

    /// Writes the queue, ends all threads and closes the database. Later calls are refused (`Stopping`).
    ///
    /// It blocks until the last write is on the disk.
    pub fn close(&self) {
        self.shared.close();
    }

    fn start(writer: Connection, readers: Vec<Connection>, queue_len_max: usize) -> Result<Self, OpenError> {
        let (writes, reads) = (Arc::new(Queue::new(queue_len_max)), Arc::new(Queue::new(queue_len_max)));
        let watchers = Arc::new(Watchers::default());
        let shared = StoreThreads {
            writes: Arc::clone(&writes),
            reads: Arc::clone(&reads),
            watchers: Arc::clone(&watchers),
            writer: Mutex::default(),
            readers: Mutex::default(),
        };
        spawn(&shared.writer, "parlour-writer", move || writer::run(&writer, &writes, &watchers))?;
        for reader in readers {
            let reads = Arc::clone(&reads);
            spawn(&shared.readers, "parlour-reader", move || readers::run(&reader, &reads))?;
        }
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Queues a write and waits until its group is on the disk. It is executed even if the caller is cancelled.
    async fn write<T: Send + 'static>(
        &self,
        operation: String,
        write: impl FnOnce(&Tx<'_>) -> StoreResult<T> + Send + 'static,
    ) -> Result<T, Failure> {
        self.write_events(operation, write, |_| Vec::new()).await
    }

    /// Like `write`, for a write that may record events for watchers.
    async fn write_events<T: Send + 'static>(
        &self,
        operation: String,
        write: impl FnOnce(&Tx<'_>) -> StoreResult<T> + Send + 'static,
        events_of: fn(&T) -> Vec<Event>,
    ) -> Result<T, Failure> {
        let (job, answer) = write_job(operation, write, events_of);
        self.shared.writes.push(job).map_err(refuse)?;
        answer.await.map_err(|_| Fault::new("write", "the writer has ended"))?
    }

    /// Queues a read and waits for it.
    async fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let (job, answer) = read_job(read);
        self.shared.reads.push(job).map_err(refuse)?;
        let outcome = answer.await.map_err(|_| Fault::new(operation, "the read panicked"))?;
        outcome.map_err(|error| error.into_read_failure(operation))
    }
}

impl StoreThreads {
    /// The writer ends last and alone: only the last connection can move the write-ahead log into the database file,
    /// and two that end at the same time may both leave it to the other.
    fn close(&self) {
        self.reads.close();
        join(&self.readers);
        self.writes.close();
        join(&self.writer);
    }
}

fn spawn(
    threads: &Mutex<Vec<JoinHandle<()>>>,
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<(), OpenError> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work).map_err(OpenError::Thread)?;
    threads.lock().push(thread);
    Ok(())
}

fn join(threads: &Mutex<Vec<JoinHandle<()>>>) {
    for thread in threads.lock().drain(..) {
        if thread.join().is_err() {
            tracing::error!("a thread of the store panicked");
        }
    }
}

impl Drop for StoreThreads {
    fn drop(&mut self) {
        self.close();
    }
}

/// Creates a missing file that only its owner can read. SQLite gives its log files the same rights.
///
/// Errors are ignored: SQLite reports them when it opens the file.
fn create_private_file(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

fn open_writer(path: &Path, options: SqliteOptions) -> Result<Connection, OpenError> {
    let fail = |source| OpenError::Open { path: path.to_owned(), source };
    let writer = connect::open_writer(path).map_err(fail)?;
    if writer.is_readonly("main").map_err(fail)? {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    migrate::migrate(&writer).map_err(|error| refuse_migration(path, error))?;
    if let Some(bytes_max) = options.file_bytes_max {
        connect::limit_size(&writer, bytes_max).map_err(fail)?;
    }
    report_audit(&writer);
    Ok(writer)
}

/// Logs an error if the end of the audit log was changed. The hub still starts: the change stays detectable, and new
/// entries are appended after it.
fn report_audit(writer: &Connection) {
    let flaw = audit::end_flaw(writer).unwrap_or_else(|error| Some(error.chain()));
    if let Some(flaw) = flaw {
        tracing::error!(flaw, "the audit log was changed by somebody else; see `parlour audit verify`");
    }
}

fn refuse_migration(path: &Path, error: MigrateError) -> OpenError {
    let path = path.to_owned();
    match error {
        MigrateError::Newer { found, known } => OpenError::Newer { path, found, known },
        MigrateError::Step { version, source } => OpenError::Migrate { path, version, source },
        MigrateError::Version(source) => OpenError::Open { path, source },
    }
}

fn refuse(rejected: Rejected) -> Refusal {
    match rejected {
        Rejected::Full => Refusal::new(Code::Overloaded, "too many requests wait for the store"),
        Rejected::Closed => Refusal::new(Code::Stopping, "the store is closed"),
    }
}
