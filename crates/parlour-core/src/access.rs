//! Access rules. Every surface calls these functions; stores filter their lists by the same rules.

use crate::{
    Code, Refusal, Timestamp,
    attribution::{Attribution, Origin, Surface},
    author::Author,
    conversation::{Channel, ConversationType, Visibility},
    id::{AgentId, MemberId, PersonId, ProjectId},
    invite::Invite,
    message::Message,
    name::Name,
    project::Project,
    scope::{JoinRole, Scope, Scopes},
    token::ActsAs,
};

/// One thing that an agent loses when it can no longer read a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLoss {
    /// Its subscription to the channel.
    Subscription,
    /// Its open calls in the channel and its threads: they are closed.
    OpenCalls,
    /// Its unread messages of the channel and its threads, with their deliveries.
    UnreadMessages,
}

/// The data that a member loses with the access to a channel. A person loses none: its unread messages follow from its
/// read position, which stays in case it gets access again.
pub fn lost_with_access(member: &MemberId) -> &'static [AccessLoss] {
    match member {
        MemberId::Person(_) => &[],
        MemberId::Agent(_) => &[AccessLoss::Subscription, AccessLoss::OpenCalls, AccessLoss::UnreadMessages],
    }
}

/// The agents of a project that lose a channel when it becomes private with these members.
pub fn agents_losing_access(agents: Vec<AgentId>, members: &[MemberId]) -> Vec<AgentId> {
    agents.into_iter().filter(|agent| members.iter().all(|member| member.agent() != Some(agent))).collect()
}

/// Whether a person who leaves the project leaves this private conversation too. A DM keeps its participants: they
/// never change, and a member outside of the project cannot read it.
pub fn leaves_with_project(conversation_type: ConversationType) -> bool {
    conversation_type != ConversationType::Dm
}

/// The authenticated caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The member.
    pub member: MemberId,
    /// The member's name.
    pub name: Name,
    /// Its permissions beyond its memberships.
    pub role: Role,
    /// The scopes, expiry and origin of its token.
    pub grant: Grant,
}

/// The permissions that a token gives to its member, and how it was presented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The program that acts with it instead of the member.
    pub acts_as: Option<ActsAs>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// The token and the surface that it was presented to.
    pub origin: Origin,
}

impl Grant {
    /// All permissions of the member, for calls of the hub on its behalf.
    pub fn whole() -> Self {
        Self { scopes: Scopes::all(), acts_as: None, expires_at: None, origin: Origin::default() }
    }
}

/// The permissions of a caller beyond its memberships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Manages people, and counts as a member of every project.
    Admin,
    /// An ordinary person.
    Person,
    /// An agent, a member of one project.
    Agent(ProjectId),
}

/// The relation of one member to one conversation. A thread has the membership of its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The visibility of the conversation.
    pub visibility: Visibility,
    /// Whether the member belongs to the project.
    pub is_project_member: bool,
    /// Whether the member belongs to the private channel or DM.
    pub is_conversation_member: bool,
    /// Whether the channel is archived.
    pub is_archived: bool,
}

impl Principal {
    /// A member with all of its permissions.
    pub fn new(member: impl Into<MemberId>, name: Name, role: Role) -> Self {
        Self { member: member.into(), name, role, grant: Grant::whole() }
    }

    /// The same member with the grant of a token. An administrator without the scope `admin` is an ordinary person.
    #[must_use]
    pub fn granted(mut self, grant: Grant) -> Self {
        if self.role == Role::Admin && !grant.scopes.contains(Scope::Admin) {
            self.role = Role::Person;
        }
        self.grant = grant;
        self
    }

    /// The same caller through this surface.
    #[must_use]
    pub fn over(mut self, surface: Surface) -> Self {
        self.grant.origin.surface = surface;
        self
    }

    /// Refuses (`MissingScope`) a token without this scope. It is called before any read, so the refusal reveals
    /// nothing about stored data.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        if self.grant.scopes.contains(scope) {
            return Ok(());
        }
        Err(Refusal::new(Code::MissingScope, format!("the token lacks the scope {scope}")))
    }

    /// The attribution of a change by this caller at this time.
    pub fn attribution(&self, at: Timestamp) -> Attribution {
        Attribution { actor: Author::member(&self.member, &self.name), at, origin: self.grant.origin.clone() }
    }

    /// The author of the caller's messages. Attributions always name the member.
    pub fn author(&self) -> Author {
        self.grant.acts_as.as_ref().map_or_else(|| Author::member(&self.member, &self.name), ActsAs::author)
    }

    /// Whether this is an administrator.
    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }

    /// The person id of the caller; refuses agents.
    pub fn person(&self) -> Result<&PersonId, Refusal> {
        self.member.person().ok_or_else(|| Refusal::forbidden("only people can do this, agents cannot"))
    }

    /// Refuses everybody but administrators.
    pub fn check_admin(&self) -> Result<(), Refusal> {
        if self.is_admin() { Ok(()) } else { Err(Refusal::forbidden("only administrators can do this")) }
    }
}

/// Whether the caller may see the project.
pub fn may_see_project(caller: &Principal, is_member: bool) -> bool {
    caller.is_admin() || is_member
}

/// Whether the caller may read the conversation.
///
/// Administrators count as members of every project, but only members can read private channels and DMs.
pub fn may_read(caller: &Principal, membership: &Membership) -> bool {
    may_see_project(caller, membership.is_project_member)
        && (membership.visibility == Visibility::Project || membership.is_conversation_member)
}

/// Refuses writing to an archived channel. Read access is checked before.
pub fn check_write(membership: &Membership) -> Result<(), Refusal> {
    if membership.is_archived {
        return Err(Refusal::new(Code::Archived, "the channel is archived and read-only; unarchive it first"));
    }
    Ok(())
}

/// Refuses changes of a channel by others than its creator, the project's owner and administrators.
pub fn check_manage_channel(caller: &Principal, channel: &Channel, project: &Project) -> Result<(), Refusal> {
    if channel.created_by.as_ref() == Some(&caller.member) || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the creator of the channel, the owner of the project and administrators can do this"))
}

/// Refuses changes of a project by others than its owner and administrators.
pub fn check_manage_project(caller: &Principal, project: &Project) -> Result<(), Refusal> {
    if owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the owner of the project and administrators can do this"))
}

/// Refuses changes of an agent by others than the agent itself, its owner, the project's owner and administrators.
pub fn check_manage_agent(caller: &Principal, agent: &crate::member::Agent, project: &Project) -> Result<(), Refusal> {
    let is_self = caller.member.agent() == Some(&agent.id);
    let is_owner = caller.member.person() == Some(&agent.owner);
    if is_self || is_owner || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the agent itself, its owner, the owner of the project and administrators can do this"))
}

/// Refuses to revoke an invite by others than its creator, the project's owner and administrators.
pub fn check_manage_invite(caller: &Principal, invite: &Invite, project: &Project) -> Result<(), Refusal> {
    if invite.created_by == caller.member || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the creator of the invite, the owner of the project and administrators can do this"))
}

/// Refuses an edit by anybody but the author, and of a removed message.
pub fn check_edit(caller: &Principal, message: &Message) -> Result<(), Refusal> {
    check_present(message)?;
    if is_author(caller, message) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the author can edit a message"))
}

/// Refuses a removal by others than the author, the project's owner and administrators.
pub fn check_remove(caller: &Principal, message: &Message, project: &Project) -> Result<(), Refusal> {
    if is_author(caller, message) || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the author, the owner of the project and administrators can remove a message"))
}

/// Refuses to continue a stream by anybody but its author.
pub fn check_produce(caller: &Principal, message: &Message) -> Result<(), Refusal> {
    if is_author(caller, message) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the author of a stream can append to it and end it"))
}

/// Refuses to cancel a stream by others than its author, people who may write there, the project's owner and
/// administrators. Agents cannot cancel each other's streams.
pub fn check_cancel(
    caller: &Principal,
    message: &Message,
    project: &Project,
    membership: &Membership,
) -> Result<(), Refusal> {
    if is_author(caller, message) || owns(caller, project) {
        return Ok(());
    }
    if caller.member.person().is_none() {
        return Err(Refusal::forbidden("only people and the author can cancel a stream"));
    }
    check_write(membership)
}

/// Refuses further changes of a removed message.
pub fn check_present(message: &Message) -> Result<(), Refusal> {
    match message.removed_at {
        None => Ok(()),
        Some(at) => Err(Refusal::new(Code::Removed, format!("message {} was removed at {at}", message.id))),
    }
}

/// The scopes of a token that the caller issues for this member: the requested ones, or the default ones of the member
/// type, limited to those of the caller.
///
/// Refuses (`Forbidden`) scopes that the caller's token lacks, and scopes of people for an agent.
pub fn given_scopes(caller: &Principal, member: &MemberId, requested: Option<Scopes>) -> Result<Scopes, Refusal> {
    let (usual, most) = match member {
        MemberId::Person(_) => (Scopes::all(), Scopes::all()),
        MemberId::Agent(_) => (JoinRole::Full.scopes(), JoinRole::Full.scopes().with(Scope::TokensManage)),
    };
    let Some(requested) = requested else { return Ok(usual.and(caller.grant.scopes)) };
    let excess = requested.beyond(most);
    if excess != Scopes::NONE {
        return Err(Refusal::forbidden(format!("an agent cannot have the scope {excess}")).at("scopes"));
    }
    check_gives(caller, requested)?;
    Ok(requested)
}

/// The scopes of a token for an applet or a schedule of `member`: at most those of an agent, so that it cannot issue
/// tokens of the person.
pub fn acting_scopes(caller: &Principal, member: &MemberId, requested: Option<Scopes>) -> Result<Scopes, Refusal> {
    if member.agent().is_some() {
        // Otherwise an agent could post as a program, which the loop guard does not judge.
        return Err(Refusal::forbidden("applets and schedules can act for people, not for agents").at("acts_as"));
    }
    let most = JoinRole::Full.scopes();
    let excess = requested.unwrap_or(most).beyond(most);
    if excess != Scopes::NONE {
        return Err(Refusal::forbidden(format!("an applet or schedule cannot have the scope {excess}")).at("scopes"));
    }
    given_scopes(caller, member, requested.or(Some(most.and(caller.grant.scopes))))
}

/// Refuses to grant scopes that the caller's own token lacks.
pub fn check_gives(caller: &Principal, scopes: Scopes) -> Result<(), Refusal> {
    let missing = scopes.beyond(caller.grant.scopes);
    if missing == Scopes::NONE {
        return Ok(());
    }
    Err(Refusal::forbidden(format!("your token cannot grant a scope that it lacks: {missing}")).at("scopes"))
}

/// The message as the result of a change by the caller. A token that can write but not read messages does not get the
/// texts of others.
pub fn shown_to(caller: &Principal, message: Message) -> Message {
    if caller.grant.scopes.contains(Scope::MessagesRead) || is_author(caller, &message) {
        return message;
    }
    let Message { state, removed_at, created_at, .. } = message;
    Message { state, removed_at, ..message.removed(created_at) }
}

/// Refuses to act for another member; administrators may, for agents that have lost their token.
pub fn check_acts_for(caller: &Principal, member: &MemberId) -> Result<(), Refusal> {
    if caller.member == *member || caller.is_admin() {
        return Ok(());
    }
    Err(Refusal::forbidden("only the member itself and administrators can do this"))
}

fn is_author(caller: &Principal, message: &Message) -> bool {
    message.from.member_id().as_ref() == Some(&caller.member)
}

fn owns(caller: &Principal, project: &Project) -> bool {
    caller.is_admin() || caller.member.person() == Some(&project.owner)
}

#[cfg(test)]
mod tests;
