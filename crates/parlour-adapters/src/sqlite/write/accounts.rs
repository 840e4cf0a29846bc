//! Writes of people, tokens and passwords, which belong to no project.

use parlour_core::{
    Code, Refusal, Timestamp,
    attribution::Attribution,
    event::{Change, Event},
    id::{MemberId, PersonId, TokenId},
    limits,
    member::Person,
    name::Name,
    token::{NewToken, OtherTokens, Token, TokenHash, TokenKind},
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    lookup::{self, as_i64},
    rows::{
        ReadColumn as _,
        codes::token_kind_code,
        member::load_person,
        to_json,
        token::{load_link, load_token},
    },
    tx::Tx,
    write::{
        find,
        log::{LogWriter, done},
        names,
    },
};

/// A row number that no member has, for a person without a row.
const NO_MEMBER: i64 = 0;

/// Adds a person with a token to the hub. No project log records it.
pub(in crate::sqlite) fn create_person(
    tx: &Tx<'_>,
    attribution: Attribution,
    person: Person,
    token: &NewToken,
) -> StoreResult<Person> {
    names::check_person(tx, &person.name, NO_MEMBER)?;
    if person.is_admin {
        names::check_all_agents(tx, &person.name)?;
    }
    let member_no = tx.insert(
        "INSERT INTO member (id, name, name_key, is_admin, created_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            person.id.as_str(),
            person.name.as_str(),
            person.name.key().as_str(),
            person.is_admin,
            person.created_at.as_millis()
        ],
    )?;
    insert_token(tx, member_no, token)?;
    tx.audit(done(attribution, "people.created", None, &person.id))?;
    Ok(person)
}

/// A renamed person, and the events in the logs of its projects.
pub(in crate::sqlite) struct Renamed {
    pub(in crate::sqlite) person: Person,
    pub(in crate::sqlite) events: Vec<Event>,
}

/// Renames a person and records an event in each of its projects.
pub(in crate::sqlite) fn rename_person(
    tx: &Tx<'_>,
    attribution: &Attribution,
    id: &PersonId,
    name: Name,
) -> StoreResult<Renamed> {
    let old = load_person(tx.db(), id)?.ok_or_else(|| Refusal::not_found("person", id))?;
    if old.name == name {
        return Ok(Renamed { person: old, events: Vec::new() });
    }
    let person_no = find::person_no(tx, id)?;
    let person = Person { name, ..old };
    check_name(tx, person_no, &person)?;
    tx.execute(
        "UPDATE member
         SET name = ?2, name_key = ?3
         WHERE no = ?1",
        params![person_no, person.name.as_str(), person.name.key().as_str()],
    )?;
    tx.audit(done(attribution.clone(), "people.renamed", None, id))?;
    let events = record_in_projects(tx, attribution, person_no, &person)?;
    Ok(Renamed { person, events })
}

/// Refuses a name that is too similar to that of another person, or of an agent in a project of the person.
fn check_name(tx: &Tx<'_>, person_no: i64, person: &Person) -> StoreResult<()> {
    names::check_person(tx, &person.name, person_no)?;
    if person.is_admin {
        return names::check_all_agents(tx, &person.name);
    }
    for project_no in projects_of(tx, person_no)? {
        names::check_agents(tx, project_no, &person.name, person_no)?;
    }
    Ok(())
}

/// The projects of which the person is a member or the owner.
fn projects_of(tx: &Tx<'_>, person_no: i64) -> StoreResult<Vec<i64>> {
    let mut statement = tx.statement(
        "SELECT project_no
         FROM project_member
         WHERE member_no = ?1
         UNION
         SELECT no
         FROM project
         WHERE owner_no = ?1",
    )?;
    Ok(statement.query_map([person_no], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn record_in_projects(
    tx: &Tx<'_>,
    attribution: &Attribution,
    person_no: i64,
    person: &Person,
) -> StoreResult<Vec<Event>> {
    let mut statement = tx.statement(
        "SELECT project.id
         FROM project_member
         JOIN project ON project.no = project_member.project_no
         WHERE project_member.member_no = ?1
         ORDER BY project.no",
    )?;
    let projects = statement.query_and_then([person_no], |row| row.parsed(0))?.collect::<StoreResult<Vec<_>>>()?;
    let record = |project_id| {
        let appended =
            LogWriter::open(tx, &project_id, attribution)?.record(Change::PersonUpdated(Box::new(person.clone())))?;
        let (position, change) = (appended.position, appended.change);
        Ok(Event { position, project_id, at: attribution.at, actor: attribution.actor.clone(), change })
    };
    projects.into_iter().map(record).collect()
}

/// Deletes a limited number of expired tokens.
pub(in crate::sqlite) const DELETE_EXPIRED: &str = "DELETE FROM token
     WHERE no IN (
         SELECT no
         FROM token
         WHERE expires_ms <= ?1
         LIMIT ?2
     )";

pub(in crate::sqlite) const DELETE_EXPIRED_OF_MEMBER: &str = "DELETE FROM token
     WHERE member_no = ?1 AND expires_ms <= ?2";

/// Adds a token; `others` says whether the other tokens of the member stay valid.
pub(in crate::sqlite) fn add_token(
    tx: &Tx<'_>,
    attribution: Attribution,
    new: NewToken,
    others: OtherTokens,
) -> StoreResult<Token> {
    let member_no = member_no(tx, &new.token.member_id)?;
    let action = match others {
        OtherTokens::Stay => "tokens.issued",
        OtherTokens::End => {
            delete_tokens(tx, member_no)?;
            "tokens.replaced"
        }
    };
    add_within_limit(tx, member_no, &new, attribution.at)?;
    tx.audit(done(attribution, action, None, audit_subject(&new.token)))?;
    Ok(new.token)
}

pub(in crate::sqlite) fn revoke_token(tx: &Tx<'_>, attribution: Attribution, id: &TokenId) -> StoreResult<Token> {
    let token = load_token(tx.db(), id)?.ok_or_else(|| Refusal::not_found("token", id))?;
    delete_token(tx, id)?;
    tx.audit(done(attribution, "tokens.revoked", None, audit_subject(&token)))?;
    Ok(token)
}

/// Replaces a sign-in link by a session of the same member.
pub(in crate::sqlite) fn redeem_link(
    tx: &Tx<'_>,
    attribution: Attribution,
    link: &TokenHash,
    mut session: NewToken,
) -> StoreResult<Token> {
    let found = load_link(tx.db(), link)?.filter(|link| !link.has_expired(attribution.at));
    let link = found.ok_or_else(|| Refusal::new(Code::SignInFailed, "this link was used, has ended or never was"))?;
    delete_token(tx, &link.id)?;
    session.token.member_id = link.member_id.clone();
    add_within_limit(tx, member_no(tx, &link.member_id)?, &session, attribution.at)?;
    tx.audit(done(attribution, "links.redeemed", None, format!("{}/{}", link.id, session.token.id)))?;
    Ok(session.token)
}

/// Deletes at most `STORE_PRUNE_LEN_MAX` expired tokens and returns how many.
pub(in crate::sqlite) fn forget_expired(tx: &Tx<'_>, now: Timestamp) -> StoreResult<u64> {
    let most = as_i64(limits::STORE_PRUNE_LEN_MAX as u64);
    Ok(tx.execute(DELETE_EXPIRED, [now.as_millis(), most])? as u64)
}

pub(super) fn insert_token(tx: &Tx<'_>, member_no: i64, new: &NewToken) -> StoreResult<()> {
    let token = &new.token;
    let created_by_no = token.created_by.as_ref().map(|maker| self::member_no(tx, maker)).transpose()?;
    let inserted = tx.execute(
        "INSERT INTO token (id, member_no, kind, hash, label, scopes, created_by_no, created_ms, expires_ms,
             acts_as)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO NOTHING",
        params![
            token.id.as_str(),
            member_no,
            token_kind_code(token.kind),
            new.key.hash(),
            token.label,
            token.scopes.to_string(),
            created_by_no,
            token.created_at.as_millis(),
            token.expires_at.map(Timestamp::as_millis),
            token.acts_as.as_ref().map(to_json)
        ],
    )?;
    if inserted == 0 {
        return Err(Refusal::out_of_bounds("another token is known by the same already").into());
    }
    Ok(())
}

/// Adds a token unless the member has too many that have not expired.
fn add_within_limit(tx: &Tx<'_>, member_no: i64, new: &NewToken, at: Timestamp) -> StoreResult<()> {
    tx.execute(DELETE_EXPIRED_OF_MEMBER, [member_no, at.as_millis()])?;
    insert_token(tx, member_no, new)?;
    let sql = "SELECT COUNT(*)
         FROM token
         WHERE member_no = ?1";
    find::check_count(tx, sql, [member_no], limits::TOKENS_PER_MEMBER_MAX, "a member", "tokens")
}

fn delete_tokens(tx: &Tx<'_>, member_no: i64) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM token
         WHERE member_no = ?1",
        [member_no],
    )?;
    Ok(())
}

fn delete_token(tx: &Tx<'_>, id: &TokenId) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM token
         WHERE id = ?1",
        [id.as_str()],
    )?;
    Ok(())
}

fn member_no(tx: &Tx<'_>, id: &MemberId) -> StoreResult<i64> {
    Ok(lookup::member_no(tx.db(), id)?.ok_or_else(|| Refusal::not_found("member", id))?)
}

/// The token and its member, for the audit log: after a deletion nothing else names the member.
fn audit_subject(token: &Token) -> String {
    format!("{}/{}", token.id, token.member_id)
}

/// Sets the password of a person and ends its other browser sessions.
pub(in crate::sqlite) fn set_password(
    tx: &Tx<'_>,
    attribution: Attribution,
    person: &PersonId,
    hash: &str,
) -> StoreResult<()> {
    let person_no = find::person_no(tx, person)?;
    tx.execute(
        "INSERT INTO password (person_no, hash)
         VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET hash = excluded.hash",
        params![person_no, hash],
    )?;
    end_sessions(tx, person_no, attribution.origin.token.as_ref())?;
    tx.audit(done(attribution, "passwords.set", None, person))?;
    Ok(())
}

/// Deletes the tokens that a new password ends, except the one that it was set with.
fn end_sessions(tx: &Tx<'_>, person_no: i64, except: Option<&TokenId>) -> StoreResult<()> {
    let ended = TokenKind::ALL.iter().filter(|kind| kind.ends_with_password());
    for kind in ended {
        tx.execute(
            "DELETE FROM token
             WHERE member_no = ?1 AND kind = ?2 AND id IS NOT ?3",
            params![person_no, token_kind_code(*kind), except.map(TokenId::as_str)],
        )?;
    }
    Ok(())
}
