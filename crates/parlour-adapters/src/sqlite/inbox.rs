//! The inboxes of agents: one row for each unread message, and counts that always follow the rows.

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

/// The message that deliveries are about.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// Its project.
    pub(super) project_no: i64,
    /// Its conversation.
    pub(super) conversation_no: i64,
    /// Its number.
    pub(super) message_no: i64,
    /// How much it matters, which never changes.
    pub(super) importance: Importance,
}

/// Puts a message that is just being posted into the inbox of each recipient.
///
/// Who cannot read the conversation gets nothing: it may have lost its place since the recipients were chosen.
pub(super) fn deliver(tx: &Tx<'_>, spot: Spot, deliveries: &[Recipient], message: &Message) -> StoreResult<()> {
    for delivery in deliveries {
        let agent_no = agent_no(tx, spot.project_no, &delivery.agent_id)?;
        if can_read(tx, agent_no, spot.project_no, spot.conversation_no)? {
            put(tx, agent_no, spot, delivery, &Arrival { message, stored_at: None })?;
        }
    }
    Ok(())
}

/// Puts a message whose text has changed into further inboxes; who has it already keeps it with the stronger reason, and
/// for who has read it before it begins anew.
pub(super) fn deliver_later(
    tx: &Tx<'_>,
    spot: Spot,
    deliveries: &[Recipient],
    message: &Message,
    at: Timestamp,
) -> StoreResult<()> {
    for delivery in deliveries {
        let agent_no = agent_no(tx, spot.project_no, &delivery.agent_id)?;
        if !can_read(tx, agent_no, spot.project_no, spot.conversation_no)? {
            continue;
        }
        if put(tx, agent_no, spot, delivery, &Arrival { message, stored_at: Some(at) })? {
            let sql = "DELETE FROM delivery\nWHERE message_no = ?1 AND agent_no = ?2";
            tx.execute(sql, [spot.message_no, agent_no])?;
        }
    }
    Ok(())
}

/// A message as it comes into inboxes.
struct Arrival<'a> {
    message: &'a Message,
    /// When, if that is not the moment of the message.
    stored_at: Option<Timestamp>,
}

/// Adds the row and tells whether it is new.
fn put(tx: &Tx<'_>, agent_no: i64, spot: Spot, delivery: &Recipient, arrival: &Arrival<'_>) -> StoreResult<bool> {
    let message = arrival.message;
    let flags = InboxFlags::of(message, &delivery.agent_id);
    let added = tx.execute(
        "INSERT INTO inbox (agent_no, importance, message_no, conversation_no, reason, is_mention, is_blocking,
             stored_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO NOTHING",
        params![
            agent_no,
            importance_code(spot.importance),
            spot.message_no,
            spot.conversation_no,
            reason_code(delivery.reason),
            flags.is_mention,
            flags.is_blocking,
            arrival.stored_at.map(Timestamp::as_millis)
        ],
    )?;
    if added == 1 {
        count(tx, agent_no, spot.conversation_no, Tally::of_one(spot.importance, flags))?;
    } else {
        strengthen(tx, agent_no, spot, delivery)?;
    }
    Ok(added == 1)
}

/// Notes for an unread message whether it mentions the agent now; a read one is left alone.
pub(super) fn set_mention(tx: &Tx<'_>, agent_no: i64, spot: Spot, is_mention: bool) -> StoreResult<()> {
    let changed = tx.execute(
        "UPDATE inbox
         SET is_mention = ?4
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3 AND is_mention <> ?4",
        params![agent_no, importance_code(spot.importance), spot.message_no, is_mention],
    )?;
    if changed == 1 {
        let mentions = if is_mention { 1 } else { -1 };
        count(tx, agent_no, spot.conversation_no, Tally { mentions, ..Tally::default() })?;
    }
    Ok(())
}

/// Notes for an unread message that its question no longer awaits the agent.
pub(super) fn unblock(tx: &Tx<'_>, agent_no: i64, spot: Spot) -> StoreResult<()> {
    let changed = tx.execute(
        "UPDATE inbox
         SET is_blocking = 0
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3 AND is_blocking = 1",
        [agent_no, importance_code(spot.importance), spot.message_no],
    )?;
    if changed == 1 {
        count(tx, agent_no, spot.conversation_no, Tally { blocking: -1, ..Tally::default() })?;
    }
    Ok(())
}

/// Takes the message out of an agent's inbox and tells whether it was there.
pub(super) fn take(tx: &Tx<'_>, agent_no: i64, spot: Spot) -> StoreResult<bool> {
    let mut taken = tx.statement(
        "DELETE FROM inbox
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3
         RETURNING is_mention, is_blocking",
    )?;
    let flags = |row: &Row<'_>| Ok(InboxFlags { is_mention: row.get(0)?, is_blocking: row.get(1)? });
    let params = [agent_no, importance_code(spot.importance), spot.message_no];
    let taken: Option<InboxFlags> = taken.query_row(params, flags).optional()?;
    if let Some(flags) = taken {
        count(tx, agent_no, spot.conversation_no, Tally::of_one(spot.importance, flags).negated())?;
    }
    Ok(taken.is_some())
}

/// Takes the message out of every inbox of its project.
pub(super) fn take_from_all(tx: &Tx<'_>, spot: Spot) -> StoreResult<()> {
    // From the agents' side: an index by message would cost every delivery for the sake of a rare removal.
    let mut holders = tx.statement(
        "SELECT inbox.agent_no
         FROM member
         JOIN inbox ON inbox.agent_no = member.no AND inbox.importance = ?2 AND inbox.message_no = ?3
         WHERE member.home_no = ?1",
    )?;
    let params = [spot.project_no, importance_code(spot.importance), spot.message_no];
    let holders = holders.query_map(params, |row| row.get(0))?;
    for agent_no in holders.collect::<Result<Vec<i64>, _>>()? {
        take(tx, agent_no, spot)?;
    }
    Ok(())
}

/// Takes everything of a channel and its threads out of an agent's inbox, because it may no longer read them. What was
/// on its way there is on no way any more.
pub(super) fn take_channel(tx: &Tx<'_>, agent_no: i64, channel_no: i64) -> StoreResult<()> {
    let mut counted = tx.statement(
        "SELECT inbox_count.conversation_no, inbox_count.unread, inbox_count.mentions, inbox_count.high,
             inbox_count.critical, inbox_count.blocking
         FROM inbox_count
         JOIN conversation ON conversation.no = inbox_count.conversation_no
         WHERE inbox_count.agent_no = ?1 AND conversation.access_no = ?2",
    )?;
    let counted = counted.query_map([agent_no, channel_no], |row| Ok((row.get(0)?, Tally::from_row(row, 1)?)))?;
    for (conversation_no, tally) in counted.collect::<Result<Vec<(i64, Tally)>, _>>()? {
        tx.execute(FORGET_DELIVERIES_IN, [agent_no, conversation_no])?;
        tx.execute(TAKE_IN, [agent_no, conversation_no])?;
        count(tx, agent_no, conversation_no, tally.negated())?;
    }
    Ok(())
}

pub(super) const FORGET_DELIVERIES_IN: &str = "DELETE FROM delivery
     WHERE agent_no = ?1 AND message_no IN (
         SELECT inbox.message_no
         FROM inbox INDEXED BY inbox_in
         WHERE inbox.agent_no = ?1 AND inbox.conversation_no = ?2
     )";

pub(super) const TAKE_IN: &str = "DELETE FROM inbox INDEXED BY inbox_in
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

fn strengthen(tx: &Tx<'_>, agent_no: i64, spot: Spot, delivery: &Recipient) -> StoreResult<()> {
    let params = [agent_no, importance_code(spot.importance), spot.message_no, reason_code(delivery.reason)];
    tx.execute(
        "UPDATE inbox
         SET reason = MAX(reason, ?4)
         WHERE agent_no = ?1 AND importance = ?2 AND message_no = ?3",
        params,
    )?;
    Ok(())
}

/// What is added to counts.
#[derive(Clone, Copy, Default)]
struct Tally {
    unread: i64,
    mentions: i64,
    high: i64,
    critical: i64,
    blocking: i64,
}

impl Tally {
    fn of_one(importance: Importance, flags: InboxFlags) -> Self {
        Self {
            unread: 1,
            mentions: i64::from(flags.is_mention),
            high: i64::from(importance == Importance::High),
            critical: i64::from(importance == Importance::Critical),
            blocking: i64::from(flags.is_blocking),
        }
    }

    /// Reads five columns that follow one another.
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

/// Adds to the counts of the conversation and of the whole inbox; a count that comes to nothing leaves no row.
fn count(tx: &Tx<'_>, agent_no: i64, conversation_no: i64, tally: Tally) -> StoreResult<()> {
    for counted_no in [conversation_no, 0] {
        tx.execute(
            "INSERT INTO inbox_count (agent_no, conversation_no, unread, mentions, high, critical, blocking)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE
             SET unread = unread + ?3, mentions = mentions + ?4, high = high + ?5, critical = critical + ?6,
                 blocking = blocking + ?7",
            [agent_no, counted_no, tally.unread, tally.mentions, tally.high, tally.critical, tally.blocking],
        )?;
    }
    if tally.unread < 0 {
        tx.execute(
            "DELETE FROM inbox_count
             WHERE agent_no = ?1 AND conversation_no = ?2 AND unread = 0",
            [agent_no, conversation_no],
        )?;
    }
    Ok(())
}
