//! Tokens of members.

use parlour_core::{
    Code, Refusal, Timestamp,
    attribution::Attribution,
    id::{MemberId, TokenId},
    limits,
    token::{NewToken, OtherTokens, Token, TokenHash},
};
use rusqlite::params;

use super::{done::done, private_members::check_count};
use crate::sqlite::{
    error::StoreResult,
    lookup::{self, as_i64},
    rows::{
        codes::token_kind_code,
        to_json,
        token::{load_link, load_token},
    },
    tx::Tx,
};

/// Forgets some tokens that have expired.
pub(in crate::sqlite) const FORGET_EXPIRED: &str = "DELETE FROM token
     WHERE no IN (
         SELECT no
         FROM token
         WHERE expires_ms <= ?1
         LIMIT ?2
     )";

/// Forgets the tokens of a member that have expired.
pub(in crate::sqlite) const FORGET_EXPIRED_OF_MEMBER: &str = "DELETE FROM token
     WHERE member_no = ?1 AND expires_ms <= ?2";

/// Keeps a token, alone or beside the others of its member.
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
            end_all(tx, member_no)?;
            "tokens.replaced"
        }
    };
    keep_token(tx, member_no, &new, attribution.at)?;
    tx.audit(done(attribution, action, None, whose(&new.token)));
    Ok(new.token)
}

/// Ends a token.
pub(in crate::sqlite) fn revoke_token(tx: &Tx<'_>, attribution: Attribution, id: &TokenId) -> StoreResult<Token> {
    let token = load_token(tx.db(), id)?.ok_or_else(|| Refusal::not_found("token", id))?;
    end_token(tx, id)?;
    tx.audit(done(attribution, "tokens.revoked", None, whose(&token)));
    Ok(token)
}

/// Ends a link and keeps the session in its place, for the same member.
pub(in crate::sqlite) fn redeem_link(
    tx: &Tx<'_>,
    attribution: Attribution,
    link: &TokenHash,
    mut session: NewToken,
) -> StoreResult<Token> {
    let found = load_link(tx.db(), link)?.filter(|link| !link.has_expired(attribution.at));
    let link = found.ok_or_else(|| Refusal::new(Code::SignInFailed, "this link was used, has ended or never was"))?;
    end_token(tx, &link.id)?;
    session.token.member_id = link.member_id.clone();
    keep_token(tx, member_no(tx, &link.member_id)?, &session, attribution.at)?;
    tx.audit(done(attribution, "links.redeemed", None, format!("{}/{}", link.id, session.token.id)));
    Ok(session.token)
}

/// Forgets tokens that have expired, `STORE_PRUNE_LEN_MAX` at the most, and tells how many.
pub(in crate::sqlite) fn forget_expired(tx: &Tx<'_>, now: Timestamp) -> StoreResult<u64> {
    let most = as_i64(limits::STORE_PRUNE_LEN_MAX as u64);
    Ok(tx.execute(FORGET_EXPIRED, [now.as_millis(), most])? as u64)
}

/// Lets this token speak for the member.
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

/// Lets this token speak for the member, if there is room beside those that have not expired.
fn keep_token(tx: &Tx<'_>, member_no: i64, new: &NewToken, at: Timestamp) -> StoreResult<()> {
    tx.execute(FORGET_EXPIRED_OF_MEMBER, [member_no, at.as_millis()])?;
    insert_token(tx, member_no, new)?;
    let sql = "SELECT COUNT(*)
         FROM token
         WHERE member_no = ?1";
    check_count(tx, sql, [member_no], limits::TOKENS_PER_MEMBER_MAX, "a member", "tokens")
}

fn end_all(tx: &Tx<'_>, member_no: i64) -> StoreResult<()> {
    tx.execute(
        "DELETE FROM token
         WHERE member_no = ?1",
        [member_no],
    )?;
    Ok(())
}

fn end_token(tx: &Tx<'_>, id: &TokenId) -> StoreResult<()> {
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

/// A token with its member, for the audit log: when the token is gone, nothing else says whose it was.
fn whose(token: &Token) -> String {
    format!("{}/{}", token.id, token.member_id)
}
