use parlour_core::{Refusal, event::Change, id::PersonId, limits, write::Appended};

use super::{find, names, private_members::check_count, scope::Scope};
use crate::sqlite::{error::StoreResult, rows::member::load_person};

/// Lets a person take part in the project.
pub(super) fn add_person(scope: &Scope<'_>, id: &PersonId) -> StoreResult<Appended> {
    let person = load_person(scope.tx.db(), id)?.ok_or_else(|| Refusal::not_found("person", id))?;
    let added = scope.tx.execute(
        "INSERT INTO project_member (project_no, member_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [scope.project_no(), find::person_no(scope.tx, id)?],
    )?;
    if added == 0 {
        return scope.repeated(Change::PersonAdded(Box::new(person)));
    }
    names::check_agents(scope.tx, scope.project_no(), &person.name, 0)?;
    check_room(scope)?;
    scope.record(Change::PersonAdded(Box::new(person)))
}

fn check_room(scope: &Scope<'_>) -> StoreResult<()> {
    let sql = "SELECT COUNT(*)
         FROM project_member
         JOIN member ON member.no = project_member.member_no
         WHERE project_member.project_no = ?1 AND member.home_no IS NULL";
    check_count(scope.tx, sql, [scope.project_no()], limits::PROJECT_MEMBERS_MAX, "a project", "people")
}
