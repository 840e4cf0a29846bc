//! Runs: leases, pauses, and questions that expire.
//!
//! A run and a question are changed by two writes. The task that makes the first write makes the second right after
//! it and cannot be cancelled. If the hub stops between the two writes, the recovery at the next start (and every 30
//! s) resumes paused runs whose question was closed.

mod background;
mod tracker;

use std::sync::Arc;

use parlour_core::{
    Code, Timestamp,
    attribution::Attribution,
    checkpoint::summary,
    delivery::{DeliveryReport, DeliveryState, DeliveryStep},
    event::Change,
    id::{AgentId, MemberId, MessageId, ProjectId, RunId},
    message::Message,
    question::{Answer, Question, QuestionState, Settlement},
    run::{Pause, PauseReason, Run, RunEnd, RunState},
    write::{Appended, Entry, Write},
};

use crate::{
    Failure,
    failure::unexpected_change,
    ports::{Clock, Store},
    waiters::Waiters,
};

pub(crate) use self::tracker::RunTracker;

/// Pauses, resumes and ends runs. Clones share the state, so that a task can finish its work after the caller went
/// away.
#[derive(Clone)]
pub(crate) struct RunSupervisor {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    pub(crate) tracker: RunTracker,
    pub(crate) waiters: Waiters,
}

impl RunSupervisor {
    pub(crate) fn new(store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Self {
        let (tracker, waiters) = (RunTracker::default(), Waiters::default());
        Self { store: Arc::clone(store), clock: Arc::clone(clock), tracker, waiters }
    }

    /// Appends a write and updates leases and waiting requests.
    pub(crate) async fn append(
        &self,
        project: &ProjectId,
        attribution: Attribution,
        write: Write,
    ) -> Result<Appended, Failure> {
        let appended = self.store.append(Entry { project_id: project.clone(), attribution, write }).await?;
        self.waiters.notify(&appended.change);
        if let Change::RunStarted(run) | Change::RunPaused(run) | Change::RunResumed(run) | Change::RunEnded(run) =
            &appended.change
        {
            // Only running runs have leases. A run may still run here if the reason of its pause ended meanwhile.
            match run.state {
                RunState::Running => self.tracker.renew(run, self.clock.now()),
                _ => self.tracker.forget(&run.id),
            }
        }
        Ok(appended)
    }

    /// Updates leases and waiting requests after a committed change.
    pub(crate) fn track_change(&self, change: &Change) {
        self.waiters.notify(change);
        match change {
            Change::RunStarted(run) | Change::RunResumed(run) if run.state == RunState::Running => {
                self.tracker.adopt(run, self.clock.now());
            }
            Change::QuestionChanged(mark) if !mark.question.is_open() => self.tracker.note_closed(&mark.message_id),
            Change::MessageRemoved(message) if message.blocking => self.tracker.note_closed(&message.id),
            Change::MessagePosted(message) if message.blocking => self.tracker.note_asked(),
            _ => {}
        }
    }

    /// Settles the question of a message. The caller resumes the runs that wait for it.
    pub(crate) async fn settle(
        &self,
        attribution: Attribution,
        message: &Message,
        settlement: Settlement,
    ) -> Result<Change, Failure> {
        let write = Write::SettleQuestion(message.id.clone(), settlement);
        Ok(self.append(&message.project_id, attribution, write).await?.change)
    }

    /// Reports that an agent answered or ignored a message. A failure is only logged.
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
        // An addressee need not have the message in its inbox.
        if let Err(failure) = ignore_refusals(reported, &[Code::NotFound, Code::Removed]) {
            tracing::warn!(message = %message.id, cause = %failure, "a delivery could not be noted");
        }
    }

    /// Pauses the run of an agent that has asked while its question is open. If the question is answered meanwhile,
    /// either the answer or this function resumes the run.
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

    /// Resumes all runs that the closed question of a message has paused. A failure is logged and retried.
    pub(crate) async fn release(&self, message: &MessageId) {
        if let Err(failure) = self.try_release(message).await {
            tracing::warn!(%message, cause = %failure, "runs that wait for a question could not go on yet");
            self.tracker.note_closed(message);
        }
    }

    async fn try_release(&self, id: &MessageId) -> Result<(), Failure> {
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

    /// Resumes a run that this message has paused.
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
        answered_separately: false,
    }
}

/// Ignores refusals that mean that another request was faster.
fn ignore_lost_race(failure: Failure) -> Result<(), Failure> {
    ignore_refusals::<()>(Err(failure), &[Code::NotPaused, Code::RunEnded, Code::NotFound])
}

/// Ignores these refusals.
fn ignore_refusals<T>(outcome: Result<T, Failure>, codes: &[Code]) -> Result<(), Failure> {
    match outcome {
        Err(Failure::Refused(refusal)) if codes.contains(&refusal.code) => Ok(()),
        outcome => outcome.map(drop),
    }
}

impl RunSupervisor {
    /// Ends a run after withdrawing the questions that it waits for, and settling those that it was given and did not
    /// answer. If the hub stops in between, the run continues at the next start and ends with its lease, and no question
    /// stays open in vain.
    pub(crate) async fn end_run(&self, attribution: Attribution, run: &Run, end: RunEnd) -> Result<Run, Failure> {
        run.ended(&end, attribution.at)?;
        self.pass_over_at_end(&attribution, run, end.state).await?;
        let asked = run.pauses.iter().filter(|pause| pause.reason == PauseReason::Asked);
        let asked: Vec<_> = asked.map(|pause| pause.message_id.clone()).collect();
        for id in &asked {
            let write = Write::SettleQuestion(id.clone(), Settlement::Withdrawn);
            let taken_back = self.append(&run.project_id, attribution.clone(), write).await;
            ignore_refusals(taken_back, &[Code::QuestionClosed, Code::NotFound, Code::Removed])?;
        }
        let ended = self.append(&run.project_id, attribution, Write::EndRun(run.id.clone(), end)).await;
        // Other runs that its questions have paused are resumed even if the end failed.
        for id in &asked {
            self.release(id).await;
        }
        match ended?.change {
            Change::RunEnded(run) => Ok(*run),
            other => Err(unexpected_change(&other)),
        }
    }
}

impl RunSupervisor {
    /// Ends these pauses of a run. A pause that is already over is refused (`NotPaused`), unless another one could be
    /// ended.
    pub(crate) async fn resume_paused(
        &self,
        attribution: Attribution,
        run: Run,
        pauses: Vec<Pause>,
        detail: String,
    ) -> Result<(), Failure> {
        let (mut has_gone_on, mut refused) = (false, None);
        for pause in pauses {
            let outcome = match pause.reason {
                PauseReason::Asked => self.withdraw_own_question(&attribution, &run, &pause).await,
                PauseReason::Message => self.handle(&attribution, &run, &pause, &detail).await,
            };
            match outcome {
                Ok(()) => has_gone_on = true,
                Err(Failure::Refused(refusal)) if refusal.code == Code::NotPaused => {
                    refused = refused.or(Some(refusal))
                }
                Err(failure) => return Err(failure),
            }
        }
        match refused {
            Some(refusal) if !has_gone_on => Err(refusal.into()),
            _ => Ok(()),
        }
    }

    /// Withdraws the question of the run, which resumes the run.
    async fn withdraw_own_question(&self, attribution: &Attribution, run: &Run, pause: &Pause) -> Result<(), Failure> {
        let write = Write::SettleQuestion(pause.message_id.clone(), Settlement::Withdrawn);
        let settled = self.append(&run.project_id, attribution.clone(), write).await;
        ignore_refusals(settled, &[Code::QuestionClosed, Code::Removed, Code::NotFound])?;
        self.try_release(&pause.message_id).await
    }

    /// Resumes all runs of the agent that this message pauses. If the agent resumes them itself, it does not answer the
    /// question any more. That is recorded last, because the end of a question resumes the runs that still wait for it;
    /// if the hub stops in between, the question ends with its expiry.
    async fn handle(&self, attribution: &Attribution, run: &Run, pause: &Pause, detail: &str) -> Result<(), Failure> {
        let id = &pause.message_id;
        self.resume(attribution.clone(), run, Some(id), detail.to_owned()).await?;
        for other in self.store.runs_paused_by(id).await?.iter().filter(|one| one.agent_id == run.agent_id) {
            self.resume(attribution.clone(), other, Some(id), detail.to_owned()).await.or_else(ignore_lost_race)?;
        }
        let is_own = attribution.actor.member_id().as_ref().and_then(MemberId::agent) == Some(&run.agent_id);
        if is_own && self.pass_over(attribution, run, id, RunState::Done).await? {
            self.release(id).await;
        }
        Ok(())
    }
}

/// The open questions to an agent that are looked at when its run ends.
const PASSED_OVER_MAX: usize = 100;

impl RunSupervisor {
    /// Records that the agent of a run has handled a message that the run was given, without an answer. Returns whether
    /// that closed the question.
    async fn pass_over(
        &self,
        attribution: &Attribution,
        run: &Run,
        id: &MessageId,
        end: RunState,
    ) -> Result<bool, Failure> {
        let Some(message) = self.open_question(id).await? else { return Ok(false) };
        let is_meant = message.question.as_ref().is_some_and(|one| one.is_passed_over(&run.agent_id, end, true));
        if !is_meant || !may_be_noticed(run, &message) {
            return Ok(false);
        }
        let settlement = Settlement::Unanswered(run.agent_id.clone().into());
        match self.settle(attribution.clone(), &message, settlement).await {
            Ok(Change::QuestionChanged(mark)) => Ok(!mark.question.is_open()),
            Ok(other) => Err(unexpected_change(&other)),
            // Somebody answered or withdrew it meanwhile.
            Err(failure) => {
                ignore_refusals::<()>(Err(failure), &[Code::QuestionClosed, Code::NotFound, Code::Removed])?;
                Ok(false)
            }
        }
    }

    /// Does the same for all open questions that a run was given, before the run ends, and resumes the runs that wait for
    /// them, this one included.
    async fn pass_over_at_end(&self, attribution: &Attribution, run: &Run, end: RunState) -> Result<(), Failure> {
        if end != RunState::Done {
            return Ok(());
        }
        for message in self.store.blocks_of(&run.agent_id, PASSED_OVER_MAX).await? {
            if !may_be_noticed(run, &message) || !self.is_given(run, &message.id).await? {
                continue;
            }
            // Like a resumption: the agent had the message and goes on. While the question is open, nothing else reports it.
            self.report_delivery(attribution.clone(), &message, &run.agent_id, DeliveryState::Seen).await;
            if self.pass_over(attribution, run, &message.id, end).await? {
                self.release(&message.id).await;
            }
        }
        Ok(())
    }

    /// Whether a run was given a message: the message caused the run, pauses it, or entered its prompt.
    async fn is_given(&self, run: &Run, id: &MessageId) -> Result<bool, Failure> {
        if run.message_id.as_ref() == Some(id) || run.pauses.iter().any(|pause| pause.message_id == *id) {
            return Ok(true);
        }
        let deliveries = self.store.deliveries(id, &[]).await?;
        let own = deliveries.iter().find(|one| one.recipient.agent() == Some(&run.agent_id));
        Ok(own.is_some_and(|one| one.run_id.as_ref() == Some(&run.id) && one.injected_at.is_some()))
    }
}

/// Whether the readers of a message may notice what a run did with it. A run of another conversation may be hidden from
/// them, so it changes nothing that they see.
fn may_be_noticed(run: &Run, message: &Message) -> bool {
    run.conversation_id.as_ref().is_none_or(|conversation| *conversation == message.to)
}

/// The reason of an expired delivery.
const WHY: &str = "its question expired before it was seen";

impl RunSupervisor {
    /// Expires a question: unseen deliveries expire, its default becomes the answer, and waiting runs are resumed.
    /// The question is settled after the deliveries, so that a hub that stops in between repeats all of it.
    pub(crate) async fn expire(&self, id: &MessageId) -> Result<(), Failure> {
        let Some(message) = self.store.message(id).await? else { return Ok(()) };
        let Some(question) = message.question.as_ref().filter(|question| question.is_open()) else { return Ok(()) };
        self.report_unseen(&message, question).await?;
        let settled = self.settle(Attribution::of_host(self.clock.now()), &message, Settlement::Expired).await;
        ignore_refusals(settled, &[Code::QuestionClosed, Code::Removed, Code::NotFound])?;
        self.release(id).await;
        Ok(())
    }

    async fn report_unseen(&self, message: &Message, question: &Question) -> Result<(), Failure> {
        let deliveries = self.store.deliveries(&message.id, &[]).await?;
        let is_unseen = |agent: &&AgentId| {
            let delivery = deliveries.iter().find(|one| one.recipient.agent() == Some(*agent));
            delivery.is_some_and(|one| one.state < DeliveryState::Seen)
        };
        for agent in question.addressees.iter().filter_map(MemberId::agent).filter(is_unseen) {
            let step = DeliveryStep { why: Some(WHY.to_owned()), ..DeliveryStep::to(DeliveryState::Expired) };
            let report = DeliveryReport {
                agent_id: agent.clone(),
                conversation_id: message.to.clone(),
                message_ids: vec![message.id.clone()],
                step,
            };
            let attribution = Attribution::of_host(self.clock.now());
            let reported = self.append(&message.project_id, attribution, Write::ReportDeliveries(report)).await;
            ignore_refusals(reported, &[Code::NotFound, Code::Removed])?;
        }
        Ok(())
    }
}

/// Characters of an answer in a timeline.
const ANSWER_CHARS_MAX: usize = 80;

/// How a question was closed, in a few words for the timeline.
pub(crate) fn describe_outcome(question: &Question) -> String {
    let by = question.closed_by.as_ref().map_or("somebody", |author| author.name.as_str());
    let answer = question.answer.as_ref().and_then(|answer| words_of(question, answer));
    match (question.state, answer) {
        (QuestionState::Open, _) => "still open".to_owned(),
        (QuestionState::Answered, Some(answer)) => format!("answered by {by}: {answer}"),
        (QuestionState::Answered, None) => format!("answered by {by}"),
        (QuestionState::Expired, Some(default)) => format!("expired: default {default}"),
        (QuestionState::Expired, None) => "expired".to_owned(),
        (QuestionState::Ignored, Some(default)) => format!("ignored by all: default {default}"),
        (QuestionState::Ignored, None) => "ignored by all".to_owned(),
        (QuestionState::Unanswered, Some(default)) => format!("not answered: default {default}"),
        (QuestionState::Unanswered, None) => "not answered".to_owned(),
        (QuestionState::Withdrawn, _) => format!("taken back by {by}"),
    }
}

/// The answer as people see it; none if it is given by a message.
fn words_of(question: &Question, answer: &Answer) -> Option<String> {
    let label = |id: &String| {
        let option = question.options.iter().find(|option| option.id == *id);
        option.map_or_else(|| id.clone(), |option| option.label.clone())
    };
    let words = answer.option.as_ref().map(label).or_else(|| answer.text.clone());
    let words = words.or_else(|| answer.value.as_ref().map(ToString::to_string))?;
    Some(summary(&words, ANSWER_CHARS_MAX))
}

#[cfg(test)]
mod detail_tests {
    use parlour_core::{
        Timestamp,
        author::Author,
        question::{AnswerOption, NewQuestion, Settlement},
    };

    use super::*;

    fn ended(settlement: &Settlement) -> String {
        let option = AnswerOption { id: "keep".into(), label: "Keep it".into(), description: None };
        let ask = NewQuestion { options: vec![option], default: Some("keep".into()), ..NewQuestion::default() };
        let at = Timestamp::from_millis(0);
        describe_outcome(&ask.asked(Vec::new(), at).settled(settlement, &Author::host(), at).expect("open"))
    }

    fn answered(option: Option<&str>, text: Option<&str>) -> Settlement {
        let (option, text) = (option.map(str::to_owned), text.map(str::to_owned));
        Settlement::Answered(Answer { option, text, value: None, message_id: None, is_default: false })
    }

    #[test]
    fn it_says_who_answered_what() {
        assert_eq!(ended(&answered(Some("keep"), None)), "answered by Parlour: Keep it");
        assert_eq!(ended(&answered(None, None)), "answered by Parlour");
        let long = ended(&answered(None, Some(&"word ".repeat(50))));
        assert!(long.ends_with('…') && long.chars().count() < 120, "{long}");
    }

    #[test]
    fn it_says_that_the_default_counts() {
        assert_eq!(ended(&Settlement::Expired), "expired: default Keep it");
        assert_eq!(ended(&Settlement::Withdrawn), "taken back by Parlour");
    }
}
