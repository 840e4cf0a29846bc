//! The newest tasks, batches and artifacts and the open runs of a snapshot.

use std::collections::HashSet;

use parlour_core::{
    artifact::Artifact,
    conversation::Thread,
    id::ThreadId,
    limits,
    run::Run,
    task::{Batch, Task},
};
use rusqlite::{Params, named_params};
use serde::de::DeserializeOwned;

use crate::sqlite::{
    access::{join_access, readable, sees_project},
    error::StoreResult,
    lookup::{as_i64, exists},
    read::{
        runs,
        snapshot::{NumberedRow, SnapshotReader},
    },
    rows::ReadColumn,
};

pub(in crate::sqlite::read) const TASKS: &str = "SELECT data
     FROM task
     WHERE project_no = ?1
     ORDER BY no DESC
     LIMIT ?2";

pub(in crate::sqlite::read) const BATCHES: &str = "SELECT data
     FROM batch
     WHERE project_no = ?1
     ORDER BY no DESC
     LIMIT ?2";

pub(in crate::sqlite::read) const ARTIFACTS: &str = concat!(
    "SELECT artifact.data
     FROM artifact
     LEFT JOIN conversation ON conversation.no = artifact.conversation_no
     LEFT JOIN conversation AS access ON access.no = conversation.access_no
     WHERE artifact.project_no = :project AND ",
    sees_project!(),
    " AND (artifact.conversation_no IS NULL OR ",
    readable!(),
    ")
     ORDER BY artifact.no DESC
     LIMIT :limit"
);

/// The open runs that the viewer may see, oldest first.
pub(in crate::sqlite::read) const RUNS: &str = concat!(
    "SELECT run.data
     FROM run INDEXED BY open_run_in
     LEFT JOIN conversation ON conversation.no = run.conversation_no
     LEFT JOIN conversation AS access ON access.no = conversation.access_no
     WHERE run.project_no = :project AND run.state < 2 AND ",
    sees_project!(),
    " AND (run.conversation_no IS NULL OR ",
    readable!(),
    ")
     ORDER BY run.no"
);

impl SnapshotReader<'_> {
    /// The tasks of the project. The thread of a task is left out if the viewer may not read it.
    pub(super) fn tasks(&self, threads: &[NumberedRow<Thread>]) -> StoreResult<Vec<Task>> {
        let readable: HashSet<&ThreadId> = threads.iter().map(|thread| &thread.value.id).collect();
        let mut tasks: Vec<Task> = self.newest(TASKS, [self.project_no, items_max()])?;
        for task in &mut tasks {
            if let Some(thread) = &task.thread_id
                && !readable.contains(thread)
                && !self.may_read_thread(thread)?
            {
                task.thread_id = None;
            }
        }
        Ok(tasks)
    }

    fn may_read_thread(&self, thread: &ThreadId) -> StoreResult<bool> {
        let sql = concat!(
            "SELECT 1\nFROM conversation\n",
            join_access!(),
            "WHERE conversation.id = :thread AND conversation.project_no = :project AND ",
            readable!()
        );
        let params = named_params! {
            ":thread": thread.as_str(), ":project": self.project_no,
            ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        exists(self.db, sql, params)
    }

    pub(super) fn batches(&self) -> StoreResult<Vec<Batch>> {
        self.newest(BATCHES, [self.project_no, items_max()])
    }

    pub(super) fn artifacts(&self) -> StoreResult<Vec<Artifact>> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin,
            ":limit": items_max()
        };
        self.newest(ARTIFACTS, params)
    }

    /// The open runs as the hub publishes them: without pauses from other conversations.
    pub(super) fn runs(&self) -> StoreResult<Vec<Run>> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        Ok(runs::load(self.db, RUNS, params)?.into_iter().map(Run::published).collect())
    }

    /// The rows of a statement that sorts newest first, in reverse: oldest first.
    fn newest<T: DeserializeOwned>(&self, sql: &str, params: impl Params) -> StoreResult<Vec<T>> {
        let mut statement = self.db.prepare_cached(sql)?;
        let mut items = statement.query_and_then(params, |row| row.json(0))?.collect::<StoreResult<Vec<T>>>()?;
        items.reverse();
        Ok(items)
    }
}

fn items_max() -> i64 {
    as_i64(limits::SNAPSHOT_ITEMS_MAX as u64)
}
