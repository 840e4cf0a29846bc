//! Direct conversations.

use parlour_core::{
    Refusal,
    access::{Principal, Role},
    conversation::{Conversation, Dm, dm_participants},
    event::Change,
    id::{DmId, MemberId, ProjectId},
    paging::{Page, PageRequest},
    post::PostMessage,
    write::{Novelty, Write},
};

use super::{post_message::Posted, projects::unexpected};
use crate::{Failure, Hub};

/// The wish to open a dm, and perhaps to say something in it at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenDm {
    /// The project; needed when only people take part.
    pub project_id: Option<ProjectId>,
    /// Who takes part besides the caller.
    pub participants: Vec<MemberId>,
    /// What to say at once, without a conversation named.
    pub first: Option<PostMessage>,
}

/// An open dm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedDm {
    /// The dm.
    pub dm: Dm,
    /// Whether it is new.
    pub novelty: Novelty,
    /// What was said at once.
    pub posted: Option<Posted>,
}

impl Hub {
    /// Opens the dm of these members, or answers the one that they have; then posts what was to be said.
    pub async fn open_dm(&self, caller: &Principal, wish: OpenDm) -> Result<OpenedDm, Failure> {
        if let Some(first) = &wish.first {
            first.check()?;
        }
        let project_id = self.dm_project(caller, &wish).await?;
        self.see_project(caller, &project_id).await.map_err(|failure| match failure {
            Failure::Refused(refusal) => refusal.at("project_id").into(),
            fault => fault,
        })?;
        let everybody = wish.participants.iter().chain([&caller.member]).cloned().collect();
        // Counted first, so that a crowd is refused before anybody is looked up.
        let participants = dm_participants(everybody)?;
        self.check_participants(caller, &project_id, &wish.participants).await?;
        let dm = Dm {
            id: DmId::from_bits(self.ids.next_bits()),
            project_id: project_id.clone(),
            participants,
            created_at: self.clock.now(),
        };
        let appended = self.append(caller, &project_id, Write::CreateDm(dm)).await?;
        let Change::DmCreated(dm) = appended.change else { return Err(unexpected(&appended.change)) };
        let posted = match wish.first {
            None => None,
            Some(first) => Some(self.post_message(caller, PostMessage { dm_id: Some(dm.id.clone()), ..first }).await?),
        };
        Ok(OpenedDm { dm: *dm, novelty: appended.novelty, posted })
    }

    /// Reads a dm.
    pub async fn dm(&self, caller: &Principal, id: &DmId) -> Result<Dm, Failure> {
        match self.see_conversation(caller, &id.clone().into()).await?.0 {
            Conversation::Dm(dm) => Ok(dm),
            _ => Err(Refusal::not_found("dm", id).into()),
        }
    }

    /// Lists the caller's dms, in one project or in all of them.
    pub async fn dms(
        &self,
        caller: &Principal,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Dm>, Failure> {
        if let Some(project) = project {
            self.see_project(caller, project).await?;
        }
        self.store.dms(&caller.member, project, page).await
    }

    /// The project a dm belongs to: the one named, or the one that an agent among its members is at home in.
    async fn dm_project(&self, caller: &Principal, wish: &OpenDm) -> Result<ProjectId, Failure> {
        if let Some(project) = &wish.project_id {
            return Ok(project.clone());
        }
        if let Role::Agent(project) = &caller.role {
            return Ok(project.clone());
        }
        if let Some(id) = wish.participants.iter().find_map(MemberId::agent) {
            let agent = self.store.agent(id).await?;
            return Ok(agent.map(|agent| agent.project_id).ok_or_else(|| refuse_participant(0, id))?);
        }
        Err(Refusal::invalid("a dm between people needs a project_id").at("project_id").into())
    }

    async fn check_participants(
        &self,
        caller: &Principal,
        project: &ProjectId,
        members: &[MemberId],
    ) -> Result<(), Failure> {
        for (index, member) in members.iter().enumerate() {
            let is_known = *member == caller.member || self.store.is_member(project, member).await?;
            if !is_known {
                return Err(refuse_participant(index, member).into());
            }
        }
        Ok(())
    }
}

fn refuse_participant(index: usize, member: impl std::fmt::Display) -> Refusal {
    Refusal::not_found("member", member).at(&format!("participants[{index}]"))
}
