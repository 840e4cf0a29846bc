//! What candidates cost.

use parlour_core::context::Level;

use crate::level::LEVELS;

/// The costs, asked of whoever knows them.
pub(super) struct Costs<'a>(pub(super) &'a dyn Fn(usize, Level) -> Option<u64>);

impl Costs<'_> {
    /// What a candidate costs at a length, if it has it.
    pub(super) fn at(&self, index: usize, level: Level) -> Option<u64> {
        self.0(index, level)
    }

    /// The length that costs least, the longer of two that cost the same; nothing where it has none.
    pub(super) fn cheapest(&self, index: usize) -> Option<(Level, u64)> {
        self.cheapest_of(index, [Level::Full, Level::Handle])
    }

    /// The same among the lengths between these two.
    pub(super) fn cheapest_of(&self, index: usize, levels: [Level; 2]) -> Option<(Level, u64)> {
        let costs = between(levels).filter_map(|level| Some((level, self.at(index, level)?)));
        costs.min_by_key(|(_, cost)| *cost)
    }

    /// The longest length between these two that costs no more than this.
    pub(super) fn longest(&self, index: usize, levels: [Level; 2], most: u64) -> Option<(Level, u64)> {
        between(levels).filter_map(|level| Some((level, self.at(index, level)?))).find(|(_, cost)| *cost <= most)
    }
}

fn between([longest, shortest]: [Level; 2]) -> impl Iterator<Item = Level> {
    LEVELS.into_iter().filter(move |level| (longest..=shortest).contains(level))
}
