//! DMs and threads; `channels` contains the channels.

use std::sync::Arc;

use parlour_core::{
    Code, Refusal,
    access::{self, Principal, Role},
    conversation::{Conversation, Dm, Thread, dm_participants},
    event::Change,
    id::{ChannelId, DmId, MemberId, MessageId, ProjectId, ThreadId},
    paging::{Page, PageRequest},
    post::PostMessage,
    scope::Scope,
    write::{Novelty, Write},
};

use crate::{
    Failure,
    access::Access,
    event_writer::EventWriter,
    failure::{replace_refusal, unexpected_change},
    infrastructure::Infrastructure,
    ports::{Clock, Ids, Store},
    use_cases::{MessageService, post_message::Posted},
};

/// Opens, changes and lists channels, threads and DMs.
pub(crate) struct ConversationService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) writer: EventWriter,
    pub(super) messages: Arc<MessageService>,
}

impl ConversationService {
    pub(crate) fn new(parts: &Infrastructure, messages: &Arc<MessageService>) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            writer: parts.writer.clone(),
            messages: Arc::clone(messages),
        }
    }
}

/// A request to open a DM, optionally with a first message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenDm {
    /// Required if all participants are people.
    pub project_id: Option<ProjectId>,
    /// The participants besides the caller.
    pub participants: Vec<MemberId>,
    /// The first message, without a conversation.
    pub first: Option<PostMessage>,
}

/// An opened DM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedDm {
    pub dm: Dm,
    pub novelty: Novelty,
    /// The first message.
    pub posted: Option<Posted>,
}

impl ConversationService {
    /// Opens the DM of these members, or returns the existing one; then posts the first message.
    pub(crate) async fn open_dm(&self, caller: &Principal, request: OpenDm) -> Result<OpenedDm, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        if let Some(first) = &request.first {
            first.check()?;
        }
        let project_id = self.dm_project(caller, &request).await?;
        let everybody = request.participants.iter().chain([&caller.member]).cloned().collect();
        // Counted first, so that too many participants are refused without a lookup.
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
            Some(first) => {
                Some(self.messages.post_message(caller, PostMessage { dm_id: Some(dm.id.clone()), ..first }).await?)
            }
        };
        Ok(OpenedDm { dm: *dm, novelty: appended.novelty, posted })
    }

    /// Reads a DM.
    pub(crate) async fn dm(&self, caller: &Principal, id: &DmId) -> Result<Dm, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        match self.access.load_visible_conversation(caller, &id.clone().into()).await?.0 {
            Conversation::Dm(dm) => Ok(dm),
            _ => Err(Refusal::not_found("dm", id).into()),
        }
    }

    /// Lists the caller's DMs, in one project or in all.
    pub(crate) async fn dms(
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

    /// The project of a DM: the named one, or the project of an agent among the participants. The caller sees it.
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
            // An agent of a hidden project gets the refusal of an unknown one, which does not reveal its project.
            let seen = self
                .access
                .load_visible_agent(caller, id)
                .await
                .map_err(replace_refusal(refuse_participant(index, id)));
            return Ok(seen?.0.project_id);
        }
        Err(Refusal::invalid("a dm between people needs a project_id").at("project_id").into())
    }

    /// Refuses the id of a message elsewhere before the DM is created: a refused request leaves no empty DM.
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

/// A request to open a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenThread {
    pub channel_id: ChannelId,
    pub root_message_id: MessageId,
}

impl ConversationService {
    /// Opens a thread below a message, or returns the existing one.
    pub(crate) async fn open_thread(
        &self,
        caller: &Principal,
        request: OpenThread,
    ) -> Result<(Thread, Novelty), Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let (channel, membership) = self.access.load_visible_channel(caller, &request.channel_id).await?;
        access::check_write(&membership)?;
        let root = self.store.message(&request.root_message_id).await?;
        let root = root
            .filter(|message| message.to == channel.id.clone().into())
            .ok_or_else(|| Refusal::not_found("message", &request.root_message_id).at("root_message_id"))?;
        access::check_present(&root)?;
        let thread = Thread {
            id: ThreadId::from_bits(self.ids.next_bits()),
            project_id: channel.project_id.clone(),
            channel_id: channel.id,
            root_message_id: request.root_message_id,
            created_by: Some(caller.member.clone()),
            created_at: self.clock.now(),
        };
        let appended = self.writer.append(caller, &channel.project_id, Write::CreateThread(thread)).await?;
        match appended.change {
            Change::ThreadCreated(thread) => Ok((*thread, appended.novelty)),
            other => Err(unexpected_change(&other)),
        }
    }

    /// Reads a thread.
    pub(crate) async fn thread(&self, caller: &Principal, id: &ThreadId) -> Result<Thread, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        match self.access.load_visible_conversation(caller, &id.clone().into()).await?.0 {
            Conversation::Thread(thread) => Ok(thread),
            _ => Err(Refusal::not_found("thread", id).into()),
        }
    }

    /// Lists the threads of a channel.
    pub(crate) async fn threads(
        &self,
        caller: &Principal,
        channel: &ChannelId,
        page: &PageRequest,
    ) -> Result<Page<Thread>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_channel(caller, channel).await?;
        self.store.threads(channel, page).await
    }
}
