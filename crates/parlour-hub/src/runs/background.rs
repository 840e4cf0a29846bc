//! Background loops of runs and questions.

use futures_util::future;
use parlour_core::{
    Timestamp,
    attribution::Attribution,
    id::{MessageId, RunId},
    limits,
    paging::PageRequest,
    question::Question,
    run::{Run, RunEnd, RunState},
};

use crate::{
    Failure, Fault,
    runs::{RunSupervisor, ignore_lost_race},
    timers::ExpiredLease,
};

/// How often all open runs are checked for missing second writes.
const RECOVERY_MS: u64 = 30_000;
/// How long after a failure work is retried.
const RETRY_MS: u64 = 2_000;
/// Questions that expire in one step.
const EXPIRING_MAX: usize = 100;

impl RunSupervisor {
    /// Runs the background loops of runs and questions until it is dropped.
    pub(crate) async fn run_loops(&self) {
        let recovery = future::join(self.run_recovery_loop(), self.run_release_loop());
        future::join3(recovery, self.run_lease_loop(), self.run_expiry_loop()).await;
    }

    async fn run_recovery_loop(&self) {
        loop {
            if let Err(failure) = self.recover_open_runs().await {
                tracing::warn!(cause = %failure, "open runs could not be looked at");
            }
            self.sleep(RECOVERY_MS).await;
        }
    }

    async fn run_release_loop(&self) {
        loop {
            self.tracker.closed_alarm().wait(self.clock.as_ref(), None).await;
            let closed = self.tracker.take_closed();
            let mut outcome = if closed.has_overflowed { self.recover_open_runs().await } else { Ok(()) };
            for message in closed.messages {
                outcome =
                    outcome.and(self.try_release(&message).await.inspect_err(|_| self.tracker.note_closed(&message)));
            }
            if let Err(failure) = outcome {
                tracing::warn!(cause = %failure, "runs that wait for a question could not go on yet");
                self.sleep(RETRY_MS).await;
            }
        }
    }

    async fn run_lease_loop(&self) {
        loop {
            self.tracker.lease_alarm().wait(self.clock.as_ref(), self.tracker.next_check()).await;
            for expired in self.tracker.take_expired(self.clock.now()) {
                let outcome = self.end_expired(&expired).await;
                self.tracker.mark_end_tried(&expired.key);
                if let Err(failure) = outcome {
                    // Without a lease the run is found by the next check of all runs, which starts a new lease.
                    tracing::warn!(run = %expired.key, cause = %failure, "an abandoned run could not be ended");
                }
            }
        }
    }

    async fn run_expiry_loop(&self) {
        loop {
            let due = match self.expire_due().await {
                Ok(due) => due,
                Err(failure) => {
                    tracing::warn!(cause = %failure, "questions could not expire yet");
                    Some(self.clock.now().plus_millis(RETRY_MS))
                }
            };
            self.tracker.expiry_alarm().wait(self.clock.as_ref(), due).await;
        }
    }

    /// Expires due questions; returns when the next one expires.
    async fn expire_due(&self) -> Result<Option<Timestamp>, Failure> {
        let mut last = Vec::new();
        loop {
            let due = self.store.expiring_questions(self.clock.now(), EXPIRING_MAX).await?;
            if due.is_empty() {
                return self.store.next_expiry().await;
            }
            if due == last {
                return Err(Fault::new("expire questions", "they stay open").into());
            }
            for message in &due {
                self.expire(message).await?;
            }
            last = due;
        }
    }

    /// Ends a run with an expired lease, unless it was renewed at the last moment or the run is paused.
    async fn end_expired(&self, expired: &ExpiredLease<RunId>) -> Result<(), Failure> {
        let Some(run) = self.store.run(&expired.key).await? else { return Ok(()) };
        if run.state != RunState::Running || self.tracker.has_lease(&run.id) {
            return Ok(());
        }
        let reason = format!("its process gave no sign for {} seconds", expired.lease_seconds);
        let end = RunEnd { state: RunState::Failed, reason: Some(reason), usage: None };
        self.end_run(Attribution::of_host(self.clock.now()), &run, end).await.map(drop).or_else(ignore_lost_race)
    }

    async fn sleep(&self, millis: u64) {
        self.clock.sleep_until(self.clock.now().plus_millis(millis)).await;
    }
}

impl RunSupervisor {
    /// Checks all open runs: running runs get a lease if they have none, and runs paused by a closed question are
    /// resumed. This repairs what a crash or a failed write left unfinished.
    pub(super) async fn recover_open_runs(&self) -> Result<(), Failure> {
        let mut next = Some(PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?);
        while let Some(page) = next.take() {
            let runs = self.store.open_runs(&page).await?;
            for run in &runs.items {
                self.recover_run(run).await?;
            }
            next = runs.next.map(|key| PageRequest::new(Some(key), Some(limits::PAGE_ITEMS_MAX))).transpose()?;
        }
        Ok(())
    }

    async fn recover_run(&self, run: &Run) -> Result<(), Failure> {
        if run.state == RunState::Running {
            self.tracker.adopt(run, self.clock.now());
        }
        for pause in &run.pauses {
            if !self.is_open(&pause.message_id).await? {
                self.try_release(&pause.message_id).await?;
            }
        }
        Ok(())
    }

    pub(crate) async fn is_open(&self, id: &MessageId) -> Result<bool, Failure> {
        let message = self.store.message(id).await?;
        Ok(message.and_then(|message| message.question).as_ref().is_some_and(Question::is_open))
    }
}
