//! Runs of agents: their life, and what happened in them.

use parlour_core::{
    access::Principal,
    checkpoint::{Checkpoint, RunFinished},
    chronicle::Moment,
    id::{MessageId, ProjectId, RunId, TaskId},
    paging::{Page, PageRequest},
    run::{FinishRun, Run, RunFilter, StartRun},
    scope::Scope,
};

use crate::{Failure, Fault, Hub};

fn unbuilt() -> Failure {
    Fault::new("run", "not built yet").into()
}

impl Hub {
    /// Begins a run of an agent: by itself, or by somebody who may act for it. A repeated id answers the first result.
    pub async fn start_run(&self, caller: &Principal, wish: StartRun) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        wish.check()?;
        Err(unbuilt())
    }

    /// Reads a run that the caller sees, with those of its pauses whose messages the caller may read.
    pub async fn run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = id;
        Err(unbuilt())
    }

    /// Reads a run as soon as it is not paused, or after so many seconds as it is.
    pub async fn wait_run(&self, caller: &Principal, id: &RunId, seconds: u64) -> Result<Run, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (id, seconds);
        Err(unbuilt())
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
        let _ = (project, filter, page);
        Err(unbuilt())
    }

    /// Asks for the run whether it may go on, and renews its lease. For its own agent.
    ///
    /// It is to pause when an open question addresses its agent that the agent has not handled (the question that led to
    /// this very run excepted), and as long as it is paused. What the agent is told is not claimed as delivered: whoever
    /// puts it before the model reports that.
    pub async fn checkpoint(&self, caller: &Principal, id: &RunId) -> Result<Checkpoint, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let _ = id;
        Err(unbuilt())
    }

    /// Renews the lease of a run without asking anything: from the middle of a step. For its own agent.
    pub async fn beat_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let _ = id;
        Err(unbuilt())
    }

    /// Lets a paused run go on: its own agent after it has handled the message, or any person who sees the run.
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
        let _ = (id, message);
        Err(unbuilt())
    }

    /// Ends a run by its own agent, and tells it once what it has not read and what blocks nothing.
    ///
    /// A paused run can be ended too; its own open questions are withdrawn.
    pub async fn finish_run(&self, caller: &Principal, id: &RunId, wish: FinishRun) -> Result<RunFinished, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let _ = (id, wish);
        Err(unbuilt())
    }

    /// Stops a run: its own agent, or any person who sees it. Its agent's process learns it by the event, or by the
    /// refusal of its next checkpoint.
    pub async fn cancel_run(&self, caller: &Principal, id: &RunId, reason: Option<String>) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let _ = (id, reason);
        Err(unbuilt())
    }

    /// Lists what happened in a run, oldest first.
    pub async fn run_chronicle(
        &self,
        caller: &Principal,
        id: &RunId,
        page: &PageRequest,
    ) -> Result<Page<Moment>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (id, page);
        Err(unbuilt())
    }

    /// Lists what happened to a task and in its runs, oldest first.
    pub async fn task_chronicle(
        &self,
        caller: &Principal,
        id: &TaskId,
        page: &PageRequest,
    ) -> Result<Page<Moment>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (id, page);
        Err(unbuilt())
    }
}
