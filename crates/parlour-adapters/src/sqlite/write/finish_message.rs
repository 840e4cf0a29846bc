use std::mem;

use parlour_core::{
    Code, Refusal, access,
    answer_effects::CallOrder,
    event::Change,
    id::MessageId,
    message::{Message, State},
    write::{Appended, Novelty, StreamEnding},
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    lookup::number,
    rows::{
        author::author_ref,
        codes::state_code,
        event::{About, FINISHED},
        message::{StoredMessage, extra_json, is_linked},
        to_json,
    },
    write::{
        calls::{self, Callee},
        deliveries::record_moved,
        edit_message::change_text,
        find,
        log::LogWriter,
        questions,
    },
};

/// Ends the stream of a message with its final text, also in an archived channel: a stream always ends.
pub(super) fn finish_message(
    log: &LogWriter<'_>,
    id: &MessageId,
    mut ending: StreamEnding,
    words: String,
) -> StoreResult<Appended> {
    let stored = find::message(log, id)?;
    access::check_present(&stored.message)?;
    if stored.message.state != State::Streaming {
        return first_result(log, stored, &ending);
    }
    if ending.state == State::Streaming {
        return Err(Refusal::new(Code::StreamOpen, "an ending cannot leave the answer open").into());
    }
    let called = mem::take(&mut ending.calls.called);
    let callees = calls::callees(log.tx, log.project_no(), stored.conversation_no, called)?;
    let asking = questions::settled_by(log, ending.answer_to.as_ref(), ending.state)?;
    let message = Message {
        calls: stored.message.calls_with(calls::ids(&callees)),
        answer_to: ending.answer_to.clone().filter(|_| asking.is_some()),
        ..stored.message.clone().finished(&ending)
    };
    update_row(log, stored.no, &message)?;
    forget_stream(log, stored.no)?;
    change_text(log, &stored, &message, &ending.text.deliveries, words)?;
    call(log, &stored, &message, &callees)?;
    let answered = questions::note_answered(log, &message, stored.no, author_no(log, &message)?)?;
    let about = About { message_no: Some(stored.no), member_no: None };
    let (id, from, answer_to) = (message.id.clone(), message.from.clone(), message.answer_to.clone());
    let appended = log.record_about(about, Change::MessageFinished(Box::new(message)))?;
    questions::settle_by_answer(log, asking.as_ref(), answer_to.as_ref(), (&id, &from))?;
    record_moved(log, answered)?;
    Ok(appended)
}

/// The number of the author, if it is a member.
fn author_no(log: &LogWriter<'_>, message: &Message) -> StoreResult<Option<i64>> {
    Ok(author_ref(log.tx, &message.from)?.member_no)
}

fn call(log: &LogWriter<'_>, stored: &StoredMessage, message: &Message, callees: &[Callee]) -> StoreResult<()> {
    if callees.is_empty() {
        return Ok(());
    }
    let delivered = stored.as_delivered(log.project_no());
    let order = CallOrder { called_at: log.at, log_offset: log.next_offset()? };
    calls::record(log.tx, delivered, message, callees, order)
}

/// Deletes the saved text of a stream.
pub(super) fn forget_stream(log: &LogWriter<'_>, message_no: i64) -> StoreResult<()> {
    log.tx.execute(
        "DELETE FROM stream
         WHERE message_no = ?1",
        [message_no],
    )?;
    Ok(())
}

/// The result of the first ending, if this ending repeats it.
fn first_result(log: &LogWriter<'_>, stored: StoredMessage, ending: &StreamEnding) -> StoreResult<Appended> {
    if !stored.message.has_ended_with(ending) {
        let how = to_json(&stored.message.state);
        let detail = format!("message {} has already ended: it is {}", stored.message.id, how.trim_matches('"'));
        return Err(Refusal::new(Code::StreamEnded, detail).into());
    }
    let sql = "SELECT offset
         FROM event
         WHERE message_no = ?1 AND message_no IS NOT NULL AND kind <> 1 AND kind = ?2
         ORDER BY offset
         LIMIT 1";
    let change = Change::MessageFinished(Box::new(stored.message));
    match number(log.tx.db(), sql, [stored.no, FINISHED])? {
        Some(offset) => {
            let position = log.name.position(offset.unsigned_abs())?;
            Ok(Appended { change, position, novelty: Novelty::Repeated })
        }
        // The event was pruned from the log.
        None => log.repeated(change),
    }
}

fn update_row(log: &LogWriter<'_>, message_no: i64, message: &Message) -> StoreResult<()> {
    log.tx.execute(
        "UPDATE message
         SET state = ?2, body = ?3, extra = ?4, is_linked = ?5
         WHERE no = ?1",
        params![message_no, state_code(message.state), message.body, extra_json(message), is_linked(message)],
    )?;
    Ok(())
}
