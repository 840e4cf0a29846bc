//! What is known of all candidates before any is chosen. It holds for every room, so that it is found out once however
//! often they are fitted.

use std::{cell::RefCell, collections::HashSet};

use parlour_core::context::{Quotas, SubjectType};

use super::{gradual::Gradual, score, shares::Owners};
use crate::{authors::Authors, candidate::Candidate};

/// About what is written around each candidate.
pub(super) const AROUND_TOKENS: u64 = 8;

/// The candidates of a pack, side by side.
pub struct Field<'a> {
    pub(super) candidates: &'a [&'a Candidate],
    /// Their scores, as they were given.
    pub(crate) scores: Vec<f32>,
    /// The places of all of them, the most important first.
    pub(crate) order: Vec<usize>,
    /// For each of them its place in that order.
    pub(crate) ranks: Vec<u32>,
    /// How many must be shown: they come first in that order.
    pub(crate) mandatory_len: usize,
    /// For each of them the first of those that say the same.
    pub(crate) firsts: Vec<usize>,
    /// What the text of each costs by itself.
    pub(crate) tokens: Vec<u64>,
    /// Whether its text has words, so that it surely is not empty.
    pub(crate) has_words: Vec<bool>,
    /// For each of them whether a summary among them quotes it; empty where there is none.
    quoted: Vec<bool>,
    pub(super) owners: Owners,
    by_worth: RefCell<Gradual>,
    by_tokens: RefCell<Gradual>,
}

/// The lists that candidates are taken from.
#[derive(Clone, Copy)]
pub(super) enum List {
    /// The most important first.
    Best,
    /// The same for what they cost.
    Worthiest,
    /// The shortest first.
    Shortest,
}

impl<'a> Field<'a> {
    /// The field of these candidates, with how much each matters, their order as [`super::order`] puts them, those that
    /// say the same as others, and how much one source may fill where others want the room.
    pub fn new(
        candidates: &'a [&'a Candidate],
        scores: Vec<f32>,
        order: Vec<usize>,
        duplicates: &[Option<usize>],
        quotas: &Quotas,
    ) -> Self {
        Self::of_authors(candidates, scores, order, duplicates, (quotas, &Authors::of(candidates)))
    }

    /// The same where the authors are known.
    pub(crate) fn of_authors(
        candidates: &'a [&'a Candidate],
        scores: Vec<f32>,
        order: Vec<usize>,
        duplicates: &[Option<usize>],
        (quotas, authors): (&Quotas, &Authors<'_>),
    ) -> Self {
        let mut ranks = vec![0; order.len()];
        for (rank, index) in (0..).zip(&order) {
            ranks[*index] = rank;
        }
        let tokens: Vec<u64> = candidates.iter().map(|candidate| candidate.prepared.tokens).collect();
        let has_words = candidates.iter().map(|candidate| candidate.prepared.fingerprint != 0).collect();
        let mandatory_len = order.partition_point(|index| candidates[*index].is_mandatory());
        let (mut by_worth, mut by_tokens) = (Vec::with_capacity(order.len()), Vec::with_capacity(order.len()));
        for (rank, index) in order.iter().copied().enumerate().skip(mandatory_len) {
            let score = score(&scores, index);
            if score > 0.0 {
                let worth = worth(score, tokens[index]) << 32 | rank as u128;
                let shortness = u128::from(u32::try_from(tokens[index]).unwrap_or(u32::MAX));
                by_worth.push(worth);
                by_tokens.push(shortness << 96 | worth);
            }
        }
        Self {
            candidates,
            quoted: quoted(candidates),
            firsts: firsts(duplicates, candidates.len()),
            owners: Owners::new(candidates, authors, quotas),
            by_worth: RefCell::new(Gradual::new(by_worth)),
            by_tokens: RefCell::new(Gradual::new(by_tokens)),
            scores,
            order,
            ranks,
            mandatory_len,
            tokens,
            has_words,
        }
    }

    /// Whether a candidate must be shown.
    pub(crate) fn is_mandatory(&self, index: usize) -> bool {
        (self.ranks[index] as usize) < self.mandatory_len
    }

    /// Whether a candidate is not to be shown because a summary quotes it.
    pub(crate) fn is_quoted(&self, index: usize) -> bool {
        self.quoted.get(index) == Some(&true) && !self.is_mandatory(index)
    }

    /// Those that must be shown, the most important first.
    pub(crate) fn mandatory(&self) -> &[usize] {
        &self.order[..self.mandatory_len]
    }

    /// Lets the least important of those that must be shown be one of the others.
    pub(crate) fn spare_last(&mut self) {
        self.mandatory_len = self.mandatory_len.saturating_sub(1);
    }

    pub(super) fn matters(&self, index: usize) -> bool {
        score(&self.scores, index) > 0.0
    }

    /// About the least that a candidate costs.
    pub(super) fn least(&self, index: usize) -> u64 {
        self.tokens[index].clamp(1, AROUND_TOKENS)
    }

    /// Those that need not be shown, in the order of this list.
    pub(super) fn list(&self, list: List) -> impl Iterator<Item = usize> {
        (0..).map_while(move |at| self.at(list, at))
    }

    fn at(&self, list: List, at: usize) -> Option<usize> {
        let by = match list {
            List::Best => return self.order.get(self.mandatory_len + at).copied(),
            List::Worthiest => &self.by_worth,
            List::Shortest => &self.by_tokens,
        };
        let key = by.borrow_mut().get(at)?;
        #[allow(clippy::cast_possible_truncation, reason = "the rank is in the lowest 32 bits")]
        let rank = key as u32;
        self.order.get(rank as usize).copied()
    }
}

/// Which of them a summary among them quotes.
fn quoted(candidates: &[&Candidate]) -> Vec<bool> {
    let sums = candidates.iter().filter_map(|candidate| candidate.summarizes.as_ref());
    let ids: HashSet<&String> = sums.flat_map(|summarizes| &summarizes.quotes).collect();
    if ids.is_empty() {
        return Vec::new();
    }
    let is_quoted =
        |candidate: &&Candidate| candidate.subject_type == SubjectType::Message && ids.contains(&candidate.id);
    candidates.iter().map(is_quoted).collect()
}

/// How much a candidate matters for what it costs, as a key: the smallest matters most. Neither is less than 0, so that
/// the bits of the number are in the order of numbers.
fn worth(score: f32, tokens: u64) -> u128 {
    let worth = f64::from(score) / tokens.saturating_add(AROUND_TOKENS) as f64;
    u128::from(!worth.to_bits())
}

/// For each candidate the end of the chain of those that say the same. A ring ends where it was entered.
fn firsts(duplicates: &[Option<usize>], count: usize) -> Vec<usize> {
    let next = |index: usize| duplicates.get(index).copied().flatten().filter(|next| *next < count);
    let mut firsts: Vec<Option<usize>> = vec![None; count];
    let mut path = Vec::new();
    for start in 0..count {
        let mut at = start;
        while firsts[at].is_none() {
            firsts[at] = Some(at);
            path.push(at);
            at = next(at).unwrap_or(at);
        }
        let first = firsts[at];
        for index in path.drain(..) {
            firsts[index] = first;
        }
    }
    firsts.into_iter().enumerate().map(|(index, first)| first.unwrap_or(index)).collect()
}
