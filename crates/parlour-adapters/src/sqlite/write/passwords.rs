//! Passwords of people.

use parlour_core::{
    attribution::Attribution,
    id::{PersonId, TokenId},
    token::TokenKind,
};
use rusqlite::params;

use super::{done::done, find};
use crate::sqlite::{error::StoreResult, rows::codes::token_kind_code, tx::Tx};

/// Gives a person this password and signs it out everywhere but where it was set.
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
    end_browsers(tx, person_no, attribution.origin.token.as_ref())?;
    tx.audit(done(attribution, "passwords.set", None, person));
    Ok(())
}

/// Ends sessions, and links, which would become sessions. Tokens of scripts stay: no password has made them.
fn end_browsers(tx: &Tx<'_>, person_no: i64, except: Option<&TokenId>) -> StoreResult<()> {
    let (session, link) = (token_kind_code(TokenKind::Session), token_kind_code(TokenKind::Link));
    tx.execute(
        "DELETE FROM token
         WHERE member_no = ?1 AND kind IN (?2, ?3) AND id IS NOT ?4",
        params![person_no, session, link, except.map(TokenId::as_str)],
    )?;
    Ok(())
}
