use async_trait::async_trait;
use parlour_core::{
    access::Principal,
    id::{AgentId, MessageId, ProjectId, RunId, TaskId},
    paging::{Page, PageRequest},
    run::{Run, RunFilter},
    timeline::TimelineEntry,
};
use parlour_hub::{Failure, ports::Runs};

use crate::sqlite::{
    SqliteStore,
    read::{runs, timelines},
};

#[async_trait]
impl Runs for SqliteStore {
    async fn run(&self, id: &RunId) -> Result<Option<Run>, Failure> {
        let id = id.clone();
        self.read("read a run", move |db| runs::run(db, &id)).await
    }

    async fn runs(
        &self,
        project: &ProjectId,
        caller: &Principal,
        filter: &RunFilter,
        page: &PageRequest,
    ) -> Result<Page<Run>, Failure> {
        let (project, caller, filter, page) = (project.clone(), caller.clone(), filter.clone(), page.clone());
        self.read("list runs", move |db| runs::runs(db, &project, &caller, &filter, &page)).await
    }

    async fn open_runs(&self, page: &PageRequest) -> Result<Page<Run>, Failure> {
        let page = page.clone();
        self.read("list open runs", move |db| runs::open_runs(db, &page)).await
    }

    async fn runs_paused_by(&self, message: &MessageId) -> Result<Vec<Run>, Failure> {
        let message = message.clone();
        self.read("list the runs that a message pauses", move |db| runs::runs_paused_by(db, &message)).await
    }

    async fn open_runs_of(&self, agent: &AgentId) -> Result<Vec<Run>, Failure> {
        let agent = agent.clone();
        self.read("list the open runs of an agent", move |db| runs::open_runs_of(db, &agent)).await
    }

    async fn run_timeline(
        &self,
        run: &RunId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        let (run, caller, page) = (run.clone(), caller.clone(), page.clone());
        self.read("read the timeline of a run", move |db| timelines::run_timeline(db, &run, &caller, &page)).await
    }

    async fn task_timeline(
        &self,
        task: &TaskId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<TimelineEntry>, Failure> {
        let (task, caller, page) = (task.clone(), caller.clone(), page.clone());
        self.read("read the timeline of a task", move |db| timelines::task_timeline(db, &task, &caller, &page)).await
    }
}
