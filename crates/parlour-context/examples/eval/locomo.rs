//! Evidence recall in long conversations of two.

use std::path::Path;

use super::{
    dialogue::read_locomo,
    recall::{PreparedDialogue, RANKINGS, mean_and_least},
    table::{Cell, Table},
};

/// The table.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let all: Vec<PreparedDialogue> = read_locomo(data)?.iter().map(PreparedDialogue::of).collect();
    let about = "share of the turns with the evidence that is in a pack of so many tokens; least of one conversation";
    let columns = ["way", "512", "1024", "2048", "least 512", "least 1024", "least 2048"];
    let mut table = Table::new("locomo", about, &columns);
    for (name, way) in RANKINGS {
        let shares = mean_and_least(&all, &[512, 1_024, 2_048], way);
        let means = shares.iter().map(|(mean, _)| Cell::from(mean.turns));
        let least = shares.iter().map(|(_, least)| Cell::from(*least));
        table.push([Cell::from(name)].into_iter().chain(means).chain(least).collect());
    }
    Some(table)
}
