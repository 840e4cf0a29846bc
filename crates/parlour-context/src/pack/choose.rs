//! Which candidates are shown, and at which length: chosen by estimates, then counted and corrected until all of it fits
//! and the room is used.

use parlour_core::context::{Level, OmissionReason, Reason, SubjectType};

use super::{
    BudgetTooSmall,
    decisions::Decisions,
    desk::{Desk, Form},
    fill,
    sheet::{self, Sheet},
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

/// The most of a budget, in percent, that must be shown as short as it can be, where it is more than these few: many
/// questions must not leave of each no more than that it is there.
const MANY_PERCENT: u64 = 75;
const FEW: usize = 3;

/// What was chosen, as it is written.
pub(super) struct Choice<'a> {
    pub(super) form: Form,
    pub(super) decisions: Decisions<'a>,
    pub(super) sheet: Sheet<'a>,
}

/// Lets questions wait that have no room, the least important first: at their place stands the call that lists them.
/// What is to be answered never waits, nor does the first question where nothing is.
pub(super) fn spare(desk: &mut Desk<'_>, budget: u64) {
    let terse = Form { is_terse: true, ..Form::default() };
    let can_wait = |desk: &Desk<'_>| match desk.field.mandatory() {
        [_, .., last] => !desk.candidates[*last].reasons.contains(&Reason::Current),
        _ => false,
    };
    let most = |desk: &Desk<'_>| match desk.field.mandatory().len() {
        0..=FEW => budget,
        _ => budget * MANY_PERCENT / 100,
    };
    while can_wait(desk) && least(desk, terse).sheet.total > most(desk) {
        desk.field.spare_last();
    }
}

/// Chooses what fits into so many tokens.
pub(super) fn choose<'a>(desk: &'a Desk<'a>, budget: u64) -> Result<Choice<'a>, BudgetTooSmall> {
    let usual = Form::default();
    let terse = Form { is_terse: true, ..usual };
    if budget >= TERSE_BELOW_TOKENS && least(desk, usual).sheet.total <= budget {
        let fresh = chosen(desk, usual, budget);
        let choice = super::renewal::after_previous(desk, fresh, budget);
        if !choice.sheet.shown.is_empty() {
            return Ok(choice);
        }
        // What the hub writes around them can be all that has kept every text out.
        let short = chosen(desk, terse, budget);
        return Ok(if short.sheet.shown.is_empty() { choice } else { short });
    }
    let needed = least(desk, terse).sheet.total;
    if needed > budget {
        return Err(BudgetTooSmall { budget: desk.request.budget, needed: needed.max(desk.request.budget + 1) });
    }
    Ok(chosen(desk, terse, budget))
}

/// Chooses in this form, where at least what must be shown fits.
pub(super) fn chosen<'a>(desk: &'a Desk<'a>, form: Form, budget: u64) -> Choice<'a> {
    let nothing = Sheet::of(desk, form, Vec::new());
    let mut room = budget.saturating_sub(nothing.total);
    let mut choice = written(desk, form, fitted(desk, form, room));
    for _ in 1..ROUNDS_MAX {
        let total = choice.sheet.total;
        let is_near = NEAR_PERCENT.contains(&(total * 100 / budget.max(1)));
        if is_near || total <= budget && choice.decisions.are_all() {
            break;
        }
        room = if total > budget { room.saturating_sub(total - budget) } else { room + (budget - total) };
        choice = written(desk, form, fitted(desk, form, room));
    }
    fill::fill(desk, shrunk(desk, choice, budget), budget)
}

/// Makes a choice smaller until it fits: what matters least goes first, and what must be shown becomes shorter.
fn shrunk<'a>(desk: &'a Desk<'a>, mut choice: Choice<'a>, budget: u64) -> Choice<'a> {
    while choice.sheet.total > budget {
        let over = choice.sheet.total - budget;
        if !give_up(desk, &mut choice, over) && !shorten(desk, &mut choice) {
            return least(desk, choice.form);
        }
        choice = written(desk, choice.form, choice.decisions);
    }
    choice
}

/// Leaves out what matters least, as much of it as is too much; what stays only when nothing else is left, and from its
/// end.
fn give_up(desk: &Desk<'_>, choice: &mut Choice<'_>, over: u64) -> bool {
    let mut can_go = choice.decisions.shown_by_rank();
    can_go.retain(|(index, _)| !desk.field.is_mandatory(*index));
    let place = |index: usize| desk.stay_place(index).filter(|_| desk.is_kept(choice.form, index));
    // A summary stands for many: it goes after single messages.
    let is_summary = |index: usize| desk.candidates[index].subject_type == SubjectType::Summary;
    can_go.reverse();
    can_go.sort_by_key(|(index, _)| match place(*index) {
        None => (false, is_summary(*index), 0),
        Some(place) => (true, false, u32::MAX - place),
    });
    let mut freed = 0;
    for (index, _) in can_go {
        if freed >= over {
            break;
        }
        choice.decisions.set(index, Decision::OmissionReason(OmissionReason::NoRoom));
        let tokens = choice.sheet.shown.iter().find(|(shown, _)| *shown == index).map_or(1, |(_, tokens)| *tokens);
        freed += tokens.max(1);
    }
    freed > 0
}

/// Makes one text that must be shown shorter, of those that can be the least important.
fn shorten(desk: &Desk<'_>, choice: &mut Choice<'_>) -> bool {
    for (index, level) in choice.decisions.shown_by_rank().into_iter().rev() {
        let has = |next: &Level| *next > level && desk.text(choice.form, index, *next).is_some();
        if let Some(shorter) = LEVELS.into_iter().find(has) {
            choice.decisions.set(index, Decision::Shown(shorter));
            return true;
        }
    }
    false
}

/// What must be shown and nothing else, each as short as it can be: no pack of this form is smaller.
fn least<'a>(desk: &'a Desk<'a>, form: Form) -> Choice<'a> {
    let shortest = |index: &usize| {
        let costs = LEVELS.into_iter().filter_map(|level| Some((level, cost(desk, form, *index, level)?)));
        costs.min_by_key(|(_, cost)| *cost).map(|(level, _)| (*index, level))
    };
    let shown: Vec<(usize, Level)> = desk.field.mandatory().iter().filter_map(shortest).collect();
    written(desk, form, Decisions::only(desk, &shown))
}

/// A choice as it is written.
fn written<'a>(desk: &'a Desk<'a>, form: Form, decisions: Decisions<'a>) -> Choice<'a> {
    let sheet = Sheet::of(desk, form, decisions.shown());
    Choice { form, decisions, sheet }
}

/// What is chosen for so much room; what must be shown is always among it.
fn fitted<'a>(desk: &'a Desk<'a>, form: Form, room: u64) -> Decisions<'a> {
    let cost = |index: usize, level: Level| cost(desk, form, index, level);
    let kept: Vec<(usize, Level)> = desk.kept(form).iter().map(|stay| (stay.index, stay.level)).collect();
    let fitted = fit::fit(&desk.field, &Fitting { room, kept: &kept, cost: &cost });
    let mut decisions = Decisions::of(desk, fitted);
    for index in desk.field.mandatory().iter().copied().filter(|index| desk.has_place_for(*index)) {
        if decisions.level(index).is_none() {
            let longest = LEVELS.into_iter().find(|level| desk.text(form, index, *level).is_some());
            decisions.set(index, Decision::Shown(longest.unwrap_or(Level::Full)));
        }
    }
    decisions
}

/// What a candidate costs at a length, as far as it does not depend on what else is shown.
pub(super) fn cost(desk: &Desk<'_>, form: Form, index: usize, level: Level) -> Option<u64> {
    if !desk.has_place_for(index) || desk.is_empty(index) {
        return None;
    }
    sheet::cost(desk, form, index, level)
}
