//! Direct conversations.

use parlour_core::{
    Code, Refusal,
    access::{Principal, Role},
    conversation::{Conversation, Dm, dm_participants},
    event::Change,
    id::{DmId, MemberId, ProjectId},
    paging::{Page, PageRequest},
    post::PostMessage,
    scope::Scope,
    write::{Novelty, Write},
};

use crate::{
    Failure, Hub,
    failure::{replace_refusal, unexpected_change},
    use_cases::post_message::Posted,
};

/// A request to open a dm, and perhaps to say something in it at once.
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
    pub async fn open_dm(&self, caller: &Principal, request: OpenDm) -> Result<OpenedDm, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        if let Some(first) = &request.first {
            first.check()?;
        }
        let project_id = self.dm_project(caller, &request).await?;
        let everybody = request.participants.iter().chain([&caller.member]).cloned().collect();
        // Counted first, so that a crowd is refused before anybody is looked up.
        let participants = dm_participants(everybody)?;
        self.check_participants(caller, &project_id, &request.participants).await?;
        self.check_message_id(caller, &request, &project_id, &participants).await?;
        let dm = Dm {
            id: DmId::from_bits(self.ids.next_bits()),
            project_id: project_id.clone(),
            participants,
            created_at: self.clock.now(),
        };
        let appended = self.writer.append(caller, &project_id, Write::CreateDm(dm)).await?;
        let Change::DmCreated(dm) = appended.change else { return Err(unexpected_change(&appended.change)) };
        let posted = match request.first {
            None => None,
            Some(first) => Some(self.post_message(caller, PostMessage { dm_id: Some(dm.id.clone()), ..first }).await?),
        };
        Ok(OpenedDm { dm: *dm, novelty: appended.novelty, posted })
    }

    /// Reads a dm.
    pub async fn dm(&self, caller: &Principal, id: &DmId) -> Result<Dm, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        match self.access.load_visible_conversation(caller, &id.clone().into()).await?.0 {
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
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        if let Some(project) = project {
            self.access.load_visible_project(caller, project).await?;
        }
        self.store.dms(&caller.member, project, page).await
    }

    /// The project a dm belongs to: the one named, or the one that an agent among its members is at home in. The
    /// caller sees it.
    async fn dm_project(&self, caller: &Principal, request: &OpenDm) -> Result<ProjectId, Failure> {
        if let Some(id) = &request.project_id {
            let refusal = Refusal::not_found("project", id).at("project_id");
            return Ok(self.access.load_visible_project(caller, id).await.map_err(replace_refusal(refusal))?.id);
        }
        if let Role::Agent(project) = &caller.role {
            return Ok(project.clone());
        }
        let mut members = request.participants.iter().enumerate();
        if let Some((index, id)) = members.find_map(|(index, member)| Some((index, member.agent()?))) {
            // An agent of another project is nobody, or its refusal would tell which project it is at home in.
            let seen = self
                .access
                .load_visible_agent(caller, id)
                .await
                .map_err(replace_refusal(refuse_participant(index, id)));
            return Ok(seen?.0.project_id);
        }
        Err(Refusal::invalid("a dm between people needs a project_id").at("project_id").into())
    }

    /// Refuses an id that belongs to a message elsewhere before the dm is made: a refused request leaves no empty dm.
    async fn check_message_id(
        &self,
        caller: &Principal,
        request: &OpenDm,
        project: &ProjectId,
        participants: &[MemberId],
    ) -> Result<(), Failure> {
        let Some(id) = request.first.as_ref().and_then(|first| first.id.as_ref()) else { return Ok(()) };
        let Some(message) = self.store.message(id).await? else { return Ok(()) };
        match self.store.conversation(&message.to, &caller.member).await? {
            Some((Conversation::Dm(dm), _)) if dm.project_id == *project && dm.participants == participants => Ok(()),
            _ => {
                let detail = format!("{id} is the id of another message");
                Err(Refusal::new(Code::ClientIdReused, detail).at("id").into())
            }
        }
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
