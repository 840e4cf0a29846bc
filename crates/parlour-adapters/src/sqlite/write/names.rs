//! Names that could be taken for one another: in one place only one of them may exist.

use parlour_core::{Code, Refusal, name::Name};
use rusqlite::{OptionalExtension, Params, params};

use crate::sqlite::{error::StoreResult, tx::Tx};

/// Refuses a name that looks like that of another person of the hub.
pub(super) fn check_person(tx: &Tx<'_>, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM member
         WHERE name_key = ?1 AND home_no IS NULL AND no <> ?2";
    refuse_if_found(tx, sql, params![name.key().as_str(), own_no])
}

/// Refuses a name that looks like that of another project.
pub(super) fn check_project(tx: &Tx<'_>, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM project
         WHERE name_key = ?1 AND no <> ?2";
    refuse_if_found(tx, sql, params![name.key().as_str(), own_no])
}

/// Refuses a name that looks like that of another agent of the project.
pub(super) fn check_agents(tx: &Tx<'_>, project_no: i64, name: &Name, own_no: i64) -> StoreResult<()> {
    let sql = "SELECT name
         FROM member
         WHERE home_no = ?1 AND name_key = ?2 AND no <> ?3";
    refuse_if_found(tx, sql, params![project_no, name.key().as_str(), own_no])
}

/// Refuses a name that looks like that of an agent of any project: whoever counts as a member everywhere must not be
/// taken for one of them.
pub(super) fn check_all_agents(tx: &Tx<'_>, name: &Name) -> StoreResult<()> {
    let sql = "SELECT name
         FROM member
         WHERE name_key = ?1 AND home_no IS NOT NULL";
    refuse_if_found(tx, sql, params![name.key().as_str()])
}

/// Refuses a name that looks like that of a person who counts as a member of the project: its people, its owner and
/// all administrators.
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

/// Refuses a name that looks like that of another channel of the project, archived ones included.
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
            let detail = format!("the name {taken:?} is in use, and could be taken for this one");
            Err(Refusal::new(Code::NameTaken, detail).at("name").into())
        }
    }
}
