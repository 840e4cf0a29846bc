use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    event::Event,
    id::ProjectId,
    limits,
    position::Position,
    write::{Appended, Entry},
};
use parlour_hub::{
    Failure,
    ports::{AppendedBatch, Log, LogRange},
};
use tokio::sync::mpsc;

use crate::sqlite::{
    SqliteStore,
    read::log,
    tx::Tx,
    write::{self, prune_log::prune_log, series},
};

#[async_trait]
impl Log for SqliteStore {
    async fn append(&self, entry: Entry) -> Result<Appended, Failure> {
        let operation = format!("append to the log of {}", entry.project_id);
        let prepared = write::prepare(entry);
        let append = move |tx: &Tx<'_>| write::append(tx, prepared);
        Ok(self.write_events(operation, append, write::Recorded::events).await?.appended)
    }

    async fn append_all(&self, entries: Vec<Entry>) -> Result<AppendedBatch, Failure> {
        let Some(first) = entries.first() else { return Ok(AppendedBatch { appended: Vec::new(), refusal: None }) };
        let operation = format!("append a series to the log of {}", first.project_id);
        let prepared: Vec<_> = entries.into_iter().map(write::prepare).collect();
        let append = move |tx: &Tx<'_>| series::append_all(tx, prepared);
        Ok(self.write_events(operation, append, series::RecordedSeries::events).await?.into_series())
    }

    async fn events_after(&self, project: &ProjectId, offset: u64, limit: usize) -> Result<Vec<Event>, Failure> {
        let project = project.clone();
        self.read("read events", move |db| log::events_after(db, &project, offset, limit)).await
    }

    async fn end_of_log(&self, project: &ProjectId) -> Result<Option<Position>, Failure> {
        let project = project.clone();
        self.read("read the end of a log", move |db| log::end_of_log(db, &project)).await
    }

    async fn log_range(&self, project: &ProjectId) -> Result<Option<LogRange>, Failure> {
        let project = project.clone();
        self.read("read the range of a log", move |db| log::log_range(db, &project)).await
    }

    async fn prune_logs(&self, now: Timestamp) -> Result<u64, Failure> {
        let mut forgotten = 0;
        for project_no in self.read("list the logs to prune", log::pruned_logs).await? {
            forgotten += self.prune_log(project_no, now).await?;
        }
        Ok(forgotten)
    }

    fn watch(&self) -> mpsc::Receiver<Event> {
        self.shared.watchers.watch()
    }
}

impl SqliteStore {
    /// Prunes one log, a piece at a time: other writes get in between.
    async fn prune_log(&self, project_no: i64, now: Timestamp) -> Result<u64, Failure> {
        let mut forgotten = 0;
        loop {
            let operation = format!("prune the log of project {project_no}");
            let count = self.write(operation, move |tx| prune_log(tx, project_no, now)).await?;
            forgotten += count;
            if count < limits::STORE_PRUNE_LEN_MAX as u64 {
                return Ok(forgotten);
            }
        }
    }
}
