//! What happens, told to readers while it happens.
//!
//! The store hands over every committed event (`Log::watch`); the fan-out puts each, as bytes made once, into the feed
//! of its project. A reader walks along the feed at its own pace and takes what its audience allows. Whoever is behind
//! the feed reads the log, and whoever falls behind while live is told to resume: nobody is waited for.

mod fanout;
mod feed;
mod reader;
mod sabotage;
mod session;

use std::sync::Arc;

use futures_util::future;
use tokio_util::sync::CancellationToken;

use self::fanout::Fanout;
use crate::Hub;

pub(crate) use self::{fanout::Feeds, session::Sessions};
pub use self::{
    feed::EncodedFrame,
    reader::Reader,
    session::{FrameFilter, Session, SessionEnd, SessionId, StartPosition},
};

/// How often logs are pruned and expired tokens forgotten.
const PRUNE_MS: u64 = 3_600_000;

impl Hub {
    /// Runs what makes the hub live: the fan-out, the windows and leases of streams, the leases of runs, the
    /// questions that expire, presence, the pruning of logs and the forgetting of expired tokens.
    ///
    /// Without it nothing is told to live readers. On `stop` all sessions end (`Stopping`) and the texts of running
    /// answers are kept for the next start.
    pub async fn drive(self: Arc<Self>, stop: CancellationToken) {
        let Some(fanout) = Fanout::new(&self) else {
            tracing::error!("a hub runs only once");
            return;
        };
        let beside = future::join(self.run_supervisor.run_loops(), self.drive_pruning());
        let work = future::join4(fanout.run(), self.streams.drive_streams(), self.presence.run_loop(), beside);
        stop.run_until_cancelled(work).await;
        self.end_waits();
        self.sessions.stop();
        self.feeds.end_all(SessionEnd::Stopping);
        self.streams.save_all_streams().await;
    }

    /// Forgets old events and expired tokens from time to time.
    async fn drive_pruning(&self) {
        loop {
            self.forget_expired_tokens().await;
            match self.store.prune_logs(self.clock.now()).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old events were forgotten"),
                Err(failure) => tracing::warn!(cause = %failure, "the logs could not be pruned"),
            }
            self.clock.sleep_until(self.clock.now().plus_millis(PRUNE_MS)).await;
        }
    }

    /// Forgets expired tokens, in memory too.
    async fn forget_expired_tokens(&self) {
        match self.store.forget_expired_tokens(self.clock.now()).await {
            Ok(0) => {}
            Ok(count) => {
                self.principals.clear();
                tracing::info!(count, "expired tokens were forgotten");
            }
            Err(failure) => tracing::warn!(cause = %failure, "expired tokens could not be forgotten"),
        }
    }
}
