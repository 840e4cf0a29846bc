//! Checkpoints: the run asks whether it may go on, and stands still for as long as it may not.

use std::{future::pending, time::Duration};

use parlour_core::{
    Code,
    checkpoint::{Brief, Checkpoint, CheckpointDecision},
    id::RunId,
    message::Importance,
    run::{Pause, PauseReason, Run, RunState},
};
use tokio::time::{Instant, sleep_until};

use super::{Turn, stopped_for};
use crate::{
    link::LinkError,
    runner::{Report, control::Hold, shared::Wanted},
};

/// How long to wait before a hub is asked again that could not be reached, or that did not wait.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// What a look at the run has shown.
enum Look {
    /// It may go on.
    Goes,
    /// Somebody has stopped it.
    Stopped(String),
    /// It has ended otherwise: the answer goes on without it.
    Lost,
    /// Nobody knows: it is to be asked again.
    Unknown,
}

impl Turn {
    /// Asks at each safe point at which that is wanted. Returns when somebody has stopped the run.
    pub(super) async fn keep_asking(&self) -> String {
        let Some(run) = &self.run else { return pending().await };
        loop {
            self.control.safe_point().await;
            if !self.control.can_ask() {
                return pending().await;
            }
            match self.ask(run).await {
                Look::Goes => {}
                Look::Stopped(why) => return why,
                Look::Lost => self.control.stop_asking(),
                Look::Unknown => {
                    sleep_until(Instant::now() + ASK_AGAIN).await;
                    self.control.want_checkpoint();
                }
            }
        }
    }

    /// Asks once. Nothing is taken from the engine until the answer is there, so no step can begin meanwhile.
    async fn ask(&self, run: &RunId) -> Look {
        let hold = self.control.hold();
        match self.shared.link.checkpoint(run).await {
            Ok(checkpoint) if checkpoint.verdict == CheckpointDecision::Continue => Look::Goes,
            Ok(checkpoint) => self.stand_still(run, checkpoint, &hold).await,
            Err(error) if error.is(Code::RunEnded) => match self.why_ended(run).await {
                Some(why) => Look::Stopped(why),
                None => Look::Lost,
            },
            Err(error) if error.is_retryable() => Look::Unknown,
            Err(_) => Look::Lost,
        }
    }

    /// The run is paused: waits until it goes on or ends. Whoever paused it is answered meanwhile.
    async fn stand_still(&self, run: &RunId, checkpoint: Checkpoint, hold: &Hold<'_>) -> Look {
        hold.pause(checkpoint.messages.iter().map(|brief| brief.message_id.clone()).collect());
        self.shared.tell(paused(run, &checkpoint.messages));
        for brief in checkpoint.messages.iter().filter(|brief| brief.blocks == Some(PauseReason::Message)) {
            let (message_id, importance) = (brief.message_id.clone(), brief.importance);
            self.shared.want(Wanted { message_id, importance, is_begun: false });
        }
        loop {
            let again = Instant::now() + ASK_AGAIN;
            match self.shared.link.await_run(run).await {
                Ok(run) if run.state == RunState::Paused => self.remind(run.pauses),
                Err(error) if error.is_retryable() => {}
                ended => return self.goes_on(ended),
            }
            sleep_until(again).await;
        }
    }

    /// Whatever still pauses the run is asked for again: what was handled already is then said to be.
    fn remind(&self, pauses: Vec<Pause>) {
        for pause in pauses.into_iter().filter(|pause| pause.reason == PauseReason::Message) {
            let (message_id, importance) = (pause.message_id, Importance::Normal);
            self.shared.want(Wanted { message_id, importance, is_begun: false });
        }
    }

    fn goes_on(&self, run: Result<Run, LinkError>) -> Look {
        match run {
            Ok(run) if run.state == RunState::Running => {
                self.shared.tell(Report::Resumed { run_id: run.id });
                Look::Goes
            }
            Ok(run) if run.state == RunState::Cancelled => Look::Stopped(stopped_for(run.reason)),
            _ => Look::Lost,
        }
    }
}

fn paused(run: &RunId, by: &[Brief]) -> Report {
    let first = by.first();
    let why = first.map(|brief| brief.summary.clone()).unwrap_or_default();
    Report::Paused { run_id: run.clone(), by: first.map(|brief| brief.from.name.clone()).unwrap_or_default(), why }
}
