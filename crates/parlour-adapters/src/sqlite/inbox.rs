//! The inboxes of agents: one row for each unread message, and counts that always follow the rows.

use parlour_core::{
    id::{AgentId, MemberId},
    inbox::Recipient,
};
use rusqlite::{OptionalExtension, named_params, params};

use super::{
    access::{join_access, readable},
    error::StoreResult,
    lookup::exists,
    rows::codes::reason_code,
    tx::Tx,
    write::find::agent_no,
};

/// The message that deliveries are about.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// Its project.
    pub(super) project_no: i64,
    /// Its conversation.
    pub(super) conversation_no: i64,
    /// Its number.
    pub(super) message_no: i64,
}

/// Puts the message into the inbox of each recipient; who has it already keeps it with the stronger reason.
///
/// Who cannot read the conversation gets nothing: it may have lost its place since the recipients were chosen.
pub(super) fn deliver(tx: &Tx<'_>, spot: Spot, deliveries: &[Recipient], mentions: &[MemberId]) -> StoreResult<()> {
    for delivery in deliveries {
        let agent_no = agent_no(tx, spot.project_no, &delivery.agent_id)?;
        if !can_read(tx, agent_no, spot.project_no, spot.conversation_no)? {
            continue;
        }
        let is_mention = is_among(&delivery.agent_id, mentions);
        let added = tx.execute(
            "INSERT INTO inbox (agent_no, message_no, conversation_no, reason, is_mention)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
            params![agent_no, spot.message_no, spot.conversation_no, reason_code(delivery.reason), is_mention],
        )?;
        if added == 1 {
            count(tx, agent_no, spot.conversation_no, 1, i64::from(is_mention))?;
        } else {
            strengthen(tx, agent_no, spot, delivery)?;
        }
    }
    Ok(())
}

/// Notes for an unread message whether it mentions the agent now; a read one is left alone.
pub(super) fn set_mention(tx: &Tx<'_>, agent_no: i64, spot: Spot, is_mention: bool) -> StoreResult<()> {
    let changed = tx.execute(
        "UPDATE inbox
         SET is_mention = ?3
         WHERE agent_no = ?1 AND message_no = ?2 AND is_mention <> ?3",
        params![agent_no, spot.message_no, is_mention],
    )?;
    if changed == 1 {
        count(tx, agent_no, spot.conversation_no, 0, if is_mention { 1 } else { -1 })?;
    }
    Ok(())
}

/// Takes the message out of an agent's inbox and tells whether it was there.
pub(super) fn take(tx: &Tx<'_>, agent_no: i64, spot: Spot) -> StoreResult<bool> {
    let mut taken = tx.statement(
        "DELETE FROM inbox
         WHERE agent_no = ?1 AND message_no = ?2
         RETURNING is_mention",
    )?;
    let is_mention: Option<i64> = taken.query_row([agent_no, spot.message_no], |row| row.get(0)).optional()?;
    if let Some(is_mention) = is_mention {
        count(tx, agent_no, spot.conversation_no, -1, -is_mention)?;
    }
    Ok(is_mention.is_some())
}

/// Takes the message out of every inbox of its project.
pub(super) fn take_from_all(tx: &Tx<'_>, spot: Spot) -> StoreResult<()> {
    // From the agents' side: an index by message would cost every delivery for the sake of a rare removal.
    let mut holders = tx.statement(
        "SELECT inbox.agent_no
         FROM member
         JOIN inbox ON inbox.agent_no = member.no AND inbox.message_no = ?2
         WHERE member.home_no = ?1",
    )?;
    let holders = holders.query_map([spot.project_no, spot.message_no], |row| row.get(0))?;
    for agent_no in holders.collect::<Result<Vec<i64>, _>>()? {
        take(tx, agent_no, spot)?;
    }
    Ok(())
}

/// Takes everything of a channel and its threads out of an agent's inbox, because it may no longer read them.
pub(super) fn take_channel(tx: &Tx<'_>, agent_no: i64, channel_no: i64) -> StoreResult<()> {
    let mut counted = tx.statement(
        "SELECT inbox_count.conversation_no, inbox_count.unread, inbox_count.mentions
         FROM inbox_count
         JOIN conversation ON conversation.no = inbox_count.conversation_no
         WHERE inbox_count.agent_no = ?1 AND conversation.access_no = ?2",
    )?;
    let counted = counted.query_map([agent_no, channel_no], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (conversation_no, unread, mentions) in counted.collect::<Result<Vec<(i64, i64, i64)>, _>>()? {
        tx.execute(
            "DELETE FROM inbox
             WHERE agent_no = ?1 AND conversation_no = ?2",
            [agent_no, conversation_no],
        )?;
        count(tx, agent_no, conversation_no, -unread, -mentions)?;
    }
    Ok(())
}

/// Whether an agent of the project can read the conversation now.
pub(super) fn can_read(tx: &Tx<'_>, agent_no: i64, project_no: i64, conversation_no: i64) -> StoreResult<bool> {
    let sql = concat!(
        "SELECT 1\nFROM conversation\n",
        join_access!(),
        "WHERE conversation.no = :conversation AND ",
        readable!()
    );
    let params = named_params! {
        ":conversation": conversation_no, ":project": project_no, ":viewer": agent_no, ":is_admin": false
    };
    exists(tx.db(), sql, params)
}

fn is_among(agent: &AgentId, members: &[MemberId]) -> bool {
    members.iter().any(|member| member.agent() == Some(agent))
}

fn strengthen(tx: &Tx<'_>, agent_no: i64, spot: Spot, delivery: &Recipient) -> StoreResult<()> {
    tx.execute(
        "UPDATE inbox
         SET reason = MAX(reason, ?3)
         WHERE agent_no = ?1 AND message_no = ?2",
        params![agent_no, spot.message_no, reason_code(delivery.reason)],
    )?;
    Ok(())
}

/// Adds to the counts of the conversation and of the whole inbox; a count that comes to nothing leaves no row.
fn count(tx: &Tx<'_>, agent_no: i64, conversation_no: i64, unread: i64, mentions: i64) -> StoreResult<()> {
    for counted_no in [conversation_no, 0] {
        tx.execute(
            "INSERT INTO inbox_count (agent_no, conversation_no, unread, mentions)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE
             SET unread = unread + ?3, mentions = mentions + ?4",
            [agent_no, counted_no, unread, mentions],
        )?;
    }
    if unread < 0 {
        tx.execute(
            "DELETE FROM inbox_count
             WHERE agent_no = ?1 AND conversation_no = ?2 AND unread = 0",
            [agent_no, conversation_no],
        )?;
    }
    Ok(())
}
