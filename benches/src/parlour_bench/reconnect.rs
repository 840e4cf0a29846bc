//! `parlour-bench reconnect`: all readers reconnect at once after a restart of the hub and have missed events.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;

use super::{
    Setup,
    environment::{Environment, PreparedHub},
    figures,
    fixture::Api,
    live::{LiveTarget, Readers, Senders, make_room},
    progress,
    report::{Column, Goal, Ratio, Report, Row},
};

const EXAMPLES: &str = "\
Examples:
  parlour-bench reconnect
  parlour-bench reconnect --readers 2000 --missed 1000";

/// Time limit of a round.
const TIME_MAX: Duration = Duration::from_secs(180);

#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reconnects {
    /// Readers that connect at once [default: 10000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    readers: Option<u32>,
    /// Events that each of them has missed [default: 100]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    missed: Option<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The result of one round.
struct Rush {
    /// Time until the last reader had all events.
    elapsed: Duration,
    cpu: Option<Duration>,
    lost: u64,
    disordered: u64,
    cut_off: u64,
    /// The reason if a reader was refused.
    failure: Option<String>,
}

impl Reconnects {
    /// Posts the missed events, restarts the hub so that its memory is empty, and connects all readers.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let (requested, missed) =
            (self.setup.number(self.readers, 10_000, 50), self.setup.number(self.missed, 100, 20));
        let readers = make_room(requested);
        let mut hub = environment.prepared_hub("hub").await?;
        let folder = environment.folder("hub")?;
        let (epoch, position) = (Instant::now(), position(&hub).await?);
        miss(&hub, missed, epoch).await?;
        let mut rushes = Vec::new();
        for round in 1..=self.setup.rounds() {
            hub.server.stop()?;
            hub =
                PreparedHub { server: environment.start_hub(&folder, &hub.fixture.admin_token)?, fixture: hub.fixture };
            progress::say(&format!("{readers} readers come back, round {round}"));
            rushes.push(rush(&LiveTarget::hub(&hub), readers, missed as u64, &position, epoch).await?);
        }
        let mut report = report(readers, missed, &rushes);
        report.notes.extend(rushes.iter().filter_map(|rush| rush.failure.clone()).take(1));
        if readers < requested {
            report.notes.push(format!("The system has no file handles for {requested} readers."));
        }
        Ok(report)
    }
}

/// The end of the project's log.
async fn position(hub: &PreparedHub) -> Result<String> {
    let mut api = Api::connect(hub.server.address(), &hub.fixture.admin_token).await?;
    let snapshot = api.get(&format!("/projects/{}/snapshot", hub.fixture.project_id)).await?;
    Ok(snapshot["position"].as_str().context("a snapshot has a position")?.to_owned())
}

/// Posts this many messages with one sender.
async fn miss(hub: &PreparedHub, count: usize, epoch: Instant) -> Result<()> {
    let target = LiveTarget::hub(hub);
    let script = target.scripts(epoch).into_iter().take(1).collect();
    Senders::new(hub.server.address(), script).send(count).await
}

async fn rush(target: &LiveTarget<'_>, readers: usize, missed: u64, position: &str, epoch: Instant) -> Result<Rush> {
    let started = Instant::now();
    let mut readers = Readers::start(target.readers_after(readers, position), epoch, Default::default(), readers);
    let caught_up = readers.until(TIME_MAX, |counts, size| counts.live + counts.closed.len() as u64 >= size);
    let (_, cpu) = target.server.while_doing(caught_up).await;
    let elapsed = started.elapsed();
    let failure = readers.failure().map(|error| format!("A reader could not come back: {error:#}."));
    let counts = readers.counts();
    let due = missed * readers.size();
    Ok(Rush {
        elapsed,
        cpu,
        lost: due.saturating_sub(counts.delivered).max(counts.lost) + counts.gaps,
        disordered: counts.disordered,
        cut_off: counts.closed.len() as u64,
        failure,
    })
}

fn report(readers: usize, missed: usize, rushes: &[Rush]) -> Report {
    let seconds: Vec<f64> = rushes.iter().map(|rush| rush.elapsed.as_secs_f64()).collect();
    let cpu: Vec<f64> =
        rushes.iter().filter_map(|rush| figures::micros_each(rush.cpu?, readers)).map(|micros| micros / 1e3).collect();
    let events = figures::quotient(Some((readers * missed) as f64), figures::median(&seconds));
    let sum = |figure: fn(&Rush) -> u64| rushes.iter().map(figure).sum();
    Report {
        title: format!("{readers} readers come back at once, each {missed} events behind"),
        columns: vec![
            Column { key: "seconds", title: "s until all are live", decimals: 2 },
            Column { key: "events_per_second", title: "events/s", decimals: 0 },
            Column { key: "cpu_ms", title: "CPU ms a reader", decimals: 2 },
        ],
        rows: vec![Row {
            name: "hub, started again".into(),
            values: vec![figures::median(&seconds), events, figures::median(&cpu)],
        }],
        ratios: vec![
            Ratio {
                name: "until all have caught up".into(),
                rounds: seconds,
                unit: "s",
                goal: Some(Goal::AtMost(30.0)),
            },
            Ratio::none("events lost", sum(|rush| rush.lost)),
            Ratio::none("events doubled or out of order", sum(|rush| rush.disordered)),
            Ratio::none("readers that were turned away", sum(|rush| rush.cut_off)),
        ],
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lost_event_of_any_round_misses_the_goal() {
        let rush = |lost| Rush {
            elapsed: Duration::from_secs(2),
            cpu: Some(Duration::from_millis(20)),
            lost,
            disordered: 0,
            cut_off: 0,
            failure: None,
        };
        let report = report(10, 100, &[rush(0), rush(1), rush(0)]).to_json();
        let met: Vec<_> = [0, 1, 2].iter().map(|index| report["ratios"][*index]["met"].as_bool()).collect();
        assert_eq!(met, [Some(true), Some(false), Some(true)]);
        assert_eq!(
            (&report["rows"][0]["events_per_second"], &report["rows"][0]["cpu_ms"]),
            (&500.0.into(), &2.0.into())
        );
    }
}
