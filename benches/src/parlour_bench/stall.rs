//! `parlour-bench stall`: a few readers that never read, and their effect on the others.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    fanout::Side,
    figures,
    live::{LiveTarget, Stalled, make_room},
    load::{Round, compare},
    progress,
    report::{Column, Goal, Ratio, Report, Row},
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench stall
  parlour-bench stall --readers 5000 --stalled 50";

/// Long messages before each round, which fill the socket buffers of the system: some megabytes on the same machine.
/// Only then can the hub detect a reader that does not read.
const FILLING: u32 = 48;
/// Time limit until the hub has disconnected all stalled readers.
const CUT_OFF_TIME_MAX: Duration = Duration::from_secs(60);
/// Interval at which this is checked.
const LOOK: Duration = Duration::from_millis(250);

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stalls {
    /// Readers, with those who stall [default: 1000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=9_000))]
    readers: Option<u32>,
    /// Readers who never read [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    stalled: Option<u32>,
    /// Time for each side, all rounds together [default: 20]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The result for stalled readers.
struct Outcome {
    count: usize,
    /// Sockets that the hub had not closed at the end.
    held: usize,
    /// Readers that got the close code for resuming.
    closed_for_lag: usize,
    waited: Duration,
}

impl Stalls {
    /// Alternates two hubs: at one all readers read, at the other some new readers stall in each round.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let readers = self.setup.number(self.readers, 1_000, 20);
        let stalled = self.setup.number(self.stalled, 10, 2).min(readers - 1);
        let rounds = self.setup.rounds();
        anyhow::ensure!(make_room(readers * 2 + stalled * rounds) >= readers * 2, "there are too few file handles");
        let time = Duration::from_secs(self.setup.number(self.seconds, 20, 1) as u64) / rounds as u32;
        let (reading_hub, stalled_hub) =
            (environment.prepared_hub("reading").await?, environment.prepared_hub("stalled_side").await?);
        let mut reading = Side::open(LiveTarget::hub(&reading_hub), readers).await?;
        let mut stalled_side = Side::open(LiveTarget::hub(&stalled_hub), readers - stalled).await?;
        let sockets = stalled_hub.server.open_sockets();
        let mut filler = stalled_side.senders.beside(LiveTarget::hub(&stalled_hub).long_script(stalled_side.epoch));
        let (mut reading_rounds, mut stalled_rounds, mut stalled_readers) =
            (Vec::new(), Vec::new(), Stalled::default());
        for round in 1..=rounds {
            progress::say(&format!("round {round}"));
            reading_rounds.push(reading.saturate(time).await?);
            stalled_readers.add(&LiveTarget::hub(&stalled_hub).stalled_readers(stalled)).await?;
            filler.send_one_by_one(&stalled_side.readers, self.setup.number(None, FILLING, 1)).await?;
            stalled_rounds.push(stalled_side.saturate(time).await?);
        }
        let mut report = report(&rates(&reading_rounds, readers), &rates(&stalled_rounds, readers - stalled));
        report.title = format!("{stalled} of {readers} readers never read");
        report.rows[0].values.push(Round::join(&reading_rounds).cpu_micros());
        report.rows[1].values.push(Round::join(&stalled_rounds).cpu_micros());
        if !self.setup.quick {
            let cpu = compare(&stalled_rounds, &reading_rounds, Round::cpu_micros);
            report.ratios.push(Ratio::times("CPU per delivery, while some do not read ÷ all read", cpu, None));
            add_outcome(&mut report, &await_cut_off(&stalled_hub, &mut stalled_side, sockets, stalled_readers).await?);
        }
        let (lost, disordered) = stalled_side.missing();
        report.ratios.push(Ratio::none("deliveries lost or out of order at the others", lost + disordered));
        Ok(report)
    }
}

/// Sends messages until the hub has closed the sockets of all stalled readers, then reads their close codes.
async fn await_cut_off(
    hub: &PreparedHub,
    side: &mut Side<'_>,
    sockets: Option<usize>,
    stalled_readers: Stalled,
) -> Result<Outcome> {
    let (started, count) = (Instant::now(), stalled_readers.len());
    let held = || hub.server.open_sockets().zip(sockets).map_or(0, |(now, before)| now.saturating_sub(before));
    while held() > 0 && started.elapsed() < CUT_OFF_TIME_MAX {
        progress::say(&format!("{} of {count} that never read are still connected", held()));
        side.saturate(LOOK).await?;
    }
    let (waited, held) = (started.elapsed(), held().min(count));
    // Sockets that are still open would never end.
    let codes = if held == 0 { stalled_readers.wake().await } else { Vec::new() };
    Ok(Outcome { count, held, closed_for_lag: codes.iter().filter(|code| **code == Some(4_000)).count(), waited })
}

/// Messages per second and reader in each round.
fn rates(rounds: &[Round], readers: usize) -> Vec<f64> {
    rounds.iter().filter_map(|round| figures::quotient(round.per_second(), Some(readers as f64))).collect()
}

fn report(reading: &[f64], stalled_side: &[f64]) -> Report {
    let pairs = stalled_side
        .iter()
        .zip(reading)
        .filter_map(|(stalled_side, reading)| figures::quotient(Some(*stalled_side), Some(*reading)));
    let row = |name: &str, rates: &[f64]| Row { name: name.into(), values: vec![figures::median(rates)] };
    let name = "messages/s to each, while some do not read ÷ all read";
    Report {
        columns: vec![
            Column { key: "per_second", title: "messages/s to each", decimals: 1 },
            Column { key: "cpu_us", title: "CPU µs a delivery", decimals: 2 },
        ],
        rows: vec![row("all read", reading), row("the others, while some do not read", stalled_side)],
        ratios: vec![Ratio::times(name, pairs.collect(), Some(Goal::AtLeast(0.95)))],
        ..Report::default()
    }
}

fn add_outcome(report: &mut Report, outcome: &Outcome) {
    let Outcome { count, held, closed_for_lag, waited } = outcome;
    report.ratios.push(Ratio::none("readers that never read and are still connected", *held as u64));
    report.notes.push(format!(
        "Of {count} readers that never read, {closed_for_lag} got the close code 4000 (resume) after the buffered \
         frames; the others were dropped. The last was disconnected {:.1} s after the last round.",
        waited.as_secs_f64()
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_measured_per_reader() {
        let round = |count| Round {
            elapsed: Duration::from_secs(1),
            latencies: vec![Duration::ZERO; count],
            ..Round::default()
        };
        assert_eq!((rates(&[round(1_000)], 100), rates(&[round(990)], 99)), (vec![10.0], vec![10.0]));
    }

    #[test]
    fn readers_that_stay_connected_without_reading_miss_the_goal() {
        let met = |held| {
            let mut report = report(&[100.0], &[96.0]);
            add_outcome(&mut report, &Outcome { count: 10, held, closed_for_lag: 0, waited: Duration::from_secs(1) });
            report.to_json()["ratios"][1]["met"].as_bool()
        };
        assert_eq!((met(0), met(1)), (Some(true), Some(false)));
    }

    #[test]
    fn other_readers_may_lose_five_percent_of_throughput() {
        let met = |stalled_side| report(&[100.0], &[stalled_side]).to_json()["ratios"][0]["met"].as_bool();
        assert_eq!((met(95.0), met(94.0)), (Some(true), Some(false)));
    }
}
