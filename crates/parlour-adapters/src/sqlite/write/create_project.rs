use parlour_core::{attribution::Attribution, event::Change, id::ProjectId, project::Project, write::Appended};
use rusqlite::params;

use super::{find, names, scope::Scope};
use crate::sqlite::{
    error::{StoreError, StoreResult},
    rows::{project::load_project, to_json},
    tx::Tx,
};

/// The signs that the name of an epoch is made of.
const EPOCH_DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Makes the project's row and begins its log, unless they are there already.
pub(super) fn begin_log<'a>(
    tx: &'a Tx<'a>,
    id: &ProjectId,
    project: &Project,
    attribution: &'a Attribution,
) -> StoreResult<Scope<'a>> {
    if load_project(tx.db(), id)?.as_ref() != Some(project) {
        insert_project(tx, project)?;
    }
    Scope::open(tx, id, attribution)
}

/// Records the project that `begin_log` has made.
pub(super) fn create_project(scope: &Scope<'_>, project: Project) -> StoreResult<Appended> {
    let change = Change::ProjectCreated(Box::new(project));
    if scope.next_offset()? > 1 { scope.repeated(change) } else { scope.record(change) }
}

fn insert_project(tx: &Tx<'_>, project: &Project) -> StoreResult<()> {
    names::check_project(tx, &project.name, 0)?;
    let owner_no = find::person_no(tx, &project.owner)?;
    let project_no = tx.insert(
        "INSERT INTO project (id, name, name_key, description, owner_no, policy, created_ms, epoch)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            project.id.as_str(),
            project.name.as_str(),
            project.name.key().as_str(),
            project.description,
            owner_no,
            to_json(&project.policy),
            project.created_at.as_millis(),
            new_epoch()?
        ],
    )?;
    tx.execute(
        "INSERT INTO project_member (project_no, member_no)
         VALUES (?1, ?2)",
        [project_no, owner_no],
    )?;
    Ok(())
}

/// A name for the life of a log that no other life has had.
fn new_epoch() -> StoreResult<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Unreadable(format!("no randomness: {error}")))?;
    Ok(bytes.iter().map(|byte| EPOCH_DIGITS[usize::from(byte % 32)] as char).collect())
}
