use futures_util::future;
use parlour_core::{
    Timestamp,
    attribution::Attribution,
    run::{RunEnd, RunState},
};

use super::{RunSupervisor, alarm::wait, book::ExpiredLease, run_supervisor::ignore_lost_race};
use crate::{Failure, Fault, Hub};

/// How often all open runs are looked at, for what was left between two writes.
const HEAL_MS: u64 = 30_000;
/// How long after a failed try something is tried again.
const RETRY_MS: u64 = 2_000;
/// Questions that expire in one step.
const EXPIRING_MAX: usize = 100;

impl Hub {
    /// Ends runs that give no sign, and questions whose time is over; lets runs go on whose question has ended. Runs
    /// until it is dropped.
    pub(crate) async fn drive_runs(&self) {
        let run_supervisor = &self.run_supervisor;
        let healing = future::join(run_supervisor.drive_healing(), run_supervisor.drive_releases());
        future::join3(healing, run_supervisor.drive_run_leases(), run_supervisor.drive_expiries()).await;
    }
}

impl RunSupervisor {
    async fn drive_healing(&self) {
        loop {
            if let Err(failure) = self.recover_open_runs().await {
                tracing::warn!(cause = %failure, "open runs could not be looked at");
            }
            self.sleep(HEAL_MS).await;
        }
    }

    async fn drive_releases(&self) {
        loop {
            self.book.closed_alarm().notified().await;
            let closed = self.book.take_closed();
            let mut outcome = if closed.has_missed { self.recover_open_runs().await } else { Ok(()) };
            for message in closed.messages {
                outcome =
                    outcome.and(self.try_release(&message).await.inspect_err(|_| self.book.note_closed(&message)));
            }
            if let Err(failure) = outcome {
                tracing::warn!(cause = %failure, "runs that wait for a question could not go on yet");
                self.sleep(RETRY_MS).await;
            }
        }
    }

    async fn drive_run_leases(&self) {
        loop {
            wait(self.clock.as_ref(), self.book.next_look(), self.book.lease_alarm()).await;
            for expired in self.book.take_expired(self.clock.now()) {
                let outcome = self.end_expired(&expired).await;
                self.book.end_tried(&expired.run_id);
                if let Err(failure) = outcome {
                    // Without a lease it is found by the next look at all runs, and then has another one.
                    tracing::warn!(run = %expired.run_id, cause = %failure, "an abandoned run could not be ended");
                }
            }
        }
    }

    async fn drive_expiries(&self) {
        loop {
            let due = match self.expire_due().await {
                Ok(due) => due,
                Err(failure) => {
                    tracing::warn!(cause = %failure, "questions could not expire yet");
                    Some(self.clock.now().plus_millis(RETRY_MS))
                }
            };
            wait(self.clock.as_ref(), due, self.book.expiry_alarm()).await;
        }
    }

    /// Ends the questions whose time is over; answers when the next one expires.
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

    /// Ends a run whose lease has run out, unless it gave a sign at the last moment, or is paused.
    async fn end_expired(&self, expired: &ExpiredLease) -> Result<(), Failure> {
        let Some(run) = self.store.run(&expired.run_id).await? else { return Ok(()) };
        if run.state != RunState::Running || self.book.has_lease(&run.id) {
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
