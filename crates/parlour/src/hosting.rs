//! Agents that the hub runs itself: one runner for each agent that has an engine, in the hub's own process.
//!
//! They are run by the same runner as agents outside of the hub; only the link is another. Who is to be run is read
//! from the hub's records, at the start and whenever an agent was added or changed.

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
mod link;
mod missing;
mod providers;
mod rerankers;
#[cfg(test)]
mod stage;
mod summariser;
mod supervise;
#[cfg(test)]
mod tests;

pub(crate) use engines::Engines;
pub(crate) use providers::Provider;
pub(crate) use rerankers::Rerankers;

use link::LocalLink;

/// How long runners may take to end when the hub stops: longer than they give their answers.
const STOP_TIME_MAX: Duration = Duration::from_secs(20);
/// When the agents could not be read, they are read again after this pause.
const READ_PAUSE: Duration = Duration::from_secs(5);

/// How long calls of one conversation are gathered for the guide: nobody waits for a model here.
const GUIDE_DEBOUNCE: Duration = Duration::from_millis(150);
/// How many answers the guide writes at once: they cost nothing.
const GUIDE_ANSWERS_MAX: usize = 32;

/// The agents that the hub runs.
pub(crate) struct Hosting {
    hub: Arc<Hub>,
    engines: Engines,
    running: HashMap<AgentId, Running>,
    tasks: JoinSet<()>,
    /// How many agents were left out when that was last told.
    left_out: usize,
}

/// One agent that is run.
struct Running {
    engine: Engine,
    link: Arc<LocalLink>,
    stop: CancellationToken,
}

impl Hosting {
    /// Nobody is run yet.
    pub(crate) fn new(hub: Arc<Hub>, engines: Engines) -> Self {
        Self { hub, engines, running: HashMap::new(), tasks: JoinSet::new(), left_out: 0 }
    }

    /// Runs every agent that has an engine, until `stop` is cancelled and all of them have ended, or were given long
    /// enough to do so.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        stop.run_until_cancelled(self.follow_agents()).await;
        self.running.values().for_each(|running| running.stop.cancel());
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(STOP_TIME_MAX, ended).await.is_err() {
            tracing::warn!(count = self.tasks.len(), "agents of this hub did not end in time");
        }
    }

    /// Keeps what runs the same as what is recorded.
    async fn follow_agents(&mut self) {
        let mut changes = self.hub.agent_changes();
        loop {
            changes.mark_unchanged();
            match self.hub.hosted_agents().await {
                Ok(agents) => {
                    self.arrange(agents);
                    // The hub lives at least as long as this, so the channel is open.
                    let _ = changes.changed().await;
                }
                Err(failure) => {
                    tracing::warn!(cause = %told(&failure), "the agents of this hub could not be read");
                    tokio::time::sleep(READ_PAUSE).await;
                }
            }
            while self.tasks.try_join_next().is_some() {}
        }
    }

    /// Stops those who have another engine or none, and starts the new ones; the others go on undisturbed.
    fn arrange(&mut self, mut agents: Vec<Agent>) {
        self.tell_left_out(agents.len().saturating_sub(limits::HOSTED_AGENTS_MAX));
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
        self.running.insert(agent.id.clone(), Running { engine, link, stop });
    }

    /// Said once for each change: whoever is left out would otherwise be silent without a word anywhere.
    fn tell_left_out(&mut self, count: usize) {
        if count > 0 && count != self.left_out {
            tracing::warn!(
                count,
                most = limits::HOSTED_AGENTS_MAX,
                "there are more agents with an engine than are run"
            );
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

fn told(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => refusal.to_string(),
        Failure::Fault(fault) => fault.chain(),
    }
}
