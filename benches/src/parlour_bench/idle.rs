//! `parlour-bench idle`: memory per idle reader.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use tokio::{io::AsyncReadExt, net::TcpStream};

use super::{
    Setup,
    environment::Environment,
    figures::{median, quotient},
    live::{LiveTarget, Opening, Readers, connect, make_room},
    progress,
    report::{Column, Goal, Ratio, Report, Row},
};

/// Readers that connect before the first measurement, so that one-time allocations do not count.
const WARM_UP: usize = 20;
/// Time for a server to release memory before it is measured.
const CALM: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  parlour-bench idle --readers 1000,5000 --rounds 3")]
pub(crate) struct Idles {
    /// Readers, fewer first [default: 1000,5000]
    #[arg(long, value_name = "COUNT,COUNT", value_delimiter = ',', num_args = 1,
          value_parser = clap::value_parser!(u32).range(1..=9_000))]
    readers: Vec<u32>,
    #[command(flatten)]
    pub(super) setup: Setup,
}

/// The transport of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Socket,
    Events,
}

/// Bytes for each reader, in each round.
struct Cost {
    server: &'static str,
    way: Way,
    readers: usize,
    bytes_each: Vec<f64>,
}

impl Idles {
    /// Connects readers to new servers step by step and measures memory after each step.
    pub(super) async fn measure(&self, environment: &Environment) -> Result<Report> {
        let mut report = Report { title: "Memory of idle readers".into(), ..Report::default() };
        let counts = self.counts();
        let most = counts.iter().max().copied().unwrap_or(0);
        if make_room(most + WARM_UP) < most + WARM_UP {
            anyhow::bail!("the system has no file handles for {most} readers");
        }
        let mut costs = Vec::new();
        for round in 1..=self.setup.rounds() {
            for way in [Way::Socket, Way::Events] {
                progress::say(&format!("{}, round {round}", way.name()));
                let hub = environment.prepared_hub(&format!("hub-{round}-{}", way.name())).await?;
                costs.extend(connect_in_steps(&LiveTarget::hub(&hub), way, &counts).await?);
                drop(hub);
                report.notes.clear();
                if let Some(ceiling) = environment.start_ceiling(&mut report)? {
                    costs.extend(connect_in_steps(&LiveTarget::ceiling(&ceiling), way, &counts).await?);
                }
            }
        }
        add_results(&mut report, &grouped(costs));
        Ok(report)
    }

    fn counts(&self) -> Vec<usize> {
        match &self.readers[..] {
            [] if self.setup.quick => vec![50, 100],
            [] => vec![1_000, 5_000],
            given => given.iter().map(|count| *count as usize).collect(),
        }
    }
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Socket => "WebSocket",
            Self::Events => "SSE",
        }
    }

    fn goal_kib(self) -> f64 {
        match self {
            Self::Socket => 14.0,
            Self::Events => 25.0,
        }
    }
}

/// Connected readers of one transport.
enum Held {
    /// They answer heartbeats, so the server keeps them.
    Sockets {
        _readers: Readers,
    },
    Streams {
        _streams: Vec<TcpStream>,
    },
}

/// Bytes per reader for each of the counts.
async fn connect_in_steps(target: &LiveTarget<'_>, way: Way, counts: &[usize]) -> Result<Vec<Cost>> {
    let mut held = vec![hold(target, way, WARM_UP).await?];
    let before = calm_memory(target).await;
    let (mut connected, mut costs) = (0, Vec::new());
    for readers in counts.iter().copied() {
        held.push(hold(target, way, readers.saturating_sub(connected)).await?);
        connected = connected.max(readers);
        let grown = calm_memory(target).await.zip(before).map(|(after, before)| after.saturating_sub(before) as f64);
        let bytes_each = quotient(grown, Some(connected as f64)).into_iter().collect();
        costs.push(Cost { server: target.name, way, readers, bytes_each });
    }
    Ok(costs)
}

async fn calm_memory(target: &LiveTarget<'_>) -> Option<u64> {
    tokio::time::sleep(CALM).await;
    target.server.memory_bytes()
}

async fn hold(target: &LiveTarget<'_>, way: Way, count: usize) -> Result<Held> {
    if way == Way::Socket {
        return Ok(Held::Sockets { _readers: Readers::connect_all(target.readers(count), Instant::now()).await? });
    }
    let mut streams = Vec::with_capacity(count);
    for opening in target.event_readers(count) {
        streams.push(open_events(&opening).await?);
    }
    Ok(Held::Streams { _streams: streams })
}

/// Opens an event stream and waits for its first event.
async fn open_events(opening: &Opening) -> Result<TcpStream> {
    let (mut stream, first) = connect(opening).await?;
    if first.is_empty() {
        anyhow::ensure!(stream.read(&mut [0; 4_096]).await? > 0, "the server closed a stream of events");
    }
    Ok(stream)
}

/// Combines the rounds of each measurement.
fn grouped(costs: Vec<Cost>) -> Vec<Cost> {
    let mut groups: Vec<Cost> = Vec::new();
    for cost in costs {
        let is_same =
            |group: &&mut Cost| (group.server, group.way, group.readers) == (cost.server, cost.way, cost.readers);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.bytes_each.extend(&cost.bytes_each),
            None => groups.push(cost),
        }
    }
    groups
}

fn add_results(report: &mut Report, costs: &[Cost]) {
    report.columns = vec![Column { key: "kib_each", title: "KiB each", decimals: 1 }];
    for cost in costs {
        let kib: Vec<f64> = cost.bytes_each.iter().map(|bytes| bytes / 1024.0).collect();
        let name = format!("{}, {} {} readers", cost.server, cost.readers, cost.way.name());
        report.rows.push(Row { name: name.clone(), values: vec![median(&kib)] });
        if cost.server == "hub" {
            let goal = Some(Goal::AtMost(cost.way.goal_kib()));
            report.ratios.push(Ratio { name, rounds: kib, unit: "KiB", goal });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(server: &'static str, way: Way, kib: f64) -> Cost {
        Cost { server, way, readers: 10, bytes_each: vec![kib * 1024.0] }
    }

    #[test]
    fn rounds_of_one_measurement_are_combined() {
        let groups = grouped(vec![
            cost("hub", Way::Socket, 9.0),
            cost("ceiling", Way::Socket, 8.0),
            cost("hub", Way::Socket, 11.0),
            cost("hub", Way::Events, 20.0),
        ]);
        assert_eq!(groups.iter().map(|group| group.bytes_each.len()).collect::<Vec<_>>(), [2, 1, 1]);
    }

    #[test]
    fn goals_apply_only_to_the_hub() {
        let mut report = Report::default();
        add_results(
            &mut report,
            &[cost("hub", Way::Socket, 15.0), cost("hub", Way::Events, 20.0), cost("ceiling", Way::Events, 90.0)],
        );
        let report = report.to_json();
        let met: Vec<_> = [0, 1].iter().map(|index| report["ratios"][*index]["met"].as_bool()).collect();
        assert_eq!(met, [Some(false), Some(true)]);
        assert_eq!(
            (report["rows"].as_array().map(Vec::len), report["ratios"].as_array().map(Vec::len)),
            (Some(3), Some(2))
        );
    }
}
