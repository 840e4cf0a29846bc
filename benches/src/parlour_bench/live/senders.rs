//! Senders of marked messages that adapt to the deliveries.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use tokio::task::JoinSet;

use super::{Readers, tally::Tally};
use crate::{load::Script, wire::Wire};

/// Messages that are sent ahead of the slowest reader. More would not make a server faster, and far more
/// would make readers lag too far behind.
const AHEAD: u64 = 64;
/// Time limit of the last deliveries.
const GRACE: Duration = Duration::from_secs(30);

/// Senders with one connection each, reopened in each round because the hub closes idle connections.
pub(crate) struct Senders {
    address: SocketAddr,
    all: Vec<Sender>,
    /// Total messages sent.
    sent: Arc<AtomicU64>,
}

struct Sender {
    script: Script,
    request: Vec<u8>,
}

impl Senders {
    /// One sender per script.
    pub(crate) fn new(address: SocketAddr, scripts: Vec<Script>) -> Self {
        let all = scripts.into_iter().map(|script| Sender { script, request: Vec::new() }).collect();
        Self { address, all, sent: Arc::default() }
    }

    /// Sends as fast as the readers receive, for this time, and waits for the last deliveries.
    pub(crate) async fn saturate(&mut self, readers: &Readers, time: Duration) -> Result<()> {
        let deadline = Instant::now() + time;
        let mut tasks = JoinSet::new();
        for sender in self.all.drain(..) {
            let wire = Wire::connect(self.address).await?;
            tasks.spawn(sender.send_until(deadline, wire, Arc::clone(&self.sent), readers.tally(), readers.size()));
        }
        while let Some(sender) = tasks.join_next().await {
            self.all.push(sender.context("run a sender")??);
        }
        self.wait_for(readers).await;
        Ok(())
    }

    /// Sends this many messages, one per `pause`, independently of the readers.
    pub(crate) async fn send_evenly(&mut self, readers: &Readers, count: usize, pause: Duration) -> Result<()> {
        let mut ticks = tokio::time::interval(pause);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut wire = Wire::connect(self.address).await?;
        let sender = self.all.first_mut().context("there is a sender")?;
        for _ in 0..count {
            ticks.tick().await;
            self.sent.fetch_add(1, Ordering::Relaxed);
            sender.send(&mut wire).await?;
        }
        self.wait_for(readers).await;
        Ok(())
    }

    /// Sends this many messages with one sender, without waiting for readers.
    pub(crate) async fn send(&mut self, count: usize) -> Result<()> {
        let mut wire = Wire::connect(self.address).await?;
        let sender = self.all.first_mut().context("there is a sender")?;
        for _ in 0..count {
            sender.send(&mut wire).await?;
        }
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Sends this many messages with the last sender, each after all readers have the previous one.
    pub(crate) async fn send_one_by_one(&mut self, readers: &Readers, count: usize) -> Result<()> {
        for _ in 0..count {
            let mut wire = Wire::connect(self.address).await?;
            self.sent.fetch_add(1, Ordering::Relaxed);
            self.all.last_mut().context("there is a sender")?.send(&mut wire).await?;
            self.wait_for(readers).await;
        }
        Ok(())
    }

    /// Another sender with the same total count.
    pub(crate) fn beside(&self, script: Script) -> Self {
        let all = vec![Sender { script, request: Vec::new() }];
        Self { address: self.address, all, sent: Arc::clone(&self.sent) }
    }

    /// Waits for outstanding deliveries; after the time limit they count as lost.
    async fn wait_for(&self, readers: &Readers) {
        let sent = self.sent();
        readers.until(GRACE, |counts, size| counts.delivered >= sent * size).await;
    }

    /// Total messages sent.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Sender {
    async fn send_until(
        mut self,
        deadline: Instant,
        mut wire: Wire,
        sent: Arc<AtomicU64>,
        tally: Arc<Tally>,
        readers: u64,
    ) -> Result<Self> {
        loop {
            let room = tally.until(|counts| sent.load(Ordering::Relaxed) < counts.delivered / readers + AHEAD);
            let is_late = tokio::time::timeout_at(deadline.into(), room).await.is_err();
            if is_late || Instant::now() >= deadline {
                return Ok(self);
            }
            sent.fetch_add(1, Ordering::Relaxed);
            self.send(&mut wire).await?;
        }
    }

    async fn send(&mut self, wire: &mut Wire) -> Result<()> {
        self.request.clear();
        (self.script)(&mut self.request);
        wire.call(&self.request).await.map(|_| ())
    }
}
