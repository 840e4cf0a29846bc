//! Runs of agents: how they begin, who sees them, and what happened in them.

use parlour_core::{
    Refusal,
    access::{self, Principal, Role},
    event::Change,
    id::{ConversationId, ProjectId, RunId, TaskId},
    member::Agent,
    paging::{Page, PageRequest},
    run::{Run, RunFilter, RunState, StartRun},
    scope::Scope,
    timeline::TimelineEntry,
    write::Write,
};

use super::{projects::unexpected_change, see::replace_refusal};
use crate::{Failure, Hub, hub::run_to_completion, waiters::Topic};

impl Hub {
    /// Begins a run of an agent: by itself, or by somebody who may act for it. A repeated id answers the first result.
    pub async fn start_run(&self, caller: &Principal, request: StartRun) -> Result<Run, Failure> {
        self.require_scope(caller, Scope::RunsWrite)?;
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
                // It may have begun before, and be paused by now.
                let run = self.store.run(&run.id).await?.unwrap_or(*run);
                self.hide_unreadable_pauses(caller, run).await
            }
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a run that the caller sees, with those of its pauses whose messages the caller may read.
    pub async fn run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.require_scope(caller, Scope::MessagesRead)?;
        let run = self.load_visible_run(caller, id).await?;
        self.hide_unreadable_pauses(caller, run).await
    }

    /// Reads a run as soon as it is not paused, or after so many seconds as it is.
    pub async fn wait_run(&self, caller: &Principal, id: &RunId, seconds: u64) -> Result<Run, Failure> {
        self.require_scope(caller, Scope::MessagesRead)?;
        let waiter = self.run_supervisor.waiters.register(vec![Topic::Run(id.clone())], self.clock.now(), seconds)?;
        loop {
            let run = self.load_visible_run(caller, id).await?;
            if run.state != RunState::Paused || !waiter.rings(self.clock.as_ref()).await {
                return self.hide_unreadable_pauses(caller, run).await;
            }
        }
    }

    /// Lists the runs of a project that the caller sees, newest first.
    pub async fn runs(
        &self,
        caller: &Principal,
        project: &ProjectId,
        filter: &RunFilter,
        page: &PageRequest,
    ) -> Result<Page<Run>, Failure> {
        self.require_scope(caller, Scope::MessagesRead)?;
        self.load_visible_project(caller, project).await?;
        let mut runs = self.store.runs(project, caller, filter, page).await?;
        for run in &mut runs.items {
            *run = self.hide_unreadable_pauses(caller, run.clone()).await?;
        }
        Ok(runs)
    }

    /// Lists what happened in a run, oldest first.
    pub async fn run_timeline(
        &self,
        caller: &Principal,
        id: &RunId,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        self.require_scope(caller, Scope::MessagesRead)?;
        self.load_visible_run(caller, id).await?;
        self.store.run_timeline(id, caller, page).await
    }

    /// Lists what happened to a task and in its runs, oldest first.
    pub async fn task_timeline(
        &self,
        caller: &Principal,
        id: &TaskId,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        self.require_scope(caller, Scope::MessagesRead)?;
        self.load_visible_task(caller, id).await?;
        self.store.task_timeline(id, caller, page).await
    }

    /// The run, if the caller sees it: like its conversation, or else like its project.
    pub(super) async fn load_visible_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        let refuse = || Refusal::not_found("run", id);
        let run = self.store.run(id).await?.ok_or_else(refuse)?;
        let seen = match &run.conversation_id {
            Some(place) => self.load_visible_conversation(caller, place).await.map(drop),
            None => self.load_visible_project(caller, &run.project_id).await.map(drop),
        };
        seen.map_err(replace_refusal(refuse()))?;
        Ok(run)
    }

    /// The run, if it is the calling agent's own.
    pub(crate) async fn load_own_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        let run = self.store.run(id).await?;
        match run.filter(|run| caller.member.agent() == Some(&run.agent_id)) {
            Some(run) => Ok(run),
            None => {
                self.load_visible_run(caller, id).await?;
                Err(Refusal::forbidden("only the agent whose run it is may do this").into())
            }
        }
    }

    /// The run as the caller may see it: without pauses by messages that it may not read.
    pub(super) async fn hide_unreadable_pauses(&self, caller: &Principal, mut run: Run) -> Result<Run, Failure> {
        let mut shown = Vec::new();
        for pause in std::mem::take(&mut run.pauses) {
            if self.may_read(caller, &pause.conversation_id).await? {
                shown.push(pause);
            }
        }
        Ok(Run { pauses: shown, ..run })
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

    /// The agent whose turn begins.
    async fn run_agent(&self, caller: &Principal, request: &StartRun) -> Result<Agent, Failure> {
        let Some(id) = request.agent_id.as_ref().or(caller.member.agent()) else {
            return Err(Refusal::invalid("say whose run it is: only agents have runs").at("agent_id").into());
        };
        let (agent, _) = self.load_visible_agent(caller, id).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        Ok(agent)
    }

    /// The conversation that a run belongs to. Its agent, and whoever begins it, must be able to read there, and the
    /// message that led to it must stand there, or in a thread of the same channel.
    async fn run_place(
        &self,
        caller: &Principal,
        agent: &Agent,
        request: &StartRun,
        named: Option<ConversationId>,
    ) -> Result<Option<ConversationId>, Failure> {
        let role = Role::Agent(agent.project_id.clone());
        let reader = Principal::new(agent.id.clone(), agent.name.clone(), role);
        let mut places: Vec<ConversationId> = named.into_iter().collect();
        if let Some(id) = &request.message_id {
            let refuse = || Refusal::not_found("message", id).at("message_id");
            let (message, _) = self.load_visible_message(&reader, id).await.map_err(replace_refusal(refuse()))?;
            self.load_visible_message(caller, id).await.map_err(replace_refusal(refuse()))?;
            places.push(message.to);
        }
        for place in &places {
            self.load_visible_conversation(&reader, place).await?;
            self.load_visible_conversation(caller, place).await?;
        }
        if let [named, of_message] = places.as_slice()
            && self.root_of(named).await? != self.root_of(of_message).await?
        {
            return Err(Refusal::invalid("the message stands in another conversation").at("message_id").into());
        }
        Ok(places.into_iter().next())
    }

    async fn check_run_task(&self, agent: &Agent, id: Option<&TaskId>) -> Result<(), Failure> {
        let Some(id) = id else { return Ok(()) };
        match self.store.task(id).await? {
            Some(task) if task.project_id == agent.project_id => Ok(()),
            _ => Err(Refusal::not_found("task", id).at("task_id").into()),
        }
    }
}
