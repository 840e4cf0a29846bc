//! A SQLite store with a small project, for tests that are specific to SQLite.

// Each test file uses only some of these functions.
#![allow(dead_code)]

use std::{path::Path, sync::Arc};

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{conversation::Channel, id::ProjectId, member::Person, project::Project, write::Write};
use parlour_hub::ports::Store;
use parlour_testkit::{TestMember, TestStore};
use rusqlite::Connection;
use tempfile::TempDir;

/// A project with one channel, and the person who owns it.
pub(crate) struct SqliteFixture {
    pub(crate) folder: TempDir,
    pub(crate) store: SqliteStore,
    pub(crate) test_store: TestStore,
    pub(crate) mara: Person,
    pub(crate) tour: Project,
    pub(crate) general: Channel,
}

impl SqliteFixture {
    pub(crate) async fn new() -> Self {
        Self::with(SqliteOptions::default()).await
    }

    pub(crate) async fn with(options: SqliteOptions) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let store = SqliteStore::open(folder.path(), options).expect("open");
        let test_store = test_store(&store).recording();
        let mara = test_store.person("Mara").await;
        let tour = test_store.project("Tour", &mara).await;
        let general = test_store.channel("general", &tour).await;
        Self { folder, store, test_store, mara, tour, general }
    }

    /// The write of a post by Mara.
    pub(crate) fn post(&self, body: &str) -> Write {
        self.test_store.draft(&self.mara, &self.general, body).write()
    }

    /// A second connection to the same file.
    pub(crate) fn connection(&self) -> Connection {
        connection(self.folder.path())
    }
}

/// Wraps the store for the test kit.
pub(crate) fn test_store(store: &SqliteStore) -> TestStore {
    TestStore::new(Arc::new(store.clone()) as Arc<dyn Store>)
}

/// A second connection to the database in this folder.
pub(crate) fn connection(folder: &Path) -> Connection {
    Connection::open(folder.join("parlour.db")).expect("connection")
}

/// The number that a statement returns.
pub(crate) fn number(db: &Connection, sql: &str) -> i64 {
    db.query_row(sql, [], |row| row.get(0)).expect(sql)
}

/// Appends a write; returns the offset or the code of the refusal.
pub(crate) async fn try_append(
    test_store: &TestStore,
    project: &ProjectId,
    actor: &dyn TestMember,
    write: Write,
) -> Result<u64, parlour_core::Code> {
    match test_store.append(project, actor, write).await {
        Ok(appended) => Ok(appended.position.offset()),
        Err(failure) => Err(failure.refusal().expect("an expected no").code),
    }
}
