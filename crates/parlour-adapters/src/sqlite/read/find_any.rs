//! Finding messages by some of many words, ranked, and bounded for any word.

use std::{cmp::Reverse, collections::BTreeMap};

use parlour_core::{access::Principal, id::ProjectId, limits, message::Message};
use rusqlite::{Connection, params};

use super::sight::CommonSight;
use crate::sqlite::{
    error::StoreResult,
    lookup::{as_i64, project_no},
    rows::message::load_message_by_no,
    text_index::{cut_words, place_query, word_query, word_query_anywhere},
};

/// Messages that somebody may not read, or of other projects, which are passed by before the index is asked for those of
/// the project alone. That question is the dearer one, because its list of all messages is walked through too.
const PASSED_BY_MAX: usize = 100;

/// Places that the index is asked about at once.
const PLACES_AT_ONCE: usize = 64;
/// The unit in which words are weighed.
const WEIGHT_SCALE: f64 = 1_000.0;

/// Finds messages of a project that all readers may read and that hold some of these words.
///
/// How rare a word is, is counted among what they may read: hidden messages must not move those that they see.
pub(in crate::sqlite) fn find_any(
    db: &Connection,
    project: &ProjectId,
    readers: &[Principal],
    words: &[String],
    limit: usize,
) -> StoreResult<Vec<Message>> {
    let Some(project_no) = project_no(db, project)? else { return Ok(Vec::new()) };
    let mut sight = CommonSight::of(db, readers, project_no)?;
    let mut weights: BTreeMap<i64, u64> = BTreeMap::new();
    let mut places: Option<Vec<i64>> = None;
    for word in cut_words(words).into_iter().take(limits::FIND_WORDS_MAX) {
        let holders = match newest(db, &mut sight, &word, project_no)? {
            Some(found) => found,
            None => {
                if places.is_none() {
                    places = Some(sight.places()?);
                }
                within(db, &word, places.as_deref().unwrap_or_default())?
            }
        };
        for message_no in &holders {
            *weights.entry(*message_no).or_default() += weight(holders.len());
        }
    }
    let mut ranked: Vec<_> = weights.into_iter().map(|(message_no, weight)| Reverse((weight, message_no))).collect();
    ranked.sort_unstable();
    ranked.truncate(limit);
    ranked.into_iter().map(|Reverse((_, message_no))| Ok(load_message_by_no(db, message_no)?.message)).collect()
}

/// The newest messages with this word that the readers may read. Nothing when hidden ones stand in the way: how many of
/// those there are must not decide what is found.
fn newest(db: &Connection, sight: &mut CommonSight<'_>, word: &str, project_no: i64) -> StoreResult<Option<Vec<i64>>> {
    match readable(db, sight, &word_query_anywhere(word), limits::FIND_PER_WORD_MAX + PASSED_BY_MAX)? {
        Some(found) => Ok(Some(found)),
        None => readable(db, sight, &word_query(word, project_no), limits::FIND_CANDIDATES_MAX),
    }
}

/// The newest of what the index finds that the readers may read, when so many are looked at. Nothing when those do not
/// suffice.
fn readable(
    db: &Connection,
    sight: &mut CommonSight<'_>,
    query: &str,
    looked_at_max: usize,
) -> StoreResult<Option<Vec<i64>>> {
    let mut statement = db.prepare_cached(HOLDERS)?;
    let mut rows = statement.query(params![query, as_i64(looked_at_max as u64)])?;
    let (mut found, mut hidden) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if found.len() == limits::FIND_PER_WORD_MAX {
            break;
        }
        match sight.is_readable(row.get(1)?)? {
            true => found.push(row.get(0)?),
            false => hidden += 1,
        }
    }
    let are_all_seen = found.len() == limits::FIND_PER_WORD_MAX || found.len() + hidden < looked_at_max;
    Ok(are_all_seen.then_some(found))
}

/// The newest messages with this word in these places. It takes longer, and passes by what is hidden.
fn within(db: &Connection, word: &str, places: &[i64]) -> StoreResult<Vec<i64>> {
    let mut statement = db.prepare_cached(HOLDERS)?;
    let mut found: Vec<i64> = Vec::new();
    for some in places.chunks(PLACES_AT_ONCE) {
        let params = params![place_query(word, some), as_i64(limits::FIND_PER_WORD_MAX as u64)];
        for no in statement.query_map(params, |row| row.get(0))? {
            found.push(no?);
        }
    }
    found.sort_unstable_by_key(|no| Reverse(*no));
    found.truncate(limits::FIND_PER_WORD_MAX);
    Ok(found)
}

/// Only messages that were not removed are in the index.
const HOLDERS: &str = "SELECT message_text.rowid, message.conversation_no
     FROM message_text
     JOIN message ON message.no = message_text.rowid
     WHERE message_text MATCH ?1
     ORDER BY message_text.rowid DESC
     LIMIT ?2";

/// How much a word counts that so many messages hold: the less of them, the more. It is rounded, so that sums do not
/// depend on the order of words.
fn weight(holders: usize) -> u64 {
    let most = limits::FIND_PER_WORD_MAX as f64;
    ((most + 1.0) / (holders.max(1) as f64)).ln().mul_add(WEIGHT_SCALE, 1.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rarer_word_weighs_more_and_every_word_weighs_something() {
        let weights: Vec<u64> = (1..=limits::FIND_PER_WORD_MAX).map(weight).collect();
        assert!(weights.windows(2).all(|pair| pair[0] > pair[1]), "{weights:?}");
        assert!(weights.iter().all(|weight| *weight > 0));
    }
}
