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

use super::{projects::unexpected, see::refuse_as};
use crate::{Failure, Hub, hub::to_its_end, waiters::Topic};

impl Hub {
    /// Begins a run of an agent: by itself, or by somebody who may act for it. A repeated id answers the first result.
    pub async fn start_run(&self, caller: &Principal, request: StartRun) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        request.check()?;
        let named = request.conversation()?;
        let agent = self.run_agent(caller, &request).await?;
        let conversation_id = self.run_place(caller, &agent, &request, named).await?;
        self.check_run_task(&agent, request.task_id.as_ref()).await?;
        let run = self.new_run(agent, request, conversation_id);
        let (keeper, attribution) = (self.keeper.clone(), caller.attribution(run.started_at));
        let started = to_its_end("start a run", async move {
            keeper.append(&run.project_id.clone(), attribution, Write::StartRun(run)).await
        });
        match started.await?.change {
            Change::RunStarted(run) => {
                // It may have begun before, and be paused by now.
                let run = self.store.run(&run.id).await?.unwrap_or(*run);
                self.shown_run(caller, run).await
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Reads a run that the caller sees, with those of its pauses whose messages the caller may read.
    pub async fn run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let run = self.see_run(caller, id).await?;
        self.shown_run(caller, run).await
    }

    /// Reads a run as soon as it is not paused, or after so many seconds as it is.
    pub async fn wait_run(&self, caller: &Principal, id: &RunId, seconds: u64) -> Result<Run, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let bell = self.keeper.waiters.hang_up(vec![Topic::Run(id.clone())], self.clock.now(), seconds)?;
        loop {
            let run = self.see_run(caller, id).await?;
            if run.state != RunState::Paused || !bell.rings(self.clock.as_ref()).await {
                return self.shown_run(caller, run).await;
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
        self.admit(caller, Scope::MessagesRead)?;
        self.see_project(caller, project).await?;
        let mut runs = self.store.runs(project, caller, filter, page).await?;
        for run in &mut runs.items {
            *run = self.shown_run(caller, run.clone()).await?;
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
        self.admit(caller, Scope::MessagesRead)?;
        self.see_run(caller, id).await?;
        self.store.run_timeline(id, caller, page).await
    }

    /// Lists what happened to a task and in its runs, oldest first.
    pub async fn task_timeline(
        &self,
        caller: &Principal,
        id: &TaskId,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        self.see_task(caller, id).await?;
        self.store.task_timeline(id, caller, page).await
    }

    /// The run, if the caller sees it: like its conversation, or else like its project.
    pub(super) async fn see_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        let refuse = || Refusal::not_found("run", id);
        let run = self.store.run(id).await?.ok_or_else(refuse)?;
        let seen = match &run.conversation_id {
            Some(place) => self.see_conversation(caller, place).await.map(drop),
            None => self.see_project(caller, &run.project_id).await.map(drop),
        };
        seen.map_err(refuse_as(refuse()))?;
        Ok(run)
    }

    /// The run, if it is the calling agent's own.
    pub(crate) async fn own_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        let run = self.store.run(id).await?;
        match run.filter(|run| caller.member.agent() == Some(&run.agent_id)) {
            Some(run) => Ok(run),
            None => {
                self.see_run(caller, id).await?;
                Err(Refusal::forbidden("only the agent whose run it is may do this").into())
            }
        }
    }

    /// The run as the caller may see it: without pauses by messages that it may not read.
    pub(super) async fn shown_run(&self, caller: &Principal, mut run: Run) -> Result<Run, Failure> {
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
        let (agent, _) = self.see_agent(caller, id).await?;
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
            let (message, _) = self.see_message(&reader, id).await.map_err(refuse_as(refuse()))?;
            self.see_message(caller, id).await.map_err(refuse_as(refuse()))?;
            places.push(message.to);
        }
        for place in &places {
            self.see_conversation(&reader, place).await?;
            self.see_conversation(caller, place).await?;
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
