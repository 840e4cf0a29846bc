//! Who may see and do what. Every surface asks here; stores filter their lists by the same rules.

use crate::{
    Code, Refusal, Timestamp,
    attribution::Attribution,
    author::Author,
    conversation::{Channel, Visibility},
    id::{MemberId, PersonId, ProjectId},
    invite::Invite,
    message::Message,
    name::Name,
    origin::{Origin, Surface},
    project::Project,
    scope::{JoinRole, Scope, Scopes},
    token::ActsAs,
};

/// Who is calling, as the token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The member.
    pub member: MemberId,
    /// The member's name.
    pub name: Name,
    /// What it may do beyond its memberships.
    pub role: Role,
    /// What its token lets it do of that.
    pub grant: Grant,
}

/// What a token lets its member do, and by which way it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The program that writes with it, in place of the member.
    pub acts_as: Option<ActsAs>,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// The token and the surface that it was shown to.
    pub origin: Origin,
}

impl Grant {
    /// All that the member may do: when the hub itself acts for it.
    pub fn whole() -> Self {
        Self { scopes: Scopes::all(), acts_as: None, expires_at: None, origin: Origin::default() }
    }
}

/// What a caller may do beyond its memberships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Makes people, and counts as a member of every project.
    Admin,
    /// A person like any other.
    Person,
    /// An agent, at home in one project.
    Agent(ProjectId),
}

/// How one member stands to one conversation, as the store knows it. A thread stands as its channel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Who reaches the conversation.
    pub visibility: Visibility,
    /// Whether the member belongs to the project.
    pub is_project_member: bool,
    /// Whether the member belongs to the private channel or dm.
    pub is_conversation_member: bool,
    /// Whether the channel is archived.
    pub is_archived: bool,
}

impl Principal {
    /// A member with all that it may do.
    pub fn new(member: impl Into<MemberId>, name: Name, role: Role) -> Self {
        Self { member: member.into(), name, role, grant: Grant::whole() }
    }

    /// The same member with what a token grants. An administrator without the scope `admin` is a person like any other.
    #[must_use]
    pub fn granted(mut self, grant: Grant) -> Self {
        if self.role == Role::Admin && !grant.scopes.contains(Scope::Admin) {
            self.role = Role::Person;
        }
        self.grant = grant;
        self
    }

    /// The same caller, heard through this surface.
    #[must_use]
    pub fn over(mut self, surface: Surface) -> Self {
        self.grant.origin.surface = surface;
        self
    }

    /// Refuses what the token is not for (`MissingScope`). It is asked before anything is looked up, so the answer says
    /// nothing about what exists.
    pub fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        if self.grant.scopes.contains(scope) {
            return Ok(());
        }
        Err(Refusal::new(Code::MissingScope, format!("this token lacks the scope {scope}")))
    }

    /// What this caller does now.
    pub fn attribution(&self, at: Timestamp) -> Attribution {
        Attribution { actor: Author::member(&self.member, &self.name), at, origin: self.grant.origin.clone() }
    }

    /// The author that this caller's messages carry. Its attributions stay those of the member, who answers for them.
    pub fn author(&self) -> Author {
        self.grant.acts_as.as_ref().map_or_else(|| Author::member(&self.member, &self.name), ActsAs::author)
    }

    /// Whether this is an administrator.
    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }

    /// The person behind the caller, when it is one.
    pub fn person(&self) -> Result<&PersonId, Refusal> {
        self.member.person().ok_or_else(|| Refusal::forbidden("only people may do this, agents may not"))
    }

    /// Refuses everybody but administrators.
    pub fn check_admin(&self) -> Result<(), Refusal> {
        if self.is_admin() { Ok(()) } else { Err(Refusal::forbidden("only administrators may do this")) }
    }
}

/// Whether the caller sees the project at all.
pub fn may_see_project(caller: &Principal, is_member: bool) -> bool {
    caller.is_admin() || is_member
}

/// Whether the caller may read the conversation.
///
/// Administrators count as members of every project, but private channels and dms are for their own members only.
pub fn may_read(caller: &Principal, membership: &Membership) -> bool {
    may_see_project(caller, membership.is_project_member)
        && (membership.visibility == Visibility::Project || membership.is_conversation_member)
}

/// Refuses writing to an archived channel. What the caller cannot read it cannot name either.
pub fn check_write(membership: &Membership) -> Result<(), Refusal> {
    if membership.is_archived {
        return Err(Refusal::new(Code::Archived, "this channel is archived: it can be read, but not written to"));
    }
    Ok(())
}

/// Refuses changes to a channel by others than its maker, the project's owner and administrators.
pub fn check_manage_channel(caller: &Principal, channel: &Channel, project: &Project) -> Result<(), Refusal> {
    if channel.created_by.as_ref() == Some(&caller.member) || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the maker of the channel, the owner of the project and administrators may do this"))
}

/// Refuses changes to a project by others than its owner and administrators.
pub fn check_manage_project(caller: &Principal, project: &Project) -> Result<(), Refusal> {
    if owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the owner of the project and administrators may do this"))
}

/// Refuses changes to an agent by others than the agent itself, its owner, the project's owner and administrators.
pub fn check_manage_agent(caller: &Principal, agent: &crate::member::Agent, project: &Project) -> Result<(), Refusal> {
    let is_self = caller.member.agent() == Some(&agent.id);
    let is_owner = caller.member.person() == Some(&agent.owner);
    if is_self || is_owner || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the agent itself, its owner, the owner of the project and administrators may do this"))
}

/// Refuses to take back an invite by others than its maker, the project's owner and administrators.
pub fn check_manage_invite(caller: &Principal, invite: &Invite, project: &Project) -> Result<(), Refusal> {
    if invite.created_by == caller.member || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the maker of the invite, the owner of the project and administrators may do this"))
}

/// Refuses an edit by anybody but the author, and of what was removed.
pub fn check_edit(caller: &Principal, message: &Message) -> Result<(), Refusal> {
    check_present(message)?;
    if is_author(caller, message) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the author may change a message"))
}

/// Refuses a removal by others than the author, the project's owner and administrators.
pub fn check_remove(caller: &Principal, message: &Message, project: &Project) -> Result<(), Refusal> {
    if is_author(caller, message) || owns(caller, project) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the author, the owner of the project and administrators may remove a message"))
}

/// Refuses to write on at an answer by anybody but its author.
pub fn check_produce(caller: &Principal, message: &Message) -> Result<(), Refusal> {
    if is_author(caller, message) {
        return Ok(());
    }
    Err(Refusal::forbidden("only the author of an answer writes it and says that it has ended"))
}

/// Refuses to stop an answer by others than its author, people who may write there, the project's owner and
/// administrators. Agents do not stop each other.
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
        return Err(Refusal::forbidden("only people and the author itself may stop an answer"));
    }
    check_write(membership)
}

/// Refuses to do anything more with a message that was removed.
pub fn check_present(message: &Message) -> Result<(), Refusal> {
    match message.removed_at {
        None => Ok(()),
        Some(at) => Err(Refusal::new(Code::Removed, format!("message {} was removed at {at}", message.id))),
    }
}

/// The scopes of a token that the caller gives to this member: those that were wished for, or else what is usual for such
/// a member, as far as the caller can give it.
///
/// Nobody gives a scope that the own token lacks (`Forbidden`), and agents never get those that are for people.
pub fn given_scopes(caller: &Principal, member: &MemberId, wanted: Option<Scopes>) -> Result<Scopes, Refusal> {
    let (usual, most) = match member {
        MemberId::Person(_) => (Scopes::all(), Scopes::all()),
        MemberId::Agent(_) => (JoinRole::Full.scopes(), JoinRole::Full.scopes().with(Scope::TokensManage)),
    };
    let Some(wanted) = wanted else { return Ok(usual.and(caller.grant.scopes)) };
    let unfit = wanted.beyond(most);
    if unfit != Scopes::NONE {
        return Err(Refusal::forbidden(format!("an agent is never given {unfit}")).at("scopes"));
    }
    check_gives(caller, wanted)?;
    Ok(wanted)
}

/// The scopes that a token for an applet or a schedule of `member` is to have: like those of an agent, so that it makes
/// no tokens by which it would be the person.
pub fn acting_scopes(caller: &Principal, member: &MemberId, wanted: Option<Scopes>) -> Result<Scopes, Refusal> {
    if member.agent().is_some() {
        // Otherwise an agent could speak where the loop guard does not look.
        return Err(Refusal::forbidden("applets and schedules write for people, not for agents").at("acts_as"));
    }
    let most = JoinRole::Full.scopes();
    let unfit = wanted.unwrap_or(most).beyond(most);
    if unfit != Scopes::NONE {
        return Err(Refusal::forbidden(format!("an applet or schedule is never given {unfit}")).at("scopes"));
    }
    given_scopes(caller, member, wanted.or(Some(most.and(caller.grant.scopes))))
}

/// Refuses to give scopes that the caller's own token lacks.
pub fn check_gives(caller: &Principal, scopes: Scopes) -> Result<(), Refusal> {
    let missing = scopes.beyond(caller.grant.scopes);
    if missing == Scopes::NONE {
        return Ok(());
    }
    Err(Refusal::forbidden(format!("nobody gives what the own token lacks: {missing}")).at("scopes"))
}

/// The message as the answer to a change that the caller has made to it. A token that writes but does not read messages
/// learns nothing of the texts of others in this way.
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
    Err(Refusal::forbidden("only the member itself and administrators may do this"))
}

fn is_author(caller: &Principal, message: &Message) -> bool {
    message.from.member_id().as_ref() == Some(&caller.member)
}

fn owns(caller: &Principal, project: &Project) -> bool {
    caller.is_admin() || caller.member.person() == Some(&project.owner)
}

#[cfg(test)]
mod tests;
