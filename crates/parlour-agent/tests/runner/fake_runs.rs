//! Runs, questions and deliveries of the hub in memory. The rules are those of the core.

use std::collections::HashSet;

use parlour_agent::{answers::AnswerProblem, link::LinkError};
use parlour_core::{
    Code, Refusal,
    checkpoint::{Brief, Checkpoint, CheckpointDecision, RunFinished},
    context::ContextRequest,
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    event::Change,
    id::{ConversationId, MemberId, MessageId, RunId},
    inbox::InboxCounts,
    message::{Importance, Message, State},
    post::PostMessage,
    question::{NewQuestion, QuestionMark, RawAnswer, Settlement},
    run::{FinishRun, Pause, PauseReason, Run, RunEnd, RunState, StartRun},
};

use crate::fake_hub::{FakeHub, FakeHubState, agent_id, mara, of_refusal, project, refused};

/// What the hub keeps of runs.
#[derive(Default)]
pub(crate) struct RunWork {
    pub(crate) runs: Vec<Run>,
    /// What was reported, in order.
    pub(crate) reports: Vec<(MessageId, DeliveryState, Option<DeliveryPath>, Option<RunId>)>,
    /// The agent's inbox.
    pub(crate) unread: Vec<MessageId>,
    pub(crate) handled: HashSet<MessageId>,
    pub(crate) run_beats: usize,
    pub(crate) checkpoints: usize,
    /// A refusal that every run is answered with.
    pub(crate) refuses_runs: Option<Code>,
    /// What was asked for models to see, as far as it was answered.
    pub(crate) contexts: Vec<ContextRequest>,
    /// A refusal that every such request is answered with.
    pub(crate) refuses_context: Option<Code>,
    /// What every finished run is told.
    pub(crate) has_nudge: bool,
    /// Every change of a run, in words.
    pub(crate) moments: Vec<String>,
}

impl FakeHub {
    /// A person asks the agent something that blocks it.
    pub(crate) fn block(&self, place: &ConversationId, body: &str, ask: NewQuestion) -> MessageId {
        self.block_as(place, body, ask, Importance::Normal)
    }

    pub(crate) fn block_as(
        &self,
        place: &ConversationId,
        body: &str,
        ask: NewQuestion,
        importance: Importance,
    ) -> MessageId {
        self.say_noting(place, body, move |message| {
            message.question = Some(ask.asked(vec![agent_id().into()], message.created_at));
            (message.blocking, message.importance) = (true, importance);
        })
    }

    /// A person settles a question.
    pub(crate) fn settle(&self, id: &MessageId, settlement: &Settlement) {
        self.with(|hub| hub.settle(id, settlement).expect("it is open"));
    }

    pub(crate) fn runs(&self) -> Vec<Run> {
        self.with(|hub| hub.work.runs.clone())
    }

    pub(crate) fn run_states(&self) -> Vec<RunState> {
        self.runs().iter().map(|run| run.state).collect()
    }

    /// What was reported of a message.
    pub(crate) fn reports_of(&self, id: &MessageId) -> Vec<DeliveryState> {
        let reports = self.with(|hub| hub.work.reports.clone());
        reports.into_iter().filter(|(message, ..)| message == id).map(|(_, state, ..)| state).collect()
    }

    /// The question of a message, as it is now.
    pub(crate) fn question(&self, id: &MessageId) -> parlour_core::question::Question {
        self.with(|hub| hub.message(id)).ok().and_then(|message| message.question).expect("a question")
    }
}

impl FakeHubState {
    pub(crate) fn start_run(&mut self, request: &StartRun) -> Result<Run, LinkError> {
        if let Some(code) = self.work.refuses_runs {
            return Err(refused(code));
        }
        request.check().map_err(|refusal| of_refusal(&refusal))?;
        let at = self.next_moment();
        let id = request.id.clone().unwrap_or_else(|| RunId::from_bits(at.as_millis() as u128));
        if let Some(known) = self.work.runs.iter().find(|run| run.id == id) {
            return Ok(known.clone());
        }
        let message = request.message_id.as_ref().and_then(|id| self.message(id).ok());
        let named = request.conversation().map_err(|refusal| of_refusal(&refusal))?;
        let run = Run {
            id,
            project_id: project(),
            agent_id: agent_id(),
            state: RunState::Running,
            label: request.label.clone(),
            conversation_id: named.or_else(|| message.map(|message| message.to)),
            message_id: request.message_id.clone(),
            task_id: request.task_id.clone(),
            pauses: Vec::new(),
            reason: None,
            usage: None,
            lease_seconds: request.lease(),
            started_at: at,
            updated_at: at,
            finished_at: None,
        };
        self.work.runs.push(run.clone());
        self.work.moments.push("started".into());
        self.happened(Change::RunStarted(Box::new(run.clone().published())));
        Ok(run)
    }

    pub(crate) fn run(&self, id: &RunId) -> Result<Run, LinkError> {
        self.work.runs.iter().find(|run| run.id == *id).cloned().ok_or_else(|| refused(Code::NotFound))
    }

    fn put_run(&mut self, run: Run) {
        self.work.moments.push(run.state.as_str().into());
        let told = Box::new(run.clone().published());
        let change = match run.state {
            RunState::Running => Change::RunResumed(told),
            RunState::Paused => Change::RunPaused(told),
            _ => Change::RunEnded(told),
        };
        if let Some(known) = self.work.runs.iter_mut().find(|known| known.id == run.id) {
            *known = run;
        }
        self.happened(change);
    }

    pub(crate) fn checkpoint(&mut self, id: &RunId) -> Result<Checkpoint, LinkError> {
        self.work.checkpoints += 1;
        let run = self.run(id)?;
        let (at, me) = (self.next_moment(), MemberId::from(agent_id()));
        let is_block = |message: &&Message| {
            let question = message.question.as_ref().filter(|question| question.is_open());
            question.is_some_and(|question| question.awaited().any(|member| *member == me))
                && !self.work.handled.contains(&message.id)
                && run.message_id.as_ref() != Some(&message.id)
        };
        let blocks: Vec<Message> = self.messages.iter().filter(is_block).cloned().collect();
        let pauses: Vec<Pause> = blocks.iter().map(|message| pause(message, PauseReason::Message)).collect();
        let run = match run.paused(&pauses, at).map_err(|refusal| of_refusal(&refusal))? {
            Some(paused) => {
                self.put_run(paused.clone());
                paused
            }
            None => run,
        };
        let verdict =
            if run.state == RunState::Paused { CheckpointDecision::Pause } else { CheckpointDecision::Continue };
        let messages: Vec<Brief> =
            blocks.iter().map(|message| Brief::of(message, Some(PauseReason::Message), &message.body)).collect();
        let text = (verdict == CheckpointDecision::Pause).then(|| format!("Your run {} is paused.", run.id));
        Ok(Checkpoint { verdict, run, injection: text, messages, unread: InboxCounts::default() })
    }

    pub(crate) fn beat_run(&mut self, id: &RunId) -> Result<(), LinkError> {
        self.work.run_beats += 1;
        self.run(id)?.check_open().map_err(|refusal| of_refusal(&refusal))
    }

    pub(crate) fn resume_run(&mut self, id: &RunId, message: &MessageId) -> Result<(), LinkError> {
        let at = self.next_moment();
        self.run(id)?.resumed(Some(message), at).map_err(|refusal| of_refusal(&refusal))?;
        self.work.handled.insert(message.clone());
        self.resume_all(message);
        Ok(())
    }

    fn resume_all(&mut self, message: &MessageId) {
        let at = self.next_moment();
        let resumed: Vec<Run> = self.work.runs.iter().filter_map(|run| run.resumed(Some(message), at).ok()).collect();
        resumed.into_iter().for_each(|run| self.put_run(run));
    }

    pub(crate) fn end_run(&mut self, id: &RunId, end: &RunEnd) -> Result<Run, LinkError> {
        let at = self.next_moment();
        let run = self.run(id)?;
        if let Some(ended) = run.ended(end, at).map_err(|refusal| of_refusal(&refusal))? {
            self.put_run(ended);
        }
        self.run(id)
    }

    pub(crate) fn finish_run(&mut self, id: &RunId, end: &FinishRun) -> Result<RunFinished, LinkError> {
        let end = end.clone().end().map_err(|refusal| of_refusal(&refusal))?;
        let run = self.end_run(id, &end)?;
        let unread: Vec<Message> = self.work.unread.iter().filter_map(|id| self.message(id).ok()).collect();
        let messages: Vec<Brief> = unread.iter().map(|message| Brief::of(message, None, &message.body)).collect();
        let has_nudge = self.work.has_nudge && !messages.is_empty();
        let nudge = has_nudge.then(|| format!("Before you stop: {} unread.", messages.len()));
        Ok(RunFinished { run, nudge, messages })
    }

    pub(crate) fn cancel_run(&mut self, id: &RunId, reason: Option<String>) -> Result<(), LinkError> {
        self.end_run(id, &RunEnd { state: RunState::Cancelled, reason, usage: None }).map(drop)
    }

    /// What happens to runs whose process gives no sign any more: those that are paused wait on.
    pub(crate) fn expire_runs(&mut self) {
        let ids: Vec<_> = self.work.runs.iter().filter(|run| run.state == RunState::Running).collect();
        for id in ids.into_iter().map(|run| run.id.clone()).collect::<Vec<_>>() {
            let end = RunEnd { state: RunState::Failed, reason: Some("no sign".into()), usage: None };
            let _ = self.end_run(&id, &end);
        }
    }

    pub(crate) fn report(&mut self, ids: &[MessageId], step: &DeliveryStep) -> Result<(), LinkError> {
        step.check().map_err(|refusal| of_refusal(&refusal))?;
        if ids.iter().any(|id| !self.calls.iter().any(|call| call.message_id == *id)) {
            return Err(refused(Code::NotFound));
        }
        for id in ids {
            self.work.reports.push((id.clone(), step.state, step.delivered_via, step.run_id.clone()));
            if step.state == DeliveryState::Seen {
                self.work.unread.retain(|unread| unread != id);
            }
        }
        Ok(())
    }

    /// Takes the question of a message that the agent posts.
    pub(crate) fn ask_by(&mut self, message: &mut Message, request: &PostMessage) -> Result<(), LinkError> {
        let Some(ask) = &request.question else { return Ok(()) };
        message.mentions = request.mentions.iter().filter_map(|id| id.parse().ok()).collect();
        message.question = Some(ask.asked(message.mentions.clone(), message.created_at));
        message.blocking = true;
        if let Some(id) = &ask.run_id {
            let (run, at) = (self.run(id)?, self.next_moment());
            let paused =
                run.paused(&[pause(message, PauseReason::Asked)], at).map_err(|refusal| of_refusal(&refusal))?;
            paused.into_iter().for_each(|run| self.put_run(run));
        }
        Ok(())
    }

    pub(crate) fn settle(&mut self, id: &MessageId, settlement: &Settlement) -> Result<(), Refusal> {
        let (at, message) = (self.next_moment(), self.message(id).expect("a message"));
        let question = message.question.expect("a question").settled(settlement, &mara(), at)?;
        self.change(id, |message| message.question = Some(question.clone()));
        let mark = QuestionMark { message_id: id.clone(), conversation_id: message.to, question: question.clone() };
        self.happened(Change::QuestionChanged(Box::new(mark)));
        if !question.is_open() {
            self.resume_all(id);
        }
        Ok(())
    }

    /// Why the text of an answer does not fit the question that it replies to. The only form that is known is a number.
    pub(crate) fn problem_of(&self, id: &MessageId) -> Option<AnswerProblem> {
        let answer = self.message(id).ok()?;
        let question = self.message(answer.reply_to.as_ref()?).ok()?.question.filter(|question| question.is_open())?;
        match question.read_text(&answer.body) {
            RawAnswer::Values(values) if !values.iter().any(serde_json::Value::is_number) => {
                Some(AnswerProblem { code: Code::BadAnswer.as_str().into(), detail: "it is no number".into() })
            }
            _ => None,
        }
    }

    /// A complete answer settles the question that it replies to, if it fits.
    pub(crate) fn settle_by(&mut self, id: &MessageId) {
        let Ok(answer) = self.message(id) else { return };
        let Some(asked) = answer.reply_to.clone() else { return };
        let is_question = self.message(&asked).is_ok_and(|message| message.question.is_some_and(|one| one.is_open()));
        if answer.state != State::Complete || !is_question || self.problem_of(id).is_some() {
            return;
        }
        let answer_to = parlour_core::question::AnswerTo { message_id: asked.clone(), option: None, value: None };
        let settlement = Settlement::Answered(answer_to.answer(id.clone()));
        self.change(id, |message| message.answer_to = Some(answer_to));
        self.settle(&asked, &settlement).expect("it is open");
    }
}

fn pause(message: &Message, reason: PauseReason) -> Pause {
    Pause {
        reason,
        message_id: message.id.clone(),
        conversation_id: message.to.clone(),
        from: message.from.clone(),
        since: message.created_at,
        answered_separately: false,
    }
}
