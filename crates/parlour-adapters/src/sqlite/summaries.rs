//! Summaries of spans of conversations.

use parlour_core::{Refusal, limits};
use parlour_hub::ports::{KeptSummary, SummarySpan};
use rusqlite::params;

use super::{
    error::StoreResult,
    inbox::DeliveredMessage,
    lookup::{as_i64, conversation_no, number},
    tx::Tx,
};

/// Stores a summary, replaces the one of the same span, and deletes the oldest ones above the limit.
pub(super) fn keep_summary(tx: &Tx<'_>, span: &SummarySpan, summary: &KeptSummary) -> StoreResult<()> {
    let conversation_no = conversation_no(tx.db(), &span.conversation_id)?
        .ok_or_else(|| Refusal::not_found("conversation", &span.conversation_id))?;
    let (first_seq, last_seq) = (as_i64(span.first_seq), as_i64(span.last_seq));
    tx.execute(
        "INSERT OR REPLACE INTO summary (conversation_no, first_seq, last_seq, digest, model, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![conversation_no, first_seq, last_seq, span.digest, summary.by, summary.text],
    )?;
    let count = number(tx.db(), COUNT, [conversation_no])?.unwrap_or(0);
    let surplus = count - as_i64(limits::SUMMARIES_PER_CONVERSATION_MAX as u64);
    if surplus > 0 {
        tx.execute(FORGET_OLDEST, [conversation_no, surplus])?;
    }
    Ok(())
}

pub(super) const COUNT: &str = "SELECT COUNT(*)
     FROM summary
     WHERE conversation_no = ?1";

pub(super) const FORGET_OLDEST: &str = "DELETE FROM summary
     WHERE no IN (
         SELECT no
         FROM summary
         WHERE conversation_no = ?1
         ORDER BY no
         LIMIT ?2)";

/// Deletes the summaries whose span contains this message.
pub(super) fn forget_spans(tx: &Tx<'_>, delivered: DeliveredMessage, seq: u64) -> StoreResult<()> {
    tx.execute(FORGET_SPANS, [delivered.conversation_no, as_i64(seq)])?;
    Ok(())
}

pub(super) const FORGET_SPANS: &str = "DELETE FROM summary
     WHERE conversation_no = ?1 AND first_seq <= ?2 AND last_seq >= ?2";
