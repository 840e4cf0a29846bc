//! Invites: how an agent on another machine joins a project with one code.

use parlour_core::{
    Code, Refusal,
    access::{self, Principal, Role},
    attribution::Attribution,
    context::AgentContext,
    event::Change,
    id::{AgentId, InviteId, PersonId, ProjectId},
    invite::Invite,
    limits,
    member::Agent,
    name::Name,
    origin::{Origin, Surface},
    paging::{Page, PageRequest},
    project::Project,
    scope::{JoinRole, Scope},
    write::Write,
};

use crate::{
    Failure, Hub,
    failure::{replace_refusal, unexpected_change},
    token::{SecretKind, hash_token},
    use_cases::IssuedToken,
};

/// A request for an invite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvite {
    /// The project.
    pub project_id: ProjectId,
    /// What those who join may do.
    pub role: JoinRole,
    /// What it is for.
    pub label: String,
    /// How many agents may join.
    pub uses_max: u32,
    /// After how many seconds it ends; absent means `INVITE_SECONDS_DEFAULT`.
    pub expires_in_seconds: Option<u64>,
}

/// A request of an agent to join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The code of the invite.
    pub code: String,
    /// The name that it wants to be mentioned by.
    pub name: Name,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// Where it can be called.
    pub endpoint_url: Option<String>,
    /// What it is told to be.
    pub instructions: Option<String>,
    /// What it says differently from its project about what models see; an empty one says nothing.
    pub context: Option<AgentContext>,
}

/// An agent that has joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The agent; it belongs to whoever made the invite.
    pub agent: Agent,
    /// The project.
    pub project: Project,
    /// Its token.
    pub token: IssuedToken,
}

impl Hub {
    /// Makes an invite and answers its code, which is shown only here. People of the project may, for what their own
    /// token can do.
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

    /// Takes an invite back: by its maker, the project's owner or an administrator.
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

    /// Lets an agent join by a code. A code that is unknown is refused like one that has ended (`InviteEnded`).
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

    /// The open invite with this code, its project, and the person to whom agents that join by it belong.
    ///
    /// That person must still be in the project: who has left lets nobody in any more.
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

    /// Notes that somebody whom the hub does not know was not let in, and answers why. `subject` is whom it wanted to be.
    pub(crate) async fn audit_failed_sign_in(
        &self,
        failure: Failure,
        action: &str,
        surface: Surface,
        subject: Option<String>,
    ) -> Failure {
        if let Some(refusal) = failure.refusal() {
            let origin = Origin { surface, token: None };
            let attribution = Attribution { origin, ..Attribution::of_host(self.clock.now()) };
            self.note_refusal(attribution, action, None, subject, refusal.code).await;
        }
        failure
    }
}

/// How a refused attempt to join is called in the audit log.
const JOIN: &str = "agents.join";

/// The same words for every reason: whoever tries codes learns nothing.
fn ended() -> Refusal {
    Refusal::new(Code::InviteEnded, "this invite is unknown, has ended or is used up")
}
