//! Invites: codes by which agents join a project.

use parlour_core::{
    Code, Refusal,
    access::{self, Principal, Role},
    attribution::{Attribution, Origin, Surface},
    context::AgentContext,
    event::Change,
    id::{AgentId, InviteId, PersonId, ProjectId},
    invite::Invite,
    limits,
    member::Agent,
    name::Name,
    paging::{Page, PageRequest},
    project::Project,
    scope::{JoinRole, Scope},
    write::Write,
};

use crate::{
    Failure,
    accounts::{AccountService, IssuedToken},
    failure::{replace_refusal, unexpected_change},
    token::{SecretKind, hash_token},
};

/// A request for an invite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvite {
    pub project_id: ProjectId,
    /// The role of the agents that join.
    pub role: JoinRole,
    pub label: String,
    /// The number of agents that may join.
    pub uses_max: u32,
    /// Absent means `INVITE_SECONDS_DEFAULT`.
    pub expires_in_seconds: Option<u64>,
}

/// A request of an agent to join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    pub code: String,
    pub name: Name,
    pub capabilities: Vec<String>,
    pub endpoint_url: Option<String>,
    /// The system prompt of the agent.
    pub instructions: Option<String>,
    /// Overrides of the context rules of the project.
    pub context: Option<AgentContext>,
}

/// An agent that has joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The agent; its owner is the creator of the invite.
    pub agent: Agent,
    pub project: Project,
    pub token: IssuedToken,
}

impl AccountService {
    /// Creates an invite and returns its code, once. For people of the project; the role must not exceed the scopes of
    /// the caller's token.
    pub async fn create_invite(&self, caller: &Principal, request: NewInvite) -> Result<(Invite, String), Failure> {
        self.access.require_scope(caller, Scope::AgentsManage)?;
        caller.person()?;
        let project = self.access.load_visible_project(caller, &request.project_id).await?;
        access::check_gives(caller, request.role.scopes())
            .map_err(|refusal| Refusal { field: None, ..refusal }.at("role"))?;
        let now = self.clock.now();
        let seconds = request.expires_in_seconds.unwrap_or(limits::INVITE_SECONDS_DEFAULT as u64);
        let invite = Invite {
            id: InviteId::from_bits(self.ids.next_bits()),
            project_id: project.id,
            role: request.role,
            label: request.label,
            uses_max: request.uses_max,
            uses: 0,
            created_by: caller.member.clone(),
            created_at: now,
            expires_at: now.plus_millis(seconds.saturating_mul(1000)),
        };
        invite.check()?;
        let code = self.new_secret(SecretKind::Invite);
        let invite = self.store.add_invite(caller.attribution(now), invite, hash_token(&code)).await?;
        Ok((invite, code))
    }

    /// Lists the invites of a project, for its people.
    pub async fn invites(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Invite>, Failure> {
        self.access.require_scope(caller, Scope::AgentsManage)?;
        caller.person()?;
        self.access.load_visible_project(caller, project).await?;
        self.store.invites(project, page).await
    }

    /// Revokes an invite. For its creator, the owner of the project and administrators.
    pub async fn revoke_invite(&self, caller: &Principal, id: &InviteId) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::AgentsManage)?;
        caller.person()?;
        let refuse = || Refusal::not_found("invite", id);
        let invite = self.store.invite(id).await?.ok_or_else(refuse)?;
        let project =
            self.access.load_visible_project(caller, &invite.project_id).await.map_err(replace_refusal(refuse()))?;
        access::check_manage_invite(caller, &invite, &project)?;
        self.store.revoke_invite(caller.attribution(self.clock.now()), id).await?;
        Ok(())
    }

    /// Adds an agent by the code of an invite. Unknown and ended codes get the same refusal (`InviteEnded`).
    pub async fn join(&self, request: Join, surface: Surface) -> Result<Joined, Failure> {
        let (invite, project, owner) = match self.load_open_invite(&request.code).await {
            Ok(seen) => seen,
            Err(failure) => return Err(self.audit_failed_sign_in(failure, JOIN, surface, None).await),
        };
        let agent = Agent {
            id: AgentId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: request.name,
            capabilities: request.capabilities,
            endpoint_url: request.endpoint_url.filter(|text| !text.is_empty()),
            instructions: request.instructions.filter(|text| !text.is_empty()),
            engine: None,
            context: request.context.filter(|context| *context != AgentContext::default()),
            owner,
            created_at: self.clock.now(),
        };
        agent.check()?;
        let newcomer = Principal::new(agent.id.clone(), agent.name.clone(), Role::Agent(project.id.clone()));
        let (new, secret) =
            self.make_signed(agent.id.clone().into(), invite.role.scopes(), Some(invite.created_by.clone()))?;
        let token = IssuedToken { token: new.token.clone(), secret: Some(secret) };
        let write = Write::CreateAgent(agent, new, Some(invite.id));
        match self.append_to_members(&newcomer.over(surface), &project.id, write).await?.change {
            Change::AgentCreated(agent) => Ok(Joined { agent: *agent, project, token }),
            other => Err(unexpected_change(&other)),
        }
    }

    /// The open invite with this code, its project, and its creator, who owns the agents that join. The creator must still
    /// be in the project.
    async fn load_open_invite(&self, code: &str) -> Result<(Invite, Project, PersonId), Failure> {
        let invite = self.store.invite_by_code(&hash_token(code)).await?.ok_or_else(ended)?;
        invite.check_open(self.clock.now()).map_err(|_| ended())?;
        let project = self.store.project(&invite.project_id).await?.ok_or_else(ended)?;
        let maker = invite.created_by.person().ok_or_else(ended)?.clone();
        let person = self.store.person(&maker).await?.ok_or_else(ended)?;
        let is_member = self.store.is_member(&project.id, &invite.created_by).await?;
        let role = if person.is_admin { Role::Admin } else { Role::Person };
        if !access::may_see_project(&Principal::new(person.id, person.name, role), is_member) {
            return Err(ended().into());
        }
        Ok((invite, project, maker))
    }

    /// Records a failed sign-in in the audit log and returns the failure. `subject` is the id of the account.
    pub(super) async fn audit_failed_sign_in(
        &self,
        failure: Failure,
        action: &str,
        surface: Surface,
        subject: Option<String>,
    ) -> Failure {
        if let Some(refusal) = failure.refusal() {
            let origin = Origin { surface, token: None };
            let attribution = Attribution { origin, ..Attribution::of_host(self.clock.now()) };
            self.audit.note_refusal(attribution, action, None, subject, refusal.code).await;
        }
        failure
    }
}

/// The action of a refused join in the audit log.
const JOIN: &str = "agents.join";

/// One text for all reasons, so that guessing codes reveals nothing.
fn ended() -> Refusal {
    Refusal::new(Code::InviteEnded, "this invite is unknown, has ended or is used up")
}
