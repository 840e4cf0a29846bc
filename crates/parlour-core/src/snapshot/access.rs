//! Changes of visibility: what a reader gains and loses.

use crate::{
    conversation::{Channel, Visibility},
    event::{ChannelMember, ClosedChannel, CreatedChannel},
    id::{ChannelId, ConversationId, MemberId},
    member::Person,
    snapshot::{Snapshot, SnapshotUpdate, is_full, member_order, put, put_sorted},
};

impl Snapshot {
    /// Whether the snapshot has this conversation. Older threads are not in it although the reader can see them.
    pub(super) fn holds(&self, conversation: &ConversationId) -> bool {
        match conversation {
            ConversationId::Channel(id) => self.holds_channel(id),
            ConversationId::Thread(id) => self.threads.iter().any(|thread| thread.id == *id),
            ConversationId::Dm(id) => self.dms.iter().any(|dm| dm.id == *id),
        }
    }

    fn holds_channel(&self, id: &ChannelId) -> bool {
        self.channels.iter().any(|channel| channel.id == *id)
    }

    /// Adds a created channel. Ignores a private one without the reader: a reader that gains it later reloads.
    pub(super) fn add_channel(&mut self, new: &CreatedChannel) -> SnapshotUpdate {
        if new.channel.visibility == Visibility::Private {
            if !new.members.contains(&self.reader) {
                return SnapshotUpdate::Done;
            }
            self.seat(&new.channel.id, &new.members);
        }
        put(&mut self.channels, new.channel.clone(), |one, other| one.id == other.id);
        SnapshotUpdate::Done
    }

    /// Makes a channel private. The event contains the channel also for a reader that regained it later; at this event
    /// that reader lost it.
    pub(super) fn close_channel(&mut self, closed: &ClosedChannel) -> SnapshotUpdate {
        match &closed.channel {
            Some(channel) if closed.members.contains(&self.reader) => {
                self.update_channel(channel);
                self.unseat_all(&closed.channel_id);
                self.seat(&closed.channel_id, &closed.members);
                self.subscriptions.retain(|one| {
                    one.channel_id != closed.channel_id || closed.members.contains(&one.agent_id.clone().into())
                });
                SnapshotUpdate::Done
            }
            _ => self.drop_channel(&closed.channel_id),
        }
    }

    /// Opens a channel to the project.
    pub(super) fn open_channel(&mut self, channel: &Channel) -> SnapshotUpdate {
        if !self.holds_channel(&channel.id) {
            return SnapshotUpdate::Reload;
        }
        self.update_channel(channel);
        self.unseat_all(&channel.id);
        SnapshotUpdate::Done
    }

    /// A member joined a private channel.
    pub(super) fn add_channel_member(&mut self, one: &ChannelMember) -> SnapshotUpdate {
        if one.member_id == self.reader {
            return SnapshotUpdate::Reload;
        }
        if self.holds_channel(&one.channel_id) {
            put_sorted(&mut self.channel_members, one.clone(), member_order);
        }
        SnapshotUpdate::Done
    }

    /// A member left a private channel; an agent follows it no longer.
    pub(super) fn remove_channel_member(&mut self, gone: &ChannelMember) -> SnapshotUpdate {
        if gone.member_id == self.reader {
            return self.drop_channel(&gone.channel_id);
        }
        self.channel_members.retain(|one| one != gone);
        self.subscriptions
            .retain(|one| one.channel_id != gone.channel_id || Some(&one.agent_id) != gone.member_id.agent());
        SnapshotUpdate::Done
    }

    /// A person left the project and the private channels in it.
    pub(super) fn remove_person(&mut self, person: &Person) -> SnapshotUpdate {
        let member: MemberId = person.id.clone().into();
        self.people.retain(|one| one.id != person.id);
        if member != self.reader {
            self.channel_members.retain(|one| one.member_id != member);
            return SnapshotUpdate::Done;
        }
        if person.is_admin {
            return self.drop_private_channels();
        }
        self.drop_everything();
        SnapshotUpdate::Done
    }

    /// An administrator still sees the project, but private channels only as a member.
    fn drop_private_channels(&mut self) -> SnapshotUpdate {
        let is_private = |channel: &&Channel| channel.visibility == Visibility::Private;
        let private: Vec<ChannelId> = self.channels.iter().filter(is_private).map(|one| one.id.clone()).collect();
        let outcomes: Vec<SnapshotUpdate> = private.iter().map(|id| self.drop_channel(id)).collect();
        if outcomes.contains(&SnapshotUpdate::Reload) { SnapshotUpdate::Reload } else { SnapshotUpdate::Done }
    }

    /// A reader outside of the project sees none of its content.
    fn drop_everything(&mut self) {
        *self = Self {
            people: Vec::new(),
            agents: Vec::new(),
            channels: Vec::new(),
            channel_members: Vec::new(),
            subscriptions: Vec::new(),
            threads: Vec::new(),
            dms: Vec::new(),
            tasks: Vec::new(),
            batches: Vec::new(),
            artifacts: Vec::new(),
            runs: Vec::new(),
            reading: Vec::new(),
            streams: Vec::new(),
            presence: Vec::new(),
            position: self.position.clone(),
            reader: self.reader.clone(),
            project: self.project.clone(),
        };
    }

    /// Drops a channel with its content. A full list needs a reload: older items would move into it.
    fn drop_channel(&mut self, id: &ChannelId) -> SnapshotUpdate {
        if !self.holds_channel(id) {
            return SnapshotUpdate::Done;
        }
        let was_full = is_full(&self.threads) || is_full(&self.artifacts);
        let below = self.threads.iter().filter(|thread| thread.channel_id == *id);
        let mut lost: Vec<ConversationId> = below.map(|thread| thread.id.clone().into()).collect();
        lost.push(id.clone().into());
        self.channels.retain(|channel| channel.id != *id);
        self.unseat_all(id);
        self.subscriptions.retain(|one| one.channel_id != *id);
        self.threads.retain(|thread| thread.channel_id != *id);
        self.artifacts
            .retain(|one| one.conversation_id.as_ref().is_none_or(|conversation| !lost.contains(conversation)));
        self.runs.retain(|one| one.conversation_id.as_ref().is_none_or(|conversation| !lost.contains(conversation)));
        self.reading.retain(|one| !lost.contains(&one.conversation_id));
        self.streams.retain(|one| !lost.contains(&one.conversation_id));
        for task in &mut self.tasks {
            // The task stays; its thread is hidden.
            task.thread_id.take_if(|thread| lost.contains(&thread.clone().into()));
        }
        if was_full { SnapshotUpdate::Reload } else { SnapshotUpdate::Done }
    }

    fn seat(&mut self, channel: &ChannelId, members: &[MemberId]) {
        for member in members {
            let one = ChannelMember { channel_id: channel.clone(), member_id: member.clone() };
            put_sorted(&mut self.channel_members, one, member_order);
        }
    }

    fn unseat_all(&mut self, channel: &ChannelId) {
        self.channel_members.retain(|one| one.channel_id != *channel);
    }
}
