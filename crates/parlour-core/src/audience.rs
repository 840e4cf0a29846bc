//! Audiences: which readers may receive an event.
//!
//! Every event has an audience. A live reader is checked when a frame is sent, against the private channel members at
//! that time, so it receives nothing that it may not read then.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    conversation::{Conversation, Visibility},
    event::Change,
    id::{ChannelId, ConversationId, MemberId},
};

/// The conversation whose members decide who reads another: the channel of a thread, otherwise itself. It never
/// changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessRoot {
    /// A channel, for itself and its threads.
    Channel(ChannelId),
    /// A DM, with its participants.
    Dm(Arc<[MemberId]>),
}

/// The readers who may receive an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every member of the project.
    Project,
    /// The readers of the conversation.
    Readers(AccessRoot),
    /// The readers of the conversation, and this member although it is none.
    ReadersAnd(AccessRoot, MemberId),
    /// This member alone.
    Only(MemberId),
}

/// The members of the private channels of a project.
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

    /// The access root that the change itself contains: that of a channel, or of a conversation that it opens.
    pub fn of_change(change: &Change) -> Option<Self> {
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
    /// The audience of a change in the conversation with this access root; without a root it is in no conversation.
    pub fn of(change: &Change, root: Option<AccessRoot>) -> Self {
        match (change, root) {
            // Read positions are personal, and sending them to every member would cost a frame for each pair.
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

    /// Updates the members after a change.
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
mod tests {
    use super::*;
    use crate::{
        Timestamp,
        conversation::{Channel, Dm, Thread},
        event::{ChannelMember, ClosedChannel, CreatedChannel},
        id::{DmId, MessageId, ProjectId, ThreadId},
        inbox::ReadMark,
        message::tests::sample,
        name::Name,
    };

    fn member(id: &str) -> MemberId {
        id.parse().expect("id")
    }

    fn channel(visibility: Visibility) -> Channel {
        Channel {
            id: ChannelId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            name: Name::parse("secrets").expect("name"),
            topic: None,
            visibility,
            created_by: None,
            created_at: Timestamp::from_millis(0),
            archived_at: None,
        }
    }

    fn created(members: &[&str]) -> Change {
        let members = members.iter().map(|id| member(id)).collect();
        Change::ChannelCreated(Box::new(CreatedChannel { channel: channel(Visibility::Private), members }))
    }

    fn channel_member(id: &str) -> ChannelMember {
        ChannelMember { channel_id: ChannelId::from_bits(1), member_id: member(id) }
    }

    fn channel_readers() -> Audience {
        Audience::Readers(AccessRoot::Channel(ChannelId::from_bits(1)))
    }

    #[test]
    fn events_of_an_open_channel_are_for_every_member() {
        assert!(PrivateChannelMembers::default().admit(&channel_readers(), &member("per_1")));
    }

    #[test]
    fn events_of_a_private_channel_are_for_its_current_members() {
        let mut private_members = PrivateChannelMembers::default();
        private_members.apply(&created(&["per_1"]));
        assert!(
            private_members.admit(&channel_readers(), &member("per_1"))
                && !private_members.admit(&channel_readers(), &member("per_2"))
        );
        private_members.apply(&Change::ChannelMemberAdded(Box::new(channel_member("per_2"))));
        private_members.apply(&Change::ChannelMemberRemoved(Box::new(channel_member("per_1"))));
        assert!(
            !private_members.admit(&channel_readers(), &member("per_1"))
                && private_members.admit(&channel_readers(), &member("per_2"))
        );
    }

    #[test]
    fn closing_and_opening_a_channel_changes_its_audience() {
        let mut private_members = PrivateChannelMembers::default();
        let closed =
            ClosedChannel { channel_id: ChannelId::from_bits(1), channel: None, members: vec![member("per_1")] };
        private_members.apply(&Change::ChannelClosed(Box::new(closed)));
        assert!(!private_members.admit(&channel_readers(), &member("per_2")));
        private_members.apply(&Change::ChannelOpened(Box::new(channel(Visibility::Project))));
        assert_eq!(private_members, PrivateChannelMembers::default());
    }

    #[test]
    fn a_person_who_leaves_the_project_loses_every_private_channel() {
        let mut private_members = PrivateChannelMembers::default();
        private_members.apply(&created(&["per_1"]));
        let person = crate::member::Person {
            id: "per_1".parse().expect("id"),
            name: Name::parse("Mara").expect("name"),
            is_admin: false,
            created_at: Timestamp::from_millis(0),
        };
        private_members.apply(&Change::PersonRemoved(Box::new(person)));
        assert!(!private_members.admit(&channel_readers(), &member("per_1")));
    }

    #[test]
    fn a_removed_member_receives_its_removal() {
        let removed = Change::ChannelMemberRemoved(Box::new(channel_member("per_1")));
        let audience = Audience::of(&removed, AccessRoot::of_change(&removed));
        let mut private_members = PrivateChannelMembers::default();
        private_members.apply(&created(&["per_1", "per_3"]));
        private_members.apply(&removed);
        let admitted = ["per_1", "per_2", "per_3"].map(|id| private_members.admit(&audience, &member(id)));
        assert_eq!(admitted, [true, false, true]);
    }

    #[test]
    fn a_read_position_is_sent_to_its_reader_only() {
        let mark = ReadMark { reader: member("per_1"), conversation_id: sample().to, seq: 1, unread: 0 };
        let audience = Audience::of(&Change::Read(Box::new(mark)), Some(AccessRoot::Channel(ChannelId::from_bits(1))));
        let admitted = ["per_1", "per_2"].map(|id| PrivateChannelMembers::default().admit(&audience, &member(id)));
        assert_eq!(admitted, [true, false]);
    }

    #[test]
    fn the_access_root_of_a_thread_is_its_channel_and_of_a_dm_its_participants() {
        let (project_id, at) = (ProjectId::from_bits(1), Timestamp::from_millis(0));
        let thread = Thread {
            id: ThreadId::from_bits(1),
            project_id: project_id.clone(),
            channel_id: ChannelId::from_bits(7),
            root_message_id: MessageId::from_bits(1),
            created_by: None,
            created_at: at,
        };
        assert_eq!(AccessRoot::of(&Conversation::Thread(thread.clone())), AccessRoot::Channel(ChannelId::from_bits(7)));
        assert_eq!(
            AccessRoot::of_change(&Change::ThreadCreated(Box::new(thread))),
            Some(AccessRoot::Channel(ChannelId::from_bits(7)))
        );
        let participants = vec![member("per_1"), member("per_2")];
        let dm = Dm { id: DmId::from_bits(1), project_id, participants, created_at: at };
        let audience = Audience::Readers(AccessRoot::of(&Conversation::Dm(dm)));
        let admitted = ["per_1", "per_3"].map(|id| PrivateChannelMembers::default().admit(&audience, &member(id)));
        assert_eq!(admitted, [true, false]);
    }
}
