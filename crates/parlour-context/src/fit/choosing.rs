//! The choice itself, in passes: what must be shown, what matters most, what matters much for what it costs, and then the
//! rest of the room.

use parlour_core::context::{Level, OmissionReason, Section, SubjectType};

use super::{
    Field, Fitted, Fitting,
    costs::Costs,
    field::List,
    fitted::Held,
    is_share,
    shares::{Shares, part},
};

/// The part of the room, in percent, that goes by score alone. The rest goes by score for what it costs.
const BY_SCORE_PERCENT: u64 = 60;
/// The part of the room, in percent, that one candidate may take before all others had their turn.
const ONE_PERCENT: u64 = 25;
/// What one candidate may take in any case: in little room what matters most must not give way to what is shorter.
const ONE_LEAST: u64 = 64;
/// What has more tokens comes in as an extract where the room goes by what things cost; it may grow later.
const LONG_TOKENS: u64 = 64;
/// What a card may take in any case: a line of it, however tokens are counted.
const CARD_LEAST: u64 = 96;
/// A pass ends when so many in a row did not fit: it is nearly full then, and costs are not asked for nothing.
const MISSES_MAX: usize = 16;

/// A choice that is being made.
pub(super) struct Choosing<'a, 'f> {
    field: &'a Field<'a>,
    fitting: &'f Fitting<'f>,
    costs: Costs<'f>,
    /// Tokens that are left.
    left: u64,
    fitted: Fitted<'a>,
}

/// What came of one candidate in a pass.
enum Placed {
    Shown,
    /// There is room for it, but not in its shares.
    OverShare,
    Refused,
}

impl<'a, 'f> Choosing<'a, 'f> {
    pub(super) fn new(field: &'a Field<'a>, fitting: &'f Fitting<'f>) -> Self {
        let count = field.candidates.len();
        let fitted = Fitted {
            field,
            shown: Vec::new(),
            levels: vec![None; count],
            refused: vec![None; count],
            is_said: vec![false; count],
            shares: Shares::new(&field.owners, fitting.room),
            held: None,
            used: 0,
        };
        Self { field, fitting, costs: Costs(fitting.cost), left: fitting.room, fitted }
    }

    /// Shows what must be shown, first as short as possible, then as long as possible. Answers whether all of it is.
    pub(super) fn show_mandatory(&mut self) -> bool {
        let mut is_all = true;
        for index in self.field.mandatory().iter().copied() {
            match self.costs.cheapest(index) {
                None => self.fitted.refused[index] = Some(OmissionReason::Empty),
                Some((level, cost)) if cost <= self.left => self.take(index, level, cost),
                // Nor is what matters less, even where it would fit: more room must never show less.
                Some(_) => is_all = false,
            }
            if !is_all {
                break;
            }
        }
        self.lengthen();
        is_all
    }

    /// Shows what stays as it was, up to the first for which there is no room.
    pub(super) fn show_kept(&mut self) {
        for (index, level) in self.fitting.kept.iter().copied() {
            let cost = self.costs.at(index, level).filter(|cost| *cost <= self.left);
            let Some(cost) = cost.filter(|_| self.fitted.levels[index].is_none()) else { return };
            self.take(index, level, cost);
        }
    }

    /// Shows the others, as far as they matter.
    pub(super) fn show_others(&mut self) {
        let field = self.field;
        let one_most = one_most(self.left);
        let keep = self.left - part(self.left, BY_SCORE_PERCENT);
        // Cards stand in every pack: of a long one a part is enough until the others had their turn.
        let is_card = |index: usize| {
            let candidate = field.candidates[index];
            !matches!(candidate.subject_type, SubjectType::Message | SubjectType::Summary)
                && candidate.section != Section::Task
        };
        let most = |index: usize| if is_card(index) { (one_most / 2).max(CARD_LEAST) } else { one_most };
        self.pass(field.list(List::Best), keep, |index| (Level::Full, most(index)));
        let longest = |index: usize| if field.tokens[index] > LONG_TOKENS { Level::Extract } else { Level::Full };
        self.pass(field.list(List::Worthiest), 0, |index| (longest(index), one_most));
        self.lengthen();
        // What is left is filled with the shortest.
        self.pass(field.list(List::Shortest), 0, |_| (Level::Full, u64::MAX));
        self.lengthen();
    }

    /// Offers what is left to those that only their shares held back: nobody else wants it.
    pub(super) fn show_held_back(&mut self) {
        let field = self.field;
        let (shares, refused) = (self.fitted.shares.clone(), self.fitted.refused.clone());
        let mut held = Held { shares, refused, has_helped: false };
        let is_any = held.shares.may_hold_back() || held.refused.iter().flatten().any(|reason| is_share(*reason));
        self.fitted.shares.lift();
        let one_most = one_most(self.left);
        let shown_before = self.fitted.shown.len();
        for most in [one_most, u64::MAX].into_iter().filter(|_| is_any) {
            let others = field.order[field.mandatory_len..].iter().copied();
            self.pass(others.filter(|index| held.by(field, *index).is_some()), 0, |_| (Level::Full, most));
        }
        self.lengthen();
        held.has_helped = self.fitted.shown.len() > shown_before;
        self.fitted.held = is_any.then_some(held);
    }

    /// What was decided.
    pub(super) fn finish(self) -> Fitted<'a> {
        Fitted { used: self.fitting.room - self.left, ..self.fitted }
    }

    /// Takes candidates in this order until no more than `keep` tokens are left, or too many in a row did not fit. What
    /// each may be and cost at most is said by `limit`.
    fn pass(&mut self, order: impl Iterator<Item = usize>, keep: u64, limit: impl Fn(usize) -> (Level, u64)) {
        self.fitted.shares.forget_misses();
        let mut misses = 0;
        for index in order {
            if self.left <= keep || misses == MISSES_MAX {
                return;
            }
            if !self.fitted.is_open(index) || self.is_hopeless(index) {
                continue;
            }
            let (longest, most) = limit(index);
            match self.place(index, longest, most) {
                Placed::Shown => misses = 0,
                Placed::OverShare => {}
                Placed::Refused => misses += 1,
            }
        }
    }

    /// Shows one candidate at the longest length that fits, if any does.
    fn place(&mut self, index: usize, longest: Level, most: u64) -> Placed {
        let levels = [longest, self.shortest(index)];
        let room = self.left.min(self.fitted.shares.left_for(index));
        if let Some((level, cost)) = self.costs.longest(index, levels, room.min(most)) {
            self.take(index, level, cost);
            return Placed::Shown;
        }
        let shortest = self.costs.cheapest_of(index, levels).map(|(_, cost)| cost);
        let over_share = shortest.filter(|cost| *cost <= self.left.min(most));
        let fitted = &mut self.fitted;
        if let Some(cost) = over_share {
            fitted.shares.miss(index, cost);
            fitted.refused[index] = fitted.shares.too_small_for(index, cost);
            return Placed::OverShare;
        }
        // What was held back when there was room for it is not missing for want of room.
        if !fitted.refused[index].is_some_and(is_share) {
            fitted.refused[index] =
                Some(if shortest.is_some() { OmissionReason::NoRoom } else { OmissionReason::Empty });
        }
        Placed::Refused
    }

    /// Makes what is shown longer, the most important first, as far as there is room. What stays stays as it is.
    fn lengthen(&mut self) {
        let can_grow = |(index, level): &(usize, Level)| {
            let stays = self.fitting.kept.contains(&(*index, *level)) && !self.field.is_mandatory(*index);
            *level > Level::Full && !stays
        };
        let mut short: Vec<(usize, Level)> = self.fitted.shown().filter(can_grow).collect();
        short.sort_unstable_by_key(|(index, _)| self.field.ranks[*index]);
        let mut misses = 0;
        for (index, level) in short {
            if self.left == 0 || misses == MISSES_MAX {
                return;
            }
            let cost = self.costs.at(index, level).unwrap_or_default();
            let share = if self.field.is_mandatory(index) { u64::MAX } else { self.fitted.shares.left_for(index) };
            let most = cost.saturating_add(self.left.min(share));
            match self.costs.longest(index, [Level::Full, level], most) {
                Some((longer, more)) if longer < level => {
                    self.left += cost;
                    // Shares are not given back: what was taken from one of them before stays taken.
                    self.fitted.shares.take(index, more.saturating_sub(cost));
                    self.show(index, longer, more);
                    misses = 0;
                }
                _ => misses += 1,
            }
        }
    }

    fn take(&mut self, index: usize, level: Level, cost: u64) {
        self.fitted.shares.take(index, cost);
        self.show(index, level, cost);
    }

    fn show(&mut self, index: usize, level: Level, cost: u64) {
        self.left -= cost;
        self.fitted.show(index, level);
    }

    /// Whether its shares are too small even for a line of it, so that its costs need not be asked.
    fn is_hopeless(&self, index: usize) -> bool {
        self.fitted.shares.too_small_for(index, self.field.least(index)).is_some()
    }

    /// The shortest length that is worth its tokens: only that there is a message says nothing.
    fn shortest(&self, index: usize) -> Level {
        match self.field.candidates[index].subject_type {
            SubjectType::Message | SubjectType::Summary => Level::OneLine,
            _ => Level::Handle,
        }
    }
}

/// What one candidate may take before all others had their turn.
fn one_most(room: u64) -> u64 {
    part(room, ONE_PERCENT).max(ONE_LEAST)
}
