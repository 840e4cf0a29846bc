//! Engines that agents of this hub can have, and the agents that the hub runs itself.

use std::sync::Arc;

use parlour_core::{
    access::{Grant, Principal, Role},
    engine::EngineOffer,
    limits,
    member::Agent,
    origin::{Origin, Surface},
    paging::PageRequest,
    scope::{JoinRole, Scope},
};
use tokio::sync::watch;

use crate::{
    Failure, Hub,
    live::Session,
    ports::{Reranker, Summariser},
};

impl Hub {
    /// The same hub with these engines on offer.
    #[must_use]
    pub fn with_engines(mut self, offers: Vec<EngineOffer>) -> Self {
        self.engines = offers;
        self
    }

    /// The same hub with a model that writes summaries.
    #[must_use]
    pub fn with_summariser(mut self, summariser: Arc<dyn Summariser>) -> Self {
        self.context.set_summariser(summariser);
        self
    }

    /// The same hub with rerankers that projects can name.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.context.set_reranker(reranker);
        self
    }

    /// Waits until no summary is being written that was begun before: the next pack shows what came of it.
    pub async fn finish_summaries(&self) {
        self.context.summaries().finish().await;
    }

    /// The number of failed rerank requests since the start of the hub.
    pub fn rerank_failures(&self) -> u64 {
        self.context.rerank_failures()
    }

    /// Lists the engines that agents can have.
    pub fn engines(&self, caller: &Principal) -> Result<Vec<EngineOffer>, Failure> {
        self.admit(caller, Scope::ChannelsRead)?;
        Ok(self.engines.clone())
    }

    /// All agents that have an engine. For whoever runs them inside the hub's own process, never for a surface.
    pub async fn hosted_agents(&self) -> Result<Vec<Agent>, Failure> {
        let mut agents = Vec::new();
        let mut page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        loop {
            let found = self.store.hosted_agents(&page).await?;
            agents.extend(found.items);
            let Some(next) = found.next else { return Ok(agents) };
            page = PageRequest::new(Some(next), Some(limits::PAGE_ITEMS_MAX))?;
        }
    }

    /// Counts up whenever an agent was added or changed, also when its caller has gone away.
    pub fn agent_changes(&self) -> watch::Receiver<u64> {
        self.agent_changes.subscribe()
    }

    /// Who a hosted agent is to the hub. For whoever runs it inside the hub's own process.
    pub fn act_as(&self, agent: &Agent) -> Principal {
        let role = Role::Agent(agent.project_id.clone());
        let origin = Origin { surface: Surface::Engine, ..Origin::default() };
        Principal::new(agent.id.clone(), agent.name.clone(), role).granted(Grant {
            scopes: JoinRole::Full.scopes(),
            acts_as: None,
            expires_at: None,
            origin,
        })
    }

    /// Opens a live session for a hosted agent: its presence lasts as long as the session.
    pub fn open_session_as(self: &Arc<Self>, caller: Principal) -> Result<Session, Failure> {
        Session::open(self, caller)
    }
}
