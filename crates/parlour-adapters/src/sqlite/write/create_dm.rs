use parlour_core::{
    conversation::{Conversation, Dm},
    event::Change,
    id::MemberId,
    write::Appended,
};
use rusqlite::params;

use super::{create_channel::govern_itself, find, private_members, scope::Scope};
use crate::sqlite::{error::StoreResult, lookup::number, rows::conversation::load_conversation_by_no};

/// Opens a dm; the same participants keep theirs.
pub(super) fn create_dm(scope: &Scope<'_>, dm: Dm) -> StoreResult<Appended> {
    let key = participants_key(&dm.participants);
    if let Some(existing) = dm_of(scope, &key)? {
        return scope.repeated(Change::DmCreated(Box::new(existing)));
    }
    let dm_no = scope.tx.insert(
        "INSERT INTO conversation (id, project_no, type, access_no, is_private, created_ms, participants_key)
         VALUES (?1, ?2, 2, 0, 1, ?3, ?4)",
        params![dm.id.as_str(), scope.project_no(), dm.created_at.as_millis(), key],
    )?;
    govern_itself(scope, dm_no)?;
    for participant in &dm.participants {
        private_members::add(scope, dm_no, find::member_no(scope, participant)?)?;
    }
    scope.record(Change::DmCreated(Box::new(dm)))
}

fn dm_of(scope: &Scope<'_>, key: &str) -> StoreResult<Option<Dm>> {
    let sql = "SELECT no
         FROM conversation
         WHERE project_no = ?1 AND participants_key = ?2 AND type = 2";
    let Some(dm_no) = number(scope.tx.db(), sql, params![scope.project_no(), key])? else { return Ok(None) };
    Ok(match load_conversation_by_no(scope.tx.db(), dm_no)? {
        Conversation::Dm(dm) => Some(dm),
        _ => None,
    })
}

/// What dms of the same participants share, in whatever order they were named.
fn participants_key(participants: &[MemberId]) -> String {
    let mut ids: Vec<&str> = participants.iter().map(MemberId::as_str).collect();
    ids.sort_unstable();
    ids.join(" ")
}
