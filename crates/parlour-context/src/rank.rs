//! How much each candidate matters, given what is asked.

use parlour_core::context::Weights;

use crate::{candidate::Candidate, terms::Terms};

/// What candidates are measured against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What is asked, as it was written; prepared like every other text.
    pub text: String,
    /// The words of what is asked.
    pub terms: Terms,
    /// The words of the task, which count less.
    pub task: Terms,
}

/// The scores of all candidates, each 0 or more, comparable with each other only.
///
/// `reranked` holds what a reranker said of some candidates, 0 to 1; without it, the hub ranks by itself. Its cost grows
/// with the words of the candidates and not faster.
pub fn rank(query: &Query, candidates: &[Candidate], weights: &Weights, reranked: &[(usize, f32)]) -> Vec<f32> {
    let _ = (query, weights, reranked);
    vec![0.0; candidates.len()]
}

/// The candidates that a reranker is asked about, the best first: at most `count` of them.
pub fn shortlist(scores: &[f32], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    places.truncate(count);
    places
}
