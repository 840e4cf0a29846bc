//! What becomes of each candidate, while a pack is being made.

use std::cell::Cell;

use parlour_core::context::{Level, OmissionReason};

use super::desk::Desk;
use crate::fit::{Decision, Fitted};

/// What was decided so far: by a fitting, and by changes to it.
pub(super) struct Decisions<'a> {
    desk: &'a Desk<'a>,
    /// Says why something is left out; without it there is no room for anything.
    fitted: Option<Fitted<'a>>,
    /// What is shown, and what was left out afterwards.
    settled: Vec<Option<Decision>>,
    /// Why those are left out of which it was asked.
    known: Vec<Cell<Option<OmissionReason>>>,
    shown: Vec<usize>,
}

impl<'a> Decisions<'a> {
    /// These are shown and nothing else.
    pub(super) fn only(desk: &'a Desk<'a>, shown: &[(usize, Level)]) -> Self {
        let count = desk.candidates.len();
        let (settled, known) = (vec![None; count], vec![Cell::new(None); count]);
        let mut decisions = Self { desk, fitted: None, settled, known, shown: Vec::new() };
        for (index, level) in shown {
            decisions.set(*index, Decision::Shown(*level));
        }
        decisions
    }

    /// What a fitting decided.
    pub(super) fn of(desk: &'a Desk<'a>, fitted: Fitted<'a>) -> Self {
        let shown: Vec<(usize, Level)> = fitted.shown().collect();
        Self { fitted: Some(fitted), ..Self::only(desk, &shown) }
    }

    pub(super) fn get(&self, index: usize) -> Decision {
        self.settled[index].unwrap_or_else(|| Decision::OmissionReason(self.why_not(index)))
    }

    /// The length of a candidate that is shown.
    pub(super) fn level(&self, index: usize) -> Option<Level> {
        match self.settled[index] {
            Some(Decision::Shown(level)) => Some(level),
            _ => None,
        }
    }

    /// Changes one of them, and answers what it takes to change it back.
    pub(super) fn set(&mut self, index: usize, decision: Decision) -> Option<Decision> {
        self.put_back(index, Some(decision))
    }

    /// Changes one of them back.
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

    /// What is shown, in no order, with its lengths.
    pub(super) fn shown(&self) -> Vec<(usize, Level)> {
        self.shown.iter().filter_map(|index| Some((*index, self.level(*index)?))).collect()
    }

    /// The same, the most important first.
    pub(super) fn shown_by_rank(&self) -> Vec<(usize, Level)> {
        let mut shown = self.shown();
        shown.sort_unstable_by_key(|(index, _)| self.desk.field.ranks[*index]);
        shown
    }

    /// Whether nothing is left out for want of room.
    pub(super) fn are_all(&self) -> bool {
        // The first question is the cheapest by far, and most are left out for another reason or all for this one.
        let is_left_out = |index: usize| {
            self.settled[index].is_none()
                && self.fitted.as_ref().is_none_or(|fitted| fitted.why_not(index) == OmissionReason::NoRoom)
        };
        let order = self.desk.field.order.iter().copied();
        !order
            .filter(|index| is_left_out(*index))
            .any(|index| self.get(index) == Decision::OmissionReason(OmissionReason::NoRoom))
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
            Some(_) if !self.desk.has_place_for(index) => OmissionReason::Irrelevant,
            Some(_) if self.desk.is_empty(index) => OmissionReason::Empty,
            Some(fitted) => fitted.why_not(index),
        }
    }
}
