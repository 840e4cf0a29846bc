//! Injections of runs. They are stored unchanged, until a message that they show is edited or removed.

use parlour_core::{
    Refusal, Timestamp,
    context::{Injection, ReceiptItem, SubjectType},
    id::{InjectionId, MessageId, RunId},
    limits,
};
use rusqlite::{CachedStatement, params};

use super::{
    error::StoreResult,
    inbox::DeliveredMessage,
    lookup::{as_i64, exists, number},
    message_key::MessageKey,
    rows::{
        codes::{delivery_path_code, format_code},
        to_json,
    },
    tx::Tx,
};

/// The columns of an injection.
pub(super) struct InjectionRow {
    id: InjectionId,
    run_id: RunId,
    at: Timestamp,
    delivered_via: i64,
    format: i64,
    receipt: String,
    text: Option<String>,
    shown: Vec<ShownRow>,
}

/// The text that an injection shows of a message, or of a summary that ends with it.
struct ShownRow {
    /// The index of the item in the receipt.
    index: i64,
    is_summary: bool,
    /// `None` if the item has no valid message id.
    message_id: Option<MessageId>,
    text: String,
}

impl From<Injection> for InjectionRow {
    fn from(mut injection: Injection) -> Self {
        let items = (0..).zip(&mut injection.receipt.items);
        let shown = items.filter_map(|(index, item)| take_text(index, item)).collect();
        Self {
            id: injection.id,
            run_id: injection.run_id,
            at: injection.at,
            delivered_via: delivery_path_code(injection.delivered_via),
            format: format_code(injection.format),
            receipt: to_json(&injection.receipt),
            text: injection.text,
            shown,
        }
    }
}

/// Moves the text of an item out of the receipt, because it is deleted with its message.
fn take_text(index: i64, item: &mut ReceiptItem) -> Option<ShownRow> {
    let is_summary = match item.subject_type {
        SubjectType::Message => false,
        SubjectType::Summary => true,
        _ => return None,
    };
    let text = std::mem::take(&mut item.text);
    item.level?;
    Some(ShownRow { index, is_summary, message_id: item.id.parse().ok(), text })
}

/// Stores an injection and deletes the oldest ones of the run above the limit.
pub(super) fn keep_injection(tx: &Tx<'_>, row: &InjectionRow) -> StoreResult<()> {
    let run_no = number(tx.db(), "SELECT no\nFROM run\nWHERE id = ?1", [row.run_id.as_str()])?
        .ok_or_else(|| Refusal::not_found("run", &row.run_id))?;
    if exists(tx.db(), "SELECT 1\nFROM injection\nWHERE id = ?1", [row.id.as_str()])? {
        return Ok(());
    }
    let injection_no = tx.insert(
        "INSERT INTO injection (id, run_no, at_ms, door, format, receipt, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![row.id.as_str(), run_no, row.at.as_millis(), row.delivered_via, row.format, row.receipt, row.text],
    )?;
    if !keep_shown(tx, injection_no, row)? {
        // A message was edited or removed after the model had received it.
        tx.execute("UPDATE injection\nSET text = NULL\nWHERE no = ?1", [injection_no])?;
    }
    delete_oldest(tx, run_no)
}

/// Stores the shown texts of unchanged messages and returns whether all messages are unchanged.
fn keep_shown(tx: &Tx<'_>, injection_no: i64, row: &InjectionRow) -> StoreResult<bool> {
    let (mut message, mut summary) = (tx.statement(KEEP_MESSAGE)?, tx.statement(KEEP_SUMMARY)?);
    let mut are_all_kept = true;
    for shown in &row.shown {
        let statement = if shown.is_summary { &mut summary } else { &mut message };
        are_all_kept &= keep_one(statement, injection_no, row.at, shown)?;
    }
    Ok(are_all_kept)
}

fn keep_one(
    statement: &mut CachedStatement<'_>,
    injection_no: i64,
    at: Timestamp,
    shown: &ShownRow,
) -> StoreResult<bool> {
    let Some(id) = &shown.message_id else { return Ok(false) };
    let kept = statement.execute(params![injection_no, shown.index, shown.text, MessageKey(id), at.as_millis()])?;
    Ok(kept > 0)
}

const KEEP_MESSAGE: &str = "INSERT INTO injection_text (injection_no, place, message_no, text)
     SELECT ?1, ?2, no, ?3
     FROM message
     WHERE id = ?4 AND removed_ms IS NULL AND (edited_ms IS NULL OR edited_ms < ?5)";

pub(super) const KEEP_SUMMARY: &str = "INSERT INTO injection_text (injection_no, place, conversation_no, last_seq, text)
     SELECT ?1, ?2, last.conversation_no, last.seq, ?3
     FROM message AS last
     WHERE last.id = ?4 AND NOT EXISTS (
         SELECT 1
         FROM message
         WHERE conversation_no = last.conversation_no AND seq <= last.seq AND removed_ms IS NOT NULL AND removed_ms >= ?5)";

fn delete_oldest(tx: &Tx<'_>, run_no: i64) -> StoreResult<()> {
    let count = number(tx.db(), COUNT, [run_no])?.unwrap_or(0);
    let surplus = count - as_i64(limits::INJECTIONS_PER_RUN_MAX as u64);
    if surplus > 0 {
        let oldest: Vec<i64> =
            tx.statement(OLDEST)?.query_map([run_no, surplus], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for injection_no in oldest {
            tx.execute("DELETE FROM injection_text\nWHERE injection_no = ?1", [injection_no])?;
            tx.execute("DELETE FROM injection\nWHERE no = ?1", [injection_no])?;
        }
    }
    Ok(())
}

pub(super) const COUNT: &str = "SELECT COUNT(*)
     FROM injection
     WHERE run_no = ?1";

pub(super) const OLDEST: &str = "SELECT no
     FROM injection
     WHERE run_no = ?1
     ORDER BY no
     LIMIT ?2";

/// Deletes the shown texts of an edited or removed message, and of summaries that may quote it.
pub(super) fn forget_text(tx: &Tx<'_>, delivered: DeliveredMessage, seq: u64) -> StoreResult<()> {
    let seq = as_i64(seq);
    tx.execute(CLEAR_BY_MESSAGE, [delivered.message_no])?;
    tx.execute(CLEAR_BY_SUMMARY, [delivered.conversation_no, seq])?;
    tx.execute(FORGET_MESSAGE, [delivered.message_no])?;
    tx.execute(FORGET_SUMMARY, [delivered.conversation_no, seq])?;
    Ok(())
}

pub(super) const CLEAR_BY_MESSAGE: &str = "UPDATE injection
     SET text = NULL
     WHERE no IN (
         SELECT injection_no
         FROM injection_text
         WHERE message_no = ?1 AND message_no IS NOT NULL)";

pub(super) const CLEAR_BY_SUMMARY: &str = "UPDATE injection
     SET text = NULL
     WHERE no IN (
         SELECT injection_no
         FROM injection_text
         WHERE conversation_no = ?1 AND conversation_no IS NOT NULL AND last_seq >= ?2)";

pub(super) const FORGET_MESSAGE: &str = "DELETE FROM injection_text
     WHERE message_no = ?1 AND message_no IS NOT NULL";

pub(super) const FORGET_SUMMARY: &str = "DELETE FROM injection_text
     WHERE conversation_no = ?1 AND conversation_no IS NOT NULL AND last_seq >= ?2";
