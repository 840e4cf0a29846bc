//! What candidates cost, asked once.

use std::collections::HashMap;

use parlour_core::context::Level;

use crate::level::LEVELS;

/// The costs that were asked so far. It is looked up only, never gone through.
pub(super) struct Costs<'a> {
    ask: &'a dyn Fn(usize, Level) -> Option<u64>,
    known: HashMap<(usize, Level), Option<u64>>,
}

impl<'a> Costs<'a> {
    pub(super) fn new(ask: &'a dyn Fn(usize, Level) -> Option<u64>) -> Self {
        Self { ask, known: HashMap::new() }
    }

    /// What a candidate costs at a length, if it has it.
    pub(super) fn at(&mut self, index: usize, level: Level) -> Option<u64> {
        *self.known.entry((index, level)).or_insert_with(|| (self.ask)(index, level))
    }

    /// The length that costs least, the longer of two that cost the same; nothing where it has none.
    pub(super) fn cheapest(&mut self, index: usize) -> Option<(Level, u64)> {
        self.cheapest_of(index, [Level::Full, Level::Handle])
    }

    /// The same among the lengths between these two.
    pub(super) fn cheapest_of(&mut self, index: usize, levels: [Level; 2]) -> Option<(Level, u64)> {
        let costs = between(levels).filter_map(|level| Some((level, self.at(index, level)?)));
        costs.min_by_key(|(_, cost)| *cost)
    }

    /// The longest length between these two that costs no more than this.
    pub(super) fn longest(&mut self, index: usize, levels: [Level; 2], most: u64) -> Option<(Level, u64)> {
        between(levels).filter_map(|level| Some((level, self.at(index, level)?))).find(|(_, cost)| *cost <= most)
    }
}

fn between([longest, shortest]: [Level; 2]) -> impl Iterator<Item = Level> {
    LEVELS.into_iter().filter(move |level| (longest..=shortest).contains(level))
}
