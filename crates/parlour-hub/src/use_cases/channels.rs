//! Channels of a project.

use parlour_core::{
    Code, Refusal,
    access::{self, Principal},
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ChannelMember, Subscription},
    id::{AgentId, ChannelId, MemberId, ProjectId},
    name::Name,
    paging::{Page, PageRequest},
    scope::Scope,
    write::{Archival, Write},
};

use crate::{Failure, Fault, failure::unexpected_change, use_cases::ConversationService};

/// A request to create a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChannel {
    pub project_id: ProjectId,
    /// Unique in the project.
    pub name: Name,
    pub topic: Option<String>,
    pub visibility: Visibility,
}

impl ConversationService {
    /// Creates a channel. The creator of a private channel is its first member.
    pub(crate) async fn create_channel(&self, caller: &Principal, request: NewChannel) -> Result<Channel, Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let project = self.access.load_visible_project(caller, &request.project_id).await?;
        let channel = Channel {
            id: ChannelId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: request.name,
            topic: request.topic.filter(|text| !text.is_empty()),
            visibility: request.visibility,
            created_by: Some(caller.member.clone()),
            created_at: self.clock.now(),
            archived_at: None,
        };
        channel.check()?;
        let members = first_members(caller, channel.visibility);
        channel_of(self.writer.append(caller, &project.id, Write::CreateChannel(channel, members)).await?.change)
    }

    /// Reads a channel.
    pub(crate) async fn channel(&self, caller: &Principal, id: &ChannelId) -> Result<Channel, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        Ok(self.access.load_visible_channel(caller, id).await?.0)
    }

    /// Lists the channels of a project that the caller may read, archived ones included.
    pub(crate) async fn channels(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<Channel>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_project(caller, project).await?;
        self.store.channels(project, caller, page).await
    }

    /// Changes a channel. A caller who makes it private stays a member.
    pub(crate) async fn update_channel(
        &self,
        caller: &Principal,
        id: &ChannelId,
        patch: ChannelPatch,
    ) -> Result<Channel, Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let channel = self.see_managed_channel(caller, id).await?;
        let members = first_members(caller, channel.patched(&patch)?.visibility);
        let write = Write::UpdateChannel(id.clone(), patch, members);
        channel_of(self.writer.append(caller, &channel.project_id, write).await?.change)
    }

    /// Archives a channel (read-only) or restores it.
    pub(crate) async fn archive_channel(
        &self,
        caller: &Principal,
        id: &ChannelId,
        archival: Archival,
    ) -> Result<Channel, Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let channel = self.see_managed_channel(caller, id).await?;
        let write = Write::ArchiveChannel(id.clone(), archival);
        channel_of(self.writer.append(caller, &channel.project_id, write).await?.change)
    }

    /// The channel, if the caller may change it.
    pub(crate) async fn see_managed_channel(&self, caller: &Principal, id: &ChannelId) -> Result<Channel, Failure> {
        let (channel, _) = self.access.load_visible_channel(caller, id).await?;
        let project = self.access.load_visible_project(caller, &channel.project_id).await?;
        access::check_manage_channel(caller, &channel, &project)?;
        Ok(channel)
    }
}

fn first_members(caller: &Principal, visibility: Visibility) -> Vec<MemberId> {
    match visibility {
        Visibility::Private => vec![caller.member.clone()],
        Visibility::Project => Vec::new(),
    }
}

fn channel_of(change: Change) -> Result<Channel, Failure> {
    match change {
        Change::ChannelCreated(created) => Ok(created.channel),
        Change::ChannelClosed(closed) => {
            Ok(closed.channel.ok_or_else(|| Fault::new("close a channel", "it is missing"))?)
        }
        Change::ChannelUpdated(channel)
        | Change::ChannelOpened(channel)
        | Change::ChannelArchived(channel)
        | Change::ChannelUnarchived(channel) => Ok(*channel),
        other => Err(unexpected_change(&other)),
    }
}

impl ConversationService {
    /// Lists the members of a private channel. A channel that is open to the project has none of its own.
    pub(crate) async fn channel_members(
        &self,
        caller: &Principal,
        id: &ChannelId,
        page: &PageRequest,
    ) -> Result<Page<MemberId>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_channel(caller, id).await?;
        self.store.channel_members(id, page).await
    }

    /// Adds a member of the project to a private channel. For every member of the channel.
    pub(crate) async fn add_channel_member(
        &self,
        caller: &Principal,
        id: &ChannelId,
        member: &MemberId,
    ) -> Result<ChannelMember, Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let (channel, _) = self.access.load_visible_channel(caller, id).await?;
        check_private(&channel)?;
        if !self.store.is_member(&channel.project_id, member).await? {
            return Err(Refusal::not_found("member", member).at("member_id").into());
        }
        let joined = ChannelMember { channel_id: id.clone(), member_id: member.clone() };
        self.writer.append(caller, &channel.project_id, Write::AddChannelMember(joined.clone())).await?;
        Ok(joined)
    }

    /// Removes a member from a private channel. For the member itself and managers of the channel.
    pub(crate) async fn remove_channel_member(
        &self,
        caller: &Principal,
        id: &ChannelId,
        member: &MemberId,
    ) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let channel = if caller.member == *member {
            self.access.load_visible_channel(caller, id).await?.0
        } else {
            self.see_managed_channel(caller, id).await?
        };
        check_private(&channel)?;
        let left = ChannelMember { channel_id: id.clone(), member_id: member.clone() };
        self.writer.append(caller, &channel.project_id, Write::RemoveChannelMember(left)).await?;
        Ok(())
    }

    /// Lists the agents that subscribe to a channel.
    pub(crate) async fn subscribers(
        &self,
        caller: &Principal,
        id: &ChannelId,
        page: &PageRequest,
    ) -> Result<Page<AgentId>, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        self.access.load_visible_channel(caller, id).await?;
        self.store.subscribers(id, page).await
    }

    /// Subscribes an agent to a channel that it may read. For the agent itself and people who read the channel.
    pub(crate) async fn subscribe(
        &self,
        caller: &Principal,
        id: &ChannelId,
        agent: &AgentId,
    ) -> Result<Subscription, Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let channel = self.see_channel_to_subscribe(caller, id, agent).await?;
        let readers = self.store.readers_among(&id.clone().into(), &[agent.clone().into()]).await?;
        if readers.is_empty() {
            let refusal = Refusal::not_found("agent", agent).at("agent_id");
            return Err(Failure::Refused(refusal));
        }
        let subscription = Subscription { channel_id: id.clone(), agent_id: agent.clone() };
        self.writer.append(caller, &channel.project_id, Write::Subscribe(subscription.clone())).await?;
        Ok(subscription)
    }

    /// Removes the subscription of an agent.
    pub(crate) async fn unsubscribe(&self, caller: &Principal, id: &ChannelId, agent: &AgentId) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::ChannelsManage)?;
        let channel = self.see_channel_to_subscribe(caller, id, agent).await?;
        let subscription = Subscription { channel_id: id.clone(), agent_id: agent.clone() };
        self.writer.append(caller, &channel.project_id, Write::Unsubscribe(subscription)).await?;
        Ok(())
    }

    async fn see_channel_to_subscribe(
        &self,
        caller: &Principal,
        id: &ChannelId,
        agent: &AgentId,
    ) -> Result<Channel, Failure> {
        let (channel, membership) = self.access.load_visible_channel(caller, id).await?;
        access::check_write(&membership)?;
        if caller.member.person().is_none() {
            access::check_acts_for(caller, &agent.clone().into())?;
        }
        Ok(channel)
    }
}

fn check_private(channel: &Channel) -> Result<(), Refusal> {
    match channel.visibility {
        Visibility::Private => Ok(()),
        Visibility::Project => {
            let detail = "this channel is open to the whole project; only private channels have members of their own";
            Err(Refusal::new(Code::OpenChannel, detail))
        }
    }
}
