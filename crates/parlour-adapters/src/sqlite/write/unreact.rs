use parlour_core::{
    event::{Change, ReactionMark},
    id::{MemberId, MessageId},
    write::Appended,
};
use rusqlite::params;

use super::{find, react::count, scope::Scope};
use crate::sqlite::{error::StoreResult, rows::event::About};

/// Takes a member's reaction back.
pub(super) fn unreact(scope: &Scope<'_>, id: &MessageId, emoji: String, member_id: MemberId) -> StoreResult<Appended> {
    let stored = find::message(scope, id)?;
    let member_no = find::member_no(scope, &member_id)?;
    let removed = scope.tx.execute(
        "DELETE FROM reaction
         WHERE message_no = ?1 AND member_no = ?2 AND emoji = ?3",
        params![stored.no, member_no, emoji],
    )?;
    let mark = ReactionMark { message_id: id.clone(), conversation_id: stored.message.to, emoji, member_id };
    let change = Change::Unreacted(Box::new(mark));
    if removed == 0 {
        return scope.repeated(change);
    }
    count(scope, stored.no, -1)?;
    scope.record_about(About { message_no: Some(stored.no), member_no: Some(member_no) }, change)
}
