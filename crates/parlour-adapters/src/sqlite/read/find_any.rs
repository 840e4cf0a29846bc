//! Ranked search for messages that contain any of several words, with bounded work per word.

use std::{cmp::Reverse, collections::BTreeMap};

use parlour_core::{access::Principal, id::ProjectId, limits, message::Message};
use rusqlite::{Connection, params};

use super::readable_conversations::CommonConversations;
use crate::sqlite::{
    error::StoreResult,
    lookup::{as_i64, project_no},
    rows::message::load_message_by_no,
    text_index::{cut_words, word_query, word_query_in, word_query_in_all_projects},
};

/// Hits in hidden conversations or other projects that are skipped before the query is limited to the project. The
/// limited query costs more, because the index then also walks through its list of all messages of the project.
const SKIPPED_HITS_MAX: usize = 100;

/// Conversations in one query of the index.
const CONVERSATIONS_PER_QUERY: usize = 64;
/// The unit of word weights.
const WEIGHT_SCALE: f64 = 1_000.0;

/// Finds messages of a project that all readers may read and that contain some of these words.
///
/// The rarity of a word is counted over readable messages only: hidden messages must not influence the ranking.
pub(in crate::sqlite) fn find_any(
    db: &Connection,
    project: &ProjectId,
    readers: &[Principal],
    words: &[String],
    limit: usize,
) -> StoreResult<Vec<Message>> {
    let Some(project_no) = project_no(db, project)? else { return Ok(Vec::new()) };
    let mut readable = CommonConversations::of(db, readers, project_no)?;
    let mut weights: BTreeMap<i64, u64> = BTreeMap::new();
    let mut access_roots: Option<Vec<i64>> = None;
    for word in cut_words(words).into_iter().take(limits::FIND_WORDS_MAX) {
        let hits = match newest_hits(db, &mut readable, &word, project_no)? {
            Some(found) => found,
            None => {
                if access_roots.is_none() {
                    access_roots = Some(readable.access_roots()?);
                }
                hits_in(db, &word, access_roots.as_deref().unwrap_or_default())?
            }
        };
        for message_no in &hits {
            *weights.entry(*message_no).or_default() += weight(hits.len());
        }
    }
    let mut ranked: Vec<_> = weights.into_iter().map(|(message_no, weight)| Reverse((weight, message_no))).collect();
    ranked.sort_unstable();
    ranked.truncate(limit);
    ranked.into_iter().map(|Reverse((_, message_no))| Ok(load_message_by_no(db, message_no)?.message)).collect()
}

/// The newest messages with this word that the readers may read. `None` if too many hits are hidden: their number must
/// not influence the result.
fn newest_hits(
    db: &Connection,
    readable: &mut CommonConversations<'_>,
    word: &str,
    project_no: i64,
) -> StoreResult<Option<Vec<i64>>> {
    match readable_hits(db, readable, &word_query_in_all_projects(word), limits::FIND_PER_WORD_MAX + SKIPPED_HITS_MAX)?
    {
        Some(found) => Ok(Some(found)),
        None => readable_hits(db, readable, &word_query(word, project_no), limits::FIND_CANDIDATES_MAX),
    }
}

/// The newest readable hits of a query among its first `checked_max` hits; `None` if those are not enough.
fn readable_hits(
    db: &Connection,
    readable: &mut CommonConversations<'_>,
    query: &str,
    checked_max: usize,
) -> StoreResult<Option<Vec<i64>>> {
    let mut statement = db.prepare_cached(HITS)?;
    let mut rows = statement.query(params![query, as_i64(checked_max as u64)])?;
    let (mut found, mut hidden) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if found.len() == limits::FIND_PER_WORD_MAX {
            break;
        }
        match readable.is_readable(row.get(1)?)? {
            true => found.push(row.get(0)?),
            false => hidden += 1,
        }
    }
    let is_complete = found.len() == limits::FIND_PER_WORD_MAX || found.len() + hidden < checked_max;
    Ok(is_complete.then_some(found))
}

/// The newest messages with this word below these access roots. It is slower than `newest_hits` and finds no hidden
/// messages.
fn hits_in(db: &Connection, word: &str, access_roots: &[i64]) -> StoreResult<Vec<i64>> {
    let mut statement = db.prepare_cached(HITS)?;
    let mut found: Vec<i64> = Vec::new();
    for chunk in access_roots.chunks(CONVERSATIONS_PER_QUERY) {
        let params = params![word_query_in(word, chunk), as_i64(limits::FIND_PER_WORD_MAX as u64)];
        for no in statement.query_map(params, |row| row.get(0))? {
            found.push(no?);
        }
    }
    found.sort_unstable_by_key(|no| Reverse(*no));
    found.truncate(limits::FIND_PER_WORD_MAX);
    Ok(found)
}

/// The index contains no removed messages.
const HITS: &str = "SELECT message_text.rowid, message.conversation_no
     FROM message_text
     JOIN message ON message.no = message_text.rowid
     WHERE message_text MATCH ?1
     ORDER BY message_text.rowid DESC
     LIMIT ?2";

/// The weight of a word with this many hits: rarer words weigh more. It is rounded, so that sums do not depend on the
/// order of words.
fn weight(hits: usize) -> u64 {
    let most = limits::FIND_PER_WORD_MAX as f64;
    ((most + 1.0) / (hits.max(1) as f64)).ln().mul_add(WEIGHT_SCALE, 1.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_words_have_larger_weights_and_no_weight_is_zero() {
        let weights: Vec<u64> = (1..=limits::FIND_PER_WORD_MAX).map(weight).collect();
        assert!(weights.windows(2).all(|pair| pair[0] > pair[1]), "{weights:?}");
        assert!(weights.iter().all(|weight| *weight > 0));
    }
}
