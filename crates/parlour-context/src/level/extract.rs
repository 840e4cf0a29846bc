//! The sentences of a text that have most words of what is asked.

use std::{collections::BTreeMap, ops::Range};

use super::{GAP, cuts::Cuts};
use crate::{rank::RankQuery, terms::Terms};

/// Sentences of an extract.
const SENTENCES_MAX: usize = 4;
/// Characters of an extract.
const CHARS_MAX: usize = 320;
/// Characters that the gaps before, between and behind sentences may take.
const GAPS_CHARS_MAX: usize = 2 + 3 * (SENTENCES_MAX - 1) + 2;
/// How much more a word of what is asked counts than one of the task.
const ASKED: u64 = 2;

/// The sentences that answer best, in the order of the text; nothing where none has a word of what is asked.
pub(super) fn of(cuts: &Cuts<'_>, pieces: &[Range<usize>], query: &RankQuery, chars_max: usize) -> Option<String> {
    let mut chars_left = chars_max.min(CHARS_MAX).checked_sub(GAPS_CHARS_MAX)?;
    if pieces.len() < 2 || query.terms.counts.is_empty() && query.task.counts.is_empty() {
        return None;
    }
    let scores = scores(cuts, pieces, query);
    let mut order: Vec<usize> = (0..pieces.len()).filter(|index| scores[*index] > 0).collect();
    order.sort_by_key(|index| (u64::MAX - scores[*index], *index));
    let mut chosen = Vec::new();
    for index in order {
        let chars = cuts.chars(pieces[index].start, pieces[index].end);
        if chosen.len() < SENTENCES_MAX && chars <= chars_left {
            chars_left -= chars;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    (!chosen.is_empty()).then(|| joined(cuts, chosen.iter().map(|index| pieces[*index].clone())))
}

/// How well each sentence answers: a word that stands in few of them tells more.
fn scores(cuts: &Cuts<'_>, pieces: &[Range<usize>], query: &RankQuery) -> Vec<u64> {
    let terms: Vec<Terms> = pieces.iter().map(|piece| Terms::of(cuts.slice(piece.start, piece.end))).collect();
    let mut sentences_with: BTreeMap<u32, u64> = BTreeMap::new();
    for (word, _) in terms.iter().flat_map(|terms| &terms.counts) {
        *sentences_with.entry(*word).or_default() += 1;
    }
    let all = pieces.len() as u64;
    let has = |terms: &Terms, word: u32| terms.counts.binary_search_by_key(&word, |count| count.0).is_ok();
    let score = |terms: &Terms| {
        let worth = |(word, _): &(u32, u16)| {
            let weight = ASKED * u64::from(has(&query.terms, *word)) + u64::from(has(&query.task, *word));
            weight * (all + 1 - sentences_with.get(word).copied().unwrap_or(all))
        };
        terms.counts.iter().map(worth).sum()
    };
    terms.iter().map(score).collect()
}

/// The parts with a gap wherever something else than blanks is missing.
fn joined(cuts: &Cuts<'_>, parts: impl Iterator<Item = Range<usize>>) -> String {
    let mut text = String::new();
    let mut last = 0;
    for part in parts {
        match (last, cuts.is_blank(last, part.start)) {
            (0, true) => {}
            (0, false) => text.extend([GAP, " "]),
            (_, true) if cuts.chars(last, part.start) <= 3 => text.push_str(cuts.slice(last, part.start)),
            (_, true) => text.push('\n'),
            (_, false) => text.extend([" ", GAP, " "]),
        }
        text.push_str(cuts.slice(part.start, part.end));
        last = part.end;
    }
    if !cuts.is_blank(last, cuts.end()) {
        text.extend([" ", GAP]);
    }
    text
}
