//! Writes about channels, their members and their subscribers.

use parlour_core::{
    access::{AccessLoss, agents_losing_access, lost_with_access},
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ChannelMember, ClosedChannel, CreatedChannel, Subscription},
    id::{AgentId, ChannelId, MemberId},
    limits,
    write::{Appended, Archival},
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    inbox,
    rows::{
        ReadColumn as _,
        conversation::{load_channel, load_members},
    },
    write::{calls, find, log::LogWriter, names},
};

/// Creates a channel; a private one gets these members.
pub(super) fn create_channel(log: &LogWriter<'_>, channel: Channel, members: &[MemberId]) -> StoreResult<Appended> {
    if load_channel(log.tx.db(), &channel.id)?.as_ref() == Some(&channel) {
        let channel_no = find::conversation_no(log, &channel.id.clone().into())?;
        return log.repeated(created(log, channel_no, channel)?);
    }
    names::check_channel(log.tx, log.project_no(), &channel.name, 0)?;
    let channel_no = insert_channel(log, &channel)?;
    if channel.visibility == Visibility::Private {
        add_members(log, channel_no, members)?;
    }
    log.record(created(log, channel_no, channel)?)
}

/// The change for a new channel, with its current members.
fn created(log: &LogWriter<'_>, channel_no: i64, channel: Channel) -> StoreResult<Change> {
    let members = load_members(log.tx.db(), channel_no)?;
    Ok(Change::ChannelCreated(Box::new(CreatedChannel { channel, members })))
}

fn insert_channel(log: &LogWriter<'_>, channel: &Channel) -> StoreResult<i64> {
    let created_by_no = find::member_no_opt(log, channel.created_by.as_ref())?;
    let channel_no = log.tx.insert(
        "INSERT INTO conversation (id, project_no, type, access_no, is_private, created_by_no, created_ms, archived_ms,
             name, name_key, topic)
         VALUES (?1, ?2, 0, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            channel.id.as_str(),
            log.project_no(),
            channel.visibility == Visibility::Private,
            created_by_no,
            channel.created_at.as_millis(),
            channel.archived_at.map(|at| at.as_millis()),
            channel.name.as_str(),
            channel.name.key().as_str(),
            channel.topic
        ],
    )?;
    make_access_root(log, channel_no)?;
    Ok(channel_no)
}

/// Makes a conversation its own access root.
pub(super) fn make_access_root(log: &LogWriter<'_>, conversation_no: i64) -> StoreResult<()> {
    log.tx.execute(
        "UPDATE conversation
         SET access_no = no
         WHERE no = ?1",
        [conversation_no],
    )?;
    Ok(())
}

/// Changes a channel. When it becomes private, these members keep access and all others lose it.
pub(super) fn update_channel(
    log: &LogWriter<'_>,
    id: &ChannelId,
    patch: &ChannelPatch,
    members: &[MemberId],
) -> StoreResult<Appended> {
    let (channel_no, channel) = find::channel(log, id)?;
    let patched = channel.patched(patch)?;
    if patched == channel {
        return log.repeated(Change::ChannelUpdated(Box::new(channel)));
    }
    names::check_channel(log.tx, log.project_no(), &patched.name, channel_no)?;
    update_channel_row(log, channel_no, &patched)?;
    let change = match (channel.visibility, patched.visibility) {
        (Visibility::Project, Visibility::Private) => close_to_others(log, channel_no, patched, members)?,
        (Visibility::Private, Visibility::Project) => open_to_all(log, channel_no, patched)?,
        _ => Change::ChannelUpdated(Box::new(patched)),
    };
    log.record(change)
}

fn update_channel_row(log: &LogWriter<'_>, channel_no: i64, channel: &Channel) -> StoreResult<()> {
    log.tx.execute(
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

fn close_to_others(
    log: &LogWriter<'_>,
    channel_no: i64,
    channel: Channel,
    members: &[MemberId],
) -> StoreResult<Change> {
    add_members(log, channel_no, members)?;
    let agents = agents_of_project(log)?;
    for agent in agents_losing_access(agents, members) {
        let agent_no = find::agent_no(log.tx, log.project_no(), &agent)?;
        revoke_access(log, channel_no, agent_no, &agent.into())?;
    }
    let members = load_members(log.tx.db(), channel_no)?;
    let closed = ClosedChannel { channel_id: channel.id.clone(), channel: Some(channel), members };
    Ok(Change::ChannelClosed(Box::new(closed)))
}

fn open_to_all(log: &LogWriter<'_>, channel_no: i64, channel: Channel) -> StoreResult<Change> {
    log.tx.execute(
        "DELETE FROM conversation_member
         WHERE conversation_no = ?1",
        [channel_no],
    )?;
    Ok(Change::ChannelOpened(Box::new(channel)))
}

/// Deletes everything that a member loses with the access to a channel.
fn revoke_access(log: &LogWriter<'_>, channel_no: i64, member_no: i64, member: &MemberId) -> StoreResult<()> {
    for loss in lost_with_access(member) {
        match loss {
            AccessLoss::Subscription => delete_subscription(log, channel_no, member_no).map(drop)?,
            AccessLoss::OpenCalls => calls::close_channel(log.tx, member_no, channel_no, log.at)?,
            AccessLoss::UnreadMessages => inbox::remove_channel(log.tx, member_no, channel_no)?,
        }
    }
    Ok(())
}

fn agents_of_project(log: &LogWriter<'_>) -> StoreResult<Vec<AgentId>> {
    let mut agents = log.tx.statement(
        "SELECT id
         FROM member
         WHERE home_no = ?1
         ORDER BY no",
    )?;
    agents.query_and_then([log.project_no()], |row| row.parsed(0))?.collect()
}

fn delete_subscription(log: &LogWriter<'_>, channel_no: i64, agent_no: i64) -> StoreResult<bool> {
    let deleted = log.tx.execute(
        "DELETE FROM subscription
         WHERE channel_no = ?1 AND agent_no = ?2",
        [channel_no, agent_no],
    )?;
    Ok(deleted == 1)
}

/// Makes a channel read-only, or writable again.
pub(super) fn archive_channel(log: &LogWriter<'_>, id: &ChannelId, archival: Archival) -> StoreResult<Appended> {
    let (channel_no, channel) = find::channel(log, id)?;
    let (archived_at, changed): (_, fn(Box<Channel>) -> Change) = match archival {
        Archival::Archived => (Some(log.at), Change::ChannelArchived),
        Archival::Active => (None, Change::ChannelUnarchived),
    };
    if channel.archived_at.is_some() == archived_at.is_some() {
        return log.repeated(changed(Box::new(channel)));
    }
    log.tx.execute(
        "UPDATE conversation
         SET archived_ms = ?2
         WHERE no = ?1",
        params![channel_no, archived_at.map(|at| at.as_millis())],
    )?;
    log.record(changed(Box::new(Channel { archived_at, ..channel })))
}

/// Adds a member to a private channel. In a channel of the whole project it changes nothing.
pub(super) fn add_channel_member(log: &LogWriter<'_>, member: ChannelMember) -> StoreResult<Appended> {
    let (channel_no, channel) = find::channel(log, &member.channel_id)?;
    let member_no = find::member_no(log, &member.member_id)?;
    let change = Change::ChannelMemberAdded(Box::new(member));
    if channel.visibility == Visibility::Project || !add_member(log, channel_no, member_no)? {
        return log.repeated(change);
    }
    check_member_count(log, channel_no)?;
    log.record(change)
}

/// Removes a member from a private channel. An agent loses its subscription, unread messages and open calls there.
pub(super) fn remove_channel_member(log: &LogWriter<'_>, member: &ChannelMember) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(log, &member.channel_id)?;
    let member_no = find::member_no(log, &member.member_id)?;
    let change = Change::ChannelMemberRemoved(Box::new(member.clone()));
    if !remove_member(log, channel_no, member_no)? {
        return log.repeated(change);
    }
    revoke_access(log, channel_no, member_no, &member.member_id)?;
    log.record(change)
}

/// Subscribes an agent to a channel.
pub(super) fn subscribe(log: &LogWriter<'_>, subscription: Subscription) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(log, &subscription.channel_id)?;
    let agent_no = find::agent_no(log.tx, log.project_no(), &subscription.agent_id)?;
    let added = log.tx.execute(
        "INSERT INTO subscription (channel_no, agent_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [channel_no, agent_no],
    )?;
    let change = Change::Subscribed(Box::new(subscription));
    if added == 0 {
        return log.repeated(change);
    }
    let sql = "SELECT COUNT(*)
         FROM subscription
         WHERE channel_no = ?1";
    find::check_count(log.tx, sql, [channel_no], limits::CHANNEL_SUBSCRIBERS_MAX, "a channel", "subscribers")?;
    log.record(change)
}

/// Ends an agent's subscription. Unread messages stay in its inbox.
pub(super) fn unsubscribe(log: &LogWriter<'_>, subscription: Subscription) -> StoreResult<Appended> {
    let (channel_no, _) = find::channel(log, &subscription.channel_id)?;
    let agent_no = find::agent_no(log.tx, log.project_no(), &subscription.agent_id)?;
    let change = Change::Unsubscribed(Box::new(subscription));
    if delete_subscription(log, channel_no, agent_no)? { log.record(change) } else { log.repeated(change) }
}

/// Adds a member to a conversation and returns whether it is new.
pub(super) fn add_member(log: &LogWriter<'_>, conversation_no: i64, member_no: i64) -> StoreResult<bool> {
    let added = log.tx.execute(
        "INSERT INTO conversation_member (conversation_no, member_no)
         VALUES (?1, ?2)
         ON CONFLICT DO NOTHING",
        [conversation_no, member_no],
    )?;
    Ok(added == 1)
}

/// Adds the members to a private channel.
pub(super) fn add_members(log: &LogWriter<'_>, channel_no: i64, members: &[MemberId]) -> StoreResult<()> {
    for member in members {
        add_member(log, channel_no, find::member_no(log, member)?)?;
    }
    check_member_count(log, channel_no)
}

/// Removes a member from a conversation and returns whether it was a member.
pub(super) fn remove_member(log: &LogWriter<'_>, conversation_no: i64, member_no: i64) -> StoreResult<bool> {
    let removed = log.tx.execute(
        "DELETE FROM conversation_member
         WHERE conversation_no = ?1 AND member_no = ?2",
        [conversation_no, member_no],
    )?;
    Ok(removed == 1)
}

/// Refuses a channel with too many members; the write is then undone.
pub(super) fn check_member_count(log: &LogWriter<'_>, channel_no: i64) -> StoreResult<()> {
    let sql = "SELECT COUNT(*)
         FROM conversation_member
         WHERE conversation_no = ?1";
    find::check_count(log.tx, sql, [channel_no], limits::CHANNEL_MEMBERS_MAX, "a private channel", "members")
}
