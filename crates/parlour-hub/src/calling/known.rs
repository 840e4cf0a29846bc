use std::collections::HashMap;

use parlour_core::{
    Refusal,
    access::Reach,
    call::Call,
    circle::Root,
    conversation::Conversation,
    id::{ChannelId, ConversationId, MemberId, PersonId},
    limits,
    paging::PageRequest,
};

use crate::{Failure, Hub, ports::Scene};

impl Hub {
    /// Leaves out the calls that not everybody who reads the conversation may know of. Depth, chain and who is held
    /// stand on the message for all its readers, so what follows from such a call would betray it.
    pub(super) async fn known_to_readers(&self, scene: &Scene, calls: Vec<Call>) -> Result<Vec<Call>, Failure> {
        let mut places = HashMap::from([(scene.conversation.id(), true)]);
        let mut known = Vec::with_capacity(calls.len());
        for call in calls {
            let is_known = match places.get(&call.conversation_id) {
                Some(is_known) => *is_known,
                None => {
                    let is_known = self.is_read_by_readers(scene, &call.conversation_id).await?;
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
    async fn is_read_by_readers(&self, scene: &Scene, other: &ConversationId) -> Result<bool, Failure> {
        let root = self.root_of(other).await?;
        if root == Root::of(&scene.conversation) {
            return Ok(true);
        }
        if let Root::Channel(channel) = &root
            && self.reach_of(channel).await? == Reach::Project
        {
            return Ok(true);
        }
        if scene.standing.reach == Reach::Project {
            return Ok(false);
        }
        match self.members_of(&scene.conversation).await? {
            Some(members) => Ok(self.store.readers_among(other, &members).await?.len() == members.len()),
            None => Ok(false),
        }
    }

    /// Who reaches a channel; remembered until access changes.
    async fn reach_of(&self, channel: &ChannelId) -> Result<Reach, Failure> {
        // It does not depend on who looks.
        let nobody = PersonId::from_bits(0).into();
        let load = async {
            let found = self.store.conversation(&channel.clone().into(), &nobody).await?;
            Ok(found.map(|(_, standing)| standing.reach))
        };
        let reach = self.reaches.get_or_load(channel, load).await?;
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
