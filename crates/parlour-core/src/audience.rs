//! Circles: who may learn of an event, told apart from who is asking.
//!
//! Every event has a audience. A live reader is judged against the private channel members of the project as they are when it is told, so
//! nothing reaches it that it may not read at that moment.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    conversation::{Conversation, Visibility},
    event::Change,
    id::{ChannelId, ConversationId, MemberId},
};

/// The conversation whose members decide who reads another: the channel of a thread, otherwise itself. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessRoot {
    /// A channel, for itself and its threads.
    Channel(ChannelId),
    /// A dm, with its participants.
    Dm(Arc<[MemberId]>),
}

/// Who may learn of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every member of the project.
    Project,
    /// Who reads the conversation.
    Readers(AccessRoot),
    /// Who reads the conversation, and this member although it may not.
    ReadersAnd(AccessRoot, MemberId),
    /// This member alone.
    Only(MemberId),
}

/// Who sits in the private channels of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivateChannelMembers {
    private: HashMap<ChannelId, HashSet<MemberId>>,
}

impl AccessRoot {
    /// The root of a conversation.
    pub fn of(conversation: &Conversation) -> Self {
        match conversation {
            Conversation::Channel(channel) => Self::Channel(channel.id.clone()),
            Conversation::Thread(thread) => Self::Channel(thread.channel_id.clone()),
            Conversation::Dm(dm) => Self::Dm(dm.participants.clone().into()),
        }
    }

    /// The root that the change itself tells: that of a channel, or of a conversation that it opens.
    pub fn told_by(change: &Change) -> Option<Self> {
        match change {
            Change::ThreadCreated(thread) => Some(Self::Channel(thread.channel_id.clone())),
            Change::DmCreated(dm) => Some(Self::Dm(dm.participants.clone().into())),
            _ => match change.conversation_id() {
                Some(ConversationId::Channel(id)) => Some(Self::Channel(id)),
                _ => None,
            },
        }
    }
}

impl Audience {
    /// Who may learn of a change in the conversation with this root; no root means that it is in none.
    pub fn of(change: &Change, root: Option<AccessRoot>) -> Self {
        match (change, root) {
            // How far somebody has read is nobody else's business, and telling everybody would cost a frame for each pair.
            (Change::Read(mark), _) => Self::Only(mark.reader.clone()),
            (_, None) => Self::Project,
            (Change::ChannelMemberAdded(one) | Change::ChannelMemberRemoved(one), Some(root)) => {
                Self::ReadersAnd(root, one.member_id.clone())
            }
            (_, Some(root)) => Self::Readers(root),
        }
    }
}

impl PrivateChannelMembers {
    /// The private channel members of these private channels.
    pub fn new(private: HashMap<ChannelId, HashSet<MemberId>>) -> Self {
        Self { private }
    }

    /// Whether the member, who belongs to the project, is within the audience.
    pub fn admit(&self, audience: &Audience, member: &MemberId) -> bool {
        match audience {
            Audience::Project => true,
            Audience::Readers(root) => self.may_read(root, member),
            Audience::ReadersAnd(root, also) => member == also || self.may_read(root, member),
            Audience::Only(only) => member == only,
        }
    }

    fn may_read(&self, root: &AccessRoot, member: &MemberId) -> bool {
        match root {
            AccessRoot::Channel(id) => self.private.get(id).is_none_or(|members| members.contains(member)),
            AccessRoot::Dm(participants) => participants.contains(member),
        }
    }

    /// Follows a change to who sits where.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::ChannelCreated(new) if new.channel.visibility == Visibility::Private => {
                self.close(&new.channel.id, &new.members);
            }
            Change::ChannelClosed(closed) => self.close(&closed.channel_id, &closed.members),
            Change::ChannelOpened(channel) => drop(self.private.remove(&channel.id)),
            Change::ChannelMemberAdded(one) => {
                if let Some(members) = self.private.get_mut(&one.channel_id) {
                    members.insert(one.member_id.clone());
                }
            }
            Change::ChannelMemberRemoved(one) => {
                if let Some(members) = self.private.get_mut(&one.channel_id) {
                    members.remove(&one.member_id);
                }
            }
            Change::PersonRemoved(person) => {
                let member = person.id.clone().into();
                for members in self.private.values_mut() {
                    members.remove(&member);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, channel: &ChannelId, members: &[MemberId]) {
        self.private.insert(channel.clone(), members.iter().cloned().collect());
    }
}

#[cfg(test)]
mod tests;
