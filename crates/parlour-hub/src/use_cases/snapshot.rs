//! A project as a whole.

use parlour_core::{Refusal, access::Principal, id::ProjectId, snapshot::Snapshot};

use crate::{Failure, Hub};

impl Hub {
    /// Reads a project as the caller sees it, with the position to go on from, running answers and who is there.
    pub async fn snapshot(&self, caller: &Principal, project: &ProjectId) -> Result<Snapshot, Failure> {
        self.see_project(caller, project).await?;
        let found = self.store.snapshot(project, caller).await?;
        let snapshot = found.ok_or_else(|| Refusal::not_found("project", project))?;
        Ok(Snapshot { presence: self.presence_in(project), ..snapshot })
    }
}
