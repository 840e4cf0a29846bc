//! `parlour-bench fanout`: messages to many readers, as fast as possible and at an even rate.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;

use super::{
    Setup,
    environment::Environment,
    live::{LiveTarget, Readers, Senders, make_room},
    load::{Round, compare},
    progress,
    report::{Column, Goal, Ratio, Report, Row},
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench fanout
  parlour-bench fanout --readers 5000 --seconds 30
  parlour-bench fanout --quick --json";

/// Warm-up before the first round.
const WARM_UP: Duration = Duration::from_millis(500);
/// Messages per second at the even rate.
const MESSAGES_PER_SECOND: u32 = 10;

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fanouts {
    /// Readers on WebSockets, all of one project [default: 1000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    readers: Option<u32>,
    /// Time for each side and pace, all rounds together [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// One server with its readers.
pub(super) struct Side<'a> {
    target: LiveTarget<'a>,
    pub(super) readers: Readers,
    pub(super) senders: Senders,
    /// The start of time measurement of its marks.
    pub(super) epoch: Instant,
    fast: Vec<Round>,
    even: Vec<Round>,
}

impl Fanouts {
    /// Alternates hub and ceiling; the readers of both stay connected.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let requested = self.setup.number(self.readers, 1_000, 20);
        let readers = make_room(requested * 2) / 2;
        let time = Duration::from_secs(self.setup.number(self.seconds, 10, 1) as u64) / self.setup.rounds() as u32;
        let mut report = Report { title: format!("Fan-out to {readers} readers"), ..Report::default() };
        if readers < requested {
            report.notes.push(format!("The system has no file handles for {requested} readers of both sides."));
        }
        let hub = environment.prepared_hub("hub").await?;
        let ceiling = environment.start_ceiling(&mut report)?;
        let mut sides = vec![Side::open(LiveTarget::hub(&hub), readers).await?];
        if let Some(ceiling) = &ceiling {
            sides.push(Side::open(LiveTarget::ceiling(ceiling), readers).await?);
        }
        for side in &mut sides {
            side.senders.saturate(&side.readers, WARM_UP).await?;
            side.readers.counts().latencies.clear();
        }
        for round in 1..=self.setup.rounds() {
            for side in &mut sides {
                progress::say(&format!("{}, round {round}", side.target.name));
                let fast = side.saturate(time).await?;
                side.fast.push(fast);
                let even = side.send_evenly(time).await?;
                side.even.push(even);
            }
        }
        add_results(&mut report, &mut sides)?;
        Ok(report)
    }
}

impl<'a> Side<'a> {
    /// Connects readers and senders.
    pub(super) async fn open(target: LiveTarget<'a>, readers: usize) -> Result<Self> {
        progress::say(&format!("{readers} readers connect to the {}", target.name));
        let epoch = Instant::now();
        let readers = Readers::connect_all(target.readers(readers), epoch).await?;
        let senders = Senders::new(target.server.address(), target.scripts(epoch));
        Ok(Self { target, readers, senders, epoch, fast: Vec::new(), even: Vec::new() })
    }

    /// Sends as fast as the readers receive.
    pub(super) async fn saturate(&mut self, time: Duration) -> Result<Round> {
        let work = self.senders.saturate(&self.readers, time);
        round(&self.target, &self.readers, work).await
    }

    async fn send_evenly(&mut self, time: Duration) -> Result<Round> {
        let count = (time.as_secs_f64() * f64::from(MESSAGES_PER_SECOND)).ceil() as usize;
        let pause = Duration::from_secs(1) / MESSAGES_PER_SECOND;
        let work = self.senders.send_evenly(&self.readers, count, pause);
        round(&self.target, &self.readers, work).await
    }

    /// The numbers of lost and of reordered deliveries.
    pub(super) fn missing(&self) -> (u64, u64) {
        let counts = self.readers.counts();
        let due = self.senders.sent() * self.readers.size();
        (due.saturating_sub(counts.delivered).max(counts.lost), counts.disordered)
    }
}

/// A round whose operations are deliveries.
async fn round(target: &LiveTarget<'_>, readers: &Readers, work: impl Future<Output = Result<()>>) -> Result<Round> {
    readers.counts().latencies.clear();
    let started = Instant::now();
    let (result, cpu) = target.server.while_doing(work).await;
    let elapsed = started.elapsed();
    result?;
    let mut latencies = std::mem::take(&mut readers.counts().latencies);
    latencies.sort_unstable();
    Ok(Round { elapsed, cpu, latencies })
}

fn add_results(report: &mut Report, sides: &mut [Side<'_>]) -> Result<()> {
    report.columns = vec![
        Column { key: "per_second", title: "deliveries/s", decimals: 0 },
        Column { key: "p50_ms", title: "p50 ms", decimals: 2 },
        Column { key: "p99_ms", title: "p99 ms", decimals: 2 },
        Column { key: "cpu_us", title: "CPU µs each", decimals: 2 },
    ];
    for side in &*sides {
        report.rows.push(row(format!("{}, as fast as it goes", side.target.name), &side.fast));
    }
    for side in &*sides {
        report.rows.push(row(format!("{}, {MESSAGES_PER_SECOND} messages/s", side.target.name), &side.even));
    }
    if let [hub, ceiling] = &*sides {
        report.ratios.extend(ratios(hub, ceiling));
    }
    for side in sides {
        if let Some(error) = side.readers.failure() {
            return Err(error.context(format!("read from the {}", side.target.name)));
        }
        let (lost, disordered) = side.missing();
        report.ratios.push(Ratio::none(format!("deliveries lost, {}", side.target.name), lost));
        report.ratios.push(Ratio::none(format!("deliveries out of order, {}", side.target.name), disordered));
    }
    Ok(())
}

fn ratios(hub: &Side<'_>, ceiling: &Side<'_>) -> [Ratio; 5] {
    let fast = |figure| compare(&hub.fast, &ceiling.fast, figure);
    let even = |figure| compare(&hub.even, &ceiling.even, figure);
    let (p50, p99) = (even(|round| round.latency_millis(0.5)), even(|round| round.latency_millis(0.99)));
    [
        Ratio::times("deliveries/s, hub ÷ ceiling", fast(Round::per_second), Some(Goal::AtLeast(0.8))),
        Ratio::times("CPU per delivery, hub ÷ ceiling", fast(Round::cpu_micros), Some(Goal::AtMost(1.25))),
        // Frames never wait here, so they cannot be written together: this is the cost of a single delivery.
        Ratio::times("CPU per delivery at an even pace, hub ÷ ceiling", even(Round::cpu_micros), None),
        Ratio::times("p50 at an even pace, hub ÷ ceiling", p50, Some(Goal::AtMost(1.25))),
        Ratio::times("p99 at an even pace, hub ÷ ceiling", p99, Some(Goal::AtMost(1.5))),
    ]
}

fn row(name: String, rounds: &[Round]) -> Row {
    let all = Round::join(rounds);
    let values = vec![all.per_second(), all.latency_millis(0.5), all.latency_millis(0.99), all.cpu_micros()];
    Row { name, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_combines_its_rounds() {
        let round = |millis, count| Round {
            elapsed: Duration::from_secs(1),
            cpu: Some(Duration::from_millis(4)),
            latencies: vec![Duration::from_millis(millis); count],
        };
        let row = row("x".into(), &[round(1, 10), round(3, 30)]);
        assert_eq!(row.values, [Some(20.0), Some(3.0), Some(3.0), Some(200.0)]);
    }
}
