//! Hosted agents: one runner inside the process of the hub for each agent with an engine.
//!
//! The runner is the same as for external agents, with another link. The list of hosted agents is read at the start and
//! after every change of an agent.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parlour_agent::runner::RunnerOptions;
use parlour_core::{
    engine::{BUILT_IN, Engine},
    id::AgentId,
    limits,
    member::Agent,
};
use parlour_hub::{Failure, Hub};
use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

mod engines;
#[cfg(test)]
mod fixture;
mod link;
mod missing;
mod providers;
mod rerankers;
mod summariser;
mod supervise;
#[cfg(test)]
mod tests;

use link::LocalLink;

pub(crate) use engines::Engines;
pub(crate) use providers::Provider;
pub(crate) use rerankers::Rerankers;

/// The time for runners to end when the hub stops; longer than their own limit for open answers.
const STOP_TIME_MAX: Duration = Duration::from_secs(20);
/// The pause after a failed read of the agents.
const READ_PAUSE: Duration = Duration::from_secs(5);

/// The debounce of calls for the guide; short, because no model is called.
const GUIDE_DEBOUNCE: Duration = Duration::from_millis(150);
/// The maximum number of concurrent answers of the guide.
const GUIDE_ANSWERS_MAX: usize = 32;

/// Starts, restarts and stops the hosted agents.
pub(crate) struct Hosting {
    hub: Arc<Hub>,
    engines: Engines,
    running: HashMap<AgentId, HostedAgent>,
    tasks: JoinSet<()>,
    /// The number of agents over the limit that was logged last.
    left_out: usize,
}

struct HostedAgent {
    engine: Engine,
    link: Arc<LocalLink>,
    stop: CancellationToken,
}

impl Hosting {
    pub(crate) fn new(hub: Arc<Hub>, engines: Engines) -> Self {
        Self { hub, engines, running: HashMap::new(), tasks: JoinSet::new(), left_out: 0 }
    }

    /// Runs every agent with an engine until `stop` is cancelled and all runners have ended, at most [`STOP_TIME_MAX`] later.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        stop.run_until_cancelled(self.follow_agents()).await;
        self.running.values().for_each(|running| running.stop.cancel());
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(STOP_TIME_MAX, ended).await.is_err() {
            tracing::warn!(count = self.tasks.len(), "hosted agents did not stop in time");
        }
    }

    /// Reconciles the running agents with the stored ones after each change.
    async fn follow_agents(&mut self) {
        let mut changes = self.hub.agent_changes();
        loop {
            changes.mark_unchanged();
            match self.hub.hosted_agents().await {
                Ok(agents) => {
                    self.arrange(agents);
                    // The hub outlives this task, so the channel is open.
                    let _ = changes.changed().await;
                }
                Err(failure) => {
                    tracing::warn!(cause = %failure_text(&failure), "cannot read the hosted agents");
                    tokio::time::sleep(READ_PAUSE).await;
                }
            }
            while self.tasks.try_join_next().is_some() {}
        }
    }

    /// Stops agents whose engine changed or was removed, and starts new ones. The others continue.
    fn arrange(&mut self, mut agents: Vec<Agent>) {
        self.log_left_out(agents.len().saturating_sub(limits::HOSTED_AGENTS_MAX));
        agents.truncate(limits::HOSTED_AGENTS_MAX);
        let engine_of =
            |id: &AgentId| agents.iter().find(|agent| agent.id == *id).and_then(|agent| agent.engine.clone());
        self.running.retain(|id, running| {
            let goes_on = engine_of(id).as_ref() == Some(&running.engine);
            if !goes_on {
                running.stop.cancel();
            }
            goes_on
        });
        for agent in agents {
            match self.running.get(&agent.id) {
                Some(running) => running.link.renew(&agent),
                None => self.start(&agent),
            }
        }
    }

    fn start(&mut self, agent: &Agent) {
        let Some(engine) = agent.engine.clone() else { return };
        let link = Arc::new(LocalLink::new(&self.hub, agent));
        let stop = CancellationToken::new();
        let runner = supervise::Supervised {
            name: agent.name.to_string(),
            link: Arc::clone(&link),
            engine: self.engines.engine(&engine),
            options: options(&engine),
        };
        self.tasks.spawn(runner.run(stop.clone()));
        self.running.insert(agent.id.clone(), HostedAgent { engine, link, stop });
    }

    /// Logs once per change how many agents are not hosted because of the limit.
    fn log_left_out(&mut self, count: usize) {
        if count > 0 && count != self.left_out {
            tracing::warn!(count, most = limits::HOSTED_AGENTS_MAX, "more agents have an engine than the hub can host");
        }
        self.left_out = count;
    }
}

fn options(engine: &Engine) -> RunnerOptions {
    let usual = RunnerOptions { machine_name: Some("hub".to_owned()), ..RunnerOptions::default() };
    if engine.provider == BUILT_IN {
        return RunnerOptions { debounce: GUIDE_DEBOUNCE, answers_max: GUIDE_ANSWERS_MAX, ..usual };
    }
    usual
}

fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => refusal.to_string(),
        Failure::Fault(fault) => fault.chain(),
    }
}
