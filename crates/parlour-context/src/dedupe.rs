//! What says the same as another: exactly, or nearly.

use crate::{candidate::Candidate, terms::Terms};

/// A number that is equal for equal words, and differs in few bits for nearly equal ones.
pub fn fingerprint(terms: &Terms) -> u64 {
    let _ = terms;
    0
}

/// For each candidate the one that says the same and is to be shown in its place, if there is one.
///
/// `order` has the places of all candidates, the most important first: of those that say the same, the first of them
/// stays. What must be shown always stays.
pub fn duplicates(candidates: &[Candidate], order: &[usize]) -> Vec<Option<usize>> {
    let _ = order;
    vec![None; candidates.len()]
}
