//! Invites: how an agent on another machine joins a project with one code.

use parlour_core::{
    access::Principal,
    id::{InviteId, ProjectId},
    invite::Invite,
    member::Agent,
    name::Name,
    paging::{Page, PageRequest},
    project::Project,
    scope::JoinRole,
    via::Surface,
};

use super::IssuedToken;
use crate::{Failure, Fault, Hub};

/// The wish for an invite.
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

/// The wish of an agent to join.
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
    /// Makes an invite and answers its code, which is shown only here. People of the project may.
    pub async fn create_invite(&self, caller: &Principal, wish: NewInvite) -> Result<(Invite, String), Failure> {
        let _ = (caller, wish);
        Err(Fault::new("make an invite", "not there yet").into())
    }

    /// Lists the invites of a project, for its people.
    pub async fn invites(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Invite>, Failure> {
        let _ = (caller, project, page);
        Err(Fault::new("list invites", "not there yet").into())
    }

    /// Takes an invite back: by its maker, the project's owner or an administrator.
    pub async fn revoke_invite(&self, caller: &Principal, id: &InviteId) -> Result<(), Failure> {
        let _ = (caller, id);
        Err(Fault::new("take an invite back", "not there yet").into())
    }

    /// Lets an agent join by a code. A code that is unknown is refused like one that has ended (`InviteEnded`).
    pub async fn join(&self, wish: Join, surface: Surface) -> Result<Joined, Failure> {
        let _ = (wish, surface);
        Err(Fault::new("join", "not there yet").into())
    }
}
