//! Supervision of one hosted agent: its runner is restarted with exponential backoff.

use std::{sync::Arc, time::Duration};

use parlour_agent::{
    engine::Engine,
    link::HubLink,
    runner::{self, RunnerEvent, RunnerOptions},
};
use parlour_core::message::State;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

const PAUSE_FIRST: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// A hosted agent and the parts of its runner.
pub(super) struct Supervised<L> {
    pub(super) name: String,
    pub(super) link: Arc<L>,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) options: RunnerOptions,
}

impl<L: HubLink + 'static> Supervised<L> {
    /// Runs the agent until `stop` is cancelled.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut pause = PAUSE_FIRST;
        loop {
            let begun = Instant::now();
            let why = self.run_once(stop.clone()).await;
            if stop.is_cancelled() {
                return;
            }
            tracing::warn!(agent = %self.name, cause = %why, "a hosted agent ended and is restarted");
            if begun.elapsed() > PAUSE_MAX {
                pause = PAUSE_FIRST;
            }
            if stop.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Runs until the runner ends and returns the reason. A panic of an engine ends only its own runner.
    async fn run_once(&self, stop: CancellationToken) -> String {
        let (link, engine, name) =
            (Arc::clone(&self.link) as Arc<dyn HubLink>, Arc::clone(&self.engine), self.name.clone());
        let report = move |report| log(&name, &report);
        let running = tokio::spawn(runner::run(link, engine, self.options.clone(), report, stop));
        match running.await {
            Ok(Ok(())) => "the runner ended without an error".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// Logs the events that concern the operator.
fn log(agent: &str, report: &RunnerEvent) {
    match report {
        RunnerEvent::Lost(why) => tracing::warn!(agent, cause = %why, "a hosted agent lost its connection to the hub"),
        RunnerEvent::Ended { answer_id, state: State::Failed, reason } => {
            let reason = reason.as_deref().unwrap_or_default();
            tracing::warn!(agent, answer = %answer_id, reason, "an answer failed");
        }
        other => tracing::debug!(agent, report = ?other, "event of a hosted agent"),
    }
}
