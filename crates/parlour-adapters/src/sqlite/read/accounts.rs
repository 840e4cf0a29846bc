//! People and tokens.

use parlour_core::{
    Timestamp,
    access::{Grant, Principal, Role},
    id::{MemberId, ProjectId},
    member::Person,
    paging::{Page, PageRequest},
    token::TokenKey,
    via::{Surface, Via},
};
use rusqlite::{Connection, Row, params};

use crate::sqlite::{
    error::StoreResult,
    lookup::{number, page_start, probe},
    rows::{
        ReadColumn,
        codes::token_kind_code,
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

/// Tells whom a token lets in, and for what.
pub(in crate::sqlite) fn principal(db: &Connection, key: &TokenKey) -> StoreResult<Option<Principal>> {
    let kind = token_kind_code(key.kind());
    let found = match key {
        TokenKey::Jwt(id) => {
            let mut statement = db.prepare_cached(select_principal!("WHERE token.kind = ?1 AND token.id = ?2"))?;
            statement.query_and_then(params![kind, id.as_str()], principal_from)?.next()
        }
        hashed => {
            let mut statement = db.prepare_cached(select_principal!("WHERE token.kind = ?1 AND token.hash = ?2"))?;
            statement.query_and_then(params![kind, hashed.hash()], principal_from)?.next()
        }
    };
    found.transpose()
}

macro_rules! select_principal {
    ($rest:literal) => {
        concat!(
            "SELECT member.id, member.name, member.is_admin, project.id, token.id, token.scopes, token.expires_ms
             FROM token
             JOIN member ON member.no = token.member_no
             LEFT JOIN project ON project.no = member.home_no ",
            $rest
        )
    };
}
use select_principal;

fn principal_from(row: &Row<'_>) -> StoreResult<Principal> {
    let (is_admin, home): (bool, Option<ProjectId>) = (row.get(2)?, row.parsed_opt(3)?);
    let role = match home {
        Some(project) => Role::Agent(project),
        None if is_admin => Role::Admin,
        None => Role::Person,
    };
    let grant = Grant {
        scopes: row.parsed(5)?,
        expires_at: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_millis),
        via: Via { surface: Surface::Host, token: Some(row.parsed(4)?) },
    };
    Ok(Principal::new(row.parsed::<MemberId>(0)?, row.parsed(1)?, role).granted(grant))
}
