//! Agents of a project.

use parlour_core::{
    Code,
    access::{self, Grant, Principal, Role},
    attribution::{Origin, Surface},
    context::AgentContext,
    engine::{Engine, EngineOffer},
    event::Change,
    id::{AgentId, PersonId, ProjectId, TokenId},
    limits,
    member::{Agent, AgentPatch},
    name::Name,
    paging::{Page, PageRequest},
    scope::{JoinRole, Scope, Scopes},
    token::NewToken,
    write::Write,
};
use tokio::sync::watch;

use crate::{Failure, accounts::AccountService, failure::unexpected_change};

/// A request to add an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAgent {
    pub project_id: ProjectId,
    pub name: Name,
    pub capabilities: Vec<String>,
    pub endpoint_url: Option<String>,
    /// The system prompt of the agent.
    pub instructions: Option<String>,
    /// The engine, if the hub runs the agent itself.
    pub engine: Option<Engine>,
    /// Overrides of the context rules of the project.
    pub context: Option<AgentContext>,
    /// The scopes of its token; absent means the role `full`, as far as the caller can grant it.
    pub role: Option<JoinRole>,
}

impl AccountService {
    /// Adds an agent and returns its signed token, once. For people of the project.
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

    /// Replaces all tokens of an agent by a new signed one. Its scopes are those that the old tokens had together and
    /// that the caller can grant of the role `full`.
    pub async fn renew_agent_token(&self, caller: &Principal, id: &AgentId) -> Result<String, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        let (agent, project) = self.access.load_visible_agent(caller, id).await?;
        access::check_manage_agent(caller, &agent, &project)?;
        let given = access::given_scopes(caller, &id.clone().into(), None)?.and(self.scopes_of(id).await?);
        let (token, secret) = self.make_signed(id.clone().into(), given, Some(caller.member.clone()))?;
        self.replace_tokens(caller.attribution(self.clock.now()), token).await?;
        Ok(secret)
    }

    /// Revokes every token of the agents of a project that this person owns, and ends their live sessions. The managers
    /// of the project can issue new ones. Agents that the hub runs itself have no token and continue.
    pub(crate) async fn revoke_agents_of(
        &self,
        caller: &Principal,
        project: &ProjectId,
        owner: &PersonId,
    ) -> Result<(), Failure> {
        const { assert!(limits::TOKENS_PER_MEMBER_MAX <= limits::PAGE_ITEMS_MAX) }
        let first = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let mut page = first.clone();
        loop {
            let found = self.store.agents(project, &page).await?;
            for agent in found.items.iter().filter(|agent| agent.owner == *owner) {
                for token in self.store.tokens(&agent.id.clone().into(), &first).await?.items {
                    self.revoke_if_known(caller, &token.id).await?;
                }
            }
            let Some(next) = found.next else { return Ok(()) };
            page = PageRequest::new(Some(next), Some(limits::PAGE_ITEMS_MAX))?;
        }
    }

    /// Revokes a token. A token that another request has revoked meanwhile is not an error.
    async fn revoke_if_known(&self, caller: &Principal, id: &TokenId) -> Result<(), Failure> {
        match self.end_token(caller.attribution(self.clock.now()), id).await {
            Err(Failure::Refused(refusal)) if refusal.code == Code::NotFound => Ok(()),
            outcome => outcome.map(|_| ()),
        }
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

    /// The union of the scopes of an agent's tokens; all scopes if it has no token.
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

impl AccountService {
    /// Lists the engines that agents can have.
    pub fn engines(&self, caller: &Principal) -> Result<Vec<EngineOffer>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        Ok(self.engines.to_vec())
    }

    /// All agents that have an engine. Only for the code that runs them inside the process, never for a surface.
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

    /// A counter that grows whenever an agent was added or changed, also when its caller has gone away.
    pub fn agent_changes(&self) -> watch::Receiver<u64> {
        self.writer.agent_changes()
    }

    /// The principal of a hosted agent. For the code that runs it inside the process of the hub.
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
}
