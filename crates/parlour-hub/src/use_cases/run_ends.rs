//! How runs go on after a pause, and how they end.

use parlour_core::{
    Refusal,
    access::Principal,
    checkpoint::RunFinished,
    delivery::DeliveryPath,
    id::{AgentId, MemberId, MessageId, RunId},
    inbox::{InboxEntry, InboxFilter, InboxOrder},
    limits,
    paging::PageRequest,
    question::Question,
    run::{FinishRun, Pause, PauseReason, Run, RunEnd, RunState, check_reason},
    scope::Scope,
};

use crate::{
    Failure, Hub,
    context::{CheckpointMessage, CheckpointReason, CheckpointTextRequest},
    hub::to_its_end,
    questions::is_person,
};

impl Hub {
    /// Lets a paused run go on: its own agent after it has handled the message, or any person who sees the run, whether it
    /// may read what the run waits for or not.
    ///
    /// The agent cannot resume from its own question, which has to be answered or withdrawn. When a person resumes from
    /// it, it is withdrawn. Other runs of the agent that the same message pauses go on too.
    pub async fn resume_run(
        &self,
        caller: &Principal,
        id: &RunId,
        message: Option<&MessageId>,
    ) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let run = self.see_own_or_as_person(caller, id).await?;
        let is_own = caller.member.agent() == Some(&run.agent_id);
        let pauses = self.wanted_pauses(caller, &run, message).await?;
        let (pauses, detail) = match is_own {
            true => (handled_by_agent(pauses)?, format!("handled by {}", caller.name)),
            false => (pauses, format!("resumed by {}", caller.name)),
        };
        let (keeper, attribution) = (self.keeper.clone(), caller.attribution(self.clock.now()));
        to_its_end("resume a run", async move { keeper.go_on(attribution, run, pauses, detail).await }).await?;
        let run = self.store.run(id).await?.ok_or_else(|| Refusal::not_found("run", id))?;
        self.shown_run(caller, run).await
    }

    /// Ends a run by its own agent, and tells it once what it has not read and what blocks nothing.
    ///
    /// A paused run can be ended too; its own open questions are withdrawn.
    pub async fn finish_run(&self, caller: &Principal, id: &RunId, request: FinishRun) -> Result<RunFinished, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let end = request.end()?;
        let run = self.own_run(caller, id).await?;
        let run = self.end_run(caller, run, end).await?;
        self.context.observe_usage(&run).await;
        self.nudge(caller, run).await
    }

    /// The end of a run, with what its agent has not read: a text of the context engine, kept with the run.
    async fn nudge(&self, caller: &Principal, run: Run) -> Result<RunFinished, Failure> {
        let at = self.clock.now();
        let (news, unread) = self.left_unread(&run.agent_id).await?;
        if news.is_empty() {
            return Ok(RunFinished { run, nudge: None, messages: Vec::new() });
        }
        let lead = Some(before_you_stop(unread.max(news.len() as u64), news.len() as u64));
        let end = vec!["Mark one as read: message_mark_read {\"message_id\":\"its id\"}".to_owned()];
        let delivered_via = DeliveryPath::Nudge;
        let request = CheckpointTextRequest { delivered_via, run: Some(run.clone()), at, messages: news, lead, end };
        let told = self.checkpoint_text(caller, request).await;
        let named = told.briefs.into_iter().filter(|brief| told.named.contains(&brief.message_id));
        let nudge = (!told.text.is_empty()).then_some(told.text);
        Ok(RunFinished { run, nudge, messages: named.collect() })
    }

    /// Stops a run: its own agent, or any person who sees it. Its agent's process learns it by the event, or by the
    /// refusal of its next checkpoint.
    pub async fn cancel_run(&self, caller: &Principal, id: &RunId, reason: Option<String>) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        reason.as_deref().map_or(Ok(()), check_reason).map_err(|refusal| refusal.at("reason"))?;
        let run = self.see_own_or_as_person(caller, id).await?;
        let end = RunEnd { state: RunState::Cancelled, reason, usage: None };
        self.end_run(caller, run, end).await
    }

    async fn end_run(&self, caller: &Principal, run: Run, end: RunEnd) -> Result<Run, Failure> {
        let (keeper, attribution) = (self.keeper.clone(), caller.attribution(self.clock.now()));
        let ended = to_its_end("end a run", async move { keeper.end_run(attribution, &run, end).await }).await?;
        self.shown_run(caller, ended).await
    }

    /// The run, for its own agent and for people who see it.
    async fn see_own_or_as_person(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        if !is_person(caller) {
            return self.own_run(caller, id).await;
        }
        self.see_run(caller, id).await
    }

    /// The pauses that are meant. Only those can be named whose messages the caller may read; without a name a person means
    /// all of them, because nobody is to wait for ever for want of somebody who reads what the run waits for.
    async fn wanted_pauses(
        &self,
        caller: &Principal,
        run: &Run,
        message: Option<&MessageId>,
    ) -> Result<Vec<Pause>, Failure> {
        let meant = match message {
            None if is_person(caller) => run.clone(),
            _ => self.shown_run(caller, run.clone()).await?,
        };
        if message.is_none() && meant.pauses.is_empty() && !run.pauses.is_empty() {
            let who = "the run waits for messages that you may no longer read: a person lets it go on";
            return Err(Refusal::forbidden(who).into());
        }
        meant.resumed(message, self.clock.now())?;
        Ok(meant.pauses.into_iter().filter(|pause| message.is_none_or(|id| pause.message_id == *id)).collect())
    }

    /// What an agent has not read and what blocks nothing: the most important, and how much it is in all.
    async fn left_unread(&self, agent: &AgentId) -> Result<(Vec<CheckpointMessage>, u64), Failure> {
        let counts = self.store.inbox_counts(agent).await?;
        let most = limits::NUDGE_MESSAGES_MAX;
        // Those that block come among the others, so as many more are looked at.
        let wanted = most.saturating_add(usize::try_from(counts.blocking).unwrap_or(usize::MAX));
        let page = PageRequest::new(None, Some(wanted.min(limits::PAGE_ITEMS_MAX)))?;
        let filter = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
        let entries = self.store.inbox(agent, &filter, &page).await?.items;
        let member = agent.clone().into();
        let unread = entries.into_iter().filter(|entry| !blocks(entry, &member)).take(most);
        let news = unread
            .map(|entry| CheckpointMessage { why: CheckpointReason::Unread(entry.reason), message: entry.message });
        Ok((news.collect(), counts.total.saturating_sub(counts.blocking)))
    }
}

/// The pauses that an agent may end itself: by messages of others.
fn handled_by_agent(pauses: Vec<Pause>) -> Result<Vec<Pause>, Refusal> {
    let handled: Vec<Pause> = pauses.into_iter().filter(|pause| pause.reason == PauseReason::Message).collect();
    if handled.is_empty() {
        return Err(Refusal::forbidden(
            "the run waits for the answer to its own question: it is answered or taken back",
        ));
    }
    Ok(handled)
}

/// Whether an unread message is an open question to this member.
fn blocks(entry: &InboxEntry, member: &MemberId) -> bool {
    let awaits = |question: &Question| question.is_open() && question.awaited().any(|one| one == member);
    entry.message.question.as_ref().is_some_and(awaits)
}

/// How much is unread, and where all of it is when not all of it is told.
fn before_you_stop(unread: u64, told: u64) -> String {
    let words = if unread == 1 { "message waits" } else { "messages wait" };
    let all = if unread > told { " All of them: inbox {}" } else { "" };
    format!("Before you stop: {unread} unread {words} in your inbox.{all}")
}
