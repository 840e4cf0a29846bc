use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, MessageId, ProjectId, RunId, TaskId},
    paging::{Page, PageRequest},
    run::{Run, RunFilter},
    timeline::TimelineEntry,
};

use crate::Failure;

/// Runs of agents and their timelines. `Log::append` starts, pauses, resumes and ends runs.
///
/// - A run is read with all of its pauses.
/// - When a run fails or is cancelled, its injected and unseen deliveries become `Failed`.
/// - Each start, pause, question, resumption and end is one entry in the timeline of the run and of its task. The
///   creation of a task and each change of its status is one entry in the timeline of the task.
/// - A pause whose question was closed, or that the agent has handled or ignored, is left out when the run is paused:
///   nothing would resume it.
/// - The cost of no method grows with the number of ended runs. Runs that are hidden from the caller are skipped one by
///   one.
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

    /// Lists the timeline of a run, oldest first; a page key is the number of an entry. Entries about messages that the
    /// caller may not read are left out.
    async fn run_timeline(
        &self,
        run: &RunId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure>;

    /// Lists the timeline of a task and of its runs, oldest first. Runs and messages that the caller may not see are left
    /// out.
    async fn task_timeline(
        &self,
        task: &TaskId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure>;
}
