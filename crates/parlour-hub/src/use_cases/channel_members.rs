//! Who is in a private channel, and which agents follow a channel.

use parlour_core::{
    Code, Refusal,
    access::{self, Principal},
    conversation::{Channel, Visibility},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, MemberId},
    paging::{Page, PageRequest},
    scope::Scope,
    write::Write,
};

use crate::{Failure, Hub};

impl Hub {
    /// Lists the members of a private channel. A channel of the whole project has none of its own.
    pub async fn channel_members(
        &self,
        caller: &Principal,
        id: &ChannelId,
        page: &PageRequest,
    ) -> Result<Page<MemberId>, Failure> {
        self.require_scope(caller, Scope::ChannelsRead)?;
        self.load_visible_channel(caller, id).await?;
        self.store.channel_members(id, page).await
    }

    /// Lets a member of the project into a private channel: by anybody who is in it.
    pub async fn add_channel_member(
        &self,
        caller: &Principal,
        id: &ChannelId,
        member: &MemberId,
    ) -> Result<ChannelMember, Failure> {
        self.require_scope(caller, Scope::ChannelsManage)?;
        let (channel, _) = self.load_visible_channel(caller, id).await?;
        check_private(&channel)?;
        if !self.store.is_member(&channel.project_id, member).await? {
            return Err(Refusal::not_found("member", member).at("member_id").into());
        }
        let joined = ChannelMember { channel_id: id.clone(), member_id: member.clone() };
        self.append(caller, &channel.project_id, Write::AddChannelMember(joined.clone())).await?;
        Ok(joined)
    }

    /// Takes a member out of a private channel: by itself, or by those who manage the channel.
    pub async fn remove_channel_member(
        &self,
        caller: &Principal,
        id: &ChannelId,
        member: &MemberId,
    ) -> Result<(), Failure> {
        self.require_scope(caller, Scope::ChannelsManage)?;
        let channel = if caller.member == *member {
            self.load_visible_channel(caller, id).await?.0
        } else {
            self.see_managed_channel(caller, id).await?
        };
        check_private(&channel)?;
        let left = ChannelMember { channel_id: id.clone(), member_id: member.clone() };
        self.append(caller, &channel.project_id, Write::RemoveChannelMember(left)).await?;
        Ok(())
    }

    /// Lists the agents that follow a channel.
    pub async fn subscribers(
        &self,
        caller: &Principal,
        id: &ChannelId,
        page: &PageRequest,
    ) -> Result<Page<AgentId>, Failure> {
        self.require_scope(caller, Scope::ChannelsRead)?;
        self.load_visible_channel(caller, id).await?;
        self.store.subscribers(id, page).await
    }

    /// Lets an agent follow a channel that it may read: by itself, or by a person who reads the channel.
    pub async fn subscribe(
        &self,
        caller: &Principal,
        id: &ChannelId,
        agent: &AgentId,
    ) -> Result<Subscription, Failure> {
        self.require_scope(caller, Scope::ChannelsManage)?;
        let channel = self.see_channel_to_subscribe(caller, id, agent).await?;
        let readers = self.store.readers_among(&id.clone().into(), &[agent.clone().into()]).await?;
        if readers.is_empty() {
            let refusal = Refusal::not_found("agent", agent).at("agent_id");
            return Err(Failure::Refused(refusal));
        }
        let subscription = Subscription { channel_id: id.clone(), agent_id: agent.clone() };
        self.append(caller, &channel.project_id, Write::Subscribe(subscription.clone())).await?;
        Ok(subscription)
    }

    /// Ends an agent's subscription.
    pub async fn unsubscribe(&self, caller: &Principal, id: &ChannelId, agent: &AgentId) -> Result<(), Failure> {
        self.require_scope(caller, Scope::ChannelsManage)?;
        let channel = self.see_channel_to_subscribe(caller, id, agent).await?;
        let subscription = Subscription { channel_id: id.clone(), agent_id: agent.clone() };
        self.append(caller, &channel.project_id, Write::Unsubscribe(subscription)).await?;
        Ok(())
    }

    async fn see_channel_to_subscribe(
        &self,
        caller: &Principal,
        id: &ChannelId,
        agent: &AgentId,
    ) -> Result<Channel, Failure> {
        let (channel, membership) = self.load_visible_channel(caller, id).await?;
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
