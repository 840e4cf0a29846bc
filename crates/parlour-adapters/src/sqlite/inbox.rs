//! The inboxes of agents: one row per unread message, and counts that every change of the rows updates.

use parlour_core::{
    Timestamp,
    inbox::{InboxFlags, Recipient},
    message::{Importance, Message},
};
use rusqlite::{OptionalExtension, Row, named_params, params};

use super::{
    access::{join_access, readable},
    error::StoreResult,
    lookup::exists,
    rows::codes::{importance_code, reason_code},
    tx::Tx,
    write::find::agent_no,
};

/// The row numbers and the importance of a message that is delivered to inboxes.
#[derive(Clone, Copy)]
pub(super) struct DeliveredMessage {
    pub(super) project_no: i64,
    pub(super) conversation_no: i64,
    pub(super) message_no: i64,
    /// It never changes and is part of the key of an inbox row.
    pub(super) importance: Importance,
}

/// Adds a new message to the inbox of each recipient.
///
/// Agents that cannot read the conversation are skipped: they may have lost access since the recipients were chosen.
pub(super) fn deliver(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    deliveries: &[Recipient],
    message: &Message,
) -> StoreResult<()> {
    for delivery in deliveries {
        let agent_no = agent_no(tx, delivered.project_no, &delivery.agent_id)?;
        if can_read(tx, agent_no, delivered.project_no, delivered.conversation_no)? {
            add(tx, agent_no, delivered, delivery, &Arrival { message, stored_at: None })?;
        }
    }
    Ok(())
}

/// Adds an edited message to further inboxes. An inbox that has the message keeps it with the stronger reason; for an
/// agent that has read it, the delivery starts again.
pub(super) fn deliver_later(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    deliveries: &[Recipient],
    message: &Message,
    at: Timestamp,
) -> StoreResult<()> {
    for delivery in deliveries {
        let agent_no = agent_no(tx, delivered.project_no, &delivery.agent_id)?;
        if !can_read(tx, agent_no, delivered.project_no, delivered.conversation_no)? {
            continue;
        }
        if add(tx, agent_no, delivered, delivery, &Arrival { message, stored_at: Some(at) })? {
            let sql = "DELETE FROM delivery\nWHERE message_no = ?1 AND agent_no = ?2";
            tx.execute(sql, [delivered.message_no, agent_no])?;
        }
    }
    Ok(())
}

/// A message that is added to inboxes.
struct Arrival<'a> {
    message: &'a Message,
    /// The time of storing, if it is not the time of the message.
    stored_at: Option<Timestamp>,
}

/// Adds the row and returns whether it is new.
fn add(
    tx: &Tx<'_>,
    agent_no: i64,
    delivered: DeliveredMessage,
    delivery: &Recipient,
    arrival: &Arrival<'_>,
) -> StoreResult<bool> {
    let message = arrival.message;
    let flags = InboxFlags::of(message, &delivery.agent_id);
    let added = tx.execute(
        "INSERT INTO inbox (agent_no, importance, message_no, conversation_no, reason, is_mention, is_blocking,
             stored_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO NOTHING",
        params![
            agent_no,
            importance_code(delivered.importance),
            delivered.message_no,
            delivered.conversation_no,
            reason_code(delivery.reason),
            flags.is_mention,
            flags.is_blocking,
            arrival.stored_at.map(Timestamp::as_millis)
        ],
    )?;
    if added == 1 {
        count(tx, agent_no, delivered.conversation_no, CountChange::of_one(delivered.importance, flags))?;
    } else {
        strengthen(tx, agent_no, delivered, delivery)?;
    }
    Ok(added == 1)
}

/// Updates whether an unread message mentions the agent. A read message has no row and does not change.
pub(super) fn set_mention(
    tx: &Tx<'_>,
    agent_no: i64,
    delivered: DeliveredMessage,
    is_mention: bool,
) -> StoreResult<()> {
    let changed = tx.execute(
        "UPDATE inbox
         SET is_mention = ?4
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3 AND is_mention <> ?4",
        params![agent_no, importance_code(delivered.importance), delivered.message_no, is_mention],
    )?;
    if changed == 1 {
        let mentions = if is_mention { 1 } else { -1 };
        count(tx, agent_no, delivered.conversation_no, CountChange { mentions, ..CountChange::default() })?;
    }
    Ok(())
}

/// Clears the blocking flag of an unread message, because its question no longer awaits the agent.
pub(super) fn unblock(tx: &Tx<'_>, agent_no: i64, delivered: DeliveredMessage) -> StoreResult<()> {
    let changed = tx.execute(
        "UPDATE inbox
         SET is_blocking = 0
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3 AND is_blocking = 1",
        [agent_no, importance_code(delivered.importance), delivered.message_no],
    )?;
    if changed == 1 {
        count(tx, agent_no, delivered.conversation_no, CountChange { blocking: -1, ..CountChange::default() })?;
    }
    Ok(())
}

/// Removes the message from an agent's inbox and returns whether it was there.
pub(super) fn remove(tx: &Tx<'_>, agent_no: i64, delivered: DeliveredMessage) -> StoreResult<bool> {
    let mut statement = tx.statement(
        "DELETE FROM inbox
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3
         RETURNING is_mention, is_blocking",
    )?;
    let flags = |row: &Row<'_>| Ok(InboxFlags { is_mention: row.get(0)?, is_blocking: row.get(1)? });
    let params = [agent_no, importance_code(delivered.importance), delivered.message_no];
    let removed: Option<InboxFlags> = statement.query_row(params, flags).optional()?;
    if let Some(flags) = removed {
        count(tx, agent_no, delivered.conversation_no, CountChange::of_one(delivered.importance, flags).negated())?;
    }
    Ok(removed.is_some())
}

/// Removes the message from every inbox of its project.
pub(super) fn remove_from_all(tx: &Tx<'_>, delivered: DeliveredMessage) -> StoreResult<()> {
    // It looks into the inbox of each agent: an index by message would slow down every delivery for rare removals.
    let mut statement = tx.statement(
        "SELECT inbox.agent_no
         FROM member
         JOIN inbox ON inbox.agent_no = member.no AND inbox.importance = ?2 AND inbox.message_no = ?3
         WHERE member.home_no = ?1",
    )?;
    let params = [delivered.project_no, importance_code(delivered.importance), delivered.message_no];
    let agents = statement.query_map(params, |row| row.get(0))?;
    for agent_no in agents.collect::<Result<Vec<i64>, _>>()? {
        remove(tx, agent_no, delivered)?;
    }
    Ok(())
}

/// Removes all messages of a channel and its threads from an agent's inbox, because it may no longer read them, and
/// deletes their deliveries.
pub(super) fn remove_channel(tx: &Tx<'_>, agent_no: i64, channel_no: i64) -> StoreResult<()> {
    let mut counted = tx.statement(
        "SELECT inbox_count.conversation_no, inbox_count.unread, inbox_count.mentions, inbox_count.high,
             inbox_count.critical, inbox_count.blocking
         FROM inbox_count
         JOIN conversation ON conversation.no = inbox_count.conversation_no
         WHERE inbox_count.agent_no = ?1 AND conversation.access_no = ?2",
    )?;
    let counted = counted.query_map([agent_no, channel_no], |row| Ok((row.get(0)?, CountChange::from_row(row, 1)?)))?;
    for (conversation_no, counts) in counted.collect::<Result<Vec<(i64, CountChange)>, _>>()? {
        tx.execute(DELETE_DELIVERIES_IN, [agent_no, conversation_no])?;
        tx.execute(REMOVE_IN, [agent_no, conversation_no])?;
        count(tx, agent_no, conversation_no, counts.negated())?;
    }
    Ok(())
}

pub(super) const DELETE_DELIVERIES_IN: &str = "DELETE FROM delivery
     WHERE agent_no = ?1 AND message_no IN (
         SELECT inbox.message_no
         FROM inbox INDEXED BY inbox_in
         WHERE inbox.agent_no = ?1 AND inbox.conversation_no = ?2
     )";

pub(super) const REMOVE_IN: &str = "DELETE FROM inbox INDEXED BY inbox_in
     WHERE agent_no = ?1 AND conversation_no = ?2";

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

fn strengthen(tx: &Tx<'_>, agent_no: i64, delivered: DeliveredMessage, delivery: &Recipient) -> StoreResult<()> {
    let params = [agent_no, importance_code(delivered.importance), delivered.message_no, reason_code(delivery.reason)];
    tx.execute(
        "UPDATE inbox
         SET reason = MAX(reason, ?4)
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3",
        params,
    )?;
    Ok(())
}

/// Numbers that are added to the counts of an inbox.
#[derive(Clone, Copy, Default)]
struct CountChange {
    unread: i64,
    mentions: i64,
    high: i64,
    critical: i64,
    blocking: i64,
}

impl CountChange {
    fn of_one(importance: Importance, flags: InboxFlags) -> Self {
        Self {
            unread: 1,
            mentions: i64::from(flags.is_mention),
            high: i64::from(importance == Importance::High),
            critical: i64::from(importance == Importance::Critical),
            blocking: i64::from(flags.is_blocking),
        }
    }

    /// Reads five consecutive columns.
    fn from_row(row: &Row<'_>, column: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            unread: row.get(column)?,
            mentions: row.get(column + 1)?,
            high: row.get(column + 2)?,
            critical: row.get(column + 3)?,
            blocking: row.get(column + 4)?,
        })
    }

    fn negated(self) -> Self {
        Self {
            unread: -self.unread,
            mentions: -self.mentions,
            high: -self.high,
            critical: -self.critical,
            blocking: -self.blocking,
        }
    }
}

/// Adds to the counts of the conversation and of the whole inbox, and deletes the row of a conversation without unread
/// messages.
fn count(tx: &Tx<'_>, agent_no: i64, conversation_no: i64, change: CountChange) -> StoreResult<()> {
    for counted_no in [conversation_no, 0] {
        tx.execute(
            "INSERT INTO inbox_count (agent_no, conversation_no, unread, mentions, high, critical, blocking)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE
             SET unread = unread + ?3, mentions = mentions + ?4, high = high + ?5, critical = critical + ?6,
                 blocking = blocking + ?7",
            [agent_no, counted_no, change.unread, change.mentions, change.high, change.critical, change.blocking],
        )?;
    }
    if change.unread < 0 {
        tx.execute(
            "DELETE FROM inbox_count
             WHERE agent_no = ?1 AND conversation_no = ?2 AND unread = 0",
            [agent_no, conversation_no],
        )?;
    }
    Ok(())
}
