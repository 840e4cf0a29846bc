//! Questions of blocking messages, and the messages and deliveries that an answer settles.

use parlour_core::{
    Refusal, Timestamp,
    answer_effects::{TakenCall, agent_that_answered, answered_deliveries, is_settled_by_answer, question_answered},
    author::Author,
    delivery::{DeliveryState, DeliveryStep},
    event::Change,
    id::{MemberId, MessageId},
    limits,
    message::{Message, State},
    question::{AnswerTo, Question, QuestionMark, Settlement},
    write::Appended,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    inbox::{self, DeliveredMessage},
    lookup,
    message_key::StoredMessageId,
    rows::{
        codes::{delivery_state, question_code},
        event::About,
        message::{StoredMessage, load_message},
        to_json,
    },
    tx::Tx,
    write::{
        calls,
        deliveries::{self, Happened, Moved, record_moved},
        find,
        log::LogWriter,
    },
};

/// Stores the question of a new message and its addressees.
///
/// Refuses (`Full`) if the asker or the project has too many open questions.
pub(in crate::sqlite) fn ask(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    message: &Message,
    asker_no: Option<i64>,
) -> StoreResult<()> {
    let Some(question) = &message.question else { return Ok(()) };
    tx.execute(
        "INSERT INTO question (message_no, project_no, asker_no, state, expires_ms, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            delivered.message_no,
            delivered.project_no,
            asker_no,
            question_code(question.state),
            question.expires_at.as_millis(),
            to_json(question)
        ],
    )?;
    if question.is_open() {
        await_answers(tx, delivered, question)?;
        check_question_count(tx, delivered.project_no, asker_no)?;
    }
    Ok(())
}

fn await_answers(tx: &Tx<'_>, delivered: DeliveredMessage, question: &Question) -> StoreResult<()> {
    for member in question.awaited() {
        let Some(member_no) = lookup::member_no(tx.db(), member)? else { continue };
        tx.execute(
            "INSERT INTO question_addressee (member_no, expires_ms, message_no)
             VALUES (?1, ?2, ?3)
             ON CONFLICT DO NOTHING",
            [member_no, question.expires_at.as_millis(), delivered.message_no],
        )?;
    }
    Ok(())
}

fn check_question_count(tx: &Tx<'_>, project_no: i64, asker_no: Option<i64>) -> StoreResult<()> {
    if let Some(asker_no) = asker_no {
        let most = limits::QUESTIONS_PER_ASKER_MAX;
        find::check_count(tx, OPEN_BY, [project_no, asker_no], most, "a member", "open questions in a project")?;
    }
    find::check_count(tx, OPEN_IN, [project_no], limits::QUESTIONS_PER_PROJECT_MAX, "a project", "open questions")
}

pub(in crate::sqlite) const OPEN_BY: &str = "SELECT COUNT(*)
     FROM question
     WHERE project_no = ?1 AND asker_no = ?2 AND state = 0";

pub(in crate::sqlite) const OPEN_IN: &str = "SELECT COUNT(*)
     FROM question
     WHERE project_no = ?1 AND state = 0";

/// Settles a question and returns its new state; `None` if nothing changes. Refuses (`QuestionClosed`) if the question
/// has ended.
pub(in crate::sqlite) fn settle_row(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    question: &Question,
    settlement: &Settlement,
    by: &Author,
    at: Timestamp,
) -> StoreResult<Option<Question>> {
    let settled = question.settled(settlement, by, at)?;
    if settled == *question {
        return Ok(None);
    }
    update_question(tx, delivered, &settled)?;
    for member in question.released_by(&settled) {
        await_no_longer(tx, delivered, question, member, at)?;
    }
    Ok(Some(settled))
}

/// Withdraws the question of a removed message and deletes its contents.
pub(in crate::sqlite) fn forget(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    question: &Question,
    by: &Author,
    at: Timestamp,
) -> StoreResult<()> {
    let removed = question.removed(by, at);
    if question.is_open() {
        for member in question.released_by(&removed) {
            await_no_longer(tx, delivered, question, member, at)?;
        }
    }
    update_question(tx, delivered, &removed)
}

/// Whether the question of a message awaits a member.
pub(in crate::sqlite) fn awaits(
    tx: &Tx<'_>,
    message_no: i64,
    question: &Question,
    member_no: i64,
) -> StoreResult<bool> {
    let sql = "SELECT 1
         FROM question_addressee
         WHERE member_no = ?1 AND expires_ms = ?2 AND message_no = ?3";
    lookup::exists(tx.db(), sql, [member_no, question.expires_at.as_millis(), message_no])
}

fn update_question(tx: &Tx<'_>, delivered: DeliveredMessage, question: &Question) -> StoreResult<()> {
    tx.execute(
        "UPDATE question
         SET state = ?2, data = ?3
         WHERE message_no = ?1",
        params![delivered.message_no, question_code(question.state), to_json(question)],
    )?;
    Ok(())
}

/// Ends the wait for a member: nobody expects its answer any more, so its open call is closed too.
fn await_no_longer(
    tx: &Tx<'_>,
    delivered: DeliveredMessage,
    question: &Question,
    member: &MemberId,
    at: Timestamp,
) -> StoreResult<()> {
    let Some(member_no) = lookup::member_no(tx.db(), member)? else { return Ok(()) };
    tx.execute(
        "DELETE FROM question_addressee
         WHERE member_no = ?1 AND expires_ms = ?2 AND message_no = ?3",
        [member_no, question.expires_at.as_millis(), delivered.message_no],
    )?;
    if member.agent().is_some() {
        inbox::unblock(tx, member_no, delivered)?;
        calls::close(tx, member_no, delivered.message_no, at)?;
    }
    Ok(())
}

/// Settles the question of a message, or records that an addressee declines.
pub(super) fn settle_question(log: &LogWriter<'_>, id: &MessageId, settlement: &Settlement) -> StoreResult<Appended> {
    let asking = find::message(log, id)?;
    let question = asking.message.question.clone().ok_or_else(|| Refusal::not_found("question", id))?;
    let delivered = asking.as_delivered(log.project_no());
    match settle_row(log.tx, delivered, &question, settlement, log.actor, log.at)? {
        None => log.repeated(changed(&asking, question)),
        Some(settled) => {
            let answered = note_given(log, &asking, settlement)?;
            let appended = log.record_about(about(&asking), changed(&asking, settled))?;
            record_moved(log, answered.map(|agent_no| (asking, agent_no)).into_iter().collect())?;
            Ok(appended)
        }
    }
}

/// The row numbers for the event of a question.
pub(super) fn about(asking: &StoredMessage) -> About {
    About { message_no: Some(asking.no), member_no: None }
}

pub(super) fn changed(asking: &StoredMessage, question: Question) -> Change {
    let (message_id, conversation_id) = (asking.message.id.clone(), asking.message.to.clone());
    Change::QuestionChanged(Box::new(QuestionMark { message_id, conversation_id, question }))
}

/// The message whose question this answer settles; `None` if the answer is not complete or the question has ended.
pub(super) fn settled_by(
    log: &LogWriter<'_>,
    answer_to: Option<&AnswerTo>,
    state: State,
) -> StoreResult<Option<StoredMessage>> {
    let Some(asking_id) = question_answered(answer_to, state) else { return Ok(None) };
    let asking = load_message(log.tx.db(), asking_id)?;
    Ok(asking.filter(|asking| is_settled_by_answer(&asking.message, &log.name.project_id)))
}

/// Settles the question after the answer was recorded, with a separate event.
pub(super) fn settle_by_answer(
    log: &LogWriter<'_>,
    asking: Option<&StoredMessage>,
    answer_to: Option<&AnswerTo>,
    answer: (&MessageId, &Author),
) -> StoreResult<()> {
    let (Some(asking), Some(answer_to)) = (asking, answer_to) else { return Ok(()) };
    let Some(question) = &asking.message.question else { return Ok(()) };
    let (id, by) = answer;
    let (delivered, settlement) =
        (asking.as_delivered(log.project_no()), Settlement::Answered(answer_to.answer(id.clone())));
    match settle_row(log.tx, delivered, question, &settlement, by, log.at)? {
        Some(settled) => log.record_more(about(asking), changed(asking, settled)),
        None => Ok(()),
    }
}

/// Marks the delivery of a question as answered when an agent settled it without a message, and returns the number of
/// the agent if that changed the delivery.
pub(super) fn note_given(
    log: &LogWriter<'_>,
    asking: &StoredMessage,
    settlement: &Settlement,
) -> StoreResult<Option<i64>> {
    let Some(agent) = agent_that_answered(settlement, log.actor) else { return Ok(None) };
    let agent_no = find::agent_no(log.tx, log.project_no(), &agent)?;
    let step = DeliveryStep::to(DeliveryState::Answered);
    let happened = Happened { step: &step, at: log.at, run_no: None, answer_no: None };
    let moved = deliveries::advance(log.tx, asking.as_delivered(log.project_no()), agent_no, &happened)?;
    Ok(moved.filter(|is_changed| *is_changed).map(|_| agent_no))
}

/// Marks the deliveries that a message answers, and returns those that changed.
pub(super) fn note_answered(
    log: &LogWriter<'_>,
    answer: &Message,
    answer_no: i64,
    author_no: Option<i64>,
) -> StoreResult<Moved> {
    let mut moved = Moved::new();
    let is_agent = answer.from.member_id().is_some_and(|author| author.agent().is_some());
    let Some(agent_no) = author_no.filter(|_| is_agent) else { return Ok(moved) };
    let step = DeliveryStep { answer_id: Some(answer.id.clone()), ..DeliveryStep::to(DeliveryState::Answered) };
    let happened = Happened { step: &step, at: log.at, run_no: None, answer_no: Some(answer_no) };
    for id in answered_deliveries(answer, &taken_by(log, answer_no)?) {
        let message = load_message(log.tx.db(), &id)?;
        let Some(message) = message.filter(|found| found.message.project_id == log.name.project_id) else { continue };
        if deliveries::advance(log.tx, message.as_delivered(log.project_no()), agent_no, &happened)? == Some(true) {
            moved.push((message, agent_no));
        }
    }
    Ok(moved)
}

/// The calls that the answer has taken. A call whose message has no delivery row was never shown to its agent.
fn taken_by(log: &LogWriter<'_>, answer_no: i64) -> StoreResult<Vec<TakenCall>> {
    let mut taken = log.tx.statement(TAKEN)?;
    let mut rows = taken.query([answer_no])?;
    let mut calls = Vec::new();
    while let Some(row) = rows.next()? {
        let StoredMessageId(message_id) = row.get(0)?;
        calls.push(TakenCall { message_id, delivery: delivery_state(row.get(1)?)? });
    }
    Ok(calls)
}

pub(in crate::sqlite) const TAKEN: &str = "SELECT message.id, delivery.state
     FROM call
     JOIN delivery ON delivery.message_no = call.message_no AND delivery.agent_no = call.agent_no
     JOIN message ON message.no = call.message_no
     WHERE call.answer_no = ?1
     ORDER BY call.agent_no, call.message_no";
