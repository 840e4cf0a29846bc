//! Runs of agents: start, read, wait, resume, finish and cancel.

use std::sync::Arc;

use parlour_core::{
    Refusal,
    access::{self, Principal, Role},
    checkpoint::RunFinished,
    delivery::DeliveryPath,
    event::Change,
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId, RunId, TaskId},
    inbox::{InboxEntry, InboxFilter, InboxOrder},
    limits,
    member::Agent,
    paging::{Page, PageRequest},
    question::Question,
    run::{FinishRun, Pause, PauseReason, Run, RunEnd, RunFilter, RunState, StartRun, check_reason},
    scope::Scope,
    timeline::TimelineEntry,
    write::Write,
};

use crate::{
    Failure,
    access::Access,
    context::{CheckpointMessage, CheckpointReason, CheckpointTextRequest, ContextService},
    failure::{replace_refusal, run_to_completion, unexpected_change},
    infrastructure::Infrastructure,
    ports::{Clock, Ids, Store},
    project_state::ProjectStates,
    questions::is_person,
    runs::RunSupervisor,
    waiters::Topic,
};

/// Starts, pauses, resumes and ends the runs of agents.
pub(crate) struct RunService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) projects: Arc<ProjectStates>,
    pub(super) run_supervisor: RunSupervisor,
    pub(super) context: Arc<ContextService>,
}

impl RunService {
    pub(crate) fn new(parts: &Infrastructure, context: &Arc<ContextService>) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            projects: Arc::clone(&parts.projects),
            run_supervisor: parts.run_supervisor.clone(),
            context: Arc::clone(context),
        }
    }
}

impl RunService {
    /// Starts a run of an agent, for the agent itself or a caller that may act for it. A repeated id returns the first
    /// result.
    pub(crate) async fn start_run(&self, caller: &Principal, request: StartRun) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        request.check()?;
        let named = request.conversation()?;
        let agent = self.run_agent(caller, &request).await?;
        let conversation_id = self.run_place(caller, &agent, &request, named).await?;
        self.check_run_task(&agent, request.task_id.as_ref()).await?;
        let run = self.new_run(agent, request, conversation_id);
        let (run_supervisor, attribution) = (self.run_supervisor.clone(), caller.attribution(run.started_at));
        let started = run_to_completion("start a run", async move {
            run_supervisor.append(&run.project_id.clone(), attribution, Write::StartRun(run)).await
        });
        match started.await?.change {
            Change::RunStarted(run) => {
                // A repeated start: the run may be paused by now.
                let run = self.store.run(&run.id).await?.unwrap_or(*run);
                self.access.hide_unreadable_pauses(caller, run).await
            }
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a visible run, with the pauses whose messages the caller may read.
    pub(crate) async fn run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let run = self.access.load_visible_run(caller, id).await?;
        self.access.hide_unreadable_pauses(caller, run).await
    }

    /// Returns a run when it is not paused, or after `seconds`.
    pub(crate) async fn wait_run(&self, caller: &Principal, id: &RunId, seconds: u64) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let waiter = self.run_supervisor.waiters.register(vec![Topic::Run(id.clone())], self.clock.now(), seconds)?;
        loop {
            let run = self.access.load_visible_run(caller, id).await?;
            if run.state != RunState::Paused || !waiter.wait_for_change(self.clock.as_ref()).await {
                return self.access.hide_unreadable_pauses(caller, run).await;
            }
        }
    }

    /// Lists the runs of a project that the caller sees, newest first.
    pub(crate) async fn runs(
        &self,
        caller: &Principal,
        project: &ProjectId,
        filter: &RunFilter,
        page: &PageRequest,
    ) -> Result<Page<Run>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, project).await?;
        let mut runs = self.store.runs(project, caller, filter, page).await?;
        for run in &mut runs.items {
            *run = self.access.hide_unreadable_pauses(caller, run.clone()).await?;
        }
        Ok(runs)
    }

    /// Lists the timeline of a run, oldest first.
    pub(crate) async fn run_timeline(
        &self,
        caller: &Principal,
        id: &RunId,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_run(caller, id).await?;
        self.store.run_timeline(id, caller, page).await
    }

    fn new_run(&self, agent: Agent, request: StartRun, conversation_id: Option<ConversationId>) -> Run {
        let now = self.clock.now();
        Run {
            lease_seconds: request.lease(),
            id: request.id.unwrap_or_else(|| RunId::from_bits(self.ids.next_bits())),
            project_id: agent.project_id,
            agent_id: agent.id,
            state: RunState::Running,
            label: request.label,
            conversation_id,
            message_id: request.message_id,
            task_id: request.task_id,
            pauses: Vec::new(),
            reason: None,
            usage: None,
            started_at: now,
            updated_at: now,
            finished_at: None,
        }
    }

    /// The agent of a new run.
    async fn run_agent(&self, caller: &Principal, request: &StartRun) -> Result<Agent, Failure> {
        let Some(id) = request.agent_id.as_ref().or(caller.member.agent()) else {
            return Err(Refusal::invalid("say whose run it is: only agents have runs").at("agent_id").into());
        };
        let (agent, _) = self.access.load_visible_agent(caller, id).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        Ok(agent)
    }

    /// The conversation of a new run. Both its agent and the caller must be able to read it, and the message that caused
    /// the run must be in it or in a thread of the same channel.
    async fn run_place(
        &self,
        caller: &Principal,
        agent: &Agent,
        request: &StartRun,
        named: Option<ConversationId>,
    ) -> Result<Option<ConversationId>, Failure> {
        let role = Role::Agent(agent.project_id.clone());
        let reader = Principal::new(agent.id.clone(), agent.name.clone(), role);
        let mut conversations: Vec<ConversationId> = named.into_iter().collect();
        if let Some(id) = &request.message_id {
            let refuse = || Refusal::not_found("message", id).at("message_id");
            let (message, _) =
                self.access.load_visible_message(&reader, id).await.map_err(replace_refusal(refuse()))?;
            self.access.load_visible_message(caller, id).await.map_err(replace_refusal(refuse()))?;
            conversations.push(message.to);
        }
        for conversation in &conversations {
            self.access.load_visible_conversation(&reader, conversation).await?;
            self.access.load_visible_conversation(caller, conversation).await?;
        }
        if let [named, of_message] = conversations.as_slice()
            && self.projects.access_root(&agent.project_id, named).await?
                != self.projects.access_root(&agent.project_id, of_message).await?
        {
            return Err(Refusal::invalid("the message stands in another conversation").at("message_id").into());
        }
        Ok(conversations.into_iter().next())
    }

    async fn check_run_task(&self, agent: &Agent, id: Option<&TaskId>) -> Result<(), Failure> {
        let Some(id) = id else { return Ok(()) };
        match self.store.task(id).await? {
            Some(task) if task.project_id == agent.project_id => Ok(()),
            _ => Err(Refusal::not_found("task", id).at("task_id").into()),
        }
    }
}

impl RunService {
    /// Resumes a paused run. For its agent after it has handled the message, and for every person who sees the run, even
    /// without read access to the message.
    ///
    /// An agent cannot resume from its own question, which has to be answered or withdrawn. If a person resumes from it, it
    /// is withdrawn. Other runs of the agent that the same message pauses are resumed too.
    pub(crate) async fn resume_run(
        &self,
        caller: &Principal,
        id: &RunId,
        message: Option<&MessageId>,
    ) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        let run = self.load_own_or_visible_run(caller, id).await?;
        let is_own = caller.member.agent() == Some(&run.agent_id);
        let pauses = self.wanted_pauses(caller, &run, message).await?;
        let (pauses, detail) = match is_own {
            true => (handled_by_agent(pauses)?, format!("handled by {}", caller.name)),
            false => (pauses, format!("resumed by {}", caller.name)),
        };
        let (run_supervisor, attribution) = (self.run_supervisor.clone(), caller.attribution(self.clock.now()));
        run_to_completion("resume a run", async move {
            run_supervisor.resume_paused(attribution, run, pauses, detail).await
        })
        .await?;
        let run = self.store.run(id).await?.ok_or_else(|| Refusal::not_found("run", id))?;
        self.access.hide_unreadable_pauses(caller, run).await
    }

    /// Ends a run of the calling agent and returns a text about its unread messages that are not blocking.
    ///
    /// A paused run can be ended too; its open questions are withdrawn.
    pub(crate) async fn finish_run(
        &self,
        caller: &Principal,
        id: &RunId,
        request: FinishRun,
    ) -> Result<RunFinished, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        let end = request.end()?;
        let run = self.access.load_own_run(caller, id).await?;
        let run = self.end_run(caller, run, end).await?;
        self.context.observe_usage(&run).await;
        self.nudge(caller, run).await
    }

    /// Adds the text about unread messages, which is recorded with the run.
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
        let checkpoint_text = self.context.checkpoint_text(caller, request).await;
        let named =
            checkpoint_text.briefs.into_iter().filter(|brief| checkpoint_text.named.contains(&brief.message_id));
        let nudge = (!checkpoint_text.text.is_empty()).then_some(checkpoint_text.text);
        Ok(RunFinished { run, nudge, messages: named.collect() })
    }

    /// Cancels a run. For its agent and people who see it. The process of the agent gets the event, or the refusal of its
    /// next checkpoint.
    pub(crate) async fn cancel_run(
        &self,
        caller: &Principal,
        id: &RunId,
        reason: Option<String>,
    ) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        reason.as_deref().map_or(Ok(()), check_reason).map_err(|refusal| refusal.at("reason"))?;
        let run = self.load_own_or_visible_run(caller, id).await?;
        let end = RunEnd { state: RunState::Cancelled, reason, usage: None };
        self.end_run(caller, run, end).await
    }

    async fn end_run(&self, caller: &Principal, run: Run, end: RunEnd) -> Result<Run, Failure> {
        let (run_supervisor, attribution) = (self.run_supervisor.clone(), caller.attribution(self.clock.now()));
        let ended =
            run_to_completion("end a run", async move { run_supervisor.end_run(attribution, &run, end).await }).await?;
        self.access.hide_unreadable_pauses(caller, ended).await
    }

    /// Loads a run for its own agent, or for a person who sees it.
    async fn load_own_or_visible_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        if !is_person(caller) {
            return self.access.load_own_run(caller, id).await;
        }
        self.access.load_visible_run(caller, id).await
    }

    /// The pauses to end. A pause can be named only if the caller may read its message. Without a name a person ends all
    /// of them, so that a run never waits for ever because nobody can read its message.
    async fn wanted_pauses(
        &self,
        caller: &Principal,
        run: &Run,
        message: Option<&MessageId>,
    ) -> Result<Vec<Pause>, Failure> {
        let meant = match message {
            None if is_person(caller) => run.clone(),
            _ => self.access.hide_unreadable_pauses(caller, run.clone()).await?,
        };
        if message.is_none() && meant.pauses.is_empty() && !run.pauses.is_empty() {
            let who = "the run waits for messages that you may no longer read: a person lets it go on";
            return Err(Refusal::forbidden(who).into());
        }
        meant.resumed(message, self.clock.now())?;
        Ok(meant.pauses.into_iter().filter(|pause| message.is_none_or(|id| pause.message_id == *id)).collect())
    }

    /// The most important unread messages of an agent that are not blocking, and the number of all of them.
    async fn left_unread(&self, agent: &AgentId) -> Result<(Vec<CheckpointMessage>, u64), Failure> {
        let counts = self.store.inbox_counts(agent).await?;
        let most = limits::NUDGE_MESSAGES_MAX;
        // Blocking messages are in the same list, so that many more are read.
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

/// The pauses that an agent may end itself: those by messages of others.
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

/// The number of unread messages, and the inbox call if not all of them are in the text.
fn before_you_stop(unread: u64, told: u64) -> String {
    let words = if unread == 1 { "message waits" } else { "messages wait" };
    let all = if unread > told { " All of them: inbox {}" } else { "" };
    format!("Before you stop: {unread} unread {words} in your inbox.{all}")
}
