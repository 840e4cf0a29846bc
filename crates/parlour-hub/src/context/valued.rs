//! How the messages of a list are valued. They are not chosen by it, but beside what was chosen it tells what matters.

use std::sync::Arc;

use parlour_context::{
    candidate::Candidate,
    rank::{self, Query},
};
use parlour_core::context::{ReceiptItem, Weights};

use super::{items::Item, list::Entry};

/// The score of what matters most.
const SCORE_FULL: f32 = 1_000.0;

/// Ranks everything together, and says of each message of the list how it is valued. Answers which part of the best
/// score the best of all others has: theirs are measured against that one alone.
pub(super) fn value(list: &mut [Entry], items: &[Arc<Item>], query: &Query, weights: &Weights) -> f32 {
    if list.is_empty() {
        return 1.0;
    }
    let candidates: Vec<&Candidate> = items.iter().map(|item| &item.candidate).collect();
    let scores = rank::rank_all(query, &candidates, weights);
    let best = scores.iter().copied().fold(0.0, f32::max);
    if best <= 0.0 {
        return 1.0;
    }
    let mut is_listed = vec![false; items.len()];
    for entry in list {
        is_listed[entry.index] = true;
        entry.row.score = thousandths(scores[entry.index] / best);
    }
    let others = scores.iter().zip(&is_listed).filter(|(_, is_listed)| !**is_listed).map(|(score, _)| *score);
    others.fold(0.0, f32::max) / best
}

/// Measures the others against the best of all.
pub(super) fn scale(rows: &mut [ReceiptItem], part: f32) {
    for row in rows {
        #[allow(clippy::cast_precision_loss, reason = "a score has four digits at most")]
        let share = row.score as f32 / SCORE_FULL;
        row.score = thousandths(share * part);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1")]
fn thousandths(share: f32) -> u32 {
    (share.clamp(0.0, 1.0) * SCORE_FULL).round() as u32
}
