//! A hub with a history of some length, read in rounds: what one sort of reading costs in a long history beside a short
//! one.

use anyhow::Result;

use super::{
    environment::PreparedHub,
    figures,
    load::{Extent, Round, Script},
    report::{Column, Goal, Ratio, Report, Row},
};

/// A history with the rounds in which it was read.
pub(super) struct Reading<Sort> {
    /// How long the history is.
    pub(super) messages: usize,
    pub(super) hub: PreparedHub,
    rounds: Vec<(Sort, Round)>,
}

impl<Sort: Copy + PartialEq> Reading<Sort> {
    /// A history that nobody has read yet.
    pub(super) fn new(messages: usize, hub: PreparedHub) -> Self {
        Self { messages, hub, rounds: Vec::new() }
    }

    /// Reads before the first round: it does not count.
    pub(super) async fn warm_up(&mut self, mut scripts: Vec<Script>, count: usize) -> Result<()> {
        self.hub.server.measure(&mut scripts, Extent::count(count)).await?;
        Ok(())
    }

    /// Reads one round, each reader by a script of its own.
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

/// A report of readings without rows.
pub(super) fn empty_report(title: String) -> Report {
    let columns = vec![
        Column { key: "cpu_us", title: "CPU µs each", decimals: 1 },
        Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
        Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
        Column { key: "per_second", title: "per s", decimals: 0 },
    ];
    Report { title, columns, ..Report::default() }
}

/// Adds the rows of one sort, each with the name that its length gives it, and the ratio between the longest history and
/// the shortest.
pub(super) fn add_rows<Sort: Copy + PartialEq>(
    report: &mut Report,
    readings: &[Reading<Sort>],
    sort: Sort,
    row_name: impl Fn(usize) -> String,
    (ratio_name, goal): (&str, Goal),
) {
    report.rows.extend(readings.iter().map(|reading| reading.row(sort, row_name(reading.messages))));
    if let [shortest, .., longest] = readings {
        let name = format!("CPU of a {ratio_name}, {} ÷ {} messages", longest.messages, shortest.messages);
        let pairs = longest.of(sort).zip(shortest.of(sort));
        let rounds = pairs.filter_map(|(long, short)| figures::quotient(long.cpu_micros(), short.cpu_micros()));
        report.ratios.push(Ratio::times(name, rounds.collect(), Some(goal)));
    }
}
