//! The questions of blocking messages: kept with their message, found among the open ones, and ended once.

use parlour_core::{
    Timestamp,
    author::Author,
    id::MemberId,
    limits,
    message::Message,
    question::{Question, QuestionState, Settlement},
};
use rusqlite::params;

use super::{
    error::StoreResult,
    inbox::{self, Spot},
    lookup,
    rows::{codes::question_code, to_json},
    tx::Tx,
    write::private_members::check_count,
};

/// Keeps the question of a message that is being posted, and who can answer it.
///
/// An asker, or a project, with more open questions than there may be is refused (`Full`).
pub(super) fn ask(tx: &Tx<'_>, spot: Spot, message: &Message, asker_no: Option<i64>) -> StoreResult<()> {
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
        check_room(tx, spot.project_no, asker_no)?;
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

fn check_room(tx: &Tx<'_>, project_no: i64, asker_no: Option<i64>) -> StoreResult<()> {
    if let Some(asker_no) = asker_no {
        let most = limits::QUESTIONS_PER_ASKER_MAX;
        check_count(tx, OPEN_BY, [project_no, asker_no], most, "a member", "open questions in a project")?;
    }
    check_count(tx, OPEN_IN, [project_no], limits::QUESTIONS_PER_PROJECT_MAX, "a project", "open questions")
}

pub(super) const OPEN_BY: &str = "SELECT COUNT(*)
     FROM question
     WHERE project_no = ?1 AND asker_no = ?2 AND state = 0";

pub(super) const OPEN_IN: &str = "SELECT COUNT(*)
     FROM question
     WHERE project_no = ?1 AND state = 0";

/// Settles a question and answers it as it is then; nothing when that changes nothing. Refused (`QuestionClosed`) when
/// it has ended.
pub(super) fn settle(
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
    update(tx, spot, &settled)?;
    let is_gone = |member: &&MemberId| !settled.is_open() || settled.ignored_by.contains(member);
    for member in question.awaited().filter(is_gone) {
        await_no_longer(tx, spot, question, member)?;
    }
    Ok(Some(settled))
}

/// Takes the question of a removed message back, and everything that it said.
pub(super) fn forget(tx: &Tx<'_>, spot: Spot, question: &Question, by: &Author, at: Timestamp) -> StoreResult<()> {
    let withdrawn = match question.state {
        QuestionState::Open => settle(tx, spot, question, &Settlement::Withdrawn, by, at)?,
        _ => None,
    };
    let ended = withdrawn.unwrap_or_else(|| question.clone());
    update(tx, spot, &Question { options: Vec::new(), schema: None, default: None, answer: None, ..ended })
}

/// Whether the question of a message awaits a member.
pub(super) fn awaits(tx: &Tx<'_>, message_no: i64, question: &Question, member_no: i64) -> StoreResult<bool> {
    let sql = "SELECT 1
         FROM question_addressee
         WHERE member_no = ?1 AND expires_ms = ?2 AND message_no = ?3";
    lookup::exists(tx.db(), sql, [member_no, question.expires_at.as_millis(), message_no])
}

fn update(tx: &Tx<'_>, spot: Spot, question: &Question) -> StoreResult<()> {
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
