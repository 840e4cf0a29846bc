use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ClosedChannel},
    id::{ChannelId, MemberId},
    write::Appended,
};
use rusqlite::params;

use super::{find, names, private_members, scope::Scope};
use crate::sqlite::{calls, error::StoreResult, inbox, rows::conversation::load_members};

/// Changes a channel. When it becomes private, these members keep it and the others lose it with all that it told them.
pub(super) fn update_channel(
    scope: &Scope<'_>,
    id: &ChannelId,
    patch: &ChannelPatch,
    members: &[MemberId],
) -> StoreResult<Appended> {
    let (channel_no, channel) = find::channel(scope, id)?;
    let patched = channel.patched(patch)?;
    if patched == channel {
        return scope.repeated(Change::ChannelUpdated(Box::new(channel)));
    }
    names::check_channel(scope.tx, scope.project_no(), &patched.name, channel_no)?;
    update_row(scope, channel_no, &patched)?;
    let change = match (channel.visibility, patched.visibility) {
        (Visibility::Project, Visibility::Private) => close_to_others(scope, channel_no, patched, members)?,
        (Visibility::Private, Visibility::Project) => open_to_all(scope, channel_no, patched)?,
        _ => Change::ChannelUpdated(Box::new(patched)),
    };
    scope.record(change)
}

fn update_row(scope: &Scope<'_>, channel_no: i64, channel: &Channel) -> StoreResult<()> {
    scope.tx.execute(
        "UPDATE conversation
         SET name = ?2, name_key = ?3, topic = ?4, is_private = ?5
         WHERE no = ?1",
        params![
            channel_no,
            channel.name.as_str(),
            channel.name.key().as_str(),
            channel.topic,
            channel.visibility == Visibility::Private
        ],
    )?;
    Ok(())
}

fn close_to_others(scope: &Scope<'_>, channel_no: i64, channel: Channel, members: &[MemberId]) -> StoreResult<Change> {
    private_members::add_all(scope, channel_no, members)?;
    let mut others = scope.tx.statement(
        "SELECT member.no
         FROM member
         WHERE member.home_no = ?1 AND NOT EXISTS (
             SELECT 1
             FROM conversation_member
             WHERE conversation_member.conversation_no = ?2 AND conversation_member.member_no = member.no
         )",
    )?;
    let others = others.query_map([scope.project_no(), channel_no], |row| row.get(0))?;
    for agent_no in others.collect::<Result<Vec<i64>, _>>()? {
        forget_agent(scope, channel_no, agent_no)?;
    }
    let members = load_members(scope.tx.db(), channel_no)?;
    let closed = ClosedChannel { channel_id: channel.id.clone(), channel: Some(channel), members };
    Ok(Change::ChannelClosed(Box::new(closed)))
}

fn open_to_all(scope: &Scope<'_>, channel_no: i64, channel: Channel) -> StoreResult<Change> {
    scope.tx.execute(
        "DELETE FROM conversation_member
         WHERE conversation_no = ?1",
        [channel_no],
    )?;
    Ok(Change::ChannelOpened(Box::new(channel)))
}

/// Ends what binds an agent to a channel that it can no longer read.
pub(super) fn forget_agent(scope: &Scope<'_>, channel_no: i64, agent_no: i64) -> StoreResult<()> {
    scope.tx.execute(
        "DELETE FROM subscription
         WHERE channel_no = ?1 AND agent_no = ?2",
        [channel_no, agent_no],
    )?;
    calls::close_channel(scope.tx, agent_no, channel_no, scope.at)?;
    inbox::take_channel(scope.tx, agent_no, channel_no)
}
