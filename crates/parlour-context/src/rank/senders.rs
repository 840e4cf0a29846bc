//! The senders of the candidates, and which of them are named in what is asked.

use std::collections::HashMap;

use crate::{authors::Authors, terms::Terms};

/// Senders that are looked at: a conversation has far fewer, and each of their names is taken apart.
const NAMES_MAX: usize = 1_000;
/// Of a longer name, two words are as good as all: `Mara Lind` for `Mara Lind Ek`.
const WORDS_ENOUGH: usize = 2;
const NOBODY: u32 = u32::MAX;

/// Who wrote what.
pub(super) struct Senders<'a> {
    /// Words of the names that are asked for, in ascending order.
    pub(super) names: Vec<u32>,
    authors: &'a Authors<'a>,
    /// How much of the name of each of them is in what is asked, 0 to 1.
    shares: Vec<f32>,
}

impl<'a> Senders<'a> {
    /// Looks for the names of the senders in the words of what is asked.
    pub(super) fn of(authors: &'a Authors<'_>, asked: &Terms) -> Self {
        let mut names = Vec::new();
        let numbers = number(authors, &mut names);
        let names: Vec<Terms> = names.into_iter().map(Terms::of).collect();
        let mut holders: HashMap<u32, usize> = HashMap::new();
        for (term, _) in names.iter().flat_map(|name| &name.counts).filter(|(term, _)| asked.has(*term)) {
            *holders.entry(*term).or_default() += 1;
        }
        let mut told = Vec::new();
        // What most are called ("Member …") tells nobody from the others.
        let is_own = |term: u32| holders.get(&term).is_some_and(|count| count * 2 <= names.len().max(2));
        let mut share = |name: &Terms| {
            let words: Vec<u32> = name.counts.iter().map(|(term, _)| *term).collect();
            let found = words.iter().filter(|term| asked.has(**term));
            let own = found.clone().filter(|term| is_own(**term)).count();
            let is_whole = !words.is_empty() && found.clone().count() == words.len();
            if is_whole || own > 0 {
                told.extend(found);
            }
            if is_whole { 1.0 } else { part(own, words.len()) }
        };
        let by_name: Vec<f32> = names.iter().map(&mut share).collect();
        let shares = numbers.into_iter().map(|number| by_name.get(number as usize).copied().unwrap_or(0.0)).collect();
        told.sort_unstable();
        told.dedup();
        Self { names: told, authors, shares }
    }

    /// How far the sender of the candidate in this place is named.
    pub(super) fn named(&self, place: usize) -> f32 {
        self.authors.of[place].map_or(0.0, |author| self.shares[author as usize])
    }
}

#[allow(clippy::cast_precision_loss, reason = "a name has few words")]
fn part(own: usize, words: usize) -> f32 {
    (own as f32 / words.clamp(1, WORDS_ENOUGH) as f32).min(1.0)
}

/// For each author the number of its name, in the order in which they come.
fn number<'a>(authors: &Authors<'a>, names: &mut Vec<&'a str>) -> Vec<u32> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut one = |name: &'a str| {
        let count = names.len();
        *known.entry(name).or_insert_with(|| {
            if count == NAMES_MAX {
                return NOBODY;
            }
            names.push(name);
            u32::try_from(count).unwrap_or(NOBODY)
        })
    };
    authors.list.iter().map(|author| one(&author.name)).collect()
}
