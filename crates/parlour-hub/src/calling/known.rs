use std::collections::HashMap;

use parlour_core::{
    Refusal,
    audience::AccessRoot,
    call::Call,
    conversation::Conversation,
    conversation::Visibility,
    id::{ChannelId, ConversationId, MemberId, PersonId},
    limits,
    paging::PageRequest,
};

use crate::{Failure, Hub, ports::PostContext};

impl Hub {
    /// Leaves out the calls that not everybody who reads the conversation may know of. Depth, chain and who is held
    /// stand on the message for all its readers, so what follows from such a call would betray it.
    pub(super) async fn visible_to_all_readers(
        &self,
        post_context: &PostContext,
        calls: Vec<Call>,
    ) -> Result<Vec<Call>, Failure> {
        let mut places = HashMap::from([(post_context.conversation.id(), true)]);
        let mut known = Vec::with_capacity(calls.len());
        for call in calls {
            let is_known = match places.get(&call.conversation_id) {
                Some(is_known) => *is_known,
                None => {
                    let is_known = self.is_read_by_readers(post_context, &call.conversation_id).await?;
                    places.insert(call.conversation_id.clone(), is_known);
                    is_known
                }
            };
            if is_known {
                known.push(call);
            }
        }
        Ok(known)
    }

    /// Whether everybody who reads the one conversation reads the other too.
    async fn is_read_by_readers(&self, post_context: &PostContext, other: &ConversationId) -> Result<bool, Failure> {
        let root = self.root_of(other).await?;
        if root == AccessRoot::of(&post_context.conversation) {
            return Ok(true);
        }
        if let AccessRoot::Channel(channel) = &root
            && self.visibility_of(channel).await? == Visibility::Project
        {
            return Ok(true);
        }
        if post_context.membership.visibility == Visibility::Project {
            return Ok(false);
        }
        match self.members_of(&post_context.conversation).await? {
            Some(members) => Ok(self.store.readers_among(other, &members).await?.len() == members.len()),
            None => Ok(false),
        }
    }

    /// Who reaches a channel; remembered until access changes.
    async fn visibility_of(&self, channel: &ChannelId) -> Result<Visibility, Failure> {
        // It does not depend on who looks.
        let nobody = PersonId::from_bits(0).into();
        let load = async {
            let found = self.store.conversation(&channel.clone().into(), &nobody).await?;
            Ok(found.map(|(_, membership)| membership.visibility))
        };
        let reach = self.visibilities.get_or_load(channel, load).await?;
        Ok(reach.ok_or_else(|| Refusal::not_found("channel", channel))?)
    }

    /// The members of a private channel or dm; none when there are too many to compare.
    async fn members_of(&self, conversation: &Conversation) -> Result<Option<Vec<MemberId>>, Failure> {
        let channel = match conversation {
            Conversation::Dm(dm) => return Ok(Some(dm.participants.clone())),
            Conversation::Channel(channel) => &channel.id,
            Conversation::Thread(thread) => &thread.channel_id,
        };
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let members = self.store.channel_members(channel, &page).await?;
        Ok(Some(members.items).filter(|_| members.next.is_none()))
    }
}
