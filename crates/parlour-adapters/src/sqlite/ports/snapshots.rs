use async_trait::async_trait;
use parlour_core::{access::Principal, id::ProjectId, snapshot::Snapshot};
use parlour_hub::{
    Failure,
    ports::{SeatsAt, Snapshots},
};

use crate::sqlite::SqliteStore;

#[async_trait]
impl Snapshots for SqliteStore {
    async fn snapshot(&self, _project: &ProjectId, _caller: &Principal) -> Result<Option<Snapshot>, Failure> {
        Ok(None)
    }

    async fn seats(&self, _project: &ProjectId) -> Result<Option<SeatsAt>, Failure> {
        Ok(None)
    }
}
