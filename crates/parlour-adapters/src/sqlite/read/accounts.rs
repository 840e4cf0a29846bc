//! People and tokens.

use parlour_core::{
    access::{Principal, Role},
    id::{MemberId, ProjectId},
    member::Person,
    paging::{Page, PageRequest},
    write::TokenHash,
};
use rusqlite::{Connection, Row};

use crate::sqlite::{
    error::StoreResult,
    lookup::{number, page_start, probe},
    rows::{
        ReadColumn,
        member::{person_from, select_person},
    },
};

/// Lists the people of the hub.
pub(in crate::sqlite) fn people(db: &Connection, page: &PageRequest) -> StoreResult<Page<Person>> {
    let people = "SELECT no\nFROM member\nWHERE id = ?1 AND home_no IS NULL";
    let after = page_start(page, |key| number(db, people, [key]))?;
    let mut statement = db.prepare_cached(select_person!(
        "WHERE member.home_no IS NULL AND member.no > ?1
         ORDER BY member.no
         LIMIT ?2"
    ))?;
    let people = statement.query_and_then([after, probe(page)], person_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(people, page.limit(), |person: &Person| person.id.to_string()))
}

/// Tells whose token this is.
pub(in crate::sqlite) fn principal(db: &Connection, token: &TokenHash) -> StoreResult<Option<Principal>> {
    let mut statement = db.prepare_cached(
        "SELECT member.id, member.name, member.is_admin, project.id
         FROM token
         JOIN member ON member.no = token.member_no
         LEFT JOIN project ON project.no = member.home_no
         WHERE token.hash = ?1",
    )?;
    statement.query_and_then([token], principal_from)?.next().transpose()
}

fn principal_from(row: &Row<'_>) -> StoreResult<Principal> {
    let (is_admin, home): (bool, Option<ProjectId>) = (row.get(2)?, row.parsed_opt(3)?);
    let role = match home {
        Some(project) => Role::Agent(project),
        None if is_admin => Role::Admin,
        None => Role::Person,
    };
    Ok(Principal { member: row.parsed::<MemberId>(0)?, name: row.parsed(1)?, role })
}
