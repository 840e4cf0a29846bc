//! Rows of invites.

use parlour_core::{id::InviteId, invite::Invite, token::TokenHash};
use rusqlite::{Connection, Row};

use super::{ReadColumn, StoreResult};

/// Selects invites; continue it with `WHERE`.
macro_rules! select_invite {
    ($tail:literal) => {
        concat!(
            "SELECT invite.id, project.id, invite.role, invite.label, invite.uses_max, invite.uses, maker.id,
                 invite.created_ms, invite.expires_ms
             FROM invite
             JOIN project ON project.no = invite.project_no
             JOIN member AS maker ON maker.no = invite.created_by_no\n",
            $tail
        )
    };
}
pub(in crate::sqlite) use select_invite;

/// Reads a row of `select_invite!`.
pub(in crate::sqlite) fn invite_from(row: &Row<'_>) -> StoreResult<Invite> {
    Ok(Invite {
        id: row.parsed(0)?,
        project_id: row.parsed(1)?,
        role: row.parsed(2)?,
        label: row.get(3)?,
        uses_max: row.get(4)?,
        uses: row.get(5)?,
        created_by: row.parsed(6)?,
        created_at: row.time(7)?,
        expires_at: row.time(8)?,
    })
}

pub(in crate::sqlite) fn load_invite(db: &Connection, id: &InviteId) -> StoreResult<Option<Invite>> {
    let mut statement = db.prepare_cached(select_invite!("WHERE invite.id = ?1"))?;
    statement.query_and_then([id.as_str()], invite_from)?.next().transpose()
}

/// Reads the invite with this code.
pub(in crate::sqlite) fn load_invite_by_code(db: &Connection, code: &TokenHash) -> StoreResult<Option<Invite>> {
    let mut statement = db.prepare_cached(select_invite!("WHERE invite.code = ?1"))?;
    statement.query_and_then([code], invite_from)?.next().transpose()
}
