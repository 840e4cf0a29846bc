//! Rows of deliveries.

use parlour_core::{Timestamp, delivery::Delivery, id::AgentId, inbox::DeliveryReason, message::Message};
use rusqlite::{Connection, Row};

use super::{ReadColumn, StoreResult, codes};
use crate::sqlite::{inbox::DeliveredMessage, message_key::StoredMessageId, rows::codes::importance_code};

/// Selects deliveries with a row of their own; continue it with `WHERE`. The run is selected only if it has no
/// conversation or that of the message.
macro_rules! select_delivery {
    ($($tail:expr),+) => {
        concat!(
            "SELECT message.id, agent.id, delivery.reason, COALESCE(delivery.stored_ms, message.created_ms),
                 delivery.state, delivery.door,
                 CASE
                     WHEN run.conversation_no IS NULL OR run.conversation_no = message.conversation_no THEN run.id
                 END,
                 delivery.why, delivery.queued_ms, delivery.injected_ms, delivery.seen_ms, delivery.handled_ms,
                 delivery.answered_ms, delivery.ended_ms, answer.id, delivery.run_no, delivery.stored_ms,
                 delivery.answer_no
             FROM delivery
             JOIN message ON message.no = delivery.message_no
             JOIN member AS agent ON agent.no = delivery.agent_no
             LEFT JOIN run ON run.no = delivery.run_no
             LEFT JOIN message AS answer ON answer.no = delivery.answer_no\n",
            $($tail),+
        )
    };
}

/// Selects deliveries that are only stored, from the inboxes; continue it with `WHERE`.
macro_rules! select_stored {
    ($($tail:expr),+) => {
        concat!(
            "SELECT message.id, agent.id, inbox.reason, COALESCE(inbox.stored_ms, message.created_ms), inbox.stored_ms
             FROM member AS agent
             JOIN inbox ON inbox.agent_no = agent.no
             JOIN message ON message.no = inbox.message_no\n",
            $($tail),+
        )
    };
}

/// A delivery with its row numbers.
#[derive(Debug)]
pub(in crate::sqlite) struct StoredDelivery {
    pub(in crate::sqlite) delivery: Delivery,
    /// The run, even if the delivery does not show it.
    pub(in crate::sqlite) run_no: Option<i64>,
    /// The time of storing, if it is not the time of the message.
    pub(in crate::sqlite) stored_ms: Option<i64>,
    pub(in crate::sqlite) answer_no: Option<i64>,
}

impl StoredDelivery {
    /// A new delivery for a message whose delivery was deleted.
    pub(in crate::sqlite) fn recreated(message: &Message, agent: &AgentId) -> Self {
        let recipient = agent.clone().into();
        let delivery = Delivery::stored(message.id.clone(), recipient, DeliveryReason::Mention, message.created_at);
        Self { delivery, run_no: None, stored_ms: None, answer_no: None }
    }
}

/// The delivery of a message to an agent, if there is one.
pub(in crate::sqlite) fn load_delivery(
    db: &Connection,
    delivered: DeliveredMessage,
    agent_no: i64,
) -> StoreResult<Option<StoredDelivery>> {
    let mut moved = db.prepare_cached(select_delivery!("WHERE delivery.message_no = ?1 AND delivery.agent_no = ?2"))?;
    let found = moved.query_and_then([delivered.message_no, agent_no], moved_from)?.next().transpose()?;
    if found.is_some() {
        return Ok(found);
    }
    let mut stored =
        db.prepare_cached(select_stored!("WHERE agent.no = ?1 AND inbox.importance = ?2 AND inbox.message_no = ?3"))?;
    let params = [agent_no, importance_code(delivered.importance), delivered.message_no];
    stored.query_and_then(params, stored_from)?.next().transpose()
}

/// The deliveries of a message to all its agents, by their ids.
pub(in crate::sqlite) fn load_deliveries(db: &Connection, delivered: DeliveredMessage) -> StoreResult<Vec<Delivery>> {
    let mut moved = db.prepare_cached(MOVED_OF_MESSAGE)?;
    let mut stored = db.prepare_cached(STORED_OF_MESSAGE)?;
    let moved = moved.query_and_then([delivered.message_no], moved_from)?;
    let params = [delivered.project_no, importance_code(delivered.importance), delivered.message_no];
    let stored = stored.query_and_then(params, stored_from)?;
    let all = moved.chain(stored).map(|found| found.map(|one| one.delivery));
    let mut all = all.collect::<StoreResult<Vec<Delivery>>>()?;
    all.sort_by(|one, other| one.recipient.as_str().cmp(other.recipient.as_str()));
    Ok(all)
}

pub(in crate::sqlite) const MOVED_OF_MESSAGE: &str = select_delivery!("WHERE delivery.message_no = ?1");

// It looks into the inbox of each agent: an index by message would slow down every post.
pub(in crate::sqlite) const STORED_OF_MESSAGE: &str = select_stored!(
    "WHERE agent.home_no = ?1 AND inbox.importance = ?2 AND inbox.message_no = ?3 AND NOT EXISTS (
         SELECT 1
         FROM delivery
         WHERE delivery.message_no = inbox.message_no AND delivery.agent_no = agent.no
     )"
);

fn stored_from(row: &Row<'_>) -> StoreResult<StoredDelivery> {
    Ok(StoredDelivery { delivery: stored_delivery_from(row)?, run_no: None, stored_ms: row.get(4)?, answer_no: None })
}

fn moved_from(row: &Row<'_>) -> StoreResult<StoredDelivery> {
    let stored = stored_delivery_from(row)?;
    let seen_at = row.time_opt(10)?;
    let delivery = Delivery {
        state: codes::delivery_state(row.get(4)?)?,
        delivered_via: row.get::<_, Option<i64>>(5)?.map(codes::delivery_path).transpose()?,
        run_id: row.parsed_opt(6)?,
        why: row.get(7)?,
        queued_at: row.time_opt(8)?,
        injected_at: row.time_opt(9)?,
        seen_at,
        handled_at: row.time_opt(11)?,
        answered_at: row.time_opt(12)?,
        ended_at: row.time_opt(13)?,
        answer_id: row.get::<_, Option<StoredMessageId>>(14)?.map(|id| id.0),
        time_to_read_ms: seen_at.and_then(|seen| time_between(stored.stored_at, seen)),
        ..stored
    };
    Ok(StoredDelivery { delivery, run_no: row.get(15)?, stored_ms: row.get(16)?, answer_no: row.get(17)? })
}

fn stored_delivery_from(row: &Row<'_>) -> StoreResult<Delivery> {
    let (message, agent) = (row.get::<_, StoredMessageId>(0)?.0, row.parsed(1)?);
    Ok(Delivery::stored(message, agent, codes::reason(row.get(2)?)?, row.time(3)?))
}

fn time_between(earlier: Timestamp, later: Timestamp) -> Option<u64> {
    u64::try_from(later.as_millis() - earlier.as_millis()).ok()
}
