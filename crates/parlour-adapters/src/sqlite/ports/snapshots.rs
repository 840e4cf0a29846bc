use async_trait::async_trait;
use parlour_core::{access::Principal, id::ProjectId, snapshot::Snapshot};
use parlour_hub::{
    Failure,
    ports::{PrivateChannelMembersAt, Snapshots},
};

use crate::sqlite::{
    SqliteStore,
    read::{private_members, snapshot},
};

#[async_trait]
impl Snapshots for SqliteStore {
    async fn snapshot(&self, project: &ProjectId, caller: &Principal) -> Result<Option<Snapshot>, Failure> {
        let (project, caller) = (project.clone(), caller.clone());
        self.read("read a snapshot", move |db| snapshot::snapshot(db, &project, &caller)).await
    }

    async fn private_members(&self, project: &ProjectId) -> Result<Option<PrivateChannelMembersAt>, Failure> {
        let project = project.clone();
        self.read("read who sits where", move |db| private_members::private_members(db, &project)).await
    }
}
