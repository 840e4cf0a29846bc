//! Which candidates are shown, and at which length: chosen by estimates, then counted and corrected until all of it fits.

use parlour_core::context::{LeftOut, Level};

use super::{
    TooSmall,
    desk::Desk,
    layout::{self, Sheet},
};
use crate::fit::{self, Decision, Fitting};

/// How often room is corrected by what a choice really costs.
const ROUNDS_MAX: usize = 4;
/// From this share of the budget on, in percent, a pack is full enough.
const FULL_PERCENT: u64 = 99;
/// The lengths, the longest first.
pub(super) const LEVELS: [Level; 5] = [Level::Full, Level::HeadTail, Level::Extract, Level::OneLine, Level::Handle];

/// What was chosen, as it is written.
pub(super) struct Choice {
    pub(super) decisions: Vec<Decision>,
    pub(super) sheet: Sheet,
}

/// Chooses what fits into so many tokens.
pub(super) fn choose(desk: &Desk<'_>, budget: u64) -> Result<Choice, TooSmall> {
    let frame = written(desk, vec![Decision::LeftOut(LeftOut::NoRoom); desk.candidates.len()]).sheet.total;
    let mut room = budget.saturating_sub(frame);
    let mut best: Option<Choice> = None;
    for _ in 0..ROUNDS_MAX {
        let choice = written(desk, fitted(desk, room));
        let total = choice.sheet.total;
        let is_better = best.as_ref().is_none_or(|best| {
            let (was, is) = (best.sheet.total, total);
            if was > budget { is < was } else { is <= budget && is > was }
        });
        let is_all = choice.decisions.iter().all(|decision| *decision != Decision::LeftOut(LeftOut::NoRoom));
        if is_better {
            best = Some(choice);
        }
        if total <= budget && (is_all || total * 100 >= budget * FULL_PERCENT) {
            break;
        }
        room = if total > budget { room.saturating_sub(total - budget) } else { room + (budget - total) };
    }
    let choice = best.unwrap_or_else(|| written(desk, Vec::new()));
    shrink(desk, choice, budget)
}

/// Makes a choice smaller until it fits: what matters least goes first, and what must be shown becomes shorter.
pub(super) fn shrink(desk: &Desk<'_>, mut choice: Choice, budget: u64) -> Result<Choice, TooSmall> {
    while choice.sheet.total > budget {
        let over = choice.sheet.total - budget;
        let mut decisions = choice.decisions;
        if !give_up(desk, &mut decisions, &choice.sheet, over) && !shorten(desk, &mut decisions) {
            return Err(TooSmall::Budget { budget: desk.wish.budget, needed: choice.sheet.total });
        }
        choice = written(desk, decisions);
    }
    Ok(choice)
}

/// Leaves out what matters least, as much of it as is too much.
fn give_up(desk: &Desk<'_>, decisions: &mut [Decision], sheet: &Sheet, over: u64) -> bool {
    let mut freed = 0;
    for index in desk.order.iter().rev().filter(|index| !desk.candidates[**index].is_mandatory()) {
        if freed >= over {
            break;
        }
        if matches!(decisions[*index], Decision::Shown(_)) {
            decisions[*index] = Decision::LeftOut(LeftOut::NoRoom);
            freed += sheet.shown.iter().find(|(shown, _)| shown == index).map_or(1, |(_, tokens)| *tokens).max(1);
        }
    }
    freed > 0
}

/// Makes one text that must be shown shorter, of those that can be the least important.
fn shorten(desk: &Desk<'_>, decisions: &mut [Decision]) -> bool {
    for index in desk.order.iter().rev() {
        let Decision::Shown(level) = decisions[*index] else { continue };
        let shorter = LEVELS.into_iter().find(|next| *next > level && desk.text(*index, *next).is_some());
        if let Some(shorter) = shorter {
            decisions[*index] = Decision::Shown(shorter);
            return true;
        }
    }
    false
}

/// A choice as it is written.
pub(super) fn written(desk: &Desk<'_>, decisions: Vec<Decision>) -> Choice {
    let order = layout::order(desk, &decisions);
    let sheet = layout::sheet(desk, &decisions, &order);
    Choice { decisions, sheet }
}

/// What is chosen for so much room; what must be shown is always among it.
fn fitted(desk: &Desk<'_>, room: u64) -> Vec<Decision> {
    let cost = |index: usize, level: Level| cost(desk, index, level);
    let mut decisions = fit::fit(&Fitting {
        candidates: desk.candidates,
        scores: &desk.scores,
        duplicates: &desk.duplicates,
        room,
        quotas: &desk.wish.rules.quotas,
        cost: &cost,
    });
    for (index, decision) in decisions.iter_mut().enumerate() {
        if !desk.has_place_for(index) {
            *decision = Decision::LeftOut(LeftOut::Irrelevant);
        } else if desk.is_empty(index) {
            *decision = Decision::LeftOut(LeftOut::Empty);
        } else if desk.candidates[index].is_mandatory() && !matches!(decision, Decision::Shown(_)) {
            let longest = LEVELS.into_iter().find(|level| desk.text(index, *level).is_some());
            *decision = Decision::Shown(longest.unwrap_or(Level::Full));
        }
    }
    decisions
}

/// What a candidate costs at a length, as far as it does not depend on what else is shown.
fn cost(desk: &Desk<'_>, index: usize, level: Level) -> Option<u64> {
    if !desk.has_place_for(index) || desk.is_empty(index) {
        return None;
    }
    layout::cost(desk, index, level)
}
