//! The choice itself, in passes: what must be shown, what matters most, what matters much for what it costs, and then the
//! rest of the room.

use std::cmp::Ordering;

use parlour_core::context::{LeftOut, Level, SubjectType};

use super::{
    Decision, Fitted, Fitting,
    costs::Costs,
    score,
    shares::{Shares, part},
};

/// The part of the room, in percent, that goes by score alone. The rest goes by score for what it costs.
const BY_SCORE_PERCENT: u64 = 60;
/// The part of the room, in percent, that one candidate may take before all others had their turn.
const ONE_PERCENT: u64 = 25;
/// What has more tokens comes in as an extract where the room goes by what things cost; it may grow later.
const LONG_TOKENS: u64 = 64;
/// About what is written around each candidate.
const AROUND_TOKENS: u64 = 8;
/// A pass ends when so many in a row did not fit: it is nearly full then, and costs are not asked for nothing.
const MISSES_MAX: usize = 16;

/// A choice that is being made.
pub(super) struct Choosing<'a> {
    fitting: &'a Fitting<'a>,
    order: &'a [usize],
    costs: Costs<'a>,
    shares: Shares,
    /// Tokens that are left.
    left: u64,
    /// What is shown, with its cost.
    shown: Vec<Option<(Level, u64)>>,
    /// Why something was not taken when it was looked at.
    refused: Vec<Option<LeftOut>>,
    /// For each candidate the first of those that say the same, and whether one of them is shown.
    first_of: Vec<usize>,
    is_said: Vec<bool>,
}

/// What came of one candidate in a pass.
enum Placed {
    Shown,
    /// There is room for it, but not in its shares.
    OverShare,
    Refused,
}

impl<'a> Choosing<'a> {
    pub(super) fn new(fitting: &'a Fitting<'a>) -> Self {
        let count = fitting.candidates.len();
        Self {
            fitting,
            order: fitting.order,
            costs: Costs::new(fitting.cost),
            shares: Shares::new(fitting.candidates, fitting.quotas, fitting.room),
            left: fitting.room,
            shown: vec![None; count],
            refused: vec![None; count],
            first_of: firsts(fitting.duplicates, count),
            is_said: vec![false; count],
        }
    }

    /// Shows what must be shown, first as short as possible, then as long as possible. Answers whether all of it is.
    pub(super) fn show_mandatory(&mut self) -> bool {
        let is_mandatory = |index: &usize| self.fitting.candidates[*index].is_mandatory();
        let mandatory: Vec<usize> = self.order.iter().copied().take_while(is_mandatory).collect();
        let mut is_all = true;
        for index in &mandatory {
            match self.costs.cheapest(*index) {
                None => self.refused[*index] = Some(LeftOut::Empty),
                Some((level, cost)) if cost <= self.left => self.take(*index, level, cost),
                // Nor is what matters less, even where it would fit: more room must never show less.
                Some(_) => is_all = false,
            }
            if !is_all {
                break;
            }
        }
        self.lengthen(mandatory.into_iter());
        is_all
    }

    /// Shows what stays as it was, up to the first for which there is no room.
    pub(super) fn show_kept(&mut self) {
        for (index, level) in self.fitting.kept {
            let cost = self.costs.at(*index, *level).filter(|cost| *cost <= self.left);
            let Some(cost) = cost.filter(|_| self.shown[*index].is_none()) else { return };
            self.take(*index, *level, cost);
        }
    }

    /// Shows the others, as far as they matter.
    pub(super) fn show_others(&mut self) {
        let order = self.order;
        let mut others: Vec<usize> = order.iter().copied().filter(|index| self.is_open(*index)).collect();
        let one_most = part(self.left, ONE_PERCENT);
        self.pass(&others, self.left - part(self.left, BY_SCORE_PERCENT), |_| (Level::Full, one_most));
        others.retain(|index| self.is_open(*index));
        self.sort_by_worth(&mut others);
        let candidates = self.fitting.candidates;
        let is_long = |index: usize| candidates[index].prepared.tokens > LONG_TOKENS;
        self.pass(&others, 0, |index| (if is_long(index) { Level::Extract } else { Level::Full }, one_most));
        self.lengthen(order.iter().copied());
        // What is left is filled with the shortest.
        others.retain(|index| self.is_open(*index));
        others.sort_by_key(|index| candidates[*index].prepared.tokens);
        self.pass(&others, 0, |_| (Level::Full, u64::MAX));
        self.lengthen(order.iter().copied());
    }

    /// Offers what is left to those that only their shares held back: nobody else wants it.
    pub(super) fn show_held_back(&mut self) {
        let is_held = |index: &usize| self.is_open(*index) && is_share(self.why_not(*index));
        let held: Vec<usize> = self.order.iter().copied().filter(is_held).collect();
        let reasons: Vec<LeftOut> = held.iter().map(|index| self.why_not(*index)).collect();
        let one_most = part(self.left, ONE_PERCENT);
        self.shares.lift();
        self.pass(&held, 0, |_| (Level::Full, one_most));
        self.pass(&held, 0, |_| (Level::Full, u64::MAX));
        self.lengthen(self.order.iter().copied());
        // Where some of them have got room, the others are missing for want of it; otherwise their shares are the cause.
        let has_helped = held.iter().any(|index| self.shown[*index].is_some());
        for (index, reason) in held.into_iter().zip(reasons) {
            self.refused[index] = Some(if has_helped { LeftOut::NoRoom } else { reason });
        }
    }

    /// What was decided on each.
    pub(super) fn decided(self) -> Fitted {
        let decision = |index: usize| match self.shown[index] {
            Some((level, _)) => Decision::Shown(level),
            None => Decision::LeftOut(self.why_not(index)),
        };
        Fitted { decisions: (0..self.shown.len()).map(decision).collect(), used: self.fitting.room - self.left }
    }

    /// Takes candidates in this order until no more than `keep` tokens are left, or too many in a row did not fit. What
    /// each may be and cost at most is said by `limit`.
    fn pass(&mut self, order: &[usize], keep: u64, limit: impl Fn(usize) -> (Level, u64)) {
        self.shares.forget_misses();
        let mut misses = 0;
        for index in order {
            if self.left <= keep || misses == MISSES_MAX {
                return;
            }
            if !self.is_open(*index) || self.is_hopeless(*index) {
                continue;
            }
            let (longest, most) = limit(*index);
            match self.place(*index, longest, most) {
                Placed::Shown => misses = 0,
                Placed::OverShare => {}
                Placed::Refused => misses += 1,
            }
        }
    }

    /// Shows one candidate at the longest length that fits, if any does.
    fn place(&mut self, index: usize, longest: Level, most: u64) -> Placed {
        let levels = [longest, self.shortest(index)];
        let room = self.left.min(self.shares.left_for(index));
        if let Some((level, cost)) = self.costs.longest(index, levels, room.min(most)) {
            self.take(index, level, cost);
            return Placed::Shown;
        }
        let shortest = self.costs.cheapest_of(index, levels).map(|(_, cost)| cost);
        let over_share = shortest.filter(|cost| *cost <= self.left.min(most));
        if let Some(cost) = over_share {
            self.shares.miss(index, cost);
            self.refused[index] = self.shares.too_small_for(index, cost);
            return Placed::OverShare;
        }
        // What was held back when there was room for it is not missing for want of room.
        if !self.refused[index].is_some_and(is_share) {
            self.refused[index] = Some(if shortest.is_some() { LeftOut::NoRoom } else { LeftOut::Empty });
        }
        Placed::Refused
    }

    /// Makes what is shown longer, in this order, as far as there is room.
    fn lengthen(&mut self, order: impl Iterator<Item = usize>) {
        let mut misses = 0;
        for index in order {
            let Some((level, cost)) = self.shown[index].filter(|(level, _)| *level > Level::Full) else { continue };
            if self.left == 0 || misses == MISSES_MAX {
                return;
            }
            let is_mandatory = self.fitting.candidates[index].is_mandatory();
            let share = if is_mandatory { u64::MAX } else { self.shares.left_for(index) };
            let most = cost.saturating_add(self.left.min(share));
            match self.costs.longest(index, [Level::Full, level], most) {
                Some((longer, more)) if longer < level => {
                    self.left += cost;
                    self.shown[index] = None;
                    // Shares are not given back: what was taken from one of them before stays taken.
                    self.shares.take(index, more.saturating_sub(cost));
                    self.show(index, longer, more);
                    misses = 0;
                }
                _ => misses += 1,
            }
        }
    }

    fn take(&mut self, index: usize, level: Level, cost: u64) {
        self.shares.take(index, cost);
        self.show(index, level, cost);
    }

    fn show(&mut self, index: usize, level: Level, cost: u64) {
        self.left -= cost;
        self.shown[index] = Some((level, cost));
        self.is_said[self.first_of[index]] = true;
    }

    /// Whether it may still be shown: it matters, and nothing that says the same is shown.
    fn is_open(&self, index: usize) -> bool {
        let is_mandatory = self.fitting.candidates[index].is_mandatory();
        let is_shown = self.shown[index].is_some() || self.is_said[self.first_of[index]];
        !is_mandatory && !is_shown && score(self.fitting.scores, index) > 0.0
    }

    /// Whether its shares are too small even for a line of it, so that its costs need not be asked.
    fn is_hopeless(&self, index: usize) -> bool {
        self.shares.too_small_for(index, self.least(index)).is_some()
    }

    /// About the least that it costs.
    fn least(&self, index: usize) -> u64 {
        self.fitting.candidates[index].prepared.tokens.clamp(1, AROUND_TOKENS)
    }

    /// The shortest length that is worth its tokens: only that there is a message says nothing.
    fn shortest(&self, index: usize) -> Level {
        match self.fitting.candidates[index].subject_type {
            SubjectType::Message | SubjectType::Summary => Level::OneLine,
            _ => Level::Handle,
        }
    }

    /// Puts what matters most for what it costs first; those that are worth the same stay as they are.
    fn sort_by_worth(&self, indexes: &mut [usize]) {
        let worth = |index: usize| {
            let tokens = self.fitting.candidates[index].prepared.tokens.saturating_add(AROUND_TOKENS);
            f64::from(score(self.fitting.scores, index)) / tokens as f64
        };
        indexes.sort_by(|left, right| worth(*right).partial_cmp(&worth(*left)).unwrap_or(Ordering::Equal));
    }

    fn why_not(&self, index: usize) -> LeftOut {
        let is_mandatory = self.fitting.candidates[index].is_mandatory();
        if self.is_said[self.first_of[index]] && !is_mandatory {
            LeftOut::Duplicate
        } else if !is_mandatory && score(self.fitting.scores, index) <= 0.0 {
            LeftOut::Irrelevant
        } else if let Some(refused) = self.refused[index] {
            refused
        } else if is_mandatory {
            LeftOut::NoRoom
        } else {
            self.shares.held_back(index, self.least(index)).unwrap_or(LeftOut::NoRoom)
        }
    }
}

/// Whether something was held back by a share.
pub(crate) fn is_share(reason: LeftOut) -> bool {
    matches!(reason, LeftOut::SenderQuota | LeftOut::ThreadQuota | LeftOut::TrustQuota)
}

/// For each candidate the end of the chain of those that say the same. A ring ends where it was entered.
pub(crate) fn firsts(duplicates: &[Option<usize>], count: usize) -> Vec<usize> {
    let next = |index: usize| duplicates.get(index).copied().flatten().filter(|next| *next < count);
    let mut firsts: Vec<Option<usize>> = vec![None; count];
    for start in 0..count {
        let (mut path, mut at) = (Vec::new(), start);
        while firsts[at].is_none() {
            firsts[at] = Some(at);
            path.push(at);
            at = next(at).unwrap_or(at);
        }
        let first = firsts[at];
        for index in path {
            firsts[index] = first;
        }
    }
    firsts.into_iter().enumerate().map(|(index, first)| first.unwrap_or(index)).collect()
}
