use parlour_core::{
    conversation::{Channel, Visibility},
    event::{Change, CreatedChannel},
    id::MemberId,
    write::Appended,
};
use rusqlite::params;

use super::{find, names, private_members, scope::Scope};
use crate::sqlite::{
    error::StoreResult,
    rows::conversation::{load_channel, load_members},
};

/// Makes a channel; a private one gets these members.
pub(super) fn create_channel(scope: &Scope<'_>, channel: Channel, members: &[MemberId]) -> StoreResult<Appended> {
    if load_channel(scope.tx.db(), &channel.id)?.as_ref() == Some(&channel) {
        let channel_no = find::conversation_no(scope, &channel.id.clone().into())?;
        return scope.repeated(created(scope, channel_no, channel)?);
    }
    names::check_channel(scope.tx, scope.project_no(), &channel.name, 0)?;
    let channel_no = insert_channel(scope, &channel)?;
    if channel.visibility == Visibility::Private {
        private_members::add_all(scope, channel_no, members)?;
    }
    scope.record(created(scope, channel_no, channel)?)
}

/// A channel that was made, with those who are in it now.
fn created(scope: &Scope<'_>, channel_no: i64, channel: Channel) -> StoreResult<Change> {
    let members = load_members(scope.tx.db(), channel_no)?;
    Ok(Change::ChannelCreated(Box::new(CreatedChannel { channel, members })))
}

fn insert_channel(scope: &Scope<'_>, channel: &Channel) -> StoreResult<i64> {
    let created_by_no = find::member_no_opt(scope, channel.created_by.as_ref())?;
    let channel_no = scope.tx.insert(
        "INSERT INTO conversation (id, project_no, type, access_no, is_private, created_by_no, created_ms, archived_ms,
             name, name_key, topic)
         VALUES (?1, ?2, 0, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            channel.id.as_str(),
            scope.project_no(),
            channel.visibility == Visibility::Private,
            created_by_no,
            channel.created_at.as_millis(),
            channel.archived_at.map(|at| at.as_millis()),
            channel.name.as_str(),
            channel.name.key().as_str(),
            channel.topic
        ],
    )?;
    govern_itself(scope, channel_no)?;
    Ok(channel_no)
}

/// Makes a conversation its own authority on who may read it.
pub(super) fn govern_itself(scope: &Scope<'_>, conversation_no: i64) -> StoreResult<()> {
    scope.tx.execute(
        "UPDATE conversation
         SET access_no = no
         WHERE no = ?1",
        [conversation_no],
    )?;
    Ok(())
}
