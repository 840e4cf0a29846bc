//! One agent, kept running: when its runner ends by itself it is started again, after a pause that grows.

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

/// The pause after the first end.
const PAUSE_FIRST: Duration = Duration::from_millis(500);
/// No pause is longer.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// What it takes to run an agent.
pub(super) struct Supervised<L> {
    /// For the log.
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
            tracing::warn!(agent = %self.name, cause = %why, "an agent of this hub ended and is started again");
            if begun.elapsed() > PAUSE_MAX {
                pause = PAUSE_FIRST;
            }
            if stop.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Why it ended. A panic of an engine ends that runner and nothing else.
    async fn run_once(&self, stop: CancellationToken) -> String {
        let (link, engine, name) =
            (Arc::clone(&self.link) as Arc<dyn HubLink>, Arc::clone(&self.engine), self.name.clone());
        let report = move |report| log(&name, &report);
        let running = tokio::spawn(runner::run(link, engine, self.options.clone(), report, stop));
        match running.await {
            Ok(Ok(())) => "it ended by itself".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// Answers are in the conversation; the log gets what an operator may have to look at.
fn log(agent: &str, report: &RunnerEvent) {
    match report {
        RunnerEvent::Lost(why) => tracing::warn!(agent, cause = %why, "an agent of this hub lost its link"),
        RunnerEvent::Ended { answer_id, state: State::Failed, reason } => {
            let reason = reason.as_deref().unwrap_or_default();
            tracing::warn!(agent, answer = %answer_id, reason, "an answer failed");
        }
        other => tracing::debug!(agent, report = ?other, "an agent of this hub"),
    }
}
