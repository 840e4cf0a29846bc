//! Mentions of people, kept so that unread ones can be counted. Mentions of agents stand in their inbox.

use parlour_core::id::MemberId;

use super::{find, scope::Scope};
use crate::sqlite::{error::StoreResult, lookup::as_i64};

/// Notes that the message calls these people.
pub(super) fn add(scope: &Scope<'_>, conversation_no: i64, seq: u64, mentions: &[MemberId]) -> StoreResult<()> {
    for person in mentions.iter().filter_map(MemberId::person) {
        let member_no = find::person_no(scope.tx, person)?;
        scope.tx.execute(
            "INSERT INTO mention (member_no, conversation_no, seq)
             VALUES (?1, ?2, ?3)
             ON CONFLICT DO NOTHING",
            [member_no, conversation_no, as_i64(seq)],
        )?;
    }
    Ok(())
}

/// Notes that the message no longer calls these people.
pub(super) fn remove(scope: &Scope<'_>, conversation_no: i64, seq: u64, mentions: &[MemberId]) -> StoreResult<()> {
    for person in mentions.iter().filter_map(MemberId::person) {
        let member_no = find::person_no(scope.tx, person)?;
        scope.tx.execute(
            "DELETE FROM mention
             WHERE member_no = ?1 AND conversation_no = ?2 AND seq = ?3",
            [member_no, conversation_no, as_i64(seq)],
        )?;
    }
    Ok(())
}
