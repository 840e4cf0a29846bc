//! `parlour-bench start`: time from the start of the program until it is ready, on an empty and on a filled store.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Result;
use clap::Args;

use super::{
    Setup,
    environment::Environment,
    figures,
    load::Round,
    report::{Column, Goal, Ratio, Report, Row},
    request,
    wire::Wire,
};

/// Starts per round; the first one reads the program from disk.
const STARTS: usize = 3;

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench start --messages 1000000 --keep ~/parlour-stores")]
pub(crate) struct Starts {
    /// Messages in the filled store
    #[arg(long, value_name = "COUNT", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    messages: u32,
    #[command(flatten)]
    pub(super) setup: Setup,
}

impl Starts {
    /// Starts hubs on new folders and on the filled one in turn; each is stopped gracefully before the next.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let (store, fixture) = environment.filled_store(self.messages as usize).await?;
        let (mut empty, mut filled) = (Vec::new(), Vec::new());
        for round in 0..self.setup.rounds() {
            let (mut on_empty, mut on_filled) = (Vec::new(), Vec::new());
            for number in 0..STARTS {
                let folder = environment.folder(&format!("empty-{round}-{number}"))?;
                on_empty.push(start_once(environment, &folder, &fixture.admin_token).await?);
                on_filled.push(start_once(environment, &store, &fixture.admin_token).await?);
            }
            empty.push(round_of(on_empty));
            filled.push(round_of(on_filled));
        }
        Ok(report(self.messages, &empty, &filled))
    }
}

/// The time until `/ready` returns 200.
async fn start_once(environment: &Environment, folder: &Path, token: &str) -> Result<Duration> {
    let started = Instant::now();
    let server = environment.start_hub(folder, token)?;
    let mut question = Vec::new();
    request::write_get(&mut question, "/ready", None);
    Wire::connect(server.address()).await?.call(&question).await?;
    let elapsed = started.elapsed();
    server.stop()?;
    Ok(elapsed)
}

fn round_of(mut latencies: Vec<Duration>) -> Round {
    latencies.sort_unstable();
    Round { elapsed: latencies.iter().sum(), cpu: None, latencies }
}

fn report(messages: u32, empty: &[Round], filled: &[Round]) -> Report {
    let p50 = |round: &Round| round.latency_millis(0.5);
    let row = |name: String, rounds: &[Round]| {
        let all = Round::join(rounds);
        Row { name, values: vec![p50(&all), all.latency_millis(1.0)] }
    };
    let pairs = filled.iter().zip(empty).filter_map(|(full, none)| figures::quotient(p50(full), p50(none)));
    let ready = Ratio {
        name: "ready on an empty store".into(),
        rounds: empty.iter().filter_map(p50).collect(),
        unit: "ms",
        goal: Some(Goal::AtMost(100.0)),
    };
    let name = format!("{messages} messages ÷ empty store");
    Report {
        title: "From start to ready".into(),
        columns: vec![
            Column { key: "p50_ms", title: "p50 ms", decimals: 1 },
            Column { key: "longest_ms", title: "longest ms", decimals: 1 },
        ],
        rows: vec![row("empty store".into(), empty), row(format!("store with {messages} messages"), filled)],
        ratios: vec![ready, Ratio::times(name, pairs.collect(), Some(Goal::AtMost(1.5)))],
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(millis: &[u64]) -> Round {
        round_of(millis.iter().copied().map(Duration::from_millis).collect())
    }

    #[test]
    fn the_median_start_of_a_round_counts() {
        let report = report(9, &[starts(&[20, 10, 900])], &[starts(&[30, 25, 35])]).to_json();
        assert_eq!(report["rows"][0]["p50_ms"], 20.0);
        assert_eq!(report["ratios"][0]["met"], true);
        assert_eq!(report["ratios"][1]["value"], 1.5);
    }
}
