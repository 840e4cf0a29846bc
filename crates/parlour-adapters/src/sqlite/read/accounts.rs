//! Reads of people, tokens and sign-in records, and the `Accounts` port.

use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    access::{Grant, Principal, Role},
    attribution::{Attribution, Origin, Surface},
    id::{MemberId, PersonId, ProjectId, TokenId},
    limits,
    member::Person,
    name::Name,
    paging::{Page, PageRequest},
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKey},
};
use parlour_hub::{Failure, ports::Accounts};
use rusqlite::{Connection, Row, params};

use crate::sqlite::{
    SqliteStore,
    error::StoreResult,
    lookup::{member_no, number, page_start, probe},
    rows::{
        ReadColumn,
        codes::token_kind_code,
        member::{load_person, person_from, select_person},
        token::{acts_as_from, load_token, select_token, token_from},
    },
    tx::Tx,
    write::accounts::{self, create_person, rename_person, set_password},
};

#[async_trait]
impl Accounts for SqliteStore {
    async fn create_person(
        &self,
        attribution: Attribution,
        person: Person,
        token: NewToken,
    ) -> Result<Person, Failure> {
        let operation = format!("create person {}", person.id);
        self.write(operation, move |tx| create_person(tx, attribution, person, &token)).await
    }

    async fn rename_person(&self, attribution: Attribution, id: &PersonId, name: Name) -> Result<Person, Failure> {
        let (operation, id) = (format!("rename person {id}"), id.clone());
        let rename = move |tx: &Tx<'_>| rename_person(tx, &attribution, &id, name);
        Ok(self.write_events(operation, rename, |renamed| renamed.events.clone()).await?.person)
    }

    async fn person(&self, id: &PersonId) -> Result<Option<Person>, Failure> {
        let id = id.clone();
        self.read("read a person", move |db| load_person(db, &id)).await
    }

    async fn people(&self, page: &PageRequest) -> Result<Page<Person>, Failure> {
        let page = page.clone();
        self.read("list people", move |db| people(db, &page)).await
    }

    async fn add_token(&self, attribution: Attribution, new: NewToken, others: OtherTokens) -> Result<Token, Failure> {
        let operation = format!("add a token of {}", new.token.member_id);
        self.write(operation, move |tx| accounts::add_token(tx, attribution, new, others)).await
    }

    async fn token(&self, id: &TokenId) -> Result<Option<Token>, Failure> {
        let id = id.clone();
        self.read("read a token", move |db| load_token(db, &id)).await
    }

    async fn tokens(&self, member: &MemberId, page: &PageRequest) -> Result<Page<Token>, Failure> {
        let (member, page) = (member.clone(), page.clone());
        self.read("list tokens", move |db| tokens(db, &member, &page)).await
    }

    async fn revoke_token(&self, attribution: Attribution, id: &TokenId) -> Result<Token, Failure> {
        let (operation, id) = (format!("revoke token {id}"), id.clone());
        self.write(operation, move |tx| accounts::revoke_token(tx, attribution, &id)).await
    }

    async fn redeem_link(
        &self,
        attribution: Attribution,
        link: &TokenHash,
        session: NewToken,
    ) -> Result<Token, Failure> {
        let link = *link;
        self.write("redeem a link".to_owned(), move |tx| accounts::redeem_link(tx, attribution, &link, session)).await
    }

    async fn principal(&self, key: &TokenKey) -> Result<Option<Principal>, Failure> {
        let key = key.clone();
        self.read("look up a token", move |db| principal(db, &key)).await
    }

    /// Deletes in small batches, so that other writes run in between.
    async fn forget_expired_tokens(&self, now: Timestamp) -> Result<u64, Failure> {
        let mut forgotten = 0;
        loop {
            let operation = "forget expired tokens".to_owned();
            let count = self.write(operation, move |tx| accounts::forget_expired(tx, now)).await?;
            forgotten += count;
            if count < limits::STORE_PRUNE_LEN_MAX as u64 {
                return Ok(forgotten);
            }
        }
    }

    async fn set_password(&self, attribution: Attribution, person: &PersonId, hash: String) -> Result<(), Failure> {
        let (operation, person) = (format!("set the password of {person}"), person.clone());
        self.write(operation, move |tx| set_password(tx, attribution, &person, &hash)).await
    }

    async fn sign_in_record(&self, name: &Name) -> Result<Option<(Person, Option<String>)>, Failure> {
        let name = name.clone();
        self.read("look up a name", move |db| sign_in_record(db, &name)).await
    }
}

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

pub(super) const TOKENS: &str = select_token!(
    "WHERE token.member_no = ?1 AND token.no > ?2
     ORDER BY token.no
     LIMIT ?3"
);

/// The principal of the token with this hash.
pub(super) const PRINCIPAL_BY_HASH: &str = select_principal!("WHERE token.kind = ?1 AND token.hash = ?2");

/// The principal of the signed token with this id.
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

/// The principal of a token.
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

/// The person with this name, and the hash of its password if it has one. Names are compared by their key.
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
