use parlour_core::{
    conversation::Channel,
    event::Change,
    id::ChannelId,
    write::{Appended, Archival},
};
use rusqlite::params;

use super::{find, scope::Scope};
use crate::sqlite::error::StoreResult;

/// Makes a channel read-only, or writable again.
pub(super) fn archive_channel(scope: &Scope<'_>, id: &ChannelId, archival: Archival) -> StoreResult<Appended> {
    let (channel_no, channel) = find::channel(scope, id)?;
    let (archived_at, changed): (_, fn(Box<Channel>) -> Change) = match archival {
        Archival::Archived => (Some(scope.at), Change::ChannelArchived),
        Archival::Active => (None, Change::ChannelUnarchived),
    };
    if channel.archived_at.is_some() == archived_at.is_some() {
        return scope.repeated(changed(Box::new(channel)));
    }
    scope.tx.execute(
        "UPDATE conversation
         SET archived_ms = ?2
         WHERE no = ?1",
        params![channel_no, archived_at.map(|at| at.as_millis())],
    )?;
    scope.record(changed(Box::new(Channel { archived_at, ..channel })))
}
