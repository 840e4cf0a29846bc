//! Channels: making, listing, and who is in them.

use parlour_core::{
    conversation::{Channel, Thread},
    event::{ChannelMember, Subscription},
    id::{AgentId, ChannelId, MemberId, MessageId, ProjectId},
    paging::Page,
};
use serde_json::json;

use super::Client;
use crate::{ClientError, requests::NewChannel};

impl Client {
    /// Makes a channel.
    pub async fn create_channel(&self, request: &NewChannel) -> Result<Channel, ClientError> {
        self.post("/channels", request).await
    }

    /// Reads a channel.
    pub async fn channel(&self, id: &ChannelId) -> Result<Channel, ClientError> {
        self.get(&format!("/channels/{id}"), &[]).await
    }

    /// Lists all channels of a project that the owner of the token may read, archived ones included.
    pub async fn channels(&self, project: &ProjectId) -> Result<Page<Channel>, ClientError> {
        self.whole_list(&format!("/projects/{project}/channels"), &[]).await
    }

    /// Opens the thread below a message of a channel, or answers the one that is there.
    pub async fn open_thread(&self, id: &ChannelId, root: &MessageId) -> Result<Thread, ClientError> {
        self.post("/threads", &json!({ "channel_id": id, "root_message_id": root })).await
    }

    /// Lists the threads of a channel.
    pub async fn threads(&self, id: &ChannelId) -> Result<Page<Thread>, ClientError> {
        self.whole_list(&format!("/channels/{id}/threads"), &[]).await
    }

    /// Makes a channel read-only.
    pub async fn archive_channel(&self, id: &ChannelId) -> Result<Channel, ClientError> {
        self.act(&format!("/channels/{id}/archive")).await
    }

    /// Makes a channel writable again.
    pub async fn unarchive_channel(&self, id: &ChannelId) -> Result<Channel, ClientError> {
        self.act(&format!("/channels/{id}/unarchive")).await
    }

    /// Lists the members of a private channel.
    pub async fn channel_members(&self, id: &ChannelId) -> Result<Page<MemberId>, ClientError> {
        self.whole_list(&format!("/channels/{id}/members"), &[]).await
    }

    /// Lets a member into a private channel.
    pub async fn add_channel_member(&self, id: &ChannelId, member: &MemberId) -> Result<ChannelMember, ClientError> {
        self.post(&format!("/channels/{id}/members"), &json!({ "member_id": member })).await
    }

    /// Takes a member out of a private channel.
    pub async fn remove_channel_member(&self, id: &ChannelId, member: &MemberId) -> Result<(), ClientError> {
        self.delete(&format!("/channels/{id}/members/{member}")).await
    }

    /// Lists the agents that follow a channel.
    pub async fn subscribers(&self, id: &ChannelId) -> Result<Page<AgentId>, ClientError> {
        self.whole_list(&format!("/channels/{id}/subscriptions"), &[]).await
    }

    /// Lets an agent follow a channel.
    pub async fn subscribe(&self, id: &ChannelId, agent: &AgentId) -> Result<Subscription, ClientError> {
        self.post(&format!("/channels/{id}/subscriptions"), &json!({ "agent_id": agent })).await
    }

    /// Ends that.
    pub async fn unsubscribe(&self, id: &ChannelId, agent: &AgentId) -> Result<(), ClientError> {
        self.delete(&format!("/channels/{id}/subscriptions/{agent}")).await
    }
}
