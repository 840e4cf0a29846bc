//! Checks for names that are too similar to existing ones.

use parlour_core::{Code, Refusal, name::Name};
use rusqlite::{OptionalExtension, Params, params};

use crate::sqlite::{error::StoreResult, tx::Tx};

/// Refuses a name that is too similar to that of another person.
pub(super) fn check_person(tx: &Tx<'_>, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM member
         WHERE name_key = ?1 AND home_no IS NULL AND no <> ?2";
    refuse_if_found(tx, sql, params![name.key().as_str(), own_no])
}

/// Refuses a name that is too similar to that of another project.
pub(super) fn check_project(tx: &Tx<'_>, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM project
         WHERE name_key = ?1 AND no <> ?2";
    refuse_if_found(tx, sql, params![name.key().as_str(), own_no])
}

/// Refuses a name that is too similar to that of another agent of the project.
pub(super) fn check_agents(tx: &Tx<'_>, project_no: i64, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM member
         WHERE home_no = ?1 AND name_key = ?2 AND no <> ?3";
    refuse_if_found(tx, sql, params![project_no, name.key().as_str(), own_no])
}

/// Refuses a name that is too similar to that of an agent of any project, because an administrator is a member of every
/// project.
pub(super) fn check_all_agents(tx: &Tx<'_>, name: &Name) -> StoreResult<()> {
    let sql = "SELECT name
         FROM member
         WHERE name_key = ?1 AND home_no IS NOT NULL";
    refuse_if_found(tx, sql, params![name.key().as_str()])
}

/// Refuses a name that is too similar to that of a person of the project, its owner or an administrator.
pub(super) fn check_people(tx: &Tx<'_>, project_no: i64, name: &Name) -> StoreResult<()> {
    let sql = "SELECT member.name
         FROM member
         WHERE member.name_key = ?2 AND member.home_no IS NULL AND (
             member.is_admin = 1
             OR EXISTS (
                 SELECT 1
                 FROM project
                 WHERE project.no = ?1 AND project.owner_no = member.no
             )
             OR EXISTS (
                 SELECT 1
                 FROM project_member
                 WHERE project_member.project_no = ?1 AND project_member.member_no = member.no
             )
         )";
    refuse_if_found(tx, sql, params![project_no, name.key().as_str()])
}

/// Refuses a name that is too similar to that of another channel of the project, including archived ones.
pub(super) fn check_channel(tx: &Tx<'_>, project_no: i64, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM conversation
         WHERE project_no = ?1 AND name_key = ?2 AND type = 0 AND no <> ?3";
    refuse_if_found(tx, sql, params![project_no, name.key().as_str(), own_no])
}

fn refuse_if_found(tx: &Tx<'_>, sql: &str, params: impl Params) -> StoreResult<()> {
    let taken: Option<String> = tx.statement(sql)?.query_row(params, |row| row.get(0)).optional()?;
    match taken {
        None => Ok(()),
        Some(taken) => {
            let detail = format!("the name is equal or too similar to {taken:?}, which is in use; choose another name");
            Err(Refusal::new(Code::NameTaken, detail).at("name").into())
        }
    }
}
