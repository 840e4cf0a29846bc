//! Closed-loop load: every sender waits for a response before it sends the next request.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use tokio::task::JoinSet;

use super::{figures, wire::Wire};

/// Writes the next request of a sender.
pub(super) type Script = Box<dyn FnMut(&mut Vec<u8>) + Send>;

/// The extent of a round; the first limit that is reached ends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) count_max: usize,
    pub(super) time_max: Duration,
}

/// The result of a round.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub(super) elapsed: Duration,
    /// CPU time of the server, if known.
    pub(super) cpu: Option<Duration>,
    /// Sorted latencies.
    pub(super) latencies: Vec<Duration>,
}

/// Time beyond the limit of a round after which it fails.
const GRACE: Duration = Duration::from_secs(60);

impl Extent {
    /// Ends after this many requests, at the latest after an hour.
    pub(super) fn count(count_max: usize) -> Self {
        Self { count_max, time_max: Duration::from_secs(3_600) }
    }

    /// Ends after this time.
    pub(super) fn time(time_max: Duration) -> Self {
        Self { count_max: usize::MAX / 2, time_max }
    }

    /// The share of one of `rounds` rounds.
    pub(super) fn split(self, rounds: usize) -> Self {
        let rounds = rounds.max(1);
        Self { count_max: self.count_max.div_ceil(rounds), time_max: self.time_max / rounds as u32 }
    }
}

impl Round {
    /// The number of answered requests.
    pub(super) fn count(&self) -> usize {
        self.latencies.len()
    }

    /// Answered requests per second.
    pub(super) fn per_second(&self) -> Option<f64> {
        figures::quotient(Some(self.count() as f64), Some(self.elapsed.as_secs_f64()))
    }

    /// CPU time per request in microseconds.
    pub(super) fn cpu_micros(&self) -> Option<f64> {
        figures::micros_each(self.cpu?, self.count())
    }

    /// A percentile of the latencies, in milliseconds.
    pub(super) fn latency_millis(&self, share: f64) -> Option<f64> {
        figures::percentile(&self.latencies, share).map(figures::millis)
    }

    /// Combines all rounds.
    pub(super) fn join<'a>(rounds: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self { cpu: Some(Duration::ZERO), ..Self::default() };
        for round in rounds {
            all.elapsed += round.elapsed;
            all.cpu = all.cpu.zip(round.cpu).map(|(sum, own)| sum + own);
            all.latencies.extend_from_slice(&round.latencies);
        }
        all.latencies.sort_unstable();
        all
    }
}

/// The ratio of each round to the adjacent round of the other side, because a disturbance mostly affects both.
pub(super) fn compare(rounds: &[Round], others: &[Round], figure: fn(&Round) -> Option<f64>) -> Vec<f64> {
    rounds.iter().zip(others).filter_map(|(one, other)| figures::quotient(figure(one), figure(other))).collect()
}

/// Runs every script over its own connection; the scripts are returned for the next round.
///
/// The first response that is not a success ends the round with an error.
pub(super) async fn run(address: SocketAddr, scripts: &mut Vec<Script>, extent: Extent) -> Result<Round> {
    let mut wires = Vec::with_capacity(scripts.len());
    for _ in 0..scripts.len() {
        wires.push(Wire::connect(address).await?);
    }
    let started = Instant::now();
    let tickets = Arc::new(AtomicUsize::new(extent.count_max));
    let mut senders = JoinSet::new();
    for (wire, script) in wires.into_iter().zip(scripts.drain(..)) {
        senders.spawn(send_all(wire, script, tickets.clone(), started + extent.time_max));
    }
    let mut latencies = Vec::new();
    let collect = async {
        while let Some(sender) = senders.join_next().await {
            let (script, own) = sender.context("run a sender")??;
            scripts.push(script);
            latencies.extend(own);
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(extent.time_max + GRACE, collect).await.context("the server stopped answering")??;
    let elapsed = started.elapsed();
    latencies.sort_unstable();
    Ok(Round { elapsed, cpu: None, latencies })
}

async fn send_all(
    mut wire: Wire,
    mut script: Script,
    tickets: Arc<AtomicUsize>,
    deadline: Instant,
) -> Result<(Script, Vec<Duration>)> {
    let mut latencies = Vec::new();
    let mut request = Vec::new();
    while Instant::now() < deadline && take_ticket(&tickets) {
        request.clear();
        script(&mut request);
        let sent = Instant::now();
        wire.call(&request).await?;
        latencies.push(sent.elapsed());
    }
    Ok((script, latencies))
}

fn take_ticket(tickets: &AtomicUsize) -> bool {
    tickets.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}

#[cfg(test)]
mod tests;
