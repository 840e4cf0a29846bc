//! Continuing the previous pack: its beginning stays unchanged where possible, so that a provider's prompt cache holds.
//! Never a part from its middle, because a cache matches only the beginning of a prompt.

use std::collections::HashMap;

use parlour_core::context::{ContextFormat, Level, Reason, Receipt, ReceiptItem, SubjectType};

use super::{
    PackOptions, Selection, chosen, cost,
    sheet::PackSheet,
    workspace::{PackForm, PackWorkspace, QuotedText},
};
use crate::{
    candidate::Candidate,
    fit::RankedCandidates,
    frame::Quoted,
    level::{self, GAP, LEVELS},
    rank::RankQuery,
};

/// Slots of a filter for sequence numbers of the previous pack.
const SEQS_LEN: usize = 1_024;

/// An item of the previous pack that can stay as it was shown.
pub(super) struct RetainedItem {
    pub(super) index: usize,
    pub(super) level: Level,
    pub(super) text: QuotedText,
}

/// The longest beginning of the previous pack that can be written again: each item is still a candidate in the same
/// conversation with the same text. Messages to answer are never retained, because they come last, nor are messages
/// that a summary quotes now.
pub(super) fn retained(
    options: &PackOptions<'_>,
    candidates: &[&Candidate],
    ranked: &RankedCandidates<'_>,
) -> Vec<RetainedItem> {
    let Some(previous) = options.previous.filter(|previous| can_stay(options, previous)) else { return Vec::new() };
    let shown = || previous.items.iter().filter(|item| item.level.is_some());
    let mut places: HashMap<(SubjectType, &str), Option<usize>> =
        shown().map(|item| ((item.subject_type, item.id.as_str()), None)).collect();
    // A cheap filter by sequence number, before ids are compared.
    let mut has_seq = [false; SEQS_LEN];
    for seq in shown().filter_map(|item| item.seq) {
        has_seq[slot(seq)] = true;
    }
    let may_stay = |candidate: &Candidate| candidate.conversation.is_none() || has_seq[slot(candidate.seq)];
    for (index, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| may_stay(candidate)) {
        if let Some(place) = places.get_mut(&(candidate.subject_type, candidate.id.as_str())) {
            *place = place.or(Some(index));
        }
    }
    let mut retained = Vec::new();
    for item in shown() {
        // An item that a receipt lists twice is retained once.
        let index = places.get_mut(&(item.subject_type, item.id.as_str())).and_then(Option::take);
        let index = index.filter(|index| !ranked.is_quoted(*index));
        let Some(item) = index.and_then(|index| retained_item(item, index, candidates[index], options.query)) else {
            break;
        };
        retained.push(item);
    }
    retained
}

/// Several sequence numbers share a slot.
fn slot(seq: u64) -> usize {
    usize::try_from(seq % SEQS_LEN as u64).unwrap_or_default()
}

fn retained_item(item: &ReceiptItem, index: usize, candidate: &Candidate, query: &RankQuery) -> Option<RetainedItem> {
    let shown = item.level.filter(|_| is_same(item, candidate))?;
    // A text that its view had cut was shown at a shorter level than it was chosen at.
    let mut levels = LEVELS.into_iter().filter(|level| level::shown_as(&candidate.prepared, *level) == shown);
    let (level, text) = levels.find_map(|level| Some((level, same_text(item, level, candidate, query)?)))?;
    Some(RetainedItem { index, level, text: QuotedText::of(text) })
}

/// Whether a provider's cache can match the previous pack. An injection is in the middle of a turn, and another
/// tokenizer means another model.
fn can_stay(options: &PackOptions<'_>, previous: &Receipt) -> bool {
    options.format != ContextFormat::Injection && previous.counting == options.tokenizer.counting()
}

/// Whether the lines around it would be the same.
fn is_same(item: &ReceiptItem, candidate: &Candidate) -> bool {
    let has = |reasons: &[Reason], reason| reasons.contains(&reason);
    let is_current = has(&item.reasons, Reason::Current) || has(&candidate.reasons, Reason::Current);
    let blocks = [&item.reasons, &candidate.reasons].map(|reasons| has(reasons, Reason::Blocking));
    let place = candidate.conversation.as_ref().map(|place| &place.id);
    !is_current && blocks[0] == blocks[1] && item.section == candidate.section && item.conversation_id.as_ref() == place
}

/// The shown text, if it still belongs to the candidate. The sentences of an extract depend on the previous query; it
/// may stay while all of them are in the text.
fn same_text(item: &ReceiptItem, level: Level, candidate: &Candidate, query: &RankQuery) -> Option<Quoted> {
    let shown = Quoted::of(&item.text);
    let is_same = match level {
        Level::Extract => is_made_of(shown.as_str(), Quoted::of(&candidate.prepared.text).as_str()),
        Level::Handle => shown.as_str().is_empty(),
        _ => level::at_level(&candidate.prepared, level, query).is_some_and(|text| Quoted::of(&text) == shown),
    };
    is_same.then_some(shown)
}

/// Whether a text consists of parts of another one, in order.
fn is_made_of(short: &str, long: &str) -> bool {
    let mut rest = long;
    let parts = short.split(GAP).flat_map(|part| part.split('\n')).map(str::trim).filter(|part| !part.is_empty());
    let mut count = 0;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        count += 1;
    }
    count > 0
}

/// How a pack continues the previous one.
struct ContinueRule {
    /// The percentages of the budget that retained items may take, in order of preference.
    kept_percents: &'static [u64],
    /// The minimum value of a continued pack, in percent of a new one.
    worth_percent: f64,
    /// The power of the scores in that value: with a higher one, the best candidates count more.
    power: i32,
}

/// For a message that says something new: nearly any beginning may stay.
const TALK: ContinueRule = ContinueRule { kept_percents: &[90, 60], worth_percent: 50.0, power: 1 };
/// For a message that asks for something that was said: as much may stay as leaves room for the best candidates.
const QUESTION: ContinueRule = ContinueRule { kept_percents: &[90, 65, 40, 20], worth_percent: 85.0, power: 2 };

/// The query asks for something that was said if one of the best candidates contains this percentage of its words.
const POINTED_PERCENT: usize = 75;
/// Messages before and after the message to answer that get room before retained items.
const BESIDE: u64 = 4;
/// Shorter queries ask for nothing; and the number of best candidates that are checked.
const POINTED_WORDS_LEAST: usize = 4;
const POINTED_BEST: usize = 20;

/// The continued pack, or the new one if too much would be lost.
pub(super) fn after_previous<'a>(workspace: &'a PackWorkspace<'a>, fresh: Selection<'a>, budget: u64) -> Selection<'a> {
    let asked_for = asked_for(workspace);
    // A quoted line is not enough then, and a message cannot be shown beside the summary that quotes it.
    if workspace.retained.is_empty() || asked_for.iter().any(|index| workspace.ranked.is_quoted(*index)) {
        return fresh;
    }
    let is_pointed = !asked_for.is_empty() || workspace.options.query.is_short_question();
    let rule = if is_pointed { QUESTION } else { TALK };
    let least = worth(workspace, &fresh, rule.power) * rule.worth_percent / 100.0;
    let mut lens = kept_lens(workspace, rule.kept_percents, budget);
    lens.dedup();
    for kept in lens.into_iter().filter(|kept| *kept > 0) {
        let after = chosen(workspace, PackForm { kept, is_terse: false }, budget);
        if worth(workspace, &after, rule.power) >= least {
            return after;
        }
    }
    fresh
}

/// The number of retained items for each percentage. Mandatory candidates and new neighbours of the message to answer
/// get room first, up to half of the budget.
fn kept_lens(workspace: &PackWorkspace<'_>, percents: &[u64], budget: u64) -> Vec<usize> {
    let cost = |index: &usize| cost(workspace, PackForm::default(), *index, Level::Full);
    let since: u64 = beside(workspace).iter().filter_map(cost).sum();
    let must: u64 = workspace.ranked.mandatory().iter().filter_map(cost).sum::<u64>() + since.min(budget / 4);
    let form = PackForm { kept: workspace.retained.len(), is_terse: false };
    let sheet =
        PackSheet::of(workspace, form, workspace.retained.iter().map(|stay| (stay.index, stay.level)).collect());
    let len = |percent: &u64| {
        let most = (budget * percent / 100).min(budget.saturating_sub(must.min(budget / 2)));
        sheet.ends.partition_point(|end| *end <= most)
    };
    percents.iter().map(len).collect()
}

/// New candidates right beside the message to answer.
fn beside(workspace: &PackWorkspace<'_>) -> Vec<usize> {
    let currents = workspace.ranked.mandatory().iter().map(|index| workspace.candidates[*index]);
    let currents: Vec<_> = currents.filter(|candidate| candidate.reasons.contains(&Reason::Current)).collect();
    let is_near = |index: &usize| {
        let candidate = workspace.candidates[*index];
        let is_beside = |seq: u64| (1..=BESIDE).contains(&seq.abs_diff(candidate.seq));
        candidate.conversation.is_some()
            && currents.iter().any(|current| is_beside(current.seq) && current.conversation == candidate.conversation)
    };
    let new = (0..workspace.candidates.len()).filter(|index| workspace.retained_position(*index).is_none());
    new.filter(is_near).filter(|index| !workspace.ranked.is_mandatory(*index)).collect()
}

/// The best candidates that contain most words of the query; none if the query says something new. Scores cannot tell,
/// because they are relative.
fn asked_for(workspace: &PackWorkspace<'_>) -> Vec<usize> {
    let asked = &workspace.options.query.terms.counts;
    let best = workspace.ranked.order[workspace.ranked.mandatory_len..].iter().take(POINTED_BEST);
    let holds_most = |index: &&usize| {
        let terms = &workspace.candidates[**index].prepared.terms;
        let held = asked.iter().filter(|(term, _)| terms.has(*term)).count();
        asked.len() >= POINTED_WORDS_LEAST && held * 100 >= asked.len() * POINTED_PERCENT
    };
    best.filter(holds_most).copied().collect()
}

/// The value of a selection: the sum of powers of the scores, less for shortened texts.
fn worth(workspace: &PackWorkspace<'_>, choice: &Selection<'_>, power: i32) -> f64 {
    let shown = choice.sheet.shown.iter().map(|(index, _)| *index);
    let worth = |index: usize| match choice.decisions.level(index) {
        Some(level) if !workspace.ranked.is_mandatory(index) => {
            f64::from(workspace.ranked.scores[index].max(0.0)).powi(power) * part_of(level)
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extract_consists_of_parts_of_the_text_in_order() {
        let long = "One is here. Two is there.\nThree is gone. Four … retained.";
        for short in [
            "… Two is there. …",
            "One is here. … Three is gone. …",
            "Two is there.\nThree is gone.",
            "Four … retained.",
        ] {
            assert!(is_made_of(short, long), "{short}");
        }
        for short in ["Three is gone. … One is here.", "Two is here.", "", " … "] {
            assert!(!is_made_of(short, long), "{short}");
        }
    }
}
