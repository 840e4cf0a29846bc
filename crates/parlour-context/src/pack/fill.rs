//! Uses what is left of the budget: longer texts, more candidates, and better ones in exchange. `Decisions` records
//! what is shown and why the rest is not.

use std::cell::Cell;

use parlour_core::context::{Level, OmissionReason};

use super::{Selection, cost, sheet::PackSheet, workspace::PackWorkspace};
use crate::{
    fit::{self, Decision, FitPlan},
    level::LEVELS,
};

/// A pack with no more than this percentage left is full.
const LEFT_PERCENT: u64 = 1;
/// Failed changes after which filling ends.
const FAILURES_MAX: usize = 24;
/// Candidates whose costs are computed in one search, and how many of them may be shortened.
const ASKED_MAX: usize = 48;
const SHORTENED_MAX: usize = 12;
/// Candidates that may be replaced by a better fit, the least important first.
const SWAPPED_MAX: usize = 6;
/// A candidate may replace a better one only because it is longer if its score is at least this percentage.
const SWAPPED_PERCENT: f32 = 70.0;
/// The same at the end, when more than this percentage of the budget is left.
const SWAPPED_AT_LAST_PERCENT: f32 = 90.0;
const MUCH_LEFT_PERCENT: u64 = 3;

/// Uses the rest of the budget.
pub(super) fn fill<'a>(workspace: &'a PackWorkspace<'a>, choice: Selection<'a>, budget: u64) -> Selection<'a> {
    let mut filler =
        Filler { workspace, budget, choice, is_said: vec![false; workspace.candidates.len()], failures: 0 };
    filler.say(true);
    filler.lengthen();
    filler.add(|reason| reason == OmissionReason::NoRoom);
    filler.add(fit::is_share);
    filler.swap(SWAPPED_PERCENT);
    if filler.exchange() {
        // Shorter replacements have freed some tokens.
        filler.failures = 0;
        filler.lengthen();
        filler.add(|reason| reason == OmissionReason::NoRoom);
        if filler.left() * 100 > budget * MUCH_LEFT_PERCENT {
            filler.swap(SWAPPED_AT_LAST_PERCENT);
        }
    }
    filler.choice
}

struct Filler<'a> {
    workspace: &'a PackWorkspace<'a>,
    budget: u64,
    choice: Selection<'a>,
    /// By first duplicate: whether one of the duplicates is shown.
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

    /// Lengthens shown texts, the most important first. Retained items do not change.
    fn lengthen(&mut self) {
        for (index, level) in self.choice.decisions.shown_by_rank() {
            let is_kept = self.workspace.is_kept(self.choice.form, index);
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

    /// Adds omitted candidates, the most important first.
    fn add(&mut self, is_reason: impl Fn(OmissionReason) -> bool) {
        let (mut asked, mut shortened) = (0, 0);
        let ranked = &self.workspace.ranked;
        for index in ranked.order.iter().copied() {
            if self.is_done() || asked >= ASKED_MAX {
                return;
            }
            let is_short = ranked.tokens[index] <= self.left();
            if !is_short && shortened >= SHORTENED_MAX || !self.is_open(index, &is_reason) {
                continue;
            }
            if is_short {
                asked += 1;
                self.add_at(index, &[Level::Full], 0);
            }
            // While nothing is shown, a shortened text is better than none.
            if !is_short || self.choice.sheet.shown.is_empty() {
                shortened += 1;
                self.add_at(index, &[Level::HeadTail, Level::Extract, Level::OneLine], 0);
            }
        }
    }

    /// Shows a candidate at the first level that fits and costs at least `least`.
    fn add_at(&mut self, index: usize, levels: &[Level], least: u64) -> bool {
        for level in levels {
            let is_near = |cost: &u64| *cost <= self.left() && *cost >= least;
            if self.cost(index, *level).filter(is_near).is_some() && self.change(&[(index, Decision::Shown(*level))]) {
                return true;
            }
        }
        false
    }

    /// Shown candidates that may be dropped, the least important first.
    fn weakest(&self) -> Vec<usize> {
        let (workspace, form) = (self.workspace, self.choice.form);
        let can_go = |index: &usize| !workspace.is_kept(form, *index) && !workspace.ranked.is_mandatory(*index);
        let shown = self.choice.decisions.shown_by_rank();
        shown.into_iter().rev().map(|(index, _)| index).filter(can_go).collect()
    }

    /// Replaces unimportant candidates by longer ones that fit better and have at least this percentage of their score.
    fn swap(&mut self, percent: f32) {
        for index in self.weakest().into_iter().take(SWAPPED_MAX) {
            if self.is_done() {
                return;
            }
            self.swap_one(index, percent);
        }
    }

    fn swap_one(&mut self, out: usize, percent: f32) {
        let workspace = self.workspace;
        let Some(level) = self.choice.decisions.level(out) else { return };
        let freed = self.cost(out, level).unwrap_or(0);
        let (least, most) = (freed + self.left().div_ceil(2), freed + self.left());
        let mut asked = 0;
        for index in workspace.ranked.order.iter().copied() {
            let tokens = workspace.ranked.tokens[index];
            // All following candidates have lower scores.
            if workspace.ranked.scores[index] * 100.0 < workspace.ranked.scores[out] * percent {
                return;
            }
            // A rough check first: tokenizers differ by less than a factor of two.
            let is_near = tokens <= most && tokens.saturating_mul(2) + 8 >= least;
            if !is_near || !self.is_open(index, &|reason| reason == OmissionReason::NoRoom || fit::is_share(reason)) {
                continue;
            }
            if asked >= ASKED_MAX || self.is_done() {
                return;
            }
            asked += 1;
            let fits = self.cost(index, Level::Full).is_some_and(|cost| (least..=most).contains(&cost));
            let change = [(out, Decision::Omitted(OmissionReason::NoRoom)), (index, Decision::Shown(Level::Full))];
            if fits && self.change(&change) {
                return;
            }
        }
    }

    /// Replaces less important candidates by more important ones that fit in their place. Returns whether anything
    /// changed.
    fn exchange(&mut self) -> bool {
        let workspace = self.workspace;
        let weakest = self.weakest();
        let (mut asked, mut has_changed) = (0, false);
        for index in workspace.ranked.order.iter().copied() {
            let score = workspace.ranked.scores[index];
            let is_weaker = |out: &usize| workspace.ranked.scores[*out] < score;
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
                let change = [(out, Decision::Omitted(OmissionReason::NoRoom)), (index, Decision::Shown(Level::Full))];
                has_changed |= self.change_if(&change, |_, _| true);
            }
        }
        has_changed
    }

    /// Makes a change if it uses more of the budget without exceeding it.
    fn change(&mut self, changes: &[(usize, Decision)]) -> bool {
        self.change_if(changes, |before, after| after > before)
    }

    /// Makes a change if it stays within the budget and `is_right` accepts the cost before and after.
    fn change_if(&mut self, changes: &[(usize, Decision)], is_right: impl Fn(u64, u64) -> bool) -> bool {
        let decisions = &mut self.choice.decisions;
        let before: Vec<_> =
            changes.iter().map(|(index, decision)| (*index, decisions.set(*index, *decision))).collect();
        let sheet = PackSheet::of(self.workspace, self.choice.form, decisions.shown());
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

    /// Whether an omitted candidate may be shown: it matters, and neither a duplicate nor a summary shows it.
    fn is_open(&self, index: usize, is_reason: &dyn Fn(OmissionReason) -> bool) -> bool {
        let ranked = &self.workspace.ranked;
        let is_left_out = || matches!(self.choice.decisions.get(index), Decision::Omitted(reason) if is_reason(reason));
        let is_said = || self.is_said[ranked.firsts[index]] || ranked.is_quoted(index);
        ranked.scores[index] > 0.0 && !is_said() && is_left_out()
    }

    /// Marks the shown texts as said or not said.
    fn say(&mut self, is_said: bool) {
        for (index, _) in &self.choice.sheet.shown {
            self.is_said[self.workspace.ranked.firsts[*index]] = is_said;
        }
    }

    fn cost(&self, index: usize, level: Level) -> Option<u64> {
        cost(self.workspace, self.choice.form, index, level)
    }
}

/// The current decision on each candidate: a fit plan and changes to it.
pub(super) struct Decisions<'a> {
    workspace: &'a PackWorkspace<'a>,
    /// Gives the reasons of omissions; without it everything is omitted for lack of room.
    fitted: Option<FitPlan<'a>>,
    /// Shown candidates, and candidates omitted later.
    settled: Vec<Option<Decision>>,
    /// Cached reasons.
    known: Vec<Cell<Option<OmissionReason>>>,
    shown: Vec<usize>,
}

impl<'a> Decisions<'a> {
    /// Shows these candidates and nothing else.
    pub(super) fn only(workspace: &'a PackWorkspace<'a>, shown: &[(usize, Level)]) -> Self {
        let count = workspace.candidates.len();
        let (settled, known) = (vec![None; count], vec![Cell::new(None); count]);
        let mut decisions = Self { workspace, fitted: None, settled, known, shown: Vec::new() };
        for (index, level) in shown {
            decisions.set(*index, Decision::Shown(*level));
        }
        decisions
    }

    /// The decisions of a fit plan.
    pub(super) fn of(workspace: &'a PackWorkspace<'a>, fitted: FitPlan<'a>) -> Self {
        let shown: Vec<(usize, Level)> = fitted.shown().collect();
        Self { fitted: Some(fitted), ..Self::only(workspace, &shown) }
    }

    pub(super) fn get(&self, index: usize) -> Decision {
        self.settled[index].unwrap_or_else(|| Decision::Omitted(self.why_not(index)))
    }

    /// The level of a shown candidate.
    pub(super) fn level(&self, index: usize) -> Option<Level> {
        match self.settled[index] {
            Some(Decision::Shown(level)) => Some(level),
            _ => None,
        }
    }

    /// Changes a decision and returns the previous one for `put_back`.
    pub(super) fn set(&mut self, index: usize, decision: Decision) -> Option<Decision> {
        self.put_back(index, Some(decision))
    }

    /// Restores a decision.
    pub(super) fn put_back(&mut self, index: usize, settled: Option<Decision>) -> Option<Decision> {
        let was_shown = self.level(index).is_some();
        let before = std::mem::replace(&mut self.settled[index], settled);
        match (was_shown, self.level(index).is_some()) {
            (false, true) => self.shown.push(index),
            (true, false) => self.shown.retain(|shown| *shown != index),
            _ => {}
        }
        before
    }

    /// In no particular order.
    pub(super) fn shown(&self) -> Vec<(usize, Level)> {
        self.shown.iter().filter_map(|index| Some((*index, self.level(*index)?))).collect()
    }

    /// The most important first.
    pub(super) fn shown_by_rank(&self) -> Vec<(usize, Level)> {
        let mut shown = self.shown();
        shown.sort_unstable_by_key(|(index, _)| self.workspace.ranked.ranks[*index]);
        shown
    }

    /// Whether nothing is omitted for lack of room.
    pub(super) fn are_all(&self) -> bool {
        // The cheap check first.
        let is_left_out = |index: usize| {
            self.settled[index].is_none()
                && self.fitted.as_ref().is_none_or(|fitted| fitted.why_not(index) == OmissionReason::NoRoom)
        };
        let order = self.workspace.ranked.order.iter().copied();
        !order
            .filter(|index| is_left_out(*index))
            .any(|index| self.get(index) == Decision::Omitted(OmissionReason::NoRoom))
    }

    fn why_not(&self, index: usize) -> OmissionReason {
        let known = &self.known[index];
        known.get().unwrap_or_else(|| {
            let reason = self.find_why_not(index);
            known.set(Some(reason));
            reason
        })
    }

    fn find_why_not(&self, index: usize) -> OmissionReason {
        match &self.fitted {
            None => OmissionReason::NoRoom,
            Some(_) if !self.workspace.has_place_for(index) => OmissionReason::Irrelevant,
            Some(_) if self.workspace.is_empty(index) => OmissionReason::Empty,
            Some(fitted) => fitted.why_not(index),
        }
    }
}
