//! A store on SQLite with a small project in it, for tests of what is special to SQLite.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::{path::Path, sync::Arc};

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::{conversation::Channel, id::ProjectId, member::Person, project::Project, write::Write};
use parlour_hub::ports::Store;
use parlour_testkit::{Caller, World};
use rusqlite::Connection;
use tempfile::TempDir;

/// A project with one channel, and the person who owns it.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) store: SqliteStore,
    pub(crate) world: World,
    pub(crate) mara: Person,
    pub(crate) tour: Project,
    pub(crate) general: Channel,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(SqliteOptions::default()).await
    }

    pub(crate) async fn with(options: SqliteOptions) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let store = SqliteStore::open(folder.path(), options).expect("open");
        let world = world(&store);
        let mara = world.person("Mara").await;
        let tour = world.project("Tour", &mara).await;
        let general = world.channel("general", &tour).await;
        Self { folder, store, world, mara, tour, general }
    }

    /// Asks for a post by Mara without waiting for it.
    pub(crate) fn post(&self, body: &str) -> Write {
        self.world.draft(&self.mara, &self.general, body).write()
    }

    /// A connection of the test's own to the same file.
    pub(crate) fn connection(&self) -> Connection {
        connection(self.folder.path())
    }
}

/// A world over a store.
pub(crate) fn world(store: &SqliteStore) -> World {
    World::new(Arc::new(store.clone()) as Arc<dyn Store>)
}

/// A connection of the test's own to the database in this folder.
pub(crate) fn connection(folder: &Path) -> Connection {
    Connection::open(folder.join("parlour.db")).expect("connection")
}

/// The number that a statement finds.
pub(crate) fn number(db: &Connection, sql: &str) -> i64 {
    db.query_row(sql, [], |row| row.get(0)).expect(sql)
}

/// Appends for Mara and tells the code of the refusal, if it was refused.
pub(crate) async fn try_append(
    world: &World,
    project: &ProjectId,
    actor: &dyn Caller,
    write: Write,
) -> Result<u64, parlour_core::Code> {
    match world.append(project, actor, write).await {
        Ok(appended) => Ok(appended.position.offset()),
        Err(failure) => Err(failure.refusal().expect("an expected no").code),
    }
}
