//! The input of fitting: ranked candidates, their quotas and orders. It does not depend on the available tokens, so it
//! is computed once for all attempts.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use parlour_core::{
    author::AuthorType,
    context::{OmissionReason, Quotas, Section, SubjectType},
    id::ConversationId,
};

use super::score;
use crate::{
    authors::Authors,
    candidate::{Candidate, ConversationRef, Trust},
};

/// Approximate tokens of the lines around each candidate.
pub(super) const AROUND_TOKENS: u64 = 8;

/// The candidates of a pack with scores, order and quotas.
pub struct RankedCandidates<'a> {
    pub(super) candidates: &'a [&'a Candidate],
    pub(crate) scores: Vec<f32>,
    /// Indexes by importance.
    pub(crate) order: Vec<usize>,
    /// The position of each candidate in `order`.
    pub(crate) ranks: Vec<u32>,
    /// The number of mandatory candidates; they come first in `order`.
    pub(crate) mandatory_len: usize,
    /// The first of the duplicates of each candidate.
    pub(crate) firsts: Vec<usize>,
    pub(crate) tokens: Vec<u64>,
    /// Whether the text has words and is therefore not empty.
    pub(crate) has_words: Vec<bool>,
    /// Whether a summary among the candidates quotes it; empty if there is none.
    quoted: Vec<bool>,
    pub(super) owners: QuotaOwners,
    by_worth: RefCell<LazySorted>,
    by_tokens: RefCell<LazySorted>,
}

/// The orders of the passes.
#[derive(Clone, Copy)]
pub(super) enum CandidateOrder {
    /// By score.
    Best,
    /// By score per token.
    Worthiest,
    /// By tokens.
    Shortest,
}

impl<'a> RankedCandidates<'a> {
    /// Ranks candidates; `order` comes from [`super::order`], `duplicates` from [`crate::dedupe`].
    pub fn new(
        candidates: &'a [&'a Candidate],
        scores: Vec<f32>,
        order: Vec<usize>,
        duplicates: &[Option<usize>],
        quotas: &Quotas,
    ) -> Self {
        let authors = Authors::of(candidates);
        let sources = QuotaSources { quotas, authors: &authors, is_named: &[] };
        Self::of_authors(candidates, scores, order, duplicates, &sources)
    }

    /// The same with known authors.
    pub(crate) fn of_authors(
        candidates: &'a [&'a Candidate],
        scores: Vec<f32>,
        order: Vec<usize>,
        duplicates: &[Option<usize>],
        sources: &QuotaSources<'_>,
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
            owners: QuotaOwners::new(candidates, sources),
            by_worth: RefCell::new(LazySorted::new(by_worth)),
            by_tokens: RefCell::new(LazySorted::new(by_tokens)),
            scores,
            order,
            ranks,
            mandatory_len,
            tokens,
            has_words,
        }
    }

    pub(crate) fn is_mandatory(&self, index: usize) -> bool {
        (self.ranks[index] as usize) < self.mandatory_len
    }

    /// Whether a summary shows it already.
    pub(crate) fn is_quoted(&self, index: usize) -> bool {
        self.quoted.get(index) == Some(&true) && !self.is_mandatory(index)
    }

    /// The most important first.
    pub(crate) fn mandatory(&self) -> &[usize] {
        &self.order[..self.mandatory_len]
    }

    /// Makes the least important mandatory candidate optional.
    pub(crate) fn spare_last(&mut self) {
        self.mandatory_len = self.mandatory_len.saturating_sub(1);
    }

    pub(super) fn matters(&self, index: usize) -> bool {
        score(&self.scores, index) > 0.0
    }

    /// A lower bound of its cost.
    pub(super) fn least(&self, index: usize) -> u64 {
        self.tokens[index].clamp(1, AROUND_TOKENS)
    }

    /// The optional candidates in this order.
    pub(super) fn list(&self, list: CandidateOrder) -> impl Iterator<Item = usize> {
        (0..).map_while(move |at| self.at(list, at))
    }

    fn at(&self, list: CandidateOrder, at: usize) -> Option<usize> {
        let by = match list {
            CandidateOrder::Best => return self.order.get(self.mandatory_len + at).copied(),
            CandidateOrder::Worthiest => &self.by_worth,
            CandidateOrder::Shortest => &self.by_tokens,
        };
        let key = by.borrow_mut().get(at)?;
        #[allow(clippy::cast_possible_truncation, reason = "the rank is in the lowest 32 bits")]
        let rank = key as u32;
        self.order.get(rank as usize).copied()
    }
}

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

/// A sort key for score per token, the best first. Neither value is negative, so the bits sort like the numbers.
fn worth(score: f32, tokens: u64) -> u128 {
    let worth = f64::from(score) / tokens.saturating_add(AROUND_TOKENS) as f64;
    u128::from(!worth.to_bits())
}

/// The end of each chain of duplicates. A cycle ends where it was entered.
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

/// Misses in a pass after which a quota counts as used up.
const MISSES_MAX: usize = 16;
/// In less room quotas do not apply: a share of it would be less than one message.
const ROOM_LEAST: u64 = 256;
/// The omission reasons of the three kinds of quotas.
const REASONS: [OmissionReason; 3] =
    [OmissionReason::SenderQuota, OmissionReason::ThreadQuota, OmissionReason::TrustQuota];

/// The authors that quotas apply to.
pub(crate) struct QuotaSources<'a> {
    pub(crate) quotas: &'a Quotas,
    pub(crate) authors: &'a Authors<'a>,
    /// By author: whether the query names them. It asks for their messages, so the quota of one sender does not apply.
    pub(crate) is_named: &'a [bool],
}

/// The quotas that each candidate counts towards.
pub(super) struct QuotaOwners {
    /// The percentage of the room for each quota.
    percents: Vec<u64>,
    /// For each candidate: the quotas of its sender, conversation and trust level.
    of: Vec<[Option<u32>; 3]>,
}

/// The remaining tokens of each quota. Mandatory candidates count towards them but are not limited by them.
#[derive(Clone)]
pub(super) struct QuotaShares<'a> {
    owners: &'a QuotaOwners,
    left: Vec<u64>,
    /// Candidates in this pass that were too large for each quota.
    misses: Vec<usize>,
    /// Whether each quota was used up in some pass.
    is_spent: Vec<bool>,
}

#[derive(PartialEq, Eq, Hash)]
enum QuotaKey<'a> {
    Sender(AuthorType, &'a str),
    Conversation(&'a ConversationId),
    Trust(Trust),
}

impl QuotaOwners {
    pub(super) fn new(candidates: &[&Candidate], sources: &QuotaSources<'_>) -> Self {
        let QuotaSources { quotas, authors, is_named } = sources;
        let mut percents = Vec::new();
        // Used for lookups only; the numbers have no meaning.
        let mut known: HashMap<QuotaKey<'_>, u32> = HashMap::new();
        let mut share = |source, percent| {
            *known.entry(source).or_insert_with(|| {
                percents.push(percent);
                u32::try_from(percents.len() - 1).unwrap_or(u32::MAX)
            })
        };
        // Computed once for each author, and once for neighbours in the same conversation.
        let mut by_author: Vec<Option<[Option<u32>; 2]>> = vec![None; authors.list.len()];
        let mut last: Option<(&Arc<ConversationRef>, u32)> = None;
        let mut of = Vec::with_capacity(candidates.len());
        for (candidate, author) in candidates.iter().zip(&authors.of) {
            // Cards do not count: the author of a task must not displace it by other messages.
            let is_card = !matches!(candidate.subject_type, SubjectType::Message | SubjectType::Summary);
            let [sender, trust] = author.filter(|_| !is_card).map_or([None; 2], |author| {
                *by_author[author as usize].get_or_insert_with(|| {
                    let from = authors.list[author as usize];
                    let is_limited = is_named.get(author as usize) != Some(&true);
                    let sender = from.id.as_deref().filter(|_| is_limited);
                    let sender = sender.map(|id| QuotaKey::Sender(from.author_type, id));
                    let trust = Some(candidate.trust()).zip(trust_percent(candidate.trust(), quotas));
                    [
                        sender.map(|source| share(source, quotas.sender_percent)),
                        trust.map(|(trust, percent)| share(QuotaKey::Trust(trust), percent)),
                    ]
                })
            });
            let place = candidate.conversation.as_ref().filter(|_| candidate.section != Section::History);
            let conversation = place.map(|place| match last.filter(|(last, _)| Arc::ptr_eq(last, place)) {
                Some((_, number)) => number,
                None => {
                    let number = share(QuotaKey::Conversation(&place.id), quotas.thread_percent);
                    last = Some((place, number));
                    number
                }
            });
            of.push([sender, conversation, trust]);
        }
        Self { percents, of }
    }
}

fn trust_percent(trust: Trust, quotas: &Quotas) -> Option<u64> {
    match trust {
        Trust::Machine => Some(quotas.machine_percent),
        Trust::Foreign => Some(quotas.foreign_percent),
        Trust::Hub | Trust::Person => None,
    }
}

impl<'a> QuotaShares<'a> {
    pub(super) fn new(owners: &'a QuotaOwners, room: u64) -> Self {
        let share = |percent: &u64| if room < ROOM_LEAST { u64::MAX } else { part(room, *percent) };
        let left: Vec<u64> = owners.percents.iter().map(share).collect();
        Self { owners, misses: vec![0; left.len()], is_spent: vec![false; left.len()], left }
    }

    fn of(&self, index: usize) -> impl Iterator<Item = (usize, OmissionReason)> + use<> {
        let shares = self.owners.of[index].into_iter().zip(REASONS);
        shares.filter_map(|(share, reason)| Some((share? as usize, reason)))
    }

    pub(super) fn left_for(&self, index: usize) -> u64 {
        self.of(index).map(|(share, _)| self.left[share]).min().unwrap_or(u64::MAX)
    }

    pub(super) fn too_small_for(&self, index: usize, cost: u64) -> Option<OmissionReason> {
        let is_too_small = |share: usize| self.left[share] < cost || self.misses[share] >= MISSES_MAX;
        self.of(index).find(|(share, _)| is_too_small(*share)).map(|(_, reason)| reason)
    }

    pub(super) fn miss(&mut self, index: usize, cost: u64) {
        for (share, _) in self.of(index) {
            if self.left[share] < cost {
                self.misses[share] += 1;
                self.is_spent[share] |= self.misses[share] >= MISSES_MAX;
            }
        }
    }

    /// The quota that held back a candidate of about this cost, even if it was never tried.
    pub(super) fn held_back(&self, index: usize, cost: u64) -> Option<OmissionReason> {
        let spent = || self.of(index).find(|(share, _)| self.is_spent[*share]).map(|(_, reason)| reason);
        self.too_small_for(index, cost).or_else(spent)
    }

    pub(super) fn may_hold_back(&self) -> bool {
        let is_small = self.left.iter().any(|left| *left < AROUND_TOKENS);
        is_small || self.is_spent.contains(&true) || self.misses.iter().any(|misses| *misses >= MISSES_MAX)
    }

    /// Starts another pass.
    pub(super) fn forget_misses(&mut self) {
        self.misses.fill(0);
    }

    /// Lifts all quotas.
    pub(super) fn lift(&mut self) {
        self.left.fill(u64::MAX);
        self.forget_misses();
    }

    pub(super) fn take(&mut self, index: usize, cost: u64) {
        for (share, _) in self.of(index) {
            self.left[share] = self.left[share].saturating_sub(cost);
        }
    }
}

/// Without overflow.
pub(super) fn part(whole: u64, percent: u64) -> u64 {
    let percent = percent.min(100);
    whole / 100 * percent + whole % 100 * percent / 100
}

/// Elements sorted at first; then the sorted part doubles.
const FIRST_LEN: usize = 256;

/// Keys that are sorted only as far as they are read.
pub(super) struct LazySorted {
    keys: Vec<u128>,
    sorted_len: usize,
}

impl LazySorted {
    pub(super) fn new(keys: Vec<u128>) -> Self {
        Self { keys, sorted_len: 0 }
    }

    pub(super) fn get(&mut self, at: usize) -> Option<u128> {
        while at >= self.sorted_len && self.sorted_len < self.keys.len() {
            let begin = self.sorted_len;
            let rest = &mut self.keys[begin..];
            let len = begin.max(FIRST_LEN).min(rest.len());
            if len < rest.len() {
                rest.select_nth_unstable(len);
            }
            rest[..len].sort_unstable();
            self.sorted_len = begin + len;
        }
        self.keys.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_position_that_is_read_is_sorted(
            keys in proptest::collection::vec(0u128..500, 0..1_500),
            looks in proptest::collection::vec(0usize..1_600, 0..20),
        ) {
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let mut gradual = LazySorted::new(keys);
            for at in looks {
                prop_assert_eq!(gradual.get(at), sorted.get(at).copied());
            }
        }
    }
}
