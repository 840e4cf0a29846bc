//! Hubs with histories of different lengths that are read in rounds, and the cost in a long history relative to a short
//! one.

use anyhow::Result;

use super::{
    environment::PreparedHub,
    figures,
    load::{Extent, Round, Script},
    report::{Column, Goal, Ratio, Report, Row},
};

/// A hub with a history, and the measured rounds by kind of request.
pub(super) struct MeasuredHistory<Sort> {
    /// The length of the history.
    pub(super) messages: usize,
    pub(super) hub: PreparedHub,
    rounds: Vec<(Sort, Round)>,
}

impl<Sort: Copy + PartialEq> MeasuredHistory<Sort> {
    pub(super) fn new(messages: usize, hub: PreparedHub) -> Self {
        Self { messages, hub, rounds: Vec::new() }
    }

    /// Sends requests before the first round; they are not recorded.
    pub(super) async fn warm_up(&mut self, mut scripts: Vec<Script>, count: usize) -> Result<()> {
        self.hub.server.measure(&mut scripts, Extent::count(count)).await?;
        Ok(())
    }

    /// Measures one round, with one script per reader.
    pub(super) async fn read(&mut self, sort: Sort, mut scripts: Vec<Script>, extent: Extent) -> Result<()> {
        let round = self.hub.server.measure(&mut scripts, extent).await?;
        self.rounds.push((sort, round));
        Ok(())
    }

    fn of(&self, sort: Sort) -> impl Iterator<Item = &Round> {
        self.rounds.iter().filter(move |(of, _)| *of == sort).map(|(_, round)| round)
    }

    fn row(&self, sort: Sort, name: String) -> Row {
        let all = Round::join(self.of(sort));
        let values = vec![all.cpu_micros(), all.latency_millis(0.5), all.latency_millis(0.99), all.per_second()];
        Row { name, values }
    }
}

/// A report with the columns and without rows.
pub(super) fn empty_report(title: String) -> Report {
    let columns = vec![
        Column { key: "cpu_us", title: "CPU µs each", decimals: 1 },
        Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
        Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
        Column { key: "per_second", title: "per s", decimals: 0 },
    ];
    Report { title, columns, ..Report::default() }
}

/// Adds one row per history for this kind of request, and the ratio between the longest history and
/// the shortest.
pub(super) fn add_rows<Sort: Copy + PartialEq>(
    report: &mut Report,
    histories: &[MeasuredHistory<Sort>],
    sort: Sort,
    row_name: impl Fn(usize) -> String,
    (ratio_name, goal): (&str, Goal),
) {
    report.rows.extend(histories.iter().map(|history| history.row(sort, row_name(history.messages))));
    if let [shortest, .., longest] = histories {
        let name = format!("CPU of a {ratio_name}, {} ÷ {} messages", longest.messages, shortest.messages);
        let pairs = longest.of(sort).zip(shortest.of(sort));
        let rounds = pairs.filter_map(|(long, short)| figures::quotient(long.cpu_micros(), short.cpu_micros()));
        report.ratios.push(Ratio::times(name, rounds.collect(), Some(goal)));
    }
}
