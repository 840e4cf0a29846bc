use parlour_core::{
    answer_effects::CallOrder,
    event::Change,
    id::{MemberId, MessageId},
    inbox::joins_thread,
    message::Message,
    post::PostDigest,
    write::{Appended, NewMessage, Novelty},
};
use rusqlite::{OptionalExtension, params};

use crate::sqlite::{
    error::StoreResult,
    inbox::{self, Spot},
    lookup::as_i64,
    message_key::MessageKey,
    rows::{
        author::{AuthorRef, author_ref},
        codes::{importance_code, kind_code, state_code},
        event::About,
        message::{extra_json, is_linked, load_message_by_no},
    },
    text_index::TextChange,
    write::{
        calls,
        deliveries::{Moved, tell_moved},
        edit_message, find,
        log::LogWriter,
        questions, read_position,
        threads_and_dms::join_thread,
    },
};

/// Posts a message under the next number of its conversation; a repeated id gets the first result again.
pub(super) fn post_message(log: &LogWriter<'_>, new: NewMessage, words: String) -> StoreResult<Appended> {
    if let Some(first) = first_result(log, &new)? {
        return Ok(first);
    }
    let NewMessage { message, digest, deliveries, calls, answers } = new;
    let conversation_no = find::writable_conversation_no(log, &message.to)?;
    let callees = calls::callees(log.tx, log.project_no(), conversation_no, calls.called)?;
    let author = author_ref(log.tx, &message.from)?;
    let asking = questions::settled_by(log, message.answer_to.as_ref(), message.state)?;
    let place = Place { conversation_no, seq: next_seq(log, conversation_no)?, offset: log.next_offset()? };
    let answer_to = message.answer_to.clone().filter(|_| asking.is_some());
    let message = Message { answer_to, ..message.posted(log.name.project_id.clone(), place.seq, calls::ids(&callees)) };
    let message_no = insert_message(log, &message, &digest, place, author)?;

    note_author(log, &message, place, author)?;
    edit_message::add_mentions(log, conversation_no, place.seq, &message.mentions)?;
    let spot = Spot { project_no: log.project_no(), conversation_no, message_no, importance: message.importance };
    questions::ask(log.tx, spot, &message, author.member_no)?;
    inbox::deliver(log.tx, spot, &deliveries, &message)?;
    calls::record(log.tx, spot, &message, &callees, CallOrder { called_at: log.at, log_offset: place.offset })?;
    take_calls(log, &message, answers.as_ref(), message_no)?;
    let may_answer = answers.is_some() || message.reply_to.is_some() || message.answer_to.is_some();
    let answered = match may_answer {
        true => questions::note_answered(log, &message, message_no, author.member_no)?,
        false => Moved::new(),
    };
    log.tx.change_text(TextChange::Put { project_no: log.project_no(), message_no, words });
    let (id, from, answer_to) = (message.id.clone(), message.from.clone(), message.answer_to.clone());
    let appended = record_post(log, message_no, message, place, author)?;
    questions::settle_by_answer(log, asking.as_ref(), answer_to.as_ref(), (&id, &from))?;
    tell_moved(log, answered)?;
    Ok(appended)
}

/// The part of a fingerprint that is kept. It is only compared under the same id and author, where 64 bits are plenty.
type KeptDigest = [u8; 8];

/// Where the message is to stand.
#[derive(Clone, Copy)]
struct Place {
    conversation_no: i64,
    seq: u64,
    offset: u64,
}

/// The answer to the first post with this id, if this is a repetition of it.
fn first_result(log: &LogWriter<'_>, new: &NewMessage) -> StoreResult<Option<Appended>> {
    let mut known = log.tx.statement(
        "SELECT no, digest
         FROM message
         WHERE id = ?1",
    )?;
    let known: Option<(i64, KeptDigest)> =
        known.query_row([MessageKey(&new.message.id)], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((message_no, digest)) = known else { return Ok(None) };
    let first = load_message_by_no(log.tx.db(), message_no)?;
    new.check_repeated(&first.message, digest == kept(&new.digest), &log.name.project_id)?;
    let position = log.name.position(first.log_offset)?;
    let change = Change::MessagePosted(Box::new(first.message));
    Ok(Some(Appended { change, position, novelty: Novelty::Repeated }))
}

fn kept(digest: &PostDigest) -> KeptDigest {
    let mut kept = KeptDigest::default();
    kept.copy_from_slice(&digest[..8]);
    kept
}

fn next_seq(log: &LogWriter<'_>, conversation_no: i64) -> StoreResult<u64> {
    let sql = "SELECT MAX(seq)
         FROM message
         WHERE conversation_no = ?1";
    let last: Option<i64> = log.tx.statement(sql)?.query_row([conversation_no], |row| row.get(0))?;
    Ok(last.unwrap_or(0).unsigned_abs() + 1)
}

fn insert_message(
    log: &LogWriter<'_>,
    message: &Message,
    digest: &PostDigest,
    place: Place,
    author: AuthorRef,
) -> StoreResult<i64> {
    Ok(log.tx.insert(
        "INSERT INTO message (id, conversation_no, seq, author_no, log_offset, created_ms, kind, importance, blocking,
             state, edited_ms, removed_ms, reaction_count, is_linked, digest, body, extra)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15, ?16)",
        params![
            MessageKey(&message.id),
            place.conversation_no,
            as_i64(place.seq),
            author.no,
            as_i64(place.offset),
            message.created_at.as_millis(),
            kind_code(message.kind),
            importance_code(message.importance),
            message.blocking,
            state_code(message.state),
            message.edited_at.map(|at| at.as_millis()),
            message.removed_at.map(|at| at.as_millis()),
            is_linked(message),
            kept(digest),
            message.body,
            extra_json(message)
        ],
    )?)
}

/// Who writes has seen the conversation; an agent that writes in a thread is told of what follows there.
fn note_author(log: &LogWriter<'_>, message: &Message, place: Place, author: AuthorRef) -> StoreResult<()> {
    let Some(member_no) = author.member_no else { return Ok(()) };
    read_position::advance(log, member_no, place.conversation_no, place.seq)?;
    if joins_thread(message).is_some() {
        join_thread(log, place.conversation_no, member_no)?;
    }
    Ok(())
}

/// An answer closes what its agent was called for.
fn take_calls(log: &LogWriter<'_>, answer: &Message, called_by: Option<&MessageId>, answer_no: i64) -> StoreResult<()> {
    let (Some(called_by), Some(MemberId::Agent(agent))) = (called_by, answer.from.member_id()) else { return Ok(()) };
    let agent_no = find::agent_no(log.tx, log.project_no(), &agent)?;
    calls::take(log.tx, agent_no, called_by, answer_no)
}

fn record_post(
    log: &LogWriter<'_>,
    message_no: i64,
    message: Message,
    place: Place,
    author: AuthorRef,
) -> StoreResult<Appended> {
    let about = About { message_no: Some(message_no), member_no: None };
    let is_as_in_message = *log.actor == message.from && log.at == message.created_at;
    let actor_no = if *log.actor == message.from { author.no } else { author_ref(log.tx, log.actor)?.no };
    let actor = (!is_as_in_message).then_some((log.at, actor_no));
    log.insert_event(place.offset, about, Change::MessagePosted(Box::new(message)), actor)
}
