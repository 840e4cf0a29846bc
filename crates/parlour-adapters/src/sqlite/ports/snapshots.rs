use async_trait::async_trait;
use parlour_core::{access::Principal, id::ProjectId, snapshot::Snapshot};
use parlour_hub::{
    Failure,
    ports::{SeatsAt, Snapshots},
};

use crate::sqlite::{
    SqliteStore,
    read::{seats, snapshot},
};

#[async_trait]
impl Snapshots for SqliteStore {
    async fn snapshot(&self, project: &ProjectId, caller: &Principal) -> Result<Option<Snapshot>, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("read a snapshot", move |db| snapshot::snapshot(db, &project, &caller)).await
    }

    async fn seats(&self, project: &ProjectId) -> Result<Option<SeatsAt>, Failure> {
        let project = project.clone();
        self.read("read who sits where", move |db| seats::seats(db, &project)).await
    }
}
