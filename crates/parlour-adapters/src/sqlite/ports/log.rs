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
    ports::{Log, LogRange},
};
use tokio::sync::mpsc;

use crate::sqlite::{SqliteStore, read::log, write};

#[async_trait]
impl Log for SqliteStore {
    async fn append(&self, entry: Entry) -> Result<Appended, Failure> {
        let operation = format!("append to the log of {}", entry.project_id);
        let prepared = write::prepare(entry);
        self.write(operation, move |tx| write::append(tx, prepared)).await
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

    async fn prune_logs(&self, _now: Timestamp) -> Result<u64, Failure> {
        Ok(0)
    }

    fn watch(&self) -> mpsc::Receiver<Event> {
        mpsc::channel(limits::WATCH_QUEUE_LEN_MAX).1
    }
}
