//! Fitting: chooses which candidate is shown at which level, so that everything fits into the available tokens.

mod input;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};

use parlour_core::context::{Level, OmissionReason, Reason, Section, SubjectType};

use self::input::{CandidateOrder, QuotaShares, part};
use crate::{candidate::Candidate, level::LEVELS};

pub(crate) use self::input::QuotaSources;
pub use self::input::RankedCandidates;

/// The decision on a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Shown at this level.
    Shown(Level),
    /// Omitted for this reason.
    Omitted(OmissionReason),
}

/// The options of `fit`.
pub struct FitOptions<'a> {
    /// Tokens for all candidates.
    pub room: u64,
    /// Retained items in order; they come after mandatory candidates and before all others.
    pub kept: &'a [(usize, Level)],
    /// The tokens of a candidate at a level with the lines that belong to it; `None` if it does not have this level.
    pub cost: &'a dyn Fn(usize, Level) -> Option<u64>,
}

/// Decides on each candidate. Mandatory candidates come first and are shortened rather than omitted; then candidates by
/// score. What they leave goes to others by score per token. The total cost never exceeds the room.
///
/// Candidates without a score are not shown unless they are mandatory. No source exceeds its quota, except with
/// mandatory or retained items and with room that nobody else uses. If not all mandatory candidates fit, only the most
/// important of them are shown. The result does not depend on the order of the candidates.
pub fn fit<'a>(ranked: &'a RankedCandidates<'a>, options: &FitOptions<'_>) -> FitPlan<'a> {
    let mut choosing = Fitter::new(ranked, options);
    if choosing.show_mandatory() {
        choosing.show_kept();
        choosing.show_others();
        choosing.show_held_back();
    }
    choosing.finish()
}

/// Candidate indexes by importance: messages to answer, blocking messages, then by score. Ties are broken by section,
/// recency and id, so that the order of the candidates does not matter.
pub fn order(candidates: &[&Candidate], scores: &[f32]) -> Vec<usize> {
    let key = |(index, candidate): (usize, &&Candidate)| {
        let is_current = candidate.reasons.contains(&Reason::Current);
        // Scores are not negative, so their bits sort like the numbers.
        let score = u64::from(!score(scores, index).to_bits());
        let group = u64::from(!is_current) << 1 | u64::from(!candidate.is_mandatory());
        (group << 32 | score, index)
    };
    let mut keys: Vec<(u64, usize)> = candidates.iter().enumerate().map(key).collect();
    keys.sort_unstable_by(|left, right| {
        let tie = || compare(candidates[left.1], candidates[right.1]).then(left.1.cmp(&right.1));
        left.0.cmp(&right.0).then_with(tie)
    });
    keys.into_iter().map(|(_, index)| index).collect()
}

fn compare(one: &Candidate, other: &Candidate) -> Ordering {
    let tie = |candidate: &Candidate| (candidate.section, Reverse(candidate.seq));
    let [here, there] = [one, other].map(|candidate| candidate.conversation.as_ref().map(|place| place.id.as_str()));
    tie(one)
        .cmp(&tie(other))
        .then_with(|| one.id.cmp(&other.id))
        .then_with(|| one.subject_type.cmp(&other.subject_type))
        .then_with(|| here.cmp(&there))
        .then_with(|| one.prepared.text.cmp(&other.prepared.text))
}

/// Not a number counts as 0.
fn score(scores: &[f32], index: usize) -> f32 {
    scores.get(index).copied().filter(|score| *score > 0.0).unwrap_or(0.0)
}

/// Whether a quota caused the omission.
pub(crate) fn is_share(reason: OmissionReason) -> bool {
    matches!(reason, OmissionReason::SenderQuota | OmissionReason::ThreadQuota | OmissionReason::TrustQuota)
}

/// The percentage of the room that one candidate may take before all others had their turn.
const ONE_PERCENT: u64 = 25;
/// What one candidate may take in any case, so that a small room does not favour short texts over important ones.
const ONE_LEAST: u64 = 64;
/// Candidates with more tokens enter the second pass as an extract; they may grow later.
const LONG_TOKENS: u64 = 64;
/// What a card may take in any case: one line by any tokenizer.
const CARD_LEAST: u64 = 96;
/// Misses in a row after which a pass ends: the room is nearly full then.
const MISSES_MAX: usize = 16;

struct Fitter<'a, 'f> {
    ranked: &'a RankedCandidates<'a>,
    options: &'f FitOptions<'f>,
    costs: Costs<'f>,
    left: u64,
    fitted: FitPlan<'a>,
}

enum Placed {
    Shown,
    /// It fits into the room, but not into a quota.
    OverShare,
    Refused,
}

impl<'a, 'f> Fitter<'a, 'f> {
    fn new(ranked: &'a RankedCandidates<'a>, options: &'f FitOptions<'f>) -> Self {
        let count = ranked.candidates.len();
        let fitted = FitPlan {
            ranked,
            shown: Vec::new(),
            levels: vec![None; count],
            refused: vec![None; count],
            is_said: vec![false; count],
            shares: QuotaShares::new(&ranked.owners, options.room),
            held: None,
            used: 0,
        };
        Self { ranked, options, costs: Costs(options.cost), left: options.room, fitted }
    }

    /// Shows mandatory candidates, first at their shortest, then as long as possible. Returns whether all of them fit.
    fn show_mandatory(&mut self) -> bool {
        let mut is_all = true;
        for index in self.ranked.mandatory().iter().copied() {
            match self.costs.cheapest(index) {
                None => self.fitted.refused[index] = Some(OmissionReason::Empty),
                Some((level, cost)) if cost <= self.left => self.take(index, level, cost),
                // Less important ones are not shown either, even if they fit: more room must never show less.
                Some(_) => is_all = false,
            }
            if !is_all {
                break;
            }
        }
        self.lengthen();
        is_all
    }

    /// Shows retained items up to the first that does not fit.
    fn show_kept(&mut self) {
        for (index, level) in self.options.kept.iter().copied() {
            let cost = self.costs.at(index, level).filter(|cost| *cost <= self.left);
            let Some(cost) = cost.filter(|_| self.fitted.levels[index].is_none()) else { return };
            self.take(index, level, cost);
        }
    }

    fn show_others(&mut self) {
        let ranked = self.ranked;
        let one_most = one_most(self.left);
        // Cards are in every pack: until the others had their turn, a part of a long one is enough.
        let is_card = |index: usize| {
            let candidate = ranked.candidates[index];
            !matches!(candidate.subject_type, SubjectType::Message | SubjectType::Summary)
                && candidate.section != Section::Task
        };
        let most = |index: usize| if is_card(index) { (one_most / 2).max(CARD_LEAST) } else { one_most };
        self.pass(ranked.list(CandidateOrder::Best), |index| (Level::Full, most(index)));
        let longest = |index: usize| if ranked.tokens[index] > LONG_TOKENS { Level::Extract } else { Level::Full };
        self.pass(ranked.list(CandidateOrder::Worthiest), |index| (longest(index), one_most));
        self.lengthen();
        // The shortest candidates fill the rest.
        self.pass(ranked.list(CandidateOrder::Shortest), |_| (Level::Full, u64::MAX));
        self.lengthen();
    }

    /// Offers the remaining room to candidates that only quotas held back.
    fn show_held_back(&mut self) {
        let ranked = self.ranked;
        let (shares, refused) = (self.fitted.shares.clone(), self.fitted.refused.clone());
        let mut held = HeldBack { shares, refused, has_helped: false };
        let is_any = held.shares.may_hold_back() || held.refused.iter().flatten().any(|reason| is_share(*reason));
        self.fitted.shares.lift();
        let one_most = one_most(self.left);
        let shown_before = self.fitted.shown.len();
        for most in [one_most, u64::MAX].into_iter().filter(|_| is_any) {
            let others = ranked.order[ranked.mandatory_len..].iter().copied();
            self.pass(others.filter(|index| held.by(ranked, *index).is_some()), |_| (Level::Full, most));
        }
        self.lengthen();
        held.has_helped = self.fitted.shown.len() > shown_before;
        self.fitted.held = is_any.then_some(held);
    }

    fn finish(self) -> FitPlan<'a> {
        FitPlan { used: self.options.room - self.left, ..self.fitted }
    }

    /// Takes candidates in this order until the room is full or too many in a row do not fit. `limit` gives the longest
    /// level and the most tokens of each.
    fn pass(&mut self, order: impl Iterator<Item = usize>, limit: impl Fn(usize) -> (Level, u64)) {
        self.fitted.shares.forget_misses();
        let mut misses = 0;
        for index in order {
            if self.left == 0 || misses == MISSES_MAX {
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

    /// Shows a candidate at the longest level that fits.
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
        // A candidate that a quota held back is not omitted for lack of room.
        if !fitted.refused[index].is_some_and(is_share) {
            fitted.refused[index] =
                Some(if shortest.is_some() { OmissionReason::NoRoom } else { OmissionReason::Empty });
        }
        Placed::Refused
    }

    /// Lengthens shown texts, the most important first. Retained items do not change.
    fn lengthen(&mut self) {
        let can_grow = |(index, level): &(usize, Level)| {
            let stays = self.options.kept.contains(&(*index, *level)) && !self.ranked.is_mandatory(*index);
            *level > Level::Full && !stays
        };
        let mut short: Vec<(usize, Level)> = self.fitted.shown().filter(can_grow).collect();
        short.sort_unstable_by_key(|(index, _)| self.ranked.ranks[*index]);
        let mut misses = 0;
        for (index, level) in short {
            if self.left == 0 || misses == MISSES_MAX {
                return;
            }
            let cost = self.costs.at(index, level).unwrap_or_default();
            let share = if self.ranked.is_mandatory(index) { u64::MAX } else { self.fitted.shares.left_for(index) };
            let most = cost.saturating_add(self.left.min(share));
            match self.costs.longest(index, [Level::Full, level], most) {
                Some((longer, more)) if longer < level => {
                    self.left += cost;
                    // Quotas are not given back.
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

    /// Whether its quotas are too small even for one line, so that its cost need not be computed.
    fn is_hopeless(&self, index: usize) -> bool {
        self.fitted.shares.too_small_for(index, self.ranked.least(index)).is_some()
    }

    /// The shortest useful level: a mere mention of a message says nothing.
    fn shortest(&self, index: usize) -> Level {
        match self.ranked.candidates[index].subject_type {
            SubjectType::Message | SubjectType::Summary => Level::OneLine,
            _ => Level::Handle,
        }
    }
}

fn one_most(room: u64) -> u64 {
    part(room, ONE_PERCENT).max(ONE_LEAST)
}

struct Costs<'a>(&'a dyn Fn(usize, Level) -> Option<u64>);

impl Costs<'_> {
    fn at(&self, index: usize, level: Level) -> Option<u64> {
        self.0(index, level)
    }

    /// The cheapest level, the longer one of equal costs.
    fn cheapest(&self, index: usize) -> Option<(Level, u64)> {
        self.cheapest_of(index, [Level::Full, Level::Handle])
    }

    /// The cheapest level in a range.
    fn cheapest_of(&self, index: usize, levels: [Level; 2]) -> Option<(Level, u64)> {
        let costs = between(levels).filter_map(|level| Some((level, self.at(index, level)?)));
        costs.min_by_key(|(_, cost)| *cost)
    }

    /// The longest level in a range that costs no more than `most`.
    fn longest(&self, index: usize, levels: [Level; 2], most: u64) -> Option<(Level, u64)> {
        between(levels).filter_map(|level| Some((level, self.at(index, level)?))).find(|(_, cost)| *cost <= most)
    }
}

fn between([longest, shortest]: [Level; 2]) -> impl Iterator<Item = Level> {
    LEVELS.into_iter().filter(move |level| (longest..=shortest).contains(level))
}

/// The decision on every candidate.
pub struct FitPlan<'a> {
    ranked: &'a RankedCandidates<'a>,
    /// In the order in which they were taken.
    shown: Vec<usize>,
    levels: Vec<Option<Level>>,
    /// The reason why a candidate was not taken when it was tried.
    refused: Vec<Option<OmissionReason>>,
    /// By first duplicate: whether one of the duplicates is shown.
    is_said: Vec<bool>,
    shares: QuotaShares<'a>,
    /// The state before quotas were lifted.
    held: Option<HeldBack<'a>>,
    used: u64,
}

/// The state before quotas were lifted, to report which candidates they held back.
struct HeldBack<'a> {
    shares: QuotaShares<'a>,
    refused: Vec<Option<OmissionReason>>,
    /// Whether lifting the quotas showed further candidates.
    has_helped: bool,
}

impl HeldBack<'_> {
    /// The quota that held a candidate back.
    fn by(&self, ranked: &RankedCandidates<'_>, index: usize) -> Option<OmissionReason> {
        let by_share = || self.shares.held_back(index, ranked.least(index));
        self.refused[index].or_else(by_share).filter(|reason| is_share(*reason))
    }
}

impl FitPlan<'_> {
    /// The decision on one candidate.
    pub fn decision(&self, index: usize) -> Decision {
        self.levels[index].map_or_else(|| Decision::Omitted(self.why_not(index)), Decision::Shown)
    }

    /// In no particular order.
    pub fn shown(&self) -> impl Iterator<Item = (usize, Level)> {
        self.shown.iter().filter_map(|index| Some((*index, self.levels[*index]?)))
    }

    /// The total cost; never more than the room.
    pub fn used(&self) -> u64 {
        self.used
    }

    pub(crate) fn why_not(&self, index: usize) -> OmissionReason {
        if self.ranked.is_mandatory(index) {
            return self.refused[index].unwrap_or(OmissionReason::NoRoom);
        }
        if self.is_said[self.ranked.firsts[index]] {
            return OmissionReason::Duplicate;
        }
        if self.ranked.is_quoted(index) {
            return OmissionReason::Summarised;
        }
        if !self.ranked.matters(index) {
            return OmissionReason::Irrelevant;
        }
        match self.held.as_ref().and_then(|held| Some((held, held.by(self.ranked, index)?))) {
            // If lifting the quotas helped some, the others lack room; otherwise the quota is the reason.
            Some((held, _)) if held.has_helped => OmissionReason::NoRoom,
            Some((_, share)) => share,
            None => {
                let by_share = || self.shares.held_back(index, self.ranked.least(index));
                self.refused[index].or_else(by_share).unwrap_or(OmissionReason::NoRoom)
            }
        }
    }

    /// Whether it may still be shown: it matters, and neither a duplicate nor a summary shows it.
    fn is_open(&self, index: usize) -> bool {
        let is_said = self.is_said[self.ranked.firsts[index]] || self.ranked.is_quoted(index);
        let is_shown = self.levels[index].is_some() || is_said;
        !is_shown && !self.ranked.is_mandatory(index) && self.ranked.matters(index)
    }

    fn show(&mut self, index: usize, level: Level) {
        if self.levels[index].replace(level).is_none() {
            self.shown.push(index);
        }
        self.is_said[self.ranked.firsts[index]] = true;
    }
}
