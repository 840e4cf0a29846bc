use parlour_core::{Timestamp, limits};
use rusqlite::Row;

use crate::sqlite::{error::StoreResult, lookup::as_i64, tx::Tx};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Forgets the oldest events of a log, as far as the policy of its project wants it, and tells how many.
///
/// It takes `STORE_PRUNE_LEN_MAX` at the most, so that other writes need not wait long. The last event stays, because
/// the next number follows from it; an old one behind a newer one stays as well, because a log has no holes.
pub(in crate::sqlite) fn prune_log(tx: &Tx<'_>, project_no: i64, now: Timestamp) -> StoreResult<u64> {
    let Some(before_ms) = kept_from(tx, project_no, now)? else { return Ok(0) };
    let oldest = oldest_events(tx, project_no)?;
    let [candidates @ .., _] = oldest.as_slice() else { return Ok(0) };
    let old = candidates.iter().take_while(|(_, at_ms)| *at_ms < before_ms);
    let Some((last, _)) = old.last() else { return Ok(0) };
    let forgotten = tx.execute(
        "DELETE FROM event
         WHERE project_no = ?1 AND offset <= ?2",
        [project_no, *last],
    )?;
    Ok(forgotten as u64)
}

/// The moment from which on events are kept; none when all of them are.
fn kept_from(tx: &Tx<'_>, project_no: i64, now: Timestamp) -> StoreResult<Option<i64>> {
    let mut days = tx.statement(
        "SELECT json_extract(policy, '$.retention.event_days_max')
         FROM project
         WHERE no = ?1",
    )?;
    let days: Option<i64> = days.query_row([project_no], |row| row.get(0))?;
    Ok(days.map(|days| now.as_millis() - days.saturating_mul(DAY_MS)))
}

/// Offsets and moments of the oldest events, one more than may be forgotten.
fn oldest_events(tx: &Tx<'_>, project_no: i64) -> StoreResult<Vec<(i64, i64)>> {
    let mut oldest = tx.statement(
        "SELECT event.offset, COALESCE(event.at_ms, message.created_ms)
         FROM event
         LEFT JOIN message ON message.no = event.message_no
         WHERE event.project_no = ?1
         ORDER BY event.offset
         LIMIT ?2",
    )?;
    let one_more = as_i64(limits::STORE_PRUNE_LEN_MAX as u64 + 1);
    let as_pair = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let rows = oldest.query_map([project_no, one_more], as_pair)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
