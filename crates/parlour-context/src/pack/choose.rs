//! Which candidates are shown, and at which length: chosen by estimates, then counted and corrected until all of it fits
//! and the room is used.

use parlour_core::context::{LeftOut, Level, SubjectType};

use super::{
    TooSmall,
    desk::{Desk, Form},
    fill,
    layout::{self, Sheet},
};
use crate::{
    fit::{self, Decision, Fitting},
    level::LEVELS,
};

/// How often room is corrected by what a choice really costs.
const ROUNDS_MAX: usize = 3;
/// A choice of so much of the budget, in percent, is near enough: single texts make up for the rest.
const NEAR_PERCENT: std::ops::RangeInclusive<u64> = 93..=104;
/// Below this many tokens everything is left out that can be done without.
const TERSE_BELOW_TOKENS: u64 = 160;

/// What was chosen, as it is written.
pub(super) struct Choice {
    pub(super) form: Form,
    pub(super) decisions: Vec<Decision>,
    pub(super) sheet: Sheet,
}

/// Chooses what fits into so many tokens.
pub(super) fn choose(desk: &Desk<'_>, budget: u64) -> Result<Choice, TooSmall> {
    let usual = Form::default();
    if budget >= TERSE_BELOW_TOKENS && least(desk, usual).sheet.total <= budget {
        let fresh = chosen(desk, usual, budget);
        return Ok(super::renewal::after_previous(desk, fresh, budget));
    }
    let terse = Form { is_terse: true, ..usual };
    let needed = least(desk, terse).sheet.total;
    if needed > budget {
        return Err(TooSmall::Budget { budget: desk.wish.budget, needed: needed.max(desk.wish.budget + 1) });
    }
    Ok(chosen(desk, terse, budget))
}

/// Chooses in this form, where at least what must be shown fits.
pub(super) fn chosen(desk: &Desk<'_>, form: Form, budget: u64) -> Choice {
    let nothing = written(desk, form, vec![Decision::LeftOut(LeftOut::NoRoom); desk.candidates.len()]);
    let mut room = budget.saturating_sub(nothing.sheet.total);
    let mut best = nothing;
    for _ in 0..ROUNDS_MAX {
        best = written(desk, form, fitted(desk, form, room));
        let total = best.sheet.total;
        let is_all = best.decisions.iter().all(|decision| *decision != Decision::LeftOut(LeftOut::NoRoom));
        let is_near = NEAR_PERCENT.contains(&(total * 100 / budget.max(1)));
        if is_near || is_all && total <= budget {
            break;
        }
        room = if total > budget { room.saturating_sub(total - budget) } else { room + (budget - total) };
    }
    fill::fill(desk, shrunk(desk, best, budget), budget)
}

/// Makes a choice smaller until it fits: what matters least goes first, and what must be shown becomes shorter.
fn shrunk(desk: &Desk<'_>, mut choice: Choice, budget: u64) -> Choice {
    while choice.sheet.total > budget {
        let over = choice.sheet.total - budget;
        let (form, mut decisions) = (choice.form, choice.decisions);
        if !give_up(desk, form, &mut decisions, &choice.sheet, over) && !shorten(desk, form, &mut decisions) {
            return least(desk, form);
        }
        choice = written(desk, form, decisions);
    }
    choice
}

/// Leaves out what matters least, as much of it as is too much; what stays only when nothing else is left, and from its
/// end.
fn give_up(desk: &Desk<'_>, form: Form, decisions: &mut [Decision], sheet: &Sheet, over: u64) -> bool {
    let kept = desk.kept_places(form);
    let can_go = |index: &usize| !desk.candidates[*index].is_mandatory();
    // A summary stands for many: it goes after single messages.
    let is_summary = |index: &usize| desk.candidates[*index].subject_type == SubjectType::Summary;
    let others = || desk.order.iter().rev().copied().filter(|index| !kept.contains(index));
    let others = others().filter(|index| !is_summary(index)).chain(others().filter(is_summary));
    let staying = desk.kept(form).iter().rev().map(|stay| stay.index);
    let mut freed = 0;
    for index in others.chain(staying).filter(can_go) {
        if freed >= over {
            break;
        }
        if matches!(decisions[index], Decision::Shown(_)) {
            decisions[index] = Decision::LeftOut(LeftOut::NoRoom);
            freed += sheet.shown.iter().find(|(shown, _)| *shown == index).map_or(1, |(_, tokens)| *tokens).max(1);
        }
    }
    freed > 0
}

/// Makes one text that must be shown shorter, of those that can be the least important.
fn shorten(desk: &Desk<'_>, form: Form, decisions: &mut [Decision]) -> bool {
    for index in desk.order.iter().rev() {
        let Decision::Shown(level) = decisions[*index] else { continue };
        let shorter = LEVELS.into_iter().find(|next| *next > level && desk.text(form, *index, *next).is_some());
        if let Some(shorter) = shorter {
            decisions[*index] = Decision::Shown(shorter);
            return true;
        }
    }
    false
}

/// What must be shown and nothing else, each as short as it can be: no pack of this form is smaller.
fn least(desk: &Desk<'_>, form: Form) -> Choice {
    let mut decisions = vec![Decision::LeftOut(LeftOut::NoRoom); desk.candidates.len()];
    for index in desk.order.iter().copied().take_while(|index| desk.candidates[*index].is_mandatory()) {
        let costs = LEVELS.into_iter().filter_map(|level| Some((level, cost(desk, form, index, level)?)));
        if let Some((level, _)) = costs.min_by_key(|(_, cost)| *cost) {
            decisions[index] = Decision::Shown(level);
        }
    }
    written(desk, form, decisions)
}

/// A choice as it is written.
pub(super) fn written(desk: &Desk<'_>, form: Form, decisions: Vec<Decision>) -> Choice {
    let order = layout::order(desk, form, &decisions);
    let sheet = layout::sheet(desk, form, &decisions, &order);
    Choice { form, decisions, sheet }
}

/// What is chosen for so much room; what must be shown is always among it.
fn fitted(desk: &Desk<'_>, form: Form, room: u64) -> Vec<Decision> {
    let cost = |index: usize, level: Level| cost(desk, form, index, level);
    let kept: Vec<(usize, Level)> = desk.kept(form).iter().map(|stay| (stay.index, stay.level)).collect();
    let mut decisions = fit::fit(&Fitting {
        candidates: desk.candidates,
        scores: &desk.scores,
        duplicates: &desk.duplicates,
        room,
        order: &desk.order,
        kept: &kept,
        quotas: &desk.wish.rules.quotas,
        cost: &cost,
    });
    for (index, decision) in decisions.iter_mut().enumerate() {
        if !desk.has_place_for(index) {
            *decision = Decision::LeftOut(LeftOut::Irrelevant);
        } else if desk.is_empty(index) {
            *decision = Decision::LeftOut(LeftOut::Empty);
        } else if desk.candidates[index].is_mandatory() && !matches!(decision, Decision::Shown(_)) {
            let longest = LEVELS.into_iter().find(|level| desk.text(form, index, *level).is_some());
            *decision = Decision::Shown(longest.unwrap_or(Level::Full));
        }
    }
    decisions
}

/// What a candidate costs at a length, as far as it does not depend on what else is shown.
pub(super) fn cost(desk: &Desk<'_>, form: Form, index: usize, level: Level) -> Option<u64> {
    if !desk.has_place_for(index) || desk.is_empty(index) {
        return None;
    }
    layout::cost(desk, form, index, level)
}
