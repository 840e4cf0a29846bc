use parlour_core::{artifact::Artifact, event::Change, write::Appended};
use rusqlite::params;

use super::{find, scope::Scope};
use crate::sqlite::{error::StoreResult, read::work::artifact, rows::to_json};

/// Records an uploaded file.
pub(super) fn create_artifact(scope: &Scope<'_>, new: Artifact) -> StoreResult<Appended> {
    if artifact(scope.tx.db(), &new.id)?.as_ref() == Some(&new) {
        return scope.repeated(Change::ArtifactCreated(Box::new(new)));
    }
    find::member_no(scope, &new.created_by)?;
    find::check_task(scope, new.task_id.as_ref())?;
    let conversation_no = new.conversation_id.as_ref().map(|id| find::conversation_no(scope, id)).transpose()?;
    scope.tx.execute(
        "INSERT INTO artifact (id, project_no, conversation_no, data)
         VALUES (?1, ?2, ?3, ?4)",
        params![new.id.as_str(), scope.project_no(), conversation_no, to_json(&new)],
    )?;
    scope.record(Change::ArtifactCreated(Box::new(new)))
}
