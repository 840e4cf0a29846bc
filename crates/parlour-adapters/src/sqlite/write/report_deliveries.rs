use parlour_core::{
    Refusal,
    delivery::{Delivery, DeliveryMark, DeliveryReport},
    event::Change,
    id::{AgentId, MessageId, RunId},
    limits,
    write::Appended,
};

use super::{find, scope::Scope};
use crate::sqlite::{
    deliveries::{self, Happened},
    error::StoreResult,
    rows::{delivery::load_delivery, event::About, message::StoredMessage},
};

/// Messages whose deliveries have moved, each with the number of its agent.
pub(super) type Moved = Vec<(StoredMessage, i64)>;

/// Notes what became of messages of one conversation on their way to an agent. What is no news changes nothing.
pub(super) fn report_deliveries(scope: &Scope<'_>, report: &DeliveryReport) -> StoreResult<Appended> {
    let agent_no = find::agent_no(scope.tx, scope.project_no(), &report.agent_id)?;
    let run_no = report.step.run_id.as_ref().map(|id| own_run_no(scope, id, &report.agent_id)).transpose()?;
    let answer = report.step.answer_id.as_ref().map(|id| find::message(scope, id)).transpose()?;
    let answer_no = answer.map(|answer| answer.no);
    let happened = Happened { step: &report.step, at: scope.at, run_no, answer_no };
    let (mut moved, mut unmoved) = (Vec::new(), Vec::new());
    for id in &report.message_ids {
        let message = message_of(scope, id, report)?;
        match deliveries::advance(scope.tx, message.spot(scope.project_no()), agent_no, &happened)? {
            Some(true) => moved.push((message, agent_no)),
            Some(false) => unmoved.push((message, agent_no)),
            None => return Err(Refusal::not_found("delivery", id).into()),
        }
    }
    let mark = |deliveries| {
        Change::Delivered(Box::new(DeliveryMark { conversation_id: report.conversation_id.clone(), deliveries }))
    };
    match moved.is_empty() {
        true => scope.repeated(mark(as_told(scope, &unmoved)?)),
        false => scope.record(mark(as_told(scope, &moved)?)),
    }
}

/// Tells of deliveries that have moved because of something else: a further event for each conversation.
pub(super) fn tell_moved(scope: &Scope<'_>, mut moved: Moved) -> StoreResult<()> {
    moved.sort_by_key(|(message, _)| (message.conversation_no, message.no));
    for of_conversation in moved.chunk_by(|(one, _), (other, _)| one.conversation_no == other.conversation_no) {
        for some in of_conversation.chunks(limits::DELIVERIES_PER_REPORT_MAX) {
            let conversation_id = some[0].0.message.to.clone();
            let mark = DeliveryMark { conversation_id, deliveries: as_told(scope, some)? };
            scope.record_more(About::default(), Change::Delivered(Box::new(mark)))?;
        }
    }
    Ok(())
}

fn as_told(scope: &Scope<'_>, moved: &[(StoredMessage, i64)]) -> StoreResult<Vec<Delivery>> {
    let mut told = Vec::with_capacity(moved.len());
    for (message, agent_no) in moved {
        let found = load_delivery(scope.tx.db(), message.spot(scope.project_no()), *agent_no)?;
        told.extend(found.map(|stored| stored.delivery));
    }
    Ok(told)
}

fn message_of(scope: &Scope<'_>, id: &MessageId, report: &DeliveryReport) -> StoreResult<StoredMessage> {
    let message = find::message(scope, id)?;
    if message.message.to == report.conversation_id {
        return Ok(message);
    }
    Err(Refusal::not_found("message", id).into())
}

/// The number of a run of the agent itself.
fn own_run_no(scope: &Scope<'_>, id: &RunId, agent: &AgentId) -> StoreResult<i64> {
    let stored = find::run(scope, id)?;
    if stored.run.agent_id == *agent {
        return Ok(stored.no);
    }
    Err(Refusal::not_found("run", id).into())
}
