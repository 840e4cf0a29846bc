//! Invites: a code that lets an agent from another machine join a project, or a person sign in, a few times and not
//! for ever.

use serde::{Deserialize, Serialize};

use crate::{
    Code, Refusal, Timestamp,
    id::{InviteId, MemberId, ProjectId},
    scope::JoinRole,
};

/// An invite of agents into a project, as its people see it; the code itself is shown once and kept as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Invite {
    /// The invite's id.
    pub id: InviteId,
    /// The project that it lets agents into.
    pub project_id: ProjectId,
    /// What those who join may do.
    pub role: JoinRole,
    /// What it is for, in the words of whoever made it; may be empty.
    pub label: String,
    /// How many agents may join by it.
    pub uses_max: u32,
    /// How many have.
    pub uses: u32,
    /// Who made it; agents that join by it belong to this person.
    pub created_by: MemberId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl Invite {
    /// Refuses an invite that has ended or is used up.
    pub fn check_open(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.expires_at <= now {
            return Err(Refusal::new(Code::InviteEnded, format!("this invite ended at {}", self.expires_at)));
        }
        if self.uses >= self.uses_max {
            return Err(Refusal::new(Code::InviteEnded, "this invite is used up"));
        }
        Ok(())
    }
}
