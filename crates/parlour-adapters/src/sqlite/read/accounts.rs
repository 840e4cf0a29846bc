//! People, tokens and passwords.

use parlour_core::{
    access::{Grant, Principal, Role},
    id::{MemberId, ProjectId},
    member::Person,
    name::Name,
    origin::{Origin, Surface},
    paging::{Page, PageRequest},
    token::{Token, TokenKey},
};
use rusqlite::{Connection, Row, params};

use crate::sqlite::{
    error::StoreResult,
    lookup::{member_no, number, page_start, probe},
    rows::{
        ReadColumn,
        codes::token_kind_code,
        member::{person_from, select_person},
        token::{acts_as_from, select_token, token_from},
    },
};

macro_rules! select_principal {
    ($tail:literal) => {
        concat!(
            "SELECT member.id, member.name, member.is_admin, project.id, token.id, token.scopes, token.expires_ms,
                 token.acts_as
             FROM token
             JOIN member ON member.no = token.member_no
             LEFT JOIN project ON project.no = member.home_no\n",
            $tail
        )
    };
}

/// The tokens of a member.
pub(super) const TOKENS: &str = select_token!(
    "WHERE token.member_no = ?1 AND token.no > ?2
     ORDER BY token.no
     LIMIT ?3"
);

/// Whom the token with this hash lets in.
pub(super) const PRINCIPAL_BY_HASH: &str = select_principal!("WHERE token.kind = ?1 AND token.hash = ?2");

/// Whom the signed token with this id lets in.
pub(super) const PRINCIPAL_BY_ID: &str = select_principal!("WHERE token.kind = ?1 AND token.id = ?2");

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
            let mut statement = db.prepare_cached(PRINCIPAL_BY_ID)?;
            statement.query_and_then(params![kind, id.as_str()], principal_from)?.next()
        }
        hashed => {
            let mut statement = db.prepare_cached(PRINCIPAL_BY_HASH)?;
            statement.query_and_then(params![kind, hashed.hash()], principal_from)?.next()
        }
    };
    found.transpose()
}

fn principal_from(row: &Row<'_>) -> StoreResult<Principal> {
    let (is_admin, home): (bool, Option<ProjectId>) = (row.get(2)?, row.parsed_opt(3)?);
    let role = match home {
        Some(project) => Role::Agent(project),
        None if is_admin => Role::Admin,
        None => Role::Person,
    };
    let grant = Grant {
        scopes: row.parsed(5)?,
        acts_as: acts_as_from(row, 7)?,
        expires_at: row.time_opt(6)?,
        origin: Origin { surface: Surface::Host, token: Some(row.parsed(4)?) },
    };
    Ok(Principal::new(row.parsed::<MemberId>(0)?, row.parsed(1)?, role).granted(grant))
}

/// Lists the tokens of a member.
pub(in crate::sqlite) fn tokens(db: &Connection, member: &MemberId, page: &PageRequest) -> StoreResult<Page<Token>> {
    let member_no = member_no(db, member)?.unwrap_or(0);
    let own = "SELECT no\nFROM token\nWHERE id = ?1 AND member_no = ?2";
    let after = page_start(page, |key| number(db, own, params![key, member_no]))?;
    let mut statement = db.prepare_cached(TOKENS)?;
    let tokens = statement.query_and_then([member_no, after, probe(page)], token_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(tokens, page.limit(), |token: &Token| token.id.to_string()))
}

/// The person whose name looks like this one, and the hash of its password if it has one.
pub(in crate::sqlite) fn sign_in_record(db: &Connection, name: &Name) -> StoreResult<Option<(Person, Option<String>)>> {
    let mut statement = db.prepare_cached(
        "SELECT member.id, member.name, member.is_admin, member.created_ms, password.hash
         FROM member
         LEFT JOIN password ON password.person_no = member.no
         WHERE member.name_key = ?1 AND member.home_no IS NULL",
    )?;
    let record_from = |row: &Row<'_>| Ok((person_from(row)?, row.get(4)?));
    statement.query_and_then([name.key().as_str()], record_from)?.next().transpose()
}
