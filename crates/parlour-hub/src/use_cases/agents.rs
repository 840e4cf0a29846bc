//! Agents of a project.

use std::sync::Arc;

use parlour_core::{
    access::{self, Grant, Principal, Role},
    context::AgentContext,
    engine::{Engine, EngineOffer},
    event::Change,
    id::{AgentId, ProjectId},
    limits,
    member::{Agent, AgentPatch},
    name::Name,
    origin::{Origin, Surface},
    paging::{Page, PageRequest},
    scope::{JoinRole, Scope, Scopes},
    token::NewToken,
    write::Write,
};
use tokio::sync::watch;

use crate::{
    Failure, Hub,
    failure::unexpected_change,
    live::Session,
    ports::{Reranker, Summariser},
};

/// A request to add an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAgent {
    /// The project it is to belong to.
    pub project_id: ProjectId,
    /// The name it is mentioned by.
    pub name: Name,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// Where it can be called.
    pub endpoint_url: Option<String>,
    /// What it is told to be.
    pub instructions: Option<String>,
    /// What is to answer for it, when the hub is to run it itself.
    pub engine: Option<Engine>,
    /// What it says differently from its project about what models see; an empty one says nothing.
    pub context: Option<AgentContext>,
    /// What its token lets it do; absent means the role `full`, as far as the caller can give it.
    pub role: Option<JoinRole>,
}

impl Hub {
    /// Adds an agent and gives it a signed token, which is shown only here. People of the project may.
    pub async fn create_agent(&self, caller: &Principal, request: NewAgent) -> Result<(Agent, String), Failure> {
        self.access.require_scope(caller, Scope::AgentsManage)?;
        let owner = caller.person()?.clone();
        let project = self.access.load_visible_project(caller, &request.project_id).await?;
        request.engine.as_ref().map_or(Ok(()), |engine| engine.check(&self.engines))?;
        let agent = Agent {
            id: AgentId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: request.name,
            capabilities: request.capabilities,
            endpoint_url: request.endpoint_url.filter(|text| !text.is_empty()),
            instructions: request.instructions.filter(|text| !text.is_empty()),
            engine: request.engine.filter(|engine| !engine.provider.is_empty()),
            context: request.context.filter(|context| *context != AgentContext::default()),
            owner,
            created_at: self.clock.now(),
        };
        agent.check()?;
        let (token, secret) = self.agent_token(caller, &agent.id, request.role)?;
        let appended = self.append_to_members(caller, &project.id, Write::CreateAgent(agent, token, None)).await?;
        match appended.change {
            Change::AgentCreated(agent) => Ok((*agent, secret)),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads an agent.
    pub async fn agent(&self, caller: &Principal, id: &AgentId) -> Result<Agent, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        Ok(self.access.load_visible_agent(caller, id).await?.0)
    }

    /// Lists the agents of a project.
    pub async fn agents(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Agent>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, project).await?;
        self.store.agents(project, page).await
    }

    /// Changes an agent.
    pub async fn update_agent(&self, caller: &Principal, id: &AgentId, patch: AgentPatch) -> Result<Agent, Failure> {
        self.access.require_scope(caller, Scope::AgentsManage)?;
        let (agent, project) = self.access.load_visible_agent(caller, id).await?;
        access::check_manage_agent(caller, &agent, &project)?;
        agent.patched(&patch)?;
        patch.engine.as_ref().map_or(Ok(()), |engine| engine.check(&self.engines))?;
        let appended = self.append_to_members(caller, &project.id, Write::UpdateAgent(id.clone(), patch)).await?;
        match appended.change {
            Change::AgentUpdated(agent) => Ok(*agent),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Gives an agent a new signed token in place of all that it had. It is for no more than those were together, and for
    /// no more than the caller can give of the role `full`.
    pub async fn renew_agent_token(&self, caller: &Principal, id: &AgentId) -> Result<String, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        let (agent, project) = self.access.load_visible_agent(caller, id).await?;
        access::check_manage_agent(caller, &agent, &project)?;
        let given = access::given_scopes(caller, &id.clone().into(), None)?.and(self.scopes_of(id).await?);
        let (token, secret) = self.make_signed(id.clone().into(), given, Some(caller.member.clone()))?;
        self.replace_tokens(caller.attribution(self.clock.now()), token).await?;
        Ok(secret)
    }

    fn agent_token(
        &self,
        caller: &Principal,
        id: &AgentId,
        role: Option<JoinRole>,
    ) -> Result<(NewToken, String), Failure> {
        let member_id = id.clone().into();
        let scopes = access::given_scopes(caller, &member_id, role.map(JoinRole::scopes))?;
        self.make_signed(member_id, scopes, Some(caller.member.clone()))
    }

    /// What the tokens of an agent let it do, all together. One whose tokens were all revoked has nothing to keep to.
    async fn scopes_of(&self, id: &AgentId) -> Result<Scopes, Failure> {
        const { assert!(limits::TOKENS_PER_MEMBER_MAX <= limits::PAGE_ITEMS_MAX) }
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let tokens = self.store.tokens(&id.clone().into(), &page).await?.items;
        if tokens.is_empty() {
            return Ok(Scopes::all());
        }
        Ok(tokens.iter().flat_map(|token| token.scopes.iter()).collect())
    }
}

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
        self.access.require_scope(caller, Scope::ChannelsRead)?;
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
        self.writer.agent_changes()
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
