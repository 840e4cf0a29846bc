//! The last step: what is left of the budget is used, by longer texts, by more of them, and by others that fit better.

use parlour_core::context::{Level, OmissionReason};

use super::{
    choose::{Choice, cost},
    desk::Desk,
    sheet::Sheet,
};
use crate::{
    fit::{self, Decision},
    level::LEVELS,
};

/// A pack of which no more than this is left, in percent, is full.
const LEFT_PERCENT: u64 = 1;
/// Changes that may fail before it ends.
const FAILURES_MAX: usize = 24;
/// Candidates whose costs are asked in one search, and of them those that would have to be shortened.
const ASKED_MAX: usize = 48;
const SHORTENED_MAX: usize = 12;
/// Those that may make room for a better fit, the least important first.
const SWAPPED_MAX: usize = 6;
/// What takes the place of another one only because it is longer has at least this part of its score, in percent.
const SWAPPED_PERCENT: f32 = 70.0;

/// Uses what is left of the budget, as far as there is enough to say.
pub(super) fn fill<'a>(desk: &'a Desk<'a>, choice: Choice<'a>, budget: u64) -> Choice<'a> {
    let mut filler = Filler { desk, budget, choice, is_said: vec![false; desk.candidates.len()], failures: 0 };
    filler.say(true);
    filler.lengthen();
    filler.add(|reason| reason == OmissionReason::NoRoom);
    filler.add(fit::is_share);
    filler.swap();
    if filler.exchange() {
        // What is shorter has left some room.
        filler.failures = 0;
        filler.lengthen();
        filler.add(|reason| reason == OmissionReason::NoRoom);
    }
    filler.choice
}

struct Filler<'a> {
    desk: &'a Desk<'a>,
    budget: u64,
    choice: Choice<'a>,
    /// For the first of those that say the same: whether one of them is shown.
    is_said: Vec<bool>,
    failures: usize,
}

impl Filler<'_> {
    fn left(&self) -> u64 {
        self.budget.saturating_sub(self.choice.sheet.total)
    }

    fn is_done(&self) -> bool {
        self.left() * 100 <= self.budget * LEFT_PERCENT || self.failures >= FAILURES_MAX
    }

    /// Makes what is shown longer, the most important first. What stays stays as it is.
    fn lengthen(&mut self) {
        for (index, level) in self.choice.decisions.shown_by_rank() {
            let is_kept = self.desk.is_kept(self.choice.form, index);
            if level > Level::Full && !is_kept && !self.is_done() {
                self.lengthen_one(index, level);
            }
        }
    }

    fn lengthen_one(&mut self, index: usize, level: Level) {
        let now = self.cost(index, level).unwrap_or(0);
        for longer in LEVELS.into_iter().filter(|longer| *longer < level) {
            let fits = self.cost(index, longer).is_some_and(|cost| cost <= now + self.left());
            if fits && self.change(&[(index, Decision::Shown(longer))]) {
                return;
            }
        }
    }

    /// Adds what was left out for such a reason, the most important first.
    fn add(&mut self, is_reason: impl Fn(OmissionReason) -> bool) {
        let (mut asked, mut shortened) = (0, 0);
        let field = &self.desk.field;
        for index in field.order.iter().copied() {
            if self.is_done() || asked >= ASKED_MAX {
                return;
            }
            let is_short = field.tokens[index] <= self.left();
            if !is_short && shortened >= SHORTENED_MAX || !self.is_open(index, &is_reason) {
                continue;
            }
            if is_short {
                asked += 1;
                self.add_at(index, &[Level::Full], 0);
            }
            // While nothing is shown, some of it is better than none.
            if !is_short || self.choice.sheet.shown.is_empty() {
                shortened += 1;
                self.add_at(index, &[Level::HeadTail, Level::Extract, Level::OneLine], 0);
            }
        }
    }

    /// Shows a candidate at the first of these lengths that fits and costs at least so much.
    fn add_at(&mut self, index: usize, levels: &[Level], least: u64) -> bool {
        for level in levels {
            let is_near = |cost: &u64| *cost <= self.left() && *cost >= least;
            if self.cost(index, *level).filter(is_near).is_some() && self.change(&[(index, Decision::Shown(*level))]) {
                return true;
            }
        }
        false
    }

    /// What is shown and may give way, the least important first.
    fn weakest(&self) -> Vec<usize> {
        let (desk, form) = (self.desk, self.choice.form);
        let can_go = |index: &usize| !desk.is_kept(form, *index) && !desk.field.is_mandatory(*index);
        let shown = self.choice.decisions.shown_by_rank();
        shown.into_iter().rev().map(|(index, _)| index).filter(can_go).collect()
    }

    /// Puts a longer one in the place of one of the least important.
    fn swap(&mut self) {
        for index in self.weakest().into_iter().take(SWAPPED_MAX) {
            if self.is_done() {
                return;
            }
            self.swap_one(index);
        }
    }

    fn swap_one(&mut self, out: usize) {
        let desk = self.desk;
        let Some(level) = self.choice.decisions.level(out) else { return };
        let freed = self.cost(out, level).unwrap_or(0);
        let (least, most) = (freed + self.left().div_ceil(2), freed + self.left());
        let mut asked = 0;
        for index in desk.field.order.iter().copied() {
            let tokens = desk.field.tokens[index];
            // All that follow matter less.
            if desk.field.scores[index] * 100.0 < desk.field.scores[out] * SWAPPED_PERCENT {
                return;
            }
            // A rough look first: tables differ by less than twice, and little is written around a text.
            let is_near = tokens <= most && tokens.saturating_mul(2) + 8 >= least;
            if !is_near || !self.is_open(index, &|reason| reason == OmissionReason::NoRoom || fit::is_share(reason)) {
                continue;
            }
            if asked >= ASKED_MAX || self.is_done() {
                return;
            }
            asked += 1;
            let fits = self.cost(index, Level::Full).is_some_and(|cost| (least..=most).contains(&cost));
            let change =
                [(out, Decision::OmissionReason(OmissionReason::NoRoom)), (index, Decision::Shown(Level::Full))];
            if fits && self.change(&change) {
                return;
            }
        }
    }

    /// Puts what matters more in the place of what matters less, where it fits there: nothing is left out for want of
    /// room while something less important has that room.
    /// Answers whether anything was exchanged.
    fn exchange(&mut self) -> bool {
        let desk = self.desk;
        let weakest = self.weakest();
        let (mut asked, mut has_changed) = (0, false);
        for index in desk.field.order.iter().copied() {
            let score = desk.field.scores[index];
            let is_weaker = |out: &usize| desk.field.scores[*out] < score;
            if asked >= ASKED_MAX || !weakest.first().is_some_and(is_weaker) {
                break;
            }
            if !self.is_open(index, &|reason| reason == OmissionReason::NoRoom) {
                continue;
            }
            asked += 1;
            let Some(cost) = self.cost(index, Level::Full) else { continue };
            let has_room = |out: &usize| {
                let level = self.choice.decisions.level(*out);
                level.and_then(|level| self.cost(*out, level)).is_some_and(|freed| freed + self.left() >= cost)
            };
            let out = weakest.iter().copied().filter(is_weaker).take(SWAPPED_MAX).find(has_room);
            if let Some(out) = out {
                let change =
                    [(out, Decision::OmissionReason(OmissionReason::NoRoom)), (index, Decision::Shown(Level::Full))];
                has_changed |= self.change_if(&change, |_, _| true);
            }
        }
        has_changed
    }

    /// Makes a change if more of the budget is used by it, and no more than there is.
    fn change(&mut self, changes: &[(usize, Decision)]) -> bool {
        self.change_if(changes, |before, after| after > before)
    }

    /// Makes a change if no more is used by it than there is, and what was used before and would be then is right.
    fn change_if(&mut self, changes: &[(usize, Decision)], is_right: impl Fn(u64, u64) -> bool) -> bool {
        let decisions = &mut self.choice.decisions;
        let before: Vec<_> =
            changes.iter().map(|(index, decision)| (*index, decisions.set(*index, *decision))).collect();
        let sheet = Sheet::of(self.desk, self.choice.form, decisions.shown());
        let is_better = sheet.total <= self.budget && is_right(self.choice.sheet.total, sheet.total);
        if is_better {
            self.say(false);
            self.choice.sheet = sheet;
            self.say(true);
        } else {
            for (index, settled) in before {
                decisions.put_back(index, settled);
            }
            self.failures += 1;
        }
        is_better
    }

    /// Whether it may be shown: it matters, was left out for such a reason, and nothing that says the same is shown.
    fn is_open(&self, index: usize, is_reason: &dyn Fn(OmissionReason) -> bool) -> bool {
        let field = &self.desk.field;
        let is_left_out =
            || matches!(self.choice.decisions.get(index), Decision::OmissionReason(reason) if is_reason(reason));
        let is_said = || self.is_said[field.firsts[index]] || field.is_quoted(index);
        field.scores[index] > 0.0 && !is_said() && is_left_out()
    }

    /// Remembers what the sheet says, or forgets it.
    fn say(&mut self, is_said: bool) {
        for (index, _) in &self.choice.sheet.shown {
            self.is_said[self.desk.field.firsts[*index]] = is_said;
        }
    }

    fn cost(&self, index: usize, level: Level) -> Option<u64> {
        cost(self.desk, self.choice.form, index, level)
    }
}
