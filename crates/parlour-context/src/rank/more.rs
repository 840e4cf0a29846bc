//! More words to look for: those that the best candidates have in common and nobody asked for.
//!
//! They count little, and there are few of them, so that a wrong guess leads nowhere.

use std::collections::HashMap;

use super::{
    asked::Asked,
    look::{Found, Looked, Text},
};

/// The candidates that are believed.
const BEST: usize = 5;
/// Words of theirs that are looked for at all: with more of them recall is the same.
const LOOKED_FOR: usize = 64;
/// Words that are taken: as many as are carried at once.
const TAKEN: usize = 8;
/// More of one word in one candidate says nothing new.
const COUNT_ENOUGH: u16 = 2;
/// A few words in a short text are chance: it is believed as if it had so many more.
const LEN_MORE: f32 = 8.0;

/// More words, given what those that were asked for say; `share` is what the best of them counts.
pub(super) fn more(asked: &Asked<'_>, looked: &Looked<'_>, along: &[f32], share: f32) -> Vec<Found> {
    let mut words: Vec<(u32, f32)> = words_of(&best(looked, along)).into_iter().collect();
    words.retain(|(term, _)| asked.terms.binary_search_by_key(term, |(term, _)| *term).is_err());
    words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    words.truncate(LOOKED_FOR);
    words.sort_unstable_by_key(|(term, _)| *term);
    let places = looked.places(&words);
    // What stands in one place only says nothing of any other.
    let mut common: Vec<(f32, usize)> = (0..words.len())
        .filter(|word| places[*word].len() > 1)
        .map(|word| (words[word].1 * looked.rarity(&places[word]), word))
        .collect();
    common.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    common.truncate(TAKEN);
    let most = common.first().map_or(1.0, |(worth, _)| *worth);
    common.into_iter().map(|(worth, word)| looked.found(&places[word], share * worth / most)).collect()
}

/// The words of the best candidates, each with its score as a share of the best score.
fn best<'a, 'b>(looked: &'b Looked<'a>, along: &[f32]) -> Vec<(&'b Text<'a>, f32)> {
    let mut best: Vec<usize> = Vec::with_capacity(BEST + 1);
    for at in 0..along.len() {
        let is_better = best.len() < BEST || best.last().is_some_and(|last| along[at] > along[*last]);
        if along[at] > 0.0 && is_better && !looked.texts[at].words.is_empty() {
            let place = best.partition_point(|other| along[*other] >= along[at]);
            best.insert(place, at);
            best.truncate(BEST);
        }
    }
    let top = best.first().map_or(1.0, |at| along[*at]);
    best.into_iter().map(|at| (&looked.texts[at], along[at] / top)).collect()
}

/// How much each word of these says.
#[allow(clippy::cast_precision_loss, reason = "a text has few words")]
fn words_of(best: &[(&Text<'_>, f32)]) -> HashMap<u32, f32> {
    let mut words = HashMap::new();
    for (text, share) in best {
        for (term, count) in text.words {
            let says = share * f32::from((*count).min(COUNT_ENOUGH)) / (text.len as f32 + LEN_MORE);
            *words.entry(*term).or_default() += says;
        }
    }
    words
}
