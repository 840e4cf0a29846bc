//! Live delivery of events to readers.
//!
//! The store reports every committed event (`Log::watch`). The fan-out encodes it once and puts it into the feed of
//! its project. A reader follows the feed at its own pace and takes the frames that its audience allows. A reader
//! that is behind the feed reads the log, and a live reader that falls behind has to resume: the fan-out waits for
//! nobody.

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

/// How often logs are pruned and expired tokens removed.
const PRUNE_MS: u64 = 3_600_000;

impl Hub {
    /// Runs the background work of the hub: the fan-out, streams, leases of runs, expiring questions, presence,
    /// pruning of logs and removal of expired tokens.
    ///
    /// Without it live readers receive nothing. On `stop` all sessions end (`Stopping`) and the texts of open streams
    /// are saved for the next start.
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

    /// Removes old events and expired tokens regularly.
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

    /// Removes expired tokens, also from the cache.
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
