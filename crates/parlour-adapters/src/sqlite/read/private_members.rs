//! Who sits in the private channels of a project.

use std::collections::{HashMap, HashSet};

use parlour_core::{
    audience::PrivateChannelMembers,
    id::{ChannelId, MemberId, ProjectId},
};
use parlour_hub::ports::PrivateChannelMembersAt;
use rusqlite::Connection;

use super::log;
use crate::sqlite::{error::StoreResult, rows::ReadColumn};

/// Every private channel, with a row for each of its members or one for none.
pub(super) const SEATS: &str = "SELECT conversation.id, member.id
     FROM conversation
     LEFT JOIN conversation_member ON conversation_member.conversation_no = conversation.no
     LEFT JOIN member ON member.no = conversation_member.member_no
     WHERE conversation.project_no = ?1 AND conversation.type = 0 AND conversation.is_private = 1";

/// Reads who sits in the private channels of a project.
pub(in crate::sqlite) fn private_members(
    db: &Connection,
    project: &ProjectId,
) -> StoreResult<Option<PrivateChannelMembersAt>> {
    let Some(log) = log::find_log(db, project)? else { return Ok(None) };
    let mut private: HashMap<ChannelId, HashSet<MemberId>> = HashMap::new();
    let mut statement = db.prepare_cached(SEATS)?;
    let mut rows = statement.query([log.project_no])?;
    while let Some(row) = rows.next()? {
        private.entry(row.parsed(0)?).or_default().extend(row.parsed_opt::<MemberId>(1)?);
    }
    let position = log.position(log::log_end(db, log.project_no)?)?;
    Ok(Some(PrivateChannelMembersAt { position, private_members: PrivateChannelMembers::new(private) }))
}
