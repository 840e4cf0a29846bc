//! What became of messages on their way to agents: a row as soon as more than storing has happened.

use parlour_core::{
    Timestamp,
    delivery::{Delivery, DeliveryState, DeliveryStep},
    id::AgentId,
};
use rusqlite::params;

use super::{
    error::StoreResult,
    inbox::{self, Spot},
    rows::{
        codes::{delivery_code, delivery_path_code, reason_code},
        delivery::{StoredDelivery, load_delivery},
        message::StoredMessage,
    },
    tx::Tx,
};

/// What happened to a delivery, with the numbers of what it names.
pub(super) struct Happened<'a> {
    /// What.
    pub(super) step: &'a DeliveryStep,
    /// When.
    pub(super) at: Timestamp,
    /// The run.
    pub(super) run_no: Option<i64>,
    /// The answer.
    pub(super) answer_no: Option<i64>,
}

/// Moves a delivery and tells whether that was news; nothing when the message was not for the agent.
///
/// What is read leaves the inbox.
pub(super) fn advance(tx: &Tx<'_>, spot: Spot, agent_no: i64, happened: &Happened<'_>) -> StoreResult<Option<bool>> {
    let Some(stored) = load_delivery(tx.db(), spot, agent_no)? else { return Ok(None) };
    let Some(next) = stored.delivery.moved(happened.step, happened.at) else { return Ok(Some(false)) };
    let next = StoredDelivery {
        delivery: next,
        run_no: happened.run_no.or(stored.run_no),
        answer_no: happened.answer_no.or(stored.answer_no),
        ..stored
    };
    keep(tx, spot, agent_no, &next)?;
    Ok(Some(true))
}

/// Notes that an agent has handled a message that had paused it, and whether it has read it so; tells whether that was
/// news. What was shown to it is read when it goes on.
///
/// An agent that lost the conversation meanwhile, and has it again, has no delivery any more: it gets one.
pub(super) fn handle(
    tx: &Tx<'_>,
    paused_by: &StoredMessage,
    agent: (i64, &AgentId),
    is_read: bool,
    moment: (Timestamp, i64),
) -> StoreResult<bool> {
    let ((agent_no, agent), (at, project_no)) = (agent, moment);
    let spot = paused_by.spot(project_no);
    let stored = match load_delivery(tx.db(), spot, agent_no)? {
        Some(stored) => stored,
        None => StoredDelivery::lost(&paused_by.message, agent),
    };
    let is_read = is_read || stored.delivery.state == DeliveryState::Injected;
    let seen = stored.delivery.moved(&DeliveryStep::to(DeliveryState::Seen), at).filter(|_| is_read);
    let next = seen.unwrap_or_else(|| stored.delivery.clone());
    let next = Delivery { handled_at: next.handled_at.or(Some(at)), ..next };
    let is_news = next != stored.delivery;
    if is_news {
        keep(tx, spot, agent_no, &StoredDelivery { delivery: next, ..stored })?;
    }
    Ok(is_news)
}

/// Whether the agent has handled the message already.
pub(super) fn is_handled(tx: &Tx<'_>, spot: Spot, agent_no: i64) -> StoreResult<bool> {
    let stored = load_delivery(tx.db(), spot, agent_no)?;
    Ok(stored.is_some_and(|stored| stored.delivery.handled_at.is_some()))
}

/// Forgets what became of a message, because there is no such message any more.
pub(super) fn forget(tx: &Tx<'_>, message_no: i64) -> StoreResult<()> {
    tx.execute("DELETE FROM delivery\nWHERE message_no = ?1", [message_no])?;
    Ok(())
}

fn keep(tx: &Tx<'_>, spot: Spot, agent_no: i64, stored: &StoredDelivery) -> StoreResult<()> {
    let (delivery, ms) = (&stored.delivery, |at: Option<Timestamp>| at.map(Timestamp::as_millis));
    tx.execute(
        "INSERT OR REPLACE INTO delivery (message_no, agent_no, reason, state, stored_ms, door, run_no, queued_ms,
             injected_ms, seen_ms, handled_ms, answered_ms, ended_ms, answer_no, why)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            spot.message_no,
            agent_no,
            reason_code(delivery.reason),
            delivery_code(delivery.state),
            stored.stored_ms,
            delivery.delivered_via.map(delivery_path_code),
            stored.run_no,
            ms(delivery.queued_at),
            ms(delivery.injected_at),
            ms(delivery.seen_at),
            ms(delivery.handled_at),
            ms(delivery.answered_at),
            ms(delivery.ended_at),
            stored.answer_no,
            delivery.why
        ],
    )?;
    if matches!(delivery.state, DeliveryState::Seen | DeliveryState::Answered) {
        inbox::take(tx, agent_no, spot)?;
    }
    Ok(())
}
