//! What of the pack before stays as it was, so that the cache of a provider holds: a beginning of it, never a part from
//! its middle, because a provider only knows the beginning of a text again.

use std::collections::HashMap;

use parlour_core::context::{ContextFormat, Level, Reason, Receipt, ReceiptItem, SubjectType};

use crate::{
    candidate::Candidate,
    fit::Field,
    frame::Quoted,
    level::{self, GAP, LEVELS},
    rank::RankQuery,
};

use super::{PackOptions, text::Text};

/// For so many numbers it is remembered whether something of the pack before has them.
const SEQS_LEN: usize = 1_024;

/// One that can stay, as it was shown.
pub(super) struct Stay {
    pub(super) index: usize,
    pub(super) level: Level,
    pub(super) text: Text,
}

/// The longest beginning of the pack before that could be written again: every one of it is still a candidate, at the
/// same place, with the same words. What is to be answered never stays, for it comes last, nor does what a summary quotes
/// by now.
pub(super) fn stays(request: &PackOptions<'_>, candidates: &[&Candidate], field: &Field<'_>) -> Vec<Stay> {
    let Some(previous) = request.previous.filter(|previous| can_stay(request, previous)) else { return Vec::new() };
    let shown = || previous.items.iter().filter(|item| item.level.is_some());
    let mut places: HashMap<(SubjectType, &str), Option<usize>> =
        shown().map(|item| ((item.subject_type, item.id.as_str()), None)).collect();
    // Most are told apart by their numbers, which stand in the candidates themselves.
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
    let mut stays = Vec::new();
    for item in shown() {
        // What stands twice in a receipt stays once: its place is taken away with it.
        let index = places.get_mut(&(item.subject_type, item.id.as_str())).and_then(Option::take);
        let index = index.filter(|index| !field.is_quoted(*index));
        let Some(stay) = index.and_then(|index| stay(item, index, candidates[index], request.query)) else { break };
        stays.push(stay);
    }
    stays
}

/// Where the number of a message is remembered; several share one.
fn slot(seq: u64) -> usize {
    usize::try_from(seq % SEQS_LEN as u64).unwrap_or_default()
}

fn stay(item: &ReceiptItem, index: usize, candidate: &Candidate, query: &RankQuery) -> Option<Stay> {
    let shown = item.level.filter(|_| is_same(item, candidate))?;
    // A text of which its view left something out was shown as a shorter one than it was chosen as.
    let mut levels = LEVELS.into_iter().filter(|level| level::shown_as(&candidate.prepared, *level) == shown);
    let (level, text) = levels.find_map(|level| Some((level, same_text(item, level, candidate, query)?)))?;
    Some(Stay { index, level, text: Text::of(text) })
}

/// Whether the cache of a provider can know anything of the pack before. An injection stands in the middle of a turn,
/// and another way of counting means another model.
fn can_stay(request: &PackOptions<'_>, previous: &Receipt) -> bool {
    request.format != ContextFormat::Injection && previous.counting == request.tokenizer.counting()
}

/// Whether the hub would write the same around it.
fn is_same(item: &ReceiptItem, candidate: &Candidate) -> bool {
    let has = |reasons: &[Reason], reason| reasons.contains(&reason);
    let is_current = has(&item.reasons, Reason::Current) || has(&candidate.reasons, Reason::Current);
    let blocks = [&item.reasons, &candidate.reasons].map(|reasons| has(reasons, Reason::Blocking));
    let place = candidate.conversation.as_ref().map(|place| &place.id);
    !is_current && blocks[0] == blocks[1] && item.section == candidate.section && item.conversation_id.as_ref() == place
}

/// The text as it was shown, if the candidate still says it. Which sentences are in an extract depends on what was
/// asked then; it may stay as long as all of it is the candidate's.
fn same_text(item: &ReceiptItem, level: Level, candidate: &Candidate, query: &RankQuery) -> Option<Quoted> {
    let shown = Quoted::of(&item.text);
    let is_same = match level {
        Level::Extract => is_made_of(shown.as_str(), Quoted::of(&candidate.prepared.text).as_str()),
        Level::Handle => shown.as_str().is_empty(),
        _ => level::at_level(&candidate.prepared, level, query).is_some_and(|text| Quoted::of(&text) == shown),
    };
    is_same.then_some(shown)
}

/// Whether a text is made of parts of another one, in their order.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extract_is_made_of_the_text_in_its_order() {
        let long = "One is here. Two is there.\nThree is gone. Four … stays.";
        for short in
            ["… Two is there. …", "One is here. … Three is gone. …", "Two is there.\nThree is gone.", "Four … stays."]
        {
            assert!(is_made_of(short, long), "{short}");
        }
        for short in ["Three is gone. … One is here.", "Two is here.", "", " … "] {
            assert!(!is_made_of(short, long), "{short}");
        }
    }
}
