//! Tokens of members.

use parlour_core::{
    Refusal,
    token::{NewToken, OtherTokens, Token},
};
use rusqlite::params;

use crate::sqlite::{error::StoreResult, lookup, rows::codes::token_kind_code, tx::Tx};

/// Keeps a token, alone or beside the others of its member.
pub(in crate::sqlite) fn add_token(tx: &Tx<'_>, new: NewToken, others: OtherTokens) -> StoreResult<Token> {
    let member = &new.token.member_id;
    let member_no = lookup::member_no(tx.db(), member)?.ok_or_else(|| Refusal::not_found("member", member))?;
    if others == OtherTokens::End {
        tx.execute(
            "DELETE FROM token
             WHERE member_no = ?1",
            [member_no],
        )?;
    }
    insert_token(tx, member_no, &new)?;
    Ok(new.token)
}

/// Lets this token speak for the member.
pub(super) fn insert_token(tx: &Tx<'_>, member_no: i64, new: &NewToken) -> StoreResult<()> {
    let token = &new.token;
    let created_by_no = match &token.created_by {
        Some(maker) => lookup::member_no(tx.db(), maker)?,
        None => None,
    };
    tx.execute(
        "INSERT INTO token (id, member_no, kind, hash, label, scopes, created_by_no, created_ms, expires_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            token.id.as_str(),
            member_no,
            token_kind_code(token.kind),
            new.key.hash(),
            token.label,
            token.scopes.to_string(),
            created_by_no,
            token.created_at.as_millis(),
            token.expires_at.map(parlour_core::Timestamp::as_millis)
        ],
    )?;
    Ok(())
}
