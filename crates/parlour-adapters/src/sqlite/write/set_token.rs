use parlour_core::{Refusal, id::MemberId, write::TokenHash};
use rusqlite::params;

use crate::sqlite::{error::StoreResult, lookup, tx::Tx};

/// Gives a member this token in place of all that it had.
pub(in crate::sqlite) fn set_token(tx: &Tx<'_>, member: &MemberId, token: &TokenHash) -> StoreResult<()> {
    let member_no = lookup::member_no(tx.db(), member)?.ok_or_else(|| Refusal::not_found("member", member))?;
    tx.execute(
        "DELETE FROM token
         WHERE member_no = ?1",
        [member_no],
    )?;
    insert_token(tx, member_no, token)
}

/// Lets this token speak for the member.
pub(super) fn insert_token(tx: &Tx<'_>, member_no: i64, token: &TokenHash) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO token (hash, member_no)
         VALUES (?1, ?2)",
        params![token, member_no],
    )?;
    Ok(())
}
