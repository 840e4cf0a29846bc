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
    inbox::{self, DeliveredMessage},
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
        deliveries::{Moved, record_moved},
        edit_message, find,
        log::LogWriter,
        questions, read_position,
        threads_and_dms::join_thread,
    },
};

/// Posts a message with the next seq of its conversation; a repeated id returns the first result.
pub(super) fn post_message(log: &LogWriter<'_>, new: NewMessage, words: String) -> StoreResult<Appended> {
    if let Some(first) = first_result(log, &new)? {
        return Ok(first);
    }
    let NewMessage { message, digest, deliveries, calls, answers, answers_also } = new;
    let conversation_no = find::writable_conversation_no(log, &message.to)?;
    let callees = calls::callees(log.tx, log.project_no(), conversation_no, calls.called)?;
    let author = author_ref(log.tx, &message.from)?;
    let asking = questions::settled_by(log, message.answer_to.as_ref(), message.state)?;
    let location =
        MessageLocation { conversation_no, seq: next_seq(log, conversation_no)?, offset: log.next_offset()? };
    let answer_to = message.answer_to.clone().filter(|_| asking.is_some());
    let message =
        Message { answer_to, ..message.posted(log.name.project_id.clone(), location.seq, calls::ids(&callees)) };
    let message_no = insert_message(log, &message, &digest, location, author)?;

    note_author(log, &message, location, author)?;
    edit_message::add_mentions(log, conversation_no, location.seq, &message.mentions)?;
    let delivered =
        DeliveredMessage { project_no: log.project_no(), conversation_no, message_no, importance: message.importance };
    questions::ask(log.tx, delivered, &message, author.member_no)?;
    inbox::deliver(log.tx, delivered, &deliveries, &message)?;
    calls::record(log.tx, delivered, &message, &callees, CallOrder { called_at: log.at, log_offset: location.offset })?;
    take_calls(log, &message, answers.as_ref(), &answers_also, message_no)?;
    let may_answer = answers.is_some() || message.reply_to.is_some() || message.answer_to.is_some();
    let answered = match may_answer {
        true => questions::note_answered(log, &message, message_no, author.member_no)?,
        false => Moved::new(),
    };
    log.tx.change_text(TextChange::Put { project_no: log.project_no(), message_no, words });
    let (id, from, answer_to) = (message.id.clone(), message.from.clone(), message.answer_to.clone());
    let appended = record_post(log, message_no, message, location, author)?;
    questions::settle_by_answer(log, asking.as_ref(), answer_to.as_ref(), (&id, &from))?;
    record_moved(log, answered)?;
    Ok(appended)
}

/// The stored part of a digest. It is only compared for the same id and author, so 64 bits are enough.
type KeptDigest = [u8; 8];

/// The location of a new message in its conversation and in the log.
#[derive(Clone, Copy)]
struct MessageLocation {
    conversation_no: i64,
    seq: u64,
    offset: u64,
}

/// The result of the first post with this id, if this post repeats it.
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
    location: MessageLocation,
    author: AuthorRef,
) -> StoreResult<i64> {
    Ok(log.tx.insert(
        "INSERT INTO message (id, conversation_no, seq, author_no, log_offset, created_ms, kind, importance, blocking,
             state, edited_ms, removed_ms, reaction_count, is_linked, digest, body, extra)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15, ?16)",
        params![
            MessageKey(&message.id),
            location.conversation_no,
            as_i64(location.seq),
            author.no,
            as_i64(location.offset),
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

/// Advances the read position of the author. An agent that posts in a thread receives its further messages.
fn note_author(
    log: &LogWriter<'_>,
    message: &Message,
    location: MessageLocation,
    author: AuthorRef,
) -> StoreResult<()> {
    let Some(member_no) = author.member_no else { return Ok(()) };
    read_position::advance(log, member_no, location.conversation_no, location.seq)?;
    if joins_thread(message).is_some() {
        join_thread(log, location.conversation_no, member_no)?;
    }
    Ok(())
}

/// Marks the calls of the author that the answer takes.
fn take_calls(
    log: &LogWriter<'_>,
    answer: &Message,
    called_by: Option<&MessageId>,
    also: &[MessageId],
    answer_no: i64,
) -> StoreResult<()> {
    let (Some(called_by), Some(MemberId::Agent(agent))) = (called_by, answer.from.member_id()) else { return Ok(()) };
    let agent_no = find::agent_no(log.tx, log.project_no(), &agent)?;
    calls::take(log.tx, agent_no, called_by, also, answer_no)
}

fn record_post(
    log: &LogWriter<'_>,
    message_no: i64,
    message: Message,
    location: MessageLocation,
    author: AuthorRef,
) -> StoreResult<Appended> {
    let about = About { message_no: Some(message_no), member_no: None };
    let is_as_in_message = *log.actor == message.from && log.at == message.created_at;
    let actor_no = if *log.actor == message.from { author.no } else { author_ref(log.tx, log.actor)?.no };
    let actor = (!is_as_in_message).then_some((log.at, actor_no));
    log.insert_event(location.offset, about, Change::MessagePosted(Box::new(message)), actor)
}
