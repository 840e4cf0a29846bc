//! Threads below the messages of a channel.

use parlour_core::{
    Refusal,
    access::{self, Principal},
    conversation::{Conversation, Thread},
    event::Change,
    id::{ChannelId, MessageId, ThreadId},
    paging::{Page, PageRequest},
    scope::Scope,
    write::{Novelty, Write},
};

use crate::{Failure, Hub, failure::unexpected_change};

/// A request to open a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenThread {
    /// The channel.
    pub channel_id: ChannelId,
    /// The message of that channel to hang it below.
    pub root_message_id: MessageId,
}

impl Hub {
    /// Opens a thread below a message, or answers the one that is there.
    pub async fn open_thread(&self, caller: &Principal, request: OpenThread) -> Result<(Thread, Novelty), Failure> {
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
    pub async fn thread(&self, caller: &Principal, id: &ThreadId) -> Result<Thread, Failure> {
        self.access.require_scope(caller, Scope::ChannelsRead)?;
        match self.access.load_visible_conversation(caller, &id.clone().into()).await?.0 {
            Conversation::Thread(thread) => Ok(thread),
            _ => Err(Refusal::not_found("thread", id).into()),
        }
    }

    /// Lists the threads of a channel.
    pub async fn threads(
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
