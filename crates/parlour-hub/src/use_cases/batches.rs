//! Batches of tasks.

use parlour_core::{
    Refusal,
    access::Principal,
    event::Change,
    id::{BatchId, ProjectId},
    name::Name,
    paging::{Page, PageRequest},
    scope::Scope,
    task::Batch,
    write::Write,
};

use super::projects::unexpected_change;
use crate::{Failure, Hub};

/// A request to make a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    /// The project.
    pub project_id: ProjectId,
    /// What its tasks have in common.
    pub name: Name,
}

impl Hub {
    /// Makes a batch.
    pub async fn create_batch(&self, caller: &Principal, request: NewBatch) -> Result<Batch, Failure> {
        self.require_scope(caller, Scope::TasksWrite)?;
        let project = self.load_visible_project(caller, &request.project_id).await?;
        let batch = Batch {
            id: BatchId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: request.name,
            created_by: caller.member.clone(),
            created_at: self.clock.now(),
        };
        match self.append(caller, &project.id, Write::CreateBatch(batch)).await?.change {
            Change::BatchCreated(batch) => Ok(*batch),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a batch.
    pub async fn batch(&self, caller: &Principal, id: &BatchId) -> Result<Batch, Failure> {
        self.require_scope(caller, Scope::ChannelsRead)?;
        let refuse = || Refusal::not_found("batch", id);
        let batch = self.store.batch(id).await?.ok_or_else(refuse)?;
        self.require_visible_project(caller, &batch.project_id, refuse()).await?;
        Ok(batch)
    }

    /// Lists the batches of a project.
    pub async fn batches(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Batch>, Failure> {
        self.require_scope(caller, Scope::ChannelsRead)?;
        self.load_visible_project(caller, project).await?;
        self.store.batches(project, page).await
    }

    /// Answers with `refusal` when the caller does not see the project, so that a foreign id looks like none.
    pub(crate) async fn require_visible_project(
        &self,
        caller: &Principal,
        project: &ProjectId,
        refusal: Refusal,
    ) -> Result<(), Failure> {
        match self.load_visible_project(caller, project).await {
            Ok(_) => Ok(()),
            Err(Failure::Refused(_)) => Err(refusal.into()),
            Err(fault) => Err(fault),
        }
    }
}
