//! How much each source may still fill.

use std::collections::HashMap;

use parlour_core::{
    author::AuthorType,
    context::{LeftOut, Quotas, Section},
    id::ConversationId,
};

use crate::candidate::{Candidate, Trust};

/// The shares of senders, conversations and sorts of senders. What must be shown is taken from them too, but not held
/// back by them.
pub(super) struct Shares {
    left: Vec<u64>,
    /// How often in a pass something was too large for each of them.
    misses: Vec<usize>,
    /// Whether each of them was used up in some pass.
    is_spent: Vec<bool>,
    /// For each candidate the shares that it is taken from: its sender's, its conversation's, its sort's.
    of: Vec<[Option<usize>; 3]>,
}

/// A share that was too small for so many in a pass is used up: the costs of others are not asked for nothing.
const MISSES_MAX: usize = 16;
/// What is said when a share is used up, in the same order.
const REASONS: [LeftOut; 3] = [LeftOut::SenderQuota, LeftOut::ThreadQuota, LeftOut::TrustQuota];

/// Whose share it is.
#[derive(PartialEq, Eq, Hash)]
enum Source<'a> {
    Sender(AuthorType, &'a str),
    Conversation(&'a ConversationId),
    Trust(Trust),
}

impl Shares {
    pub(super) fn new(candidates: &[Candidate], quotas: &Quotas, room: u64) -> Self {
        let mut shares = Self {
            left: Vec::new(),
            misses: Vec::new(),
            is_spent: Vec::new(),
            of: Vec::with_capacity(candidates.len()),
        };
        // It is looked up only: the numbers of shares mean nothing.
        let mut known: HashMap<Source<'_>, usize> = HashMap::new();
        for candidate in candidates {
            let of = sources(candidate, quotas).map(|source| {
                let (source, percent) = source?;
                let share = known.entry(source).or_insert_with(|| {
                    shares.left.push(part(room, percent));
                    shares.misses.push(0);
                    shares.is_spent.push(false);
                    shares.left.len() - 1
                });
                Some(*share)
            });
            shares.of.push(of);
        }
        shares
    }

    /// What a candidate may cost by its shares.
    pub(super) fn left_for(&self, index: usize) -> u64 {
        self.of[index].iter().flatten().map(|share| self.left[*share]).min().unwrap_or(u64::MAX)
    }

    /// The first share that is too small for this, or used up.
    pub(super) fn too_small_for(&self, index: usize, cost: u64) -> Option<LeftOut> {
        let is_too_small = |share: usize| self.left[share] < cost || self.misses[share] >= MISSES_MAX;
        let shares = self.of[index].iter().zip(REASONS);
        shares.filter_map(|(share, reason)| is_too_small((*share)?).then_some(reason)).next()
    }

    /// Remembers that a candidate was too large for its shares.
    pub(super) fn miss(&mut self, index: usize, cost: u64) {
        for share in self.of[index].into_iter().flatten().filter(|share| self.left[*share] < cost) {
            self.misses[share] += 1;
            self.is_spent[share] |= self.misses[share] >= MISSES_MAX;
        }
    }

    /// The first share that has held back a candidate of about this cost, even if it was never looked at itself.
    pub(super) fn held_back(&self, index: usize, cost: u64) -> Option<LeftOut> {
        let shares = self.of[index].iter().zip(REASONS);
        let spent = shares.filter_map(|(share, reason)| self.is_spent[(*share)?].then_some(reason)).next();
        self.too_small_for(index, cost).or(spent)
    }

    /// Begins another pass: what was too small for some may be large enough for others.
    pub(super) fn forget_misses(&mut self) {
        self.misses.fill(0);
    }

    /// Holds nobody back any more.
    pub(super) fn lift(&mut self) {
        self.left.fill(u64::MAX);
        self.forget_misses();
    }

    /// Takes what a candidate costs from its shares.
    pub(super) fn take(&mut self, index: usize, cost: u64) {
        for share in self.of[index].into_iter().flatten() {
            self.left[share] = self.left[share].saturating_sub(cost);
        }
    }
}

fn sources<'a>(candidate: &'a Candidate, quotas: &Quotas) -> [Option<(Source<'a>, u64)>; 3] {
    let author = candidate.from.as_ref();
    let sender = author.and_then(|author| Some(Source::Sender(author.author_type, author.id.as_deref()?)));
    let place = candidate.place.as_ref().filter(|_| candidate.section != Section::History);
    let trust = candidate.trust();
    let trust_percent = match trust {
        Trust::Machine => Some(quotas.machine_percent),
        Trust::Foreign => Some(quotas.foreign_percent),
        Trust::Hub | Trust::Person => None,
    };
    [
        sender.map(|source| (source, quotas.sender_percent)),
        place.map(|place| (Source::Conversation(&place.id), quotas.thread_percent)),
        trust_percent.map(|percent| (Source::Trust(trust), percent)),
    ]
}

/// A share in percent of the whole, without overflow.
pub(super) fn part(whole: u64, percent: u64) -> u64 {
    let percent = percent.min(100);
    whole / 100 * percent + whole % 100 * percent / 100
}
