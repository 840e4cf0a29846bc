use std::sync::Arc;

use parlour_core::{
    Code, Timestamp,
    attribution::Attribution,
    delivery::{DeliveryReport, DeliveryState, DeliveryStep},
    event::Change,
    id::{AgentId, MessageId, ProjectId, RunId},
    message::Message,
    question::{Question, Settlement},
    run::{Pause, PauseReason, Run, RunState},
    write::{Appended, Entry, Write},
};

use super::{RunBook, describe_outcome};
use crate::{
    Failure,
    ports::{Clock, Store},
    waiters::Waiters,
};

/// Pauses runs and lets them go on, apart from the hub: so that a task can do it to its end.
#[derive(Clone)]
pub(crate) struct RunSupervisor {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(crate) book: RunBook,
    pub(crate) waiters: Waiters,
}

impl RunSupervisor {
    pub(crate) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        let (book, waiters) = (RunBook::default(), Waiters::default());
        Self { store: Arc::clone(store), clock: Arc::clone(clock), book, waiters }
    }

    /// Makes a write, and keeps leases and those who wait in step with it.
    pub(crate) async fn append(
        &self,
        project: &ProjectId,
        attribution: Attribution,
        write: Write,
    ) -> Result<Appended, Failure> {
        let appended = self.store.append(Entry { project_id: project.clone(), attribution, write }).await?;
        self.waiters.ring(&appended.change);
        if let Change::RunStarted(run) | Change::RunPaused(run) | Change::RunResumed(run) | Change::RunEnded(run) =
            &appended.change
        {
            // Only who runs has to give signs; what was to pause it may have ended meanwhile.
            match run.state {
                RunState::Running => self.book.renew(run, self.clock.now()),
                _ => self.book.forget(&run.id),
            }
        }
        Ok(appended)
    }

    /// Takes note of a change that somebody has made.
    pub(crate) fn follow(&self, change: &Change) {
        self.waiters.ring(change);
        match change {
            Change::RunStarted(run) | Change::RunResumed(run) if run.state == RunState::Running => {
                self.book.adopt(run, self.clock.now());
            }
            Change::QuestionChanged(mark) if !mark.question.is_open() => self.book.note_closed(&mark.message_id),
            Change::MessageRemoved(message) if message.blocking => self.book.note_closed(&message.id),
            Change::MessagePosted(message) if message.blocking => self.book.note_asked(),
            _ => {}
        }
    }

    /// Settles the question of a message; what waits for it is released apart.
    pub(crate) async fn settle(
        &self,
        attribution: Attribution,
        message: &Message,
        settlement: Settlement,
    ) -> Result<Change, Failure> {
        let write = Write::SettleQuestion(message.id.clone(), settlement);
        Ok(self.append(&message.project_id, attribution, write).await?.change)
    }

    /// Notes that an agent has answered a message, or read it and will not. That it cannot be noted takes nothing back.
    pub(crate) async fn report_delivery(
        &self,
        attribution: Attribution,
        message: &Message,
        agent: &AgentId,
        state: DeliveryState,
    ) {
        let report = DeliveryReport {
            agent_id: agent.clone(),
            conversation_id: message.to.clone(),
            message_ids: vec![message.id.clone()],
            step: DeliveryStep::to(state),
        };
        let reported = self.append(&message.project_id, attribution, Write::ReportDeliveries(report)).await;
        // Whoever is asked need not have it in its inbox.
        if let Err(failure) = ignore_refusals(reported, &[Code::NotFound, Code::Removed]) {
            tracing::warn!(message = %message.id, cause = %failure, "a delivery could not be noted");
        }
    }

    /// Pauses the run of an agent that has asked, as long as its question is open. A question that is answered meanwhile
    /// finds the run paused, or is found here.
    pub(crate) async fn pause_asker(
        &self,
        attribution: Attribution,
        message: &MessageId,
        run: &RunId,
    ) -> Result<(), Failure> {
        let Some(asked) = self.open_question(message).await? else { return Ok(()) };
        let pause = pause_by(&asked, PauseReason::Asked, self.clock.now());
        let paused = self.append(&asked.project_id, attribution, Write::PauseRun(run.clone(), vec![pause])).await;
        ignore_refusals(paused, &[Code::RunEnded, Code::NotFound])?;
        if self.open_question(message).await?.is_none() {
            self.release(message).await;
        }
        Ok(())
    }

    /// Lets all runs go on that the question of a message has paused, if it has ended. It never fails: what cannot be done
    /// now is tried again.
    pub(crate) async fn release(&self, message: &MessageId) {
        if let Err(failure) = self.try_release(message).await {
            tracing::warn!(%message, cause = %failure, "runs that wait for a question could not go on yet");
            self.book.note_closed(message);
        }
    }

    pub(super) async fn try_release(&self, id: &MessageId) -> Result<(), Failure> {
        let Some(message) = self.store.message(id).await? else { return Ok(()) };
        let (by, detail) = match &message.question {
            Some(question) if question.is_open() => return Ok(()),
            Some(question) => (question.closed_by.clone(), describe_outcome(question)),
            None => (None, "the message was removed".to_owned()),
        };
        let mut attribution = Attribution::of_host(self.clock.now());
        attribution.actor = by.unwrap_or(attribution.actor);
        for run in self.store.runs_paused_by(id).await? {
            self.resume(attribution.clone(), &run, Some(id), detail.clone()).await.or_else(ignore_lost_race)?;
        }
        Ok(())
    }

    /// Lets a run go on that this message has paused.
    pub(crate) async fn resume(
        &self,
        attribution: Attribution,
        run: &Run,
        message: Option<&MessageId>,
        detail: String,
    ) -> Result<(), Failure> {
        let write = Write::ResumeRun(run.id.clone(), message.cloned(), detail);
        self.append(&run.project_id, attribution, write).await.map(drop)
    }

    /// The message, while its question is open.
    async fn open_question(&self, id: &MessageId) -> Result<Option<Message>, Failure> {
        let message = self.store.message(id).await?;
        Ok(message.filter(|message| message.question.as_ref().is_some_and(Question::is_open)))
    }
}

/// The pause of a run by this message.
pub(crate) fn pause_by(message: &Message, reason: PauseReason, since: Timestamp) -> Pause {
    Pause {
        reason,
        message_id: message.id.clone(),
        conversation_id: message.to.clone(),
        from: message.from.clone(),
        since,
    }
}

/// Takes it as done when somebody else was faster.
pub(super) fn ignore_lost_race(failure: Failure) -> Result<(), Failure> {
    ignore_refusals::<()>(Err(failure), &[Code::NotPaused, Code::RunEnded, Code::NotFound])
}

/// Takes these refusals as done.
pub(super) fn ignore_refusals<T>(outcome: Result<T, Failure>, codes: &[Code]) -> Result<(), Failure> {
    match outcome {
        Err(Failure::Refused(refusal)) if codes.contains(&refusal.code) => Ok(()),
        outcome => outcome.map(drop),
    }
}
