//! The newest tasks, batches and artifacts of a snapshot.

use std::collections::HashSet;

use parlour_core::{
    artifact::Artifact,
    conversation::Thread,
    id::ThreadId,
    limits,
    task::{Batch, Task},
};
use rusqlite::{Params, named_params};
use serde::de::DeserializeOwned;

use crate::sqlite::{
    access::{join_access, readable, sees_project},
    error::StoreResult,
    lookup::{as_i64, exists},
    read::snapshot::{Numbered, Sight},
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

impl Sight<'_> {
    /// The tasks of all. Where one is talked about is shown to those who may read there.
    pub(super) fn tasks(&self, threads: &[Numbered<Thread>]) -> StoreResult<Vec<Task>> {
        let seen: HashSet<&ThreadId> = threads.iter().map(|thread| &thread.value.id).collect();
        let mut tasks: Vec<Task> = self.newest(TASKS, [self.project_no, items_max()])?;
        for task in &mut tasks {
            if let Some(thread) = &task.thread_id
                && !seen.contains(thread)
                && !self.reads_thread(thread)?
            {
                task.thread_id = None;
            }
        }
        Ok(tasks)
    }

    fn reads_thread(&self, thread: &ThreadId) -> StoreResult<bool> {
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

    /// Those that the viewer may see.
    pub(super) fn artifacts(&self) -> StoreResult<Vec<Artifact>> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin,
            ":limit": items_max()
        };
        self.newest(ARTIFACTS, params)
    }

    /// What a statement finds newest first, oldest first.
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
