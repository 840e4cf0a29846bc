//! How much of the pack before stays: as much as it can, as long as nothing is lost by it that is asked for.

use parlour_core::context::{Level, Reason};

use super::{
    choose::{Choice, chosen, cost},
    desk::{Desk, Form},
    sheet::Sheet,
};

/// The most of a budget, in percent, that stays, and what is tried when too much is lost by that. The rest is chosen
/// anew at every turn.
const KEPT_PERCENTS: [u64; 2] = [90, 60];
/// What a pack must be worth, in percent of one that is chosen anew. With less it is stale.
const WORTH_PERCENT: f64 = 50.0;
/// The same when something is asked for that was said.
const WORTH_POINTED_PERCENT: f64 = 90.0;
/// Something is asked for that was said when one of the best holds this much of its words, in percent.
const POINTED_PERCENT: usize = 75;
/// Messages before and after what is to be answered that have their room before what stays.
const BESIDE: u64 = 4;
/// In fewer words nothing is asked for, and so many of the best are looked at.
const POINTED_WORDS_LEAST: usize = 4;
const POINTED_BEST: usize = 20;

/// The pack that goes on after the one before, or the fresh one where that has become stale.
pub(super) fn after_previous<'a>(desk: &'a Desk<'a>, fresh: Choice<'a>, budget: u64) -> Choice<'a> {
    let asked_for = asked_for(desk);
    // A line of it is not enough then, and beside its summary it cannot be shown.
    if desk.stays.is_empty() || asked_for.iter().any(|index| desk.field.is_quoted(*index)) {
        return fresh;
    }
    let percent = if asked_for.is_empty() { WORTH_PERCENT } else { WORTH_POINTED_PERCENT };
    let least = worth(desk, &fresh) * percent / 100.0;
    let mut lens = kept_lens(desk, budget).to_vec();
    lens.dedup();
    for kept in lens.into_iter().filter(|kept| *kept > 0) {
        let after = chosen(desk, Form { kept, is_terse: false }, budget);
        if worth(desk, &after) >= least {
            return after;
        }
    }
    fresh
}

/// How many stay, for each of the percents. What must be shown has its room before them, and so has what was said since,
/// up to half of all.
fn kept_lens(desk: &Desk<'_>, budget: u64) -> [usize; KEPT_PERCENTS.len()] {
    let cost = |index: &usize| cost(desk, Form::default(), *index, Level::Full);
    let since: u64 = beside(desk).iter().filter_map(cost).sum();
    let must: u64 = desk.field.mandatory().iter().filter_map(cost).sum::<u64>() + since.min(budget / 4);
    let form = Form { kept: desk.stays.len(), is_terse: false };
    let sheet = Sheet::of(desk, form, desk.stays.iter().map(|stay| (stay.index, stay.level)).collect());
    KEPT_PERCENTS.map(|percent| {
        let most = (budget * percent / 100).min(budget.saturating_sub(must.min(budget / 2)));
        sheet.ends.partition_point(|end| *end <= most)
    })
}

/// What was said right beside what is to be answered, and is not in the pack before.
fn beside(desk: &Desk<'_>) -> Vec<usize> {
    let currents = desk.field.mandatory().iter().map(|index| desk.candidates[*index]);
    let currents: Vec<_> = currents.filter(|candidate| candidate.reasons.contains(&Reason::Current)).collect();
    let is_near = |index: &usize| {
        let candidate = desk.candidates[*index];
        let is_beside = |seq: u64| (1..=BESIDE).contains(&seq.abs_diff(candidate.seq));
        candidate.conversation.is_some()
            && currents.iter().any(|current| is_beside(current.seq) && current.conversation == candidate.conversation)
    };
    let new = (0..desk.candidates.len()).filter(|index| desk.stay_place(*index).is_none());
    new.filter(is_near).filter(|index| !desk.field.is_mandatory(*index)).collect()
}

/// What is asked for that was said: those of the best that hold most words of it. There are none where something new is
/// said. Scores cannot tell, for the best always has the same.
fn asked_for(desk: &Desk<'_>) -> Vec<usize> {
    let asked = &desk.request.query.terms.counts;
    let best = desk.field.order[desk.field.mandatory_len..].iter().take(POINTED_BEST);
    let holds_most = |index: &&usize| {
        let terms = &desk.candidates[**index].prepared.terms;
        let held = asked.iter().filter(|(term, _)| terms.has(*term)).count();
        asked.len() >= POINTED_WORDS_LEAST && held * 100 >= asked.len() * POINTED_PERCENT
    };
    best.filter(holds_most).copied().collect()
}

/// How much matters that is shown: less of a text counts less.
fn worth(desk: &Desk<'_>, choice: &Choice<'_>) -> f64 {
    let shown = choice.sheet.shown.iter().map(|(index, _)| *index);
    let worth = |index: usize| match choice.decisions.level(index) {
        Some(level) if !desk.field.is_mandatory(index) => f64::from(desk.field.scores[index].max(0.0)) * part_of(level),
        _ => 0.0,
    };
    shown.map(worth).sum()
}

fn part_of(level: Level) -> f64 {
    match level {
        Level::Full => 1.0,
        Level::HeadTail | Level::Extract => 0.8,
        Level::OneLine => 0.5,
        Level::Handle => 0.1,
    }
}
