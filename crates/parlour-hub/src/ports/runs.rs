use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, MessageId, ProjectId, RunId, TaskId},
    paging::{Page, PageRequest},
    run::{Run, RunFilter},
    timeline::TimelineEntry,
};

use crate::Failure;

/// Runs of agents, and what happened in them. They are begun, paused, resumed and ended by `Log::append`.
///
/// - A run is read with all of its pauses, except where a method says that it is as it is told.
/// - A run that ends takes with it what it had shown and that had not been read: those deliveries become `Failed` when
///   it failed or was cancelled.
/// - Each start, pause, question, resumption and end is one moment of the timeline of the run and of its task; each
///   task is given, and each change of its status is, one moment of the task's.
/// - A pause whose question has ended, or that its agent has handled or will not answer, is left out when the run is to
///   be paused: nobody would resume it.
/// - The cost of no method grows with the number of runs that have ended; only what is hidden from the caller is passed
///   over one by one.
#[async_trait]
pub trait Runs: Send + Sync {
    /// Reads a run.
    async fn run(&self, id: &RunId) -> Result<Option<Run>, Failure>;

    /// Lists the runs of a project that the caller sees, newest first.
    async fn runs(
        &self,
        project: &ProjectId,
        caller: &Principal,
        filter: &RunFilter,
        page: &PageRequest,
    ) -> Result<Page<Run>, Failure>;

    /// Lists the runs of all projects that have not ended, by id.
    async fn open_runs(&self, page: &PageRequest) -> Result<Page<Run>, Failure>;

    /// The runs that this message pauses.
    async fn runs_paused_by(&self, message: &MessageId) -> Result<Vec<Run>, Failure>;

    /// The runs of an agent that have not ended, oldest first.
    async fn open_runs_of(&self, agent: &AgentId) -> Result<Vec<Run>, Failure>;

    /// Lists what happened in a run, oldest first; a page key is the number of a moment. What is about a message that
    /// the caller may not read is left out.
    async fn run_timeline(
        &self,
        run: &RunId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure>;

    /// Lists what happened to a task and in its runs, oldest first, as far as the caller sees the runs and may read the
    /// messages.
    async fn task_timeline(
        &self,
        task: &TaskId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure>;
}
