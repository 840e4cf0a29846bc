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
    inbox::{self, Spot},
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
        deliveries::{self, Happened, Moved, tell_moved},
        find,
        log::LogWriter,
    },
};

/// Keeps the question of a message that is being posted, and who can answer it.
///
/// An asker, or a project, with more open questions than there may be is refused (`Full`).
pub(in crate::sqlite) fn ask(tx: &Tx<'_>, spot: Spot, message: &Message, asker_no: Option<i64>) -> StoreResult<()> {
    let Some(question) = &message.question else { return Ok(()) };
    tx.execute(
        "INSERT INTO question (message_no, project_no, asker_no, state, expires_ms, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            spot.message_no,
            spot.project_no,
            asker_no,
            question_code(question.state),
            question.expires_at.as_millis(),
            to_json(question)
        ],
    )?;
    if question.is_open() {
        await_answers(tx, spot, question)?;
        check_question_count(tx, spot.project_no, asker_no)?;
    }
    Ok(())
}

fn await_answers(tx: &Tx<'_>, spot: Spot, question: &Question) -> StoreResult<()> {
    for member in question.awaited() {
        let Some(member_no) = lookup::member_no(tx.db(), member)? else { continue };
        tx.execute(
            "INSERT INTO question_addressee (member_no, expires_ms, message_no)
             VALUES (?1, ?2, ?3)
             ON CONFLICT DO NOTHING",
            [member_no, question.expires_at.as_millis(), spot.message_no],
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

/// Settles a question and answers it as it is then; nothing when that changes nothing. Refused (`QuestionClosed`) when
/// it has ended.
pub(in crate::sqlite) fn settle_row(
    tx: &Tx<'_>,
    spot: Spot,
    question: &Question,
    settlement: &Settlement,
    by: &Author,
    at: Timestamp,
) -> StoreResult<Option<Question>> {
    let settled = question.settled(settlement, by, at)?;
    if settled == *question {
        return Ok(None);
    }
    update_question(tx, spot, &settled)?;
    for member in question.released_by(&settled) {
        await_no_longer(tx, spot, question, member)?;
    }
    Ok(Some(settled))
}

/// Withdraws the question of a removed message and deletes its contents.
pub(in crate::sqlite) fn forget(
    tx: &Tx<'_>,
    spot: Spot,
    question: &Question,
    by: &Author,
    at: Timestamp,
) -> StoreResult<()> {
    let removed = question.removed(by, at);
    if question.is_open() {
        for member in question.released_by(&removed) {
            await_no_longer(tx, spot, question, member)?;
        }
    }
    update_question(tx, spot, &removed)
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

fn update_question(tx: &Tx<'_>, spot: Spot, question: &Question) -> StoreResult<()> {
    tx.execute(
        "UPDATE question
         SET state = ?2, data = ?3
         WHERE message_no = ?1",
        params![spot.message_no, question_code(question.state), to_json(question)],
    )?;
    Ok(())
}

fn await_no_longer(tx: &Tx<'_>, spot: Spot, question: &Question, member: &MemberId) -> StoreResult<()> {
    let Some(member_no) = lookup::member_no(tx.db(), member)? else { return Ok(()) };
    tx.execute(
        "DELETE FROM question_addressee
         WHERE member_no = ?1 AND expires_ms = ?2 AND message_no = ?3",
        [member_no, question.expires_at.as_millis(), spot.message_no],
    )?;
    if member.agent().is_some() {
        inbox::unblock(tx, member_no, spot)?;
    }
    Ok(())
}

/// Settles the question of a message, or notes that one will not answer it.
pub(super) fn settle_question(log: &LogWriter<'_>, id: &MessageId, settlement: &Settlement) -> StoreResult<Appended> {
    let asking = find::message(log, id)?;
    let question = asking.message.question.clone().ok_or_else(|| Refusal::not_found("question", id))?;
    let spot = asking.spot(log.project_no());
    match settle_row(log.tx, spot, &question, settlement, log.actor, log.at)? {
        None => log.repeated(changed(&asking, question)),
        Some(settled) => {
            let answered = note_given(log, &asking, settlement)?;
            let appended = log.record_about(about(&asking), changed(&asking, settled))?;
            tell_moved(log, answered.map(|agent_no| (asking, agent_no)).into_iter().collect())?;
            Ok(appended)
        }
    }
}

/// What the event is about.
pub(super) fn about(asking: &StoredMessage) -> About {
    About { message_no: Some(asking.no), member_no: None }
}

/// What the event says.
pub(super) fn changed(asking: &StoredMessage, question: Question) -> Change {
    let (message_id, conversation_id) = (asking.message.id.clone(), asking.message.to.clone());
    Change::QuestionChanged(Box::new(QuestionMark { message_id, conversation_id, question }))
}

/// The message whose question this answer settles; nothing when it is not complete, or when the question has ended
/// meanwhile.
pub(super) fn settled_by(
    log: &LogWriter<'_>,
    answer_to: Option<&AnswerTo>,
    state: State,
) -> StoreResult<Option<StoredMessage>> {
    let Some(asking_id) = question_answered(answer_to, state) else { return Ok(None) };
    let asking = load_message(log.tx.db(), asking_id)?;
    Ok(asking.filter(|asking| is_settled_by_answer(&asking.message, &log.name.project_id)))
}

/// Settles the question after the answer was recorded, with an event of its own.
pub(super) fn settle_by_answer(
    log: &LogWriter<'_>,
    asking: Option<&StoredMessage>,
    answer_to: Option<&AnswerTo>,
    answer: (&MessageId, &Author),
) -> StoreResult<()> {
    let (Some(asking), Some(answer_to)) = (asking, answer_to) else { return Ok(()) };
    let Some(question) = &asking.message.question else { return Ok(()) };
    let (id, by) = answer;
    let (spot, settlement) = (asking.spot(log.project_no()), Settlement::Answered(answer_to.answer(id.clone())));
    match settle_row(log.tx, spot, question, &settlement, by, log.at)? {
        Some(settled) => log.record_more(about(asking), changed(asking, settled)),
        None => Ok(()),
    }
}

/// Marks the delivery of a question as answered when an agent settled it without a message, and returns the number of the
/// agent if that changed the delivery.
pub(super) fn note_given(
    log: &LogWriter<'_>,
    asking: &StoredMessage,
    settlement: &Settlement,
) -> StoreResult<Option<i64>> {
    let Some(agent) = agent_that_answered(settlement, log.actor) else { return Ok(None) };
    let agent_no = find::agent_no(log.tx, log.project_no(), &agent)?;
    let step = DeliveryStep::to(DeliveryState::Answered);
    let happened = Happened { step: &step, at: log.at, run_no: None, answer_no: None };
    let moved = deliveries::advance(log.tx, asking.spot(log.project_no()), agent_no, &happened)?;
    Ok(moved.filter(|is_news| *is_news).map(|_| agent_no))
}

/// Marks the deliveries that an answer answers, and returns those that have moved.
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
        if deliveries::advance(log.tx, message.spot(log.project_no()), agent_no, &happened)? == Some(true) {
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
