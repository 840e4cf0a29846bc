use parlour_core::{event::Change, task::Batch, write::Appended};
use rusqlite::params;

use super::{find, scope::Scope};
use crate::sqlite::{error::StoreResult, read::work::batch, rows::to_json};

/// Makes a batch.
pub(super) fn create_batch(scope: &Scope<'_>, new: Batch) -> StoreResult<Appended> {
    if batch(scope.tx.db(), &new.id)?.as_ref() == Some(&new) {
        return scope.repeated(Change::BatchCreated(Box::new(new)));
    }
    find::member_no(scope, &new.created_by)?;
    scope.tx.execute(
        "INSERT INTO batch (id, project_no, data)
         VALUES (?1, ?2, ?3)",
        params![new.id.as_str(), scope.project_no(), to_json(&new)],
    )?;
    scope.record(Change::BatchCreated(Box::new(new)))
}
