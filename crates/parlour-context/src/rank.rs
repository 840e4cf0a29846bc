//! How much each candidate matters, given what is asked.
//!
//! Words in common with what is asked come first, weighed by how rare they are among the candidates (BM25), and carried
//! along the conversation: near a message that holds them, others matter too, and where many of them come together, all
//! around it does: more so in a talk whose messages are of very unlike length. A few words that the best of them share are looked for too. The other signs move what the words say a
//! little, and decide where the words say nothing.

mod asked;
mod carry;
mod constants;
mod lines;
mod look;
mod more;
mod pace;
mod senders;
mod signs;
mod words;

use parlour_core::context::Weights;

pub use constants::{Constants, Reach};

use self::{asked::Asked, lines::Lines, look::Looked, signs::Signs};
use crate::{authors::Authors, candidate::Candidate, terms::Terms};

/// What candidates are measured against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankQuery {
    /// What is asked, as it was written; prepared like every other text.
    pub text: String,
    /// The words of what is asked.
    pub terms: Terms,
    /// The words of the task, which count less.
    pub task: Terms,
}

/// How much of a score a reranker decides.
const RERANKED: f32 = 0.7;

/// The scores of all candidates, each 0 or more, comparable with each other only.
///
/// `reranked` holds what a reranker said of some candidates, 0 to 1; without it, the hub ranks by itself. Its cost grows
/// with the words of the candidates and not faster.
pub fn rank(query: &RankQuery, candidates: &[Candidate], weights: &Weights, reranked: &[(usize, f32)]) -> Vec<f32> {
    rank_by(query, candidates, weights, reranked, &Constants::default())
}

/// The same with other constants, for measuring how much they matter.
pub fn rank_by(
    query: &RankQuery,
    candidates: &[Candidate],
    weights: &Weights,
    reranked: &[(usize, f32)],
    constants: &Constants,
) -> Vec<f32> {
    let candidates: Vec<&Candidate> = candidates.iter().collect();
    scores(query, (&candidates, &Authors::of(&candidates)), weights, reranked, constants)
}

/// The same of candidates that lie wherever they lie, without a reranker.
pub fn rank_all(query: &RankQuery, candidates: &[&Candidate], weights: &Weights) -> Vec<f32> {
    rank_of(query, (candidates, &Authors::of(candidates)), weights, &[])
}

/// The same where the authors are known.
pub(crate) fn rank_of(
    query: &RankQuery,
    candidates: (&[&Candidate], &Authors<'_>),
    weights: &Weights,
    reranked: &[(usize, f32)],
) -> Vec<f32> {
    scores(query, candidates, weights, reranked, &Constants::default())
}

fn scores(
    query: &RankQuery,
    (candidates, authors): (&[&Candidate], &Authors<'_>),
    weights: &Weights,
    reranked: &[(usize, f32)],
    constants: &Constants,
) -> Vec<f32> {
    let lines = Lines::of(candidates);
    let looked = Looked::of(candidates, &lines, constants);
    let asked = Asked::of(query, authors, weights, constants);
    let mut along = words::scores(&asked, &lines, &looked, share(weights.neighbours), constants);
    asked.multiply(&mut along, &looked, &lines);
    // The best is 1, so that the other signs weigh the same whatever was asked.
    let best = along.iter().copied().fold(0.0, f32::max);
    let scale = if best > 0.0 { share(weights.words) / best } else { 0.0 };
    let signs = Signs::of(weights, candidates);
    let mut scores = vec![0.0; candidates.len()];
    for (score, place) in along.iter().zip(&lines.order) {
        scores[*place] = score * scale + signs.sum(candidates[*place]);
    }
    blend(&mut scores, reranked);
    scores
}

/// The candidates that a reranker is asked about, the best first: at most `count` of them.
pub fn shortlist(scores: &[f32], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    places.truncate(count);
    places
}

/// A weight in percent as a factor.
#[allow(clippy::cast_precision_loss, reason = "weights are small")]
fn share(percent: u64) -> f32 {
    percent as f32 / 100.0
}

/// What the reranker has not seen falls behind, in the order that it had.
fn blend(scores: &mut [f32], reranked: &[(usize, f32)]) {
    if reranked.is_empty() {
        return;
    }
    scores.iter_mut().for_each(|score| *score *= 1.0 - RERANKED);
    let mut has_vote = vec![false; scores.len()];
    for &(place, said) in reranked {
        // The first word on a candidate counts, and what is no number counts as nothing.
        if has_vote.get(place) == Some(&false) {
            has_vote[place] = true;
            scores[place] += RERANKED * if said.is_nan() { 0.0 } else { said.clamp(0.0, 1.0) };
        }
    }
}

#[cfg(test)]
mod tests;
