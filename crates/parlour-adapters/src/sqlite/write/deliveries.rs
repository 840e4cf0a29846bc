//! Deliveries of messages to agents. A delivery that is only stored has no row of its own, only the row of the inbox.

use parlour_core::{
    Refusal, Timestamp,
    delivery::{Delivery, DeliveryMark, DeliveryReport, DeliveryStep, ResumedBy},
    event::Change,
    id::{AgentId, MessageId, RunId},
    limits,
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    inbox::{self, DeliveredMessage},
    rows::{
        codes::{delivery_code, delivery_path_code, reason_code},
        delivery::{StoredDelivery, load_delivery},
        event::About,
        message::StoredMessage,
    },
    tx::Tx,
    write::{find, log::LogWriter},
};

/// A step of a delivery, with the row numbers of its run and answer.
pub(in crate::sqlite) struct Happened<'a> {
    pub(in crate::sqlite) step: &'a DeliveryStep,
    pub(in crate::sqlite) at: Timestamp,
    pub(in crate::sqlite) run_no: Option<i64>,
    pub(in crate::sqlite) answer_no: Option<i64>,
}

/// Advances a delivery and returns whether it changed; `None` if the message was not delivered to the agent.
///
/// A read message is removed from the inbox.
pub(in crate::sqlite) fn advance(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    agent_no: i64,
    happened: &Happened<'_>,
) -> StoreResult<Option<bool>> {
    let Some(stored) = load_delivery(tx.db(), delivered, agent_no)? else { return Ok(None) };
    let Some(next) = stored.delivery.moved(happened.step, happened.at) else { return Ok(Some(false)) };
    let next = StoredDelivery {
        delivery: next,
        run_no: happened.run_no.or(stored.run_no),
        answer_no: happened.answer_no.or(stored.answer_no),
        ..stored
    };
    save(tx, delivered, agent_no, &next)?;
    Ok(Some(true))
}

/// Records that a run continued after a message had paused it, and returns whether that changed the delivery.
///
/// An agent that lost access to the conversation and got it again has no delivery any more: a new one is created.
pub(in crate::sqlite) fn handle(
    log: &LogWriter<'_>,
    paused_by: &StoredMessage,
    agent: (i64, &AgentId),
    by: ResumedBy,
) -> StoreResult<bool> {
    let (agent_no, agent) = agent;
    let delivered = paused_by.as_delivered(log.project_no());
    let stored = match load_delivery(log.tx.db(), delivered, agent_no)? {
        Some(stored) => stored,
        None => StoredDelivery::recreated(&paused_by.message, agent),
    };
    let Some(delivery) = stored.delivery.handled(by, log.at) else { return Ok(false) };
    save(log.tx, delivered, agent_no, &StoredDelivery { delivery, ..stored })?;
    Ok(true)
}

pub(in crate::sqlite) fn is_handled(tx: &Tx<'_>, delivered: DeliveredMessage, agent_no: i64) -> StoreResult<bool> {
    let stored = load_delivery(tx.db(), delivered, agent_no)?;
    Ok(stored.is_some_and(|stored| stored.delivery.handled_at.is_some()))
}

/// Deletes the deliveries of a removed message.
pub(in crate::sqlite) fn forget(tx: &Tx<'_>, message_no: i64) -> StoreResult<()> {
    tx.execute("DELETE FROM delivery\nWHERE message_no = ?1", [message_no])?;
    Ok(())
}

fn save(tx: &Tx<'_>, delivered: DeliveredMessage, agent_no: i64, stored: &StoredDelivery) -> StoreResult<()> {
    let (delivery, ms) = (&stored.delivery, |at: Option<Timestamp>| at.map(Timestamp::as_millis));
    tx.execute(
        "INSERT OR REPLACE INTO delivery (message_no, agent_no, reason, state, stored_ms, door, run_no, queued_ms,
             injected_ms, seen_ms, handled_ms, answered_ms, ended_ms, answer_no, why)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            delivered.message_no,
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
    if delivery.state.is_read() {
        inbox::remove(tx, agent_no, delivered)?;
    }
    Ok(())
}

/// Messages whose deliveries have moved, each with the number of its agent.
pub(super) type Moved = Vec<(StoredMessage, i64)>;

/// Records a report about messages of one conversation. Steps that do not advance a delivery change nothing.
pub(super) fn report_deliveries(log: &LogWriter<'_>, report: &DeliveryReport) -> StoreResult<Appended> {
    let agent_no = find::agent_no(log.tx, log.project_no(), &report.agent_id)?;
    let run_no = report.step.run_id.as_ref().map(|id| own_run_no(log, id, &report.agent_id)).transpose()?;
    let answer = report.step.answer_id.as_ref().map(|id| find::message(log, id)).transpose()?;
    let answer_no = answer.map(|answer| answer.no);
    let happened = Happened { step: &report.step, at: log.at, run_no, answer_no };
    let (mut moved, mut unmoved) = (Vec::new(), Vec::new());
    for id in &report.message_ids {
        let message = message_of(log, id, report)?;
        match advance(log.tx, message.as_delivered(log.project_no()), agent_no, &happened)? {
            Some(true) => moved.push((message, agent_no)),
            Some(false) => unmoved.push((message, agent_no)),
            None => return Err(Refusal::not_found("delivery", id).into()),
        }
    }
    let mark = |deliveries| {
        Change::Delivered(Box::new(DeliveryMark { conversation_id: report.conversation_id.clone(), deliveries }))
    };
    match moved.is_empty() {
        true => log.repeated(mark(load_deliveries(log, &unmoved)?)),
        false => log.record(mark(load_deliveries(log, &moved)?)),
    }
}

/// Records deliveries that moved as a side effect of another write, with further events for each conversation.
pub(super) fn record_moved(log: &LogWriter<'_>, mut moved: Moved) -> StoreResult<()> {
    moved.sort_by_key(|(message, _)| (message.conversation_no, message.no));
    for of_conversation in moved.chunk_by(|(one, _), (other, _)| one.conversation_no == other.conversation_no) {
        for some in of_conversation.chunks(limits::DELIVERIES_PER_REPORT_MAX) {
            let conversation_id = some[0].0.message.to.clone();
            let mark = DeliveryMark { conversation_id, deliveries: load_deliveries(log, some)? };
            log.record_more(About::default(), Change::Delivered(Box::new(mark)))?;
        }
    }
    Ok(())
}

fn load_deliveries(log: &LogWriter<'_>, moved: &[(StoredMessage, i64)]) -> StoreResult<Vec<Delivery>> {
    let mut deliveries = Vec::with_capacity(moved.len());
    for (message, agent_no) in moved {
        let found = load_delivery(log.tx.db(), message.as_delivered(log.project_no()), *agent_no)?;
        deliveries.extend(found.map(|stored| stored.delivery));
    }
    Ok(deliveries)
}

fn message_of(log: &LogWriter<'_>, id: &MessageId, report: &DeliveryReport) -> StoreResult<StoredMessage> {
    let message = find::message(log, id)?;
    if message.message.to == report.conversation_id {
        return Ok(message);
    }
    Err(Refusal::not_found("message", id).into())
}

/// The number of a run of the agent itself.
fn own_run_no(log: &LogWriter<'_>, id: &RunId, agent: &AgentId) -> StoreResult<i64> {
    let stored = find::run(log, id)?;
    if stored.run.agent_id == *agent {
        return Ok(stored.no);
    }
    Err(Refusal::not_found("run", id).into())
}
