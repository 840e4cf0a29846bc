//! Senders of marked messages, who look at what the readers have got.

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

use super::{Crowd, tally::Tally};
use crate::{load::Script, wire::Wire};

/// Messages that are sent before all readers have the first of them. More would not make a server faster, and far more
/// would make readers too slow for it.
const AHEAD: u64 = 64;
/// How long the last deliveries may take.
const GRACE: Duration = Duration::from_secs(30);

/// Senders with a connection each, opened anew in each round: a hub does not wait for ever for the next request.
pub(crate) struct Senders {
    address: SocketAddr,
    all: Vec<Sender>,
    /// Messages that were sent, ever.
    sent: Arc<AtomicU64>,
}

struct Sender {
    script: Script,
    request: Vec<u8>,
}

impl Senders {
    /// A sender for each script.
    pub(crate) fn new(address: SocketAddr, scripts: Vec<Script>) -> Self {
        let all = scripts.into_iter().map(|script| Sender { script, request: Vec::new() }).collect();
        Self { address, all, sent: Arc::default() }
    }

    /// Sends as fast as the readers get it, for this long and until they have got everything.
    pub(crate) async fn saturate(&mut self, crowd: &Crowd, time: Duration) -> Result<()> {
        let deadline = Instant::now() + time;
        let mut tasks = JoinSet::new();
        for sender in self.all.drain(..) {
            let wire = Wire::connect(self.address).await?;
            tasks.spawn(sender.send_until(deadline, wire, Arc::clone(&self.sent), crowd.tally(), crowd.size()));
        }
        while let Some(sender) = tasks.join_next().await {
            self.all.push(sender.context("run a sender")??);
        }
        self.wait_for(crowd).await;
        Ok(())
    }

    /// Sends so many messages, one each `pause`, whatever the readers do.
    pub(crate) async fn send_evenly(&mut self, crowd: &Crowd, count: usize, pause: Duration) -> Result<()> {
        let mut ticks = tokio::time::interval(pause);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut wire = Wire::connect(self.address).await?;
        let sender = self.all.first_mut().context("there is a sender")?;
        for _ in 0..count {
            ticks.tick().await;
            self.sent.fetch_add(1, Ordering::Relaxed);
            sender.send(&mut wire).await?;
        }
        self.wait_for(crowd).await;
        Ok(())
    }

    /// Sends so many messages by one sender, whoever reads them.
    pub(crate) async fn send(&mut self, count: usize) -> Result<()> {
        let mut wire = Wire::connect(self.address).await?;
        let sender = self.all.first_mut().context("there is a sender")?;
        for _ in 0..count {
            sender.send(&mut wire).await?;
        }
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Sends so many messages by the last sender; all readers have one before the next is sent.
    pub(crate) async fn send_one_by_one(&mut self, crowd: &Crowd, count: usize) -> Result<()> {
        for _ in 0..count {
            let mut wire = Wire::connect(self.address).await?;
            self.sent.fetch_add(1, Ordering::Relaxed);
            self.all.last_mut().context("there is a sender")?.send(&mut wire).await?;
            self.wait_for(crowd).await;
        }
        Ok(())
    }

    /// A further sender that shares the count of what was sent.
    pub(crate) fn beside(&self, script: Script) -> Self {
        let all = vec![Sender { script, request: Vec::new() }];
        Self { address: self.address, all, sent: Arc::clone(&self.sent) }
    }

    /// What is still on its way arrives, or is missing in the sums.
    async fn wait_for(&self, crowd: &Crowd) {
        let sent = self.sent();
        crowd.until(GRACE, |counts, size| counts.delivered >= sent * size).await;
    }

    /// Messages that were sent, ever.
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
