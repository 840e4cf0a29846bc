//! What a complete answer brings with it: the question that it settles, and the messages that are answered by it.

use parlour_core::{
    author::Author,
    call,
    delivery::{DeliveryState, DeliveryStep},
    id::{MemberId, MessageId},
    message::{Message, State},
    question::{AnswerTo, Question, Settlement},
};

use super::{find, report_deliveries::Moved, scope::Scope, settle_question};
use crate::sqlite::{
    deliveries::{self, Happened},
    error::StoreResult,
    questions,
    rows::message::{StoredMessage, load_message, load_message_by_no},
};

/// The message whose question this answer settles; nothing when it is not complete, or when the question has ended
/// meanwhile.
pub(super) fn settled_by(
    scope: &Scope<'_>,
    answer_to: Option<&AnswerTo>,
    state: State,
) -> StoreResult<Option<StoredMessage>> {
    let Some(answer_to) = answer_to.filter(|_| state == State::Complete) else { return Ok(None) };
    let asking = load_message(scope.tx.db(), &answer_to.message_id)?;
    Ok(asking.filter(|asking| {
        let is_here = asking.message.project_id == scope.log.project_id;
        is_here && asking.message.question.as_ref().is_some_and(Question::is_open)
    }))
}

/// Settles that question after the answer was recorded: a further event.
pub(super) fn settle(
    scope: &Scope<'_>,
    asking: Option<&StoredMessage>,
    answer_to: Option<&AnswerTo>,
    answer: (&MessageId, &Author),
) -> StoreResult<()> {
    let (Some(asking), Some(answer_to)) = (asking, answer_to) else { return Ok(()) };
    let Some(question) = &asking.message.question else { return Ok(()) };
    let (id, by) = answer;
    let (spot, settlement) = (asking.spot(scope.project_no()), Settlement::Answered(answer_to.answer(id.clone())));
    match questions::settle(scope.tx, spot, question, &settlement, by, scope.at)? {
        Some(settled) => scope.record_more(settle_question::about(asking), settle_question::changed(asking, settled)),
        None => Ok(()),
    }
}

/// Notes that a question that an agent has answered without a message is answered by it; tells the number of the agent
/// when that is news.
pub(super) fn note_given(
    scope: &Scope<'_>,
    asking: &StoredMessage,
    settlement: &Settlement,
) -> StoreResult<Option<i64>> {
    let (Settlement::Answered(_), Some(MemberId::Agent(agent))) = (settlement, scope.actor.member_id()) else {
        return Ok(None);
    };
    let agent_no = find::agent_no(scope.tx, scope.project_no(), &agent)?;
    let step = DeliveryStep::to(DeliveryState::Answered);
    let happened = Happened { step: &step, at: scope.at, run_no: None, answer_no: None };
    let moved = deliveries::advance(scope.tx, asking.spot(scope.project_no()), agent_no, &happened)?;
    Ok(moved.filter(|is_news| *is_news).map(|_| agent_no))
}

/// Notes that these are answered: the message that an agent's answer replies to, the one whose question it settles, and
/// those whose calls it has taken and that had been shown to the agent. Of what it took besides nobody knows that it was
/// read. What is no answer, such as a notice, answers only the question that it settles. Tells what has moved.
pub(super) fn note_answered(
    scope: &Scope<'_>,
    answer: &Message,
    answer_no: i64,
    author_no: Option<i64>,
) -> StoreResult<Moved> {
    let is_agent = matches!(answer.from.member_id(), Some(MemberId::Agent(_)));
    let mut moved = Moved::new();
    let Some(agent_no) = author_no.filter(|_| is_agent && answer.state == State::Complete) else { return Ok(moved) };
    let step = DeliveryStep { answer_id: Some(answer.id.clone()), ..DeliveryStep::to(DeliveryState::Answered) };
    let happened = Happened { step: &step, at: scope.at, run_no: None, answer_no: Some(answer_no) };
    for message in answered(scope, answer, answer_no)? {
        let is_other = message.no != answer_no && message.message.project_id == scope.log.project_id;
        if is_other
            && deliveries::advance(scope.tx, message.spot(scope.project_no()), agent_no, &happened)? == Some(true)
        {
            moved.push((message, agent_no));
        }
    }
    Ok(moved)
}

fn answered(scope: &Scope<'_>, answer: &Message, answer_no: i64) -> StoreResult<Vec<StoredMessage>> {
    let is_answer = call::is_answer(answer);
    let mut answered = if is_answer { taken_and_shown(scope, answer_no)? } else { Vec::new() };
    let replied = answer.reply_to.iter().filter(|_| is_answer);
    for id in replied.chain(answer.answer_to.as_ref().map(|asking| &asking.message_id)) {
        if answered.iter().all(|message| message.message.id != *id) {
            answered.extend(load_message(scope.tx.db(), id)?);
        }
    }
    Ok(answered)
}

fn taken_and_shown(scope: &Scope<'_>, answer_no: i64) -> StoreResult<Vec<StoredMessage>> {
    let mut shown = scope.tx.statement(TAKEN_AND_SHOWN)?;
    let shown = shown.query_map([answer_no], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    shown.into_iter().map(|no| load_message_by_no(scope.tx.db(), no)).collect()
}

/// Shown is what was injected (2) or seen (3).
pub(in crate::sqlite) const TAKEN_AND_SHOWN: &str = "SELECT call.message_no
     FROM call
     JOIN delivery ON delivery.message_no = call.message_no AND delivery.agent_no = call.agent_no
     WHERE call.answer_no = ?1 AND delivery.state IN (2, 3)";
