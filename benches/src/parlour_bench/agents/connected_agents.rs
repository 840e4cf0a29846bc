//! The agents of the benchmark, each with its own runner.

use std::sync::Arc;

use anyhow::{Context, Result};
use parlour_agent::{
    engine::Engine,
    link::RemoteLink,
    runner::{self, RunnerEvent, RunnerOptions},
};
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::client;
use crate::{environment::PreparedHub, fixture::Api};

/// Running agents.
pub(super) struct ConnectedAgents {
    names: Vec<String>,
    runners: JoinSet<()>,
    stop: CancellationToken,
}

impl ConnectedAgents {
    /// Adds the agents and waits until every runner is ready.
    pub(super) async fn connect(hub: &PreparedHub, count: usize, engine: Arc<dyn Engine>) -> Result<Self> {
        let mut api = Api::connect(hub.server.address(), &hub.fixture.admin_token).await?;
        let (mut runners, stop) = (JoinSet::new(), CancellationToken::new());
        let (ready, mut are_ready) = mpsc::channel(count);
        let names: Vec<_> = (0..count).map(|number| format!("Worker{number}")).collect();
        for name in &names {
            let agent = api.create_agent(&hub.fixture.project_id, name).await?;
            let (id, project) = (agent.id.parse()?, hub.fixture.project_id.parse()?);
            let link = Arc::new(RemoteLink::new(client(hub, &agent.token)?, id, project));
            let (engine, ready, stop) = (Arc::clone(&engine), ready.clone(), stop.clone());
            let report = move |report| {
                if report == RunnerEvent::Ready {
                    // Only the first report of each runner is received; later ones are dropped.
                    let _ = ready.try_send(());
                }
            };
            runners.spawn(async move {
                let _ = runner::run(link, engine, RunnerOptions::default(), report, stop).await;
            });
        }
        for _ in 0..count {
            are_ready.recv().await.context("an agent did not connect")?;
        }
        Ok(Self { names, runners, stop })
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Stops all runners.
    pub(super) async fn stop(mut self) {
        self.stop.cancel();
        while self.runners.join_next().await.is_some() {}
    }
}
