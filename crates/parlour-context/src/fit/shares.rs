//! How much each source may still fill.

use std::{collections::HashMap, sync::Arc};

use parlour_core::{
    author::AuthorType,
    context::{OmissionReason, Quotas, Section, SubjectType},
    id::ConversationId,
};

use super::field::AROUND_TOKENS;
use crate::{
    authors::Authors,
    candidate::{Candidate, ConversationRef, Trust},
};

/// A share that was too small for so many in a pass is used up: the costs of others are not asked for nothing.
const MISSES_MAX: usize = 16;
/// In less room nobody is held back: a share of it would be less than one message.
const ROOM_LEAST: u64 = 256;
/// What is said when a share is used up, in the same order.
const REASONS: [OmissionReason; 3] =
    [OmissionReason::SenderQuota, OmissionReason::ThreadQuota, OmissionReason::TrustQuota];

/// Whose shares candidates are taken from.
pub(super) struct Owners {
    /// For each share its part of the room, in percent.
    percents: Vec<u64>,
    /// For each candidate the shares that it is taken from: its sender's, its conversation's, its sort's.
    of: Vec<[Option<u32>; 3]>,
}

/// The shares of senders, conversations and sorts of senders. What must be shown is taken from them too, but not held
/// back by them.
#[derive(Clone)]
pub(super) struct Shares<'a> {
    owners: &'a Owners,
    left: Vec<u64>,
    /// How often in a pass something was too large for each of them.
    misses: Vec<usize>,
    /// Whether each of them was used up in some pass.
    is_spent: Vec<bool>,
}

/// Whose share it is.
#[derive(PartialEq, Eq, Hash)]
enum Source<'a> {
    Sender(AuthorType, &'a str),
    Conversation(&'a ConversationId),
    Trust(Trust),
}

impl Owners {
    pub(super) fn new(candidates: &[&Candidate], authors: &Authors<'_>, quotas: &Quotas) -> Self {
        let mut percents = Vec::new();
        // It is looked up only: the numbers of shares mean nothing.
        let mut known: HashMap<Source<'_>, u32> = HashMap::new();
        let mut share = |source, percent| {
            *known.entry(source).or_insert_with(|| {
                percents.push(percent);
                u32::try_from(percents.len() - 1).unwrap_or(u32::MAX)
            })
        };
        // What belongs to an author is found once for each, and what belongs to a place once for all that stand there.
        let mut by_author: Vec<Option<[Option<u32>; 2]>> = vec![None; authors.list.len()];
        let mut last: Option<(&Arc<ConversationRef>, u32)> = None;
        let mut of = Vec::with_capacity(candidates.len());
        for (candidate, author) in candidates.iter().zip(&authors.of) {
            // Cards are nobody's talk: whoever has written a task must not push it out by what else they say.
            let is_card = !matches!(candidate.subject_type, SubjectType::Message | SubjectType::Summary);
            let [sender, trust] = author.filter(|_| !is_card).map_or([None; 2], |author| {
                *by_author[author as usize].get_or_insert_with(|| {
                    let from = authors.list[author as usize];
                    let sender = from.id.as_deref().map(|id| Source::Sender(from.author_type, id));
                    let trust = Some(candidate.trust()).zip(trust_percent(candidate.trust(), quotas));
                    [
                        sender.map(|source| share(source, quotas.sender_percent)),
                        trust.map(|(trust, percent)| share(Source::Trust(trust), percent)),
                    ]
                })
            });
            let place = candidate.conversation.as_ref().filter(|_| candidate.section != Section::History);
            let conversation = place.map(|place| match last.filter(|(last, _)| Arc::ptr_eq(last, place)) {
                Some((_, number)) => number,
                None => {
                    let number = share(Source::Conversation(&place.id), quotas.thread_percent);
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

impl<'a> Shares<'a> {
    pub(super) fn new(owners: &'a Owners, room: u64) -> Self {
        let share = |percent: &u64| if room < ROOM_LEAST { u64::MAX } else { part(room, *percent) };
        let left: Vec<u64> = owners.percents.iter().map(share).collect();
        Self { owners, misses: vec![0; left.len()], is_spent: vec![false; left.len()], left }
    }

    fn of(&self, index: usize) -> impl Iterator<Item = (usize, OmissionReason)> + use<> {
        let shares = self.owners.of[index].into_iter().zip(REASONS);
        shares.filter_map(|(share, reason)| Some((share? as usize, reason)))
    }

    /// What a candidate may cost by its shares.
    pub(super) fn left_for(&self, index: usize) -> u64 {
        self.of(index).map(|(share, _)| self.left[share]).min().unwrap_or(u64::MAX)
    }

    /// The first share that is too small for this, or used up.
    pub(super) fn too_small_for(&self, index: usize, cost: u64) -> Option<OmissionReason> {
        let is_too_small = |share: usize| self.left[share] < cost || self.misses[share] >= MISSES_MAX;
        self.of(index).find(|(share, _)| is_too_small(*share)).map(|(_, reason)| reason)
    }

    /// Remembers that a candidate was too large for its shares.
    pub(super) fn miss(&mut self, index: usize, cost: u64) {
        for (share, _) in self.of(index) {
            if self.left[share] < cost {
                self.misses[share] += 1;
                self.is_spent[share] |= self.misses[share] >= MISSES_MAX;
            }
        }
    }

    /// The first share that has held back a candidate of about this cost, even if it was never looked at itself.
    pub(super) fn held_back(&self, index: usize, cost: u64) -> Option<OmissionReason> {
        let spent = || self.of(index).find(|(share, _)| self.is_spent[*share]).map(|(_, reason)| reason);
        self.too_small_for(index, cost).or_else(spent)
    }

    /// Whether some share can have held back anything.
    pub(super) fn may_hold_back(&self) -> bool {
        let is_small = self.left.iter().any(|left| *left < AROUND_TOKENS);
        is_small || self.is_spent.contains(&true) || self.misses.iter().any(|misses| *misses >= MISSES_MAX)
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
        for (share, _) in self.of(index) {
            self.left[share] = self.left[share].saturating_sub(cost);
        }
    }
}

/// A share in percent of the whole, without overflow.
pub(super) fn part(whole: u64, percent: u64) -> u64 {
    let percent = percent.min(100);
    whole / 100 * percent + whole % 100 * percent / 100
}
