//! What was decided. Why something is left out is found out when it is asked: of most candidates nobody asks.

use parlour_core::context::{Level, OmissionReason};

use super::{Decision, Field, is_share, shares::Shares};

/// What became of each candidate.
pub struct Fitted<'a> {
    pub(super) field: &'a Field<'a>,
    /// What is shown, in the order in which it was taken.
    pub(super) shown: Vec<usize>,
    /// For each candidate its length, where it is shown.
    pub(super) levels: Vec<Option<Level>>,
    /// Why something was not taken when it was looked at.
    pub(super) refused: Vec<Option<OmissionReason>>,
    /// For the first of those that say the same: whether one of them is shown.
    pub(super) is_said: Vec<bool>,
    pub(super) shares: Shares<'a>,
    /// Who was held back by a share, once the room is offered to them that nobody else wants.
    pub(super) held: Option<Held<'a>>,
    pub(super) used: u64,
}

/// How things stood before those were asked that only their shares held back.
pub(super) struct Held<'a> {
    pub(super) shares: Shares<'a>,
    pub(super) refused: Vec<Option<OmissionReason>>,
    /// Whether some of them have got room then.
    pub(super) has_helped: bool,
}

impl Held<'_> {
    /// The share that held back a candidate that was not shown then.
    pub(super) fn by(&self, field: &Field<'_>, index: usize) -> Option<OmissionReason> {
        let by_share = || self.shares.held_back(index, field.least(index));
        self.refused[index].or_else(by_share).filter(|reason| is_share(*reason))
    }
}

impl Fitted<'_> {
    /// What became of one.
    pub fn decision(&self, index: usize) -> Decision {
        self.levels[index].map_or_else(|| Decision::OmissionReason(self.why_not(index)), Decision::Shown)
    }

    /// What is shown, in no order, with its lengths.
    pub fn shown(&self) -> impl Iterator<Item = (usize, Level)> {
        self.shown.iter().filter_map(|index| Some((*index, self.levels[*index]?)))
    }

    /// What those cost that are shown; never more than the room.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Why something is not shown.
    pub(crate) fn why_not(&self, index: usize) -> OmissionReason {
        if self.field.is_mandatory(index) {
            return self.refused[index].unwrap_or(OmissionReason::NoRoom);
        }
        if self.is_said[self.field.firsts[index]] {
            return OmissionReason::Duplicate;
        }
        if self.field.is_quoted(index) {
            return OmissionReason::Summarised;
        }
        if !self.field.matters(index) {
            return OmissionReason::Irrelevant;
        }
        match self.held.as_ref().and_then(|held| Some((held, held.by(self.field, index)?))) {
            // Where some of them have got room, the others are missing for want of it; otherwise their shares are the cause.
            Some((held, _)) if held.has_helped => OmissionReason::NoRoom,
            Some((_, share)) => share,
            None => {
                let by_share = || self.shares.held_back(index, self.field.least(index));
                self.refused[index].or_else(by_share).unwrap_or(OmissionReason::NoRoom)
            }
        }
    }

    /// Whether it may still be shown: it matters, nothing that says the same is shown, and no summary quotes it.
    pub(super) fn is_open(&self, index: usize) -> bool {
        let is_said = self.is_said[self.field.firsts[index]] || self.field.is_quoted(index);
        let is_shown = self.levels[index].is_some() || is_said;
        !is_shown && !self.field.is_mandatory(index) && self.field.matters(index)
    }

    pub(super) fn show(&mut self, index: usize, level: Level) {
        if self.levels[index].replace(level).is_none() {
            self.shown.push(index);
        }
        self.is_said[self.field.firsts[index]] = true;
    }
}
