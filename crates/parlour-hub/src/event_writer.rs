//! Writes to the store, followed by what every committed change requires.

use std::sync::Arc;

use parlour_core::{
    access::Principal,
    event::Change,
    id::ProjectId,
    write::{Appended, Entry, Write},
};
use tokio::sync::watch;

use crate::{
    Failure,
    calling::PostCommit,
    failure::run_to_completion,
    ports::{Clock, Store},
    project_state::ProjectStates,
    runs::RunSupervisor,
};

/// Appends entries to the store and keeps the caches, the runs and the waiting requests up to date with them.
#[derive(Clone)]
pub(crate) struct EventWriter {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    projects: Arc<ProjectStates>,
    runs: RunSupervisor,
    /// Grows whenever an agent was added or changed.
    agent_changes: watch::Sender<u64>,
}

impl EventWriter {
    pub(crate) fn new(
        store: &Arc<dyn Store>,
        clock: &Arc<dyn Clock>,
        projects: &Arc<ProjectStates>,
        runs: &RunSupervisor,
    ) -> Self {
        Self {
            store: Arc::clone(store),
            clock: Arc::clone(clock),
            projects: Arc::clone(projects),
            runs: runs.clone(),
            agent_changes: watch::Sender::default(),
        }
    }

    /// An entry of this caller with the current time.
    pub(crate) fn entry(&self, caller: &Principal, project: &ProjectId, write: Write) -> Entry {
        Entry { project_id: project.clone(), attribution: caller.attribution(self.clock.now()), write }
    }

    /// Appends a write of this caller.
    pub(crate) async fn append(
        &self,
        caller: &Principal,
        project: &ProjectId,
        write: Write,
    ) -> Result<Appended, Failure> {
        let appended = self.store.append(self.entry(caller, project, write)).await?;
        self.invalidate_caches_after(project, &appended.change);
        Ok(appended)
    }

    /// Appends a message and then runs its side effects. Both are completed even if the caller goes away: the next
    /// message is judged by what this one has written.
    pub(crate) async fn append_with(
        &self,
        entry: Entry,
        post_commit: PostCommit,
        settle: impl FnOnce(&Result<Appended, Failure>) + Send + 'static,
    ) -> Result<Appended, Failure> {
        let (store, project) = (Arc::clone(&self.store), entry.project_id.clone());
        let appended = run_to_completion("append a message", async move {
            let attribution = entry.attribution.clone();
            let outcome = store.append(entry).await;
            settle(&outcome);
            post_commit.run(store.as_ref(), attribution, &outcome).await;
            outcome
        });
        let appended = appended.await?;
        self.invalidate_caches_after(&project, &appended.change);
        Ok(appended)
    }

    /// Drops cached facts that a committed change has made wrong, and wakes requests that wait for it. The fan-out
    /// calls it too, for writes whose caller went away.
    pub(crate) fn invalidate_caches_after(&self, project: &ProjectId, change: &Change) {
        self.projects.invalidate_after(project, change);
        self.count_agent_change(change);
        self.runs.track_change(change);
    }

    /// Notifies subscribers of `agent_changes` when an agent was added or changed.
    pub(crate) fn count_agent_change(&self, change: &Change) {
        if matches!(change, Change::AgentCreated(_) | Change::AgentUpdated(_)) {
            self.agent_changes.send_modify(|count| *count += 1);
        }
    }

    pub(crate) fn agent_changes(&self) -> watch::Receiver<u64> {
        self.agent_changes.subscribe()
    }
}
