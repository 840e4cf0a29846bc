//! Packs: ranks, fits and renders candidates within a token budget.

mod fill;
mod previous;
mod receipt;
mod sheet;
mod workspace;
mod write;

use std::sync::LazyLock;

use parlour_core::{
    context::{ContextFormat, ContextRules, Level, OmissionReason, Reason, Receipt, SubjectType},
    id::AgentId,
    policy::Budgets,
};

use self::{
    fill::Decisions,
    sheet::PackSheet,
    workspace::{PackForm, PackWorkspace, sorted},
};
use crate::{
    candidate::Candidate,
    fit::{self, Decision, FitOptions},
    frame,
    level::LEVELS,
    rank::RankQuery,
    tokens::Tokenizer,
};

pub use self::workspace::sort;

/// The input of a pack.
pub struct PackOptions<'a> {
    /// The agent that reads the pack, and its name.
    pub reader: (&'a AgentId, &'a str),
    /// Lists and `Last20` are fitted like a pack.
    pub format: ContextFormat,
    /// Token limit of the text.
    pub budget: u64,
    /// The tokenizer of the reading model.
    pub tokenizer: &'a Tokenizer,
    /// The query that candidates are ranked against.
    pub query: &'a RankQuery,
    /// In any order; the pack does not depend on it.
    pub candidates: &'a [Candidate],
    /// Scores of a reranker from 0 to 1, by candidate index.
    pub reranked: &'a [(usize, f32)],
    /// Weights and quotas.
    pub rules: &'a ContextRules,
    /// The day, such as `2026-11-16`; the tag of the frame changes with it.
    pub day: &'a str,
    /// System notices, written as the last lines.
    pub notices: &'a [String],
    /// The prefix of commands that act as the agent, where it has no tools.
    pub command: Option<&'a str>,
    /// The receipt of the previous pack of the same reader, day and conversation. Its beginning is kept unchanged where
    /// possible, so that a provider's prompt cache holds.
    pub previous: Option<&'a Receipt>,
}

static USUAL_RULES: LazyLock<ContextRules> = LazyLock::new(ContextRules::default);

impl<'a> PackOptions<'a> {
    /// Options with default budget and rules.
    pub fn new(
        reader: (&'a AgentId, &'a str),
        day: &'a str,
        tokenizer: &'a Tokenizer,
        query: &'a RankQuery,
        candidates: &'a [Candidate],
    ) -> Self {
        Self {
            reader,
            format: ContextFormat::Pack,
            budget: Budgets::default().pack_tokens_max,
            tokenizer,
            query,
            candidates,
            reranked: &[],
            rules: &USUAL_RULES,
            day,
            notices: &[],
            command: None,
            previous: None,
        }
    }
}

/// A finished pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltPack {
    /// The text.
    pub text: String,
    /// What is shown, and what is omitted for which reason.
    pub receipt: Receipt,
    /// The shown candidates in text order: index and shown text.
    pub shown: Vec<(usize, String)>,
    /// Whether the pack continues the previous one.
    pub extends_previous: bool,
}

/// The budget is smaller than the frame together with the mandatory candidates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a budget of {budget} is too small here: at least {needed} are needed")]
pub struct BudgetTooSmall {
    /// Tokens of the options.
    pub budget: u64,
    /// The smallest sufficient number of tokens.
    pub needed: u64,
}

/// Builds a pack. Its cost never exceeds the budget.
pub fn build(options: &PackOptions<'_>) -> Result<BuiltPack, BudgetTooSmall> {
    let (candidates, origins) = sorted(options);
    let mut workspace = PackWorkspace::new(options, &candidates, &origins);
    spare(&mut workspace, options.budget);
    let mut ceiling = options.budget;
    loop {
        let choice = choose(&workspace, ceiling)?;
        let text = frame::render(&choice.sheet.framed());
        let used = options.tokenizer.count(&text);
        if used <= options.budget {
            return Ok(receipt::write(&workspace, &choice, text, used));
        }
        // Some tokenizers count the whole text higher than the sum of its lines.
        let over = used - options.budget;
        ceiling = ceiling
            .min(choice.sheet.total)
            .checked_sub(over)
            .ok_or(BudgetTooSmall { budget: options.budget, needed: used })?;
    }
}

/// Attempts to correct the room by the measured cost of a selection.
const ROUNDS_MAX: usize = 3;
/// A selection that uses this much of the budget, in percent, is close enough; `fill` uses the rest.
const NEAR_PERCENT: std::ops::RangeInclusive<u64> = 93..=104;
/// Below this budget everything optional is left out.
const TERSE_BELOW_TOKENS: u64 = 160;

/// With more than `FEW` mandatory candidates, their shortest forms may take this percentage of the budget: many
/// questions must not reduce each other to a mere mention.
const MANY_PERCENT: u64 = 75;
const FEW: usize = 3;

/// The chosen candidates, written.
struct Selection<'a> {
    form: PackForm,
    decisions: Decisions<'a>,
    sheet: PackSheet<'a>,
}

/// Makes questions optional that do not fit, the least important first; the pack then has the call that lists them. The
/// message to answer stays mandatory, and so does the first question if there is none.
fn spare(workspace: &mut PackWorkspace<'_>, budget: u64) {
    let terse = PackForm { is_terse: true, ..PackForm::default() };
    let can_wait = |workspace: &PackWorkspace<'_>| match workspace.ranked.mandatory() {
        [_, .., last] => !workspace.candidates[*last].reasons.contains(&Reason::Current),
        _ => false,
    };
    let most = |workspace: &PackWorkspace<'_>| match workspace.ranked.mandatory().len() {
        0..=FEW => budget,
        _ => budget * MANY_PERCENT / 100,
    };
    while can_wait(workspace) && least(workspace, terse).sheet.total > most(workspace) {
        workspace.ranked.spare_last();
    }
}

/// Selects what fits into `budget` tokens.
fn choose<'a>(workspace: &'a PackWorkspace<'a>, budget: u64) -> Result<Selection<'a>, BudgetTooSmall> {
    let usual = PackForm::default();
    let terse = PackForm { is_terse: true, ..usual };
    if budget >= TERSE_BELOW_TOKENS && least(workspace, usual).sheet.total <= budget {
        let fresh = chosen(workspace, usual, budget);
        let choice = previous::after_previous(workspace, fresh, budget);
        if !choice.sheet.shown.is_empty() {
            return Ok(choice);
        }
        // The lines around the texts may have left no room for any text.
        let short = chosen(workspace, terse, budget);
        return Ok(if short.sheet.shown.is_empty() { choice } else { short });
    }
    let needed = least(workspace, terse).sheet.total;
    if needed > budget {
        return Err(BudgetTooSmall {
            budget: workspace.options.budget,
            needed: needed.max(workspace.options.budget + 1),
        });
    }
    Ok(chosen(workspace, terse, budget))
}

/// Selects in this form; the mandatory candidates must fit.
fn chosen<'a>(workspace: &'a PackWorkspace<'a>, form: PackForm, budget: u64) -> Selection<'a> {
    let nothing = PackSheet::of(workspace, form, Vec::new());
    let mut room = budget.saturating_sub(nothing.total);
    let mut choice = written(workspace, form, fitted(workspace, form, room));
    for _ in 1..ROUNDS_MAX {
        let total = choice.sheet.total;
        let is_near = NEAR_PERCENT.contains(&(total * 100 / budget.max(1)));
        if is_near || total <= budget && choice.decisions.are_all() {
            break;
        }
        room = if total > budget { room.saturating_sub(total - budget) } else { room + (budget - total) };
        choice = written(workspace, form, fitted(workspace, form, room));
    }
    fill::fill(workspace, shrunk(workspace, choice, budget), budget)
}

/// Shrinks a selection until it fits: the least important candidates are dropped, and mandatory ones become shorter.
fn shrunk<'a>(workspace: &'a PackWorkspace<'a>, mut choice: Selection<'a>, budget: u64) -> Selection<'a> {
    while choice.sheet.total > budget {
        let over = choice.sheet.total - budget;
        if !give_up(workspace, &mut choice, over) && !shorten(workspace, &mut choice) {
            return least(workspace, choice.form);
        }
        choice = written(workspace, choice.form, choice.decisions);
    }
    choice
}

/// Drops the least important candidates until `over` tokens are free; retained ones only at last, from the end.
fn give_up(workspace: &PackWorkspace<'_>, choice: &mut Selection<'_>, over: u64) -> bool {
    let mut can_go = choice.decisions.shown_by_rank();
    can_go.retain(|(index, _)| !workspace.ranked.is_mandatory(*index));
    let place = |index: usize| workspace.retained_position(index).filter(|_| workspace.is_kept(choice.form, index));
    // A summary stands for many messages, so it is dropped after single messages.
    let is_summary = |index: usize| workspace.candidates[index].subject_type == SubjectType::Summary;
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
        choice.decisions.set(index, Decision::Omitted(OmissionReason::NoRoom));
        let tokens = choice.sheet.shown.iter().find(|(shown, _)| *shown == index).map_or(1, |(_, tokens)| *tokens);
        freed += tokens.max(1);
    }
    freed > 0
}

/// Shortens one mandatory text, the least important one that can be shortened.
fn shorten(workspace: &PackWorkspace<'_>, choice: &mut Selection<'_>) -> bool {
    for (index, level) in choice.decisions.shown_by_rank().into_iter().rev() {
        let has = |next: &Level| *next > level && workspace.text(choice.form, index, *next).is_some();
        if let Some(shorter) = LEVELS.into_iter().find(has) {
            choice.decisions.set(index, Decision::Shown(shorter));
            return true;
        }
    }
    false
}

/// The smallest pack of this form: mandatory candidates only, each at its shortest.
fn least<'a>(workspace: &'a PackWorkspace<'a>, form: PackForm) -> Selection<'a> {
    let shortest = |index: &usize| {
        let costs = LEVELS.into_iter().filter_map(|level| Some((level, cost(workspace, form, *index, level)?)));
        costs.min_by_key(|(_, cost)| *cost).map(|(level, _)| (*index, level))
    };
    let shown: Vec<(usize, Level)> = workspace.ranked.mandatory().iter().filter_map(shortest).collect();
    written(workspace, form, Decisions::only(workspace, &shown))
}

fn written<'a>(workspace: &'a PackWorkspace<'a>, form: PackForm, decisions: Decisions<'a>) -> Selection<'a> {
    let sheet = PackSheet::of(workspace, form, decisions.shown());
    Selection { form, decisions, sheet }
}

/// Fits the candidates into `room`; mandatory ones are always included.
fn fitted<'a>(workspace: &'a PackWorkspace<'a>, form: PackForm, room: u64) -> Decisions<'a> {
    let cost = |index: usize, level: Level| cost(workspace, form, index, level);
    let kept: Vec<(usize, Level)> = workspace.kept(form).iter().map(|stay| (stay.index, stay.level)).collect();
    let fitted = fit::fit(&workspace.ranked, &FitOptions { room, kept: &kept, cost: &cost });
    let mut decisions = Decisions::of(workspace, fitted);
    for index in workspace.ranked.mandatory().iter().copied().filter(|index| workspace.has_place_for(*index)) {
        if decisions.level(index).is_none() {
            let longest = LEVELS.into_iter().find(|level| workspace.text(form, index, *level).is_some());
            decisions.set(index, Decision::Shown(longest.unwrap_or(Level::Full)));
        }
    }
    decisions
}

/// The tokens of a candidate at a level, without what it shares with others.
fn cost(workspace: &PackWorkspace<'_>, form: PackForm, index: usize, level: Level) -> Option<u64> {
    if !workspace.has_place_for(index) || workspace.is_empty(index) {
        return None;
    }
    sheet::cost(workspace, form, index, level)
}
