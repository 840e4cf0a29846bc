use parlour_core::{Refusal, event::Change, id::PersonId, write::Appended};

use super::{find, scope::Scope};
use crate::sqlite::{error::StoreResult, rows::member::load_person};

/// Ends a person's part in the project and in its private channels. What the person wrote stays.
pub(super) fn remove_person(scope: &Scope<'_>, id: &PersonId) -> StoreResult<Appended> {
    let person = load_person(scope.tx.db(), id)?.ok_or_else(|| Refusal::not_found("person", id))?;
    let member_no = find::person_no(scope.tx, id)?;
    let removed = scope.tx.execute(
        "DELETE FROM project_member
         WHERE project_no = ?1 AND member_no = ?2",
        [scope.project_no(), member_no],
    )?;
    let change = Change::PersonRemoved(Box::new(person));
    if removed == 0 {
        return scope.repeated(change);
    }
    // Dms keep their participants: they never change, and who is not in the project reads none of them.
    scope.tx.execute(
        "DELETE FROM conversation_member
         WHERE member_no = ?2 AND conversation_no IN (
             SELECT no
             FROM conversation
             WHERE project_no = ?1 AND type = 0
         )",
        [scope.project_no(), member_no],
    )?;
    scope.record(change)
}
