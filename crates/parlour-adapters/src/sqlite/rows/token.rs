//! Rows of tokens.

use parlour_core::{
    id::TokenId,
    token::{ActsAs, Token, TokenHash, TokenKind},
};
use rusqlite::{Connection, Row, params};

use super::{
    ReadColumn, StoreResult,
    codes::{token_kind, token_kind_code},
    from_json,
};

/// Selects tokens; continue it with `WHERE`.
macro_rules! select_token {
    ($tail:literal) => {
        concat!(
            "SELECT token.id, member.id, token.kind, token.label, token.scopes, maker.id, token.created_ms,
                 token.expires_ms, token.acts_as
             FROM token
             JOIN member ON member.no = token.member_no
             LEFT JOIN member AS maker ON maker.no = token.created_by_no\n",
            $tail
        )
    };
}
pub(in crate::sqlite) use select_token;

/// Reads a row of `select_token!`.
pub(in crate::sqlite) fn token_from(row: &Row<'_>) -> StoreResult<Token> {
    Ok(Token {
        id: row.parsed(0)?,
        member_id: row.parsed(1)?,
        kind: token_kind(row.get(2)?)?,
        label: row.get(3)?,
        scopes: row.parsed(4)?,
        created_by: row.parsed_opt(5)?,
        created_at: row.time(6)?,
        expires_at: row.time_opt(7)?,
        acts_as: acts_as_from(row, 8)?,
    })
}

/// Reads the program that posts with a token.
pub(in crate::sqlite) fn acts_as_from(row: &Row<'_>, column: usize) -> StoreResult<Option<ActsAs>> {
    let text: Option<String> = row.get(column)?;
    text.as_deref().map(from_json).transpose()
}

pub(in crate::sqlite) fn load_token(db: &Connection, id: &TokenId) -> StoreResult<Option<Token>> {
    let mut statement = db.prepare_cached(select_token!("WHERE token.id = ?1"))?;
    statement.query_and_then([id.as_str()], token_from)?.next().transpose()
}

/// Reads the link with this hash.
pub(in crate::sqlite) fn load_link(db: &Connection, hash: &TokenHash) -> StoreResult<Option<Token>> {
    let mut statement = db.prepare_cached(select_token!("WHERE token.kind = ?1 AND token.hash = ?2"))?;
    let params = params![token_kind_code(TokenKind::Link), hash];
    statement.query_and_then(params, token_from)?.next().transpose()
}
