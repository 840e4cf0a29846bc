//! One event after another.

use super::{
    Snapshot, SnapshotUpdate,
    lists::{put, put_newest, put_sorted, replace, subscription_order},
};
use crate::{
    conversation::{Channel, Thread},
    event::{Change, Event},
    id::{ConversationId, MemberId, MessageId},
    member::Person,
};

impl Snapshot {
    /// Brings the snapshot to the position of an event that its reader may learn of.
    ///
    /// A reader does not learn of everything, so offsets may be left out. Events of the log may show messages as they
    /// are now; after the last of them the snapshot is the same as with events that came live. Running streams end
    /// with their message; apart from that, streams and presence are of the moment and stay as they are.
    pub fn apply(&mut self, event: &Event) -> SnapshotUpdate {
        if event.project_id != self.project.id || event.position.epoch() != self.position.epoch() {
            return SnapshotUpdate::Hole;
        }
        if event.position.offset() <= self.position.offset() {
            return SnapshotUpdate::Known;
        }
        let applied = self.apply_change(&event.change);
        if applied == SnapshotUpdate::Done {
            self.position = event.position.clone();
        }
        applied
    }

    fn apply_change(&mut self, change: &Change) -> SnapshotUpdate {
        match change {
            Change::ProjectCreated(project) | Change::ProjectUpdated(project) => self.project.clone_from(project),
            Change::PersonAdded(person) => return self.add_person(person),
            Change::PersonUpdated(person) => {
                replace(&mut self.people, (**person).clone(), |one, other| one.id == other.id)
            }
            Change::PersonRemoved(person) => return self.remove_person(person),
            Change::AgentCreated(agent) | Change::AgentUpdated(agent) => {
                put(&mut self.agents, (**agent).clone(), |one, other| one.id == other.id);
            }
            Change::ChannelCreated(new) => return self.add_channel(new),
            Change::ChannelUpdated(channel) | Change::ChannelArchived(channel) | Change::ChannelUnarchived(channel) => {
                self.update_channel(channel);
            }
            Change::ChannelClosed(closed) => return self.close_channel(closed),
            Change::ChannelOpened(channel) => return self.open_channel(channel),
            Change::ChannelMemberAdded(one) => return self.add_channel_member(one),
            Change::ChannelMemberRemoved(one) => return self.remove_channel_member(one),
            Change::Subscribed(one) => {
                if self.holds(&one.channel_id.clone().into()) {
                    put_sorted(&mut self.subscriptions, (**one).clone(), subscription_order);
                }
            }
            Change::Unsubscribed(gone) => self.subscriptions.retain(|one| *one != **gone),
            Change::ThreadCreated(thread) => self.add_thread(thread),
            Change::DmCreated(dm) => put(&mut self.dms, (**dm).clone(), |one, other| one.id == other.id),
            Change::MessagePosted(message) => return self.count_post(message),
            Change::MessageEdited(message) => return self.count_text(message),
            Change::MessageFinished(message) => {
                self.end_stream(&message.id);
                return self.count_text(message);
            }
            Change::MessageRemoved(message) => {
                self.end_stream(&message.id);
                return self.count_removal(message);
            }
            // Reactions, calls, deliveries and questions stand on messages, which a snapshot does not hold.
            Change::Reacted(_)
            | Change::Unreacted(_)
            | Change::CallPassed(_)
            | Change::Delivered(_)
            | Change::QuestionChanged(_) => {}
            Change::RunStarted(run) | Change::RunPaused(run) | Change::RunResumed(run) => {
                put(&mut self.runs, (**run).clone(), |one, other| one.id == other.id);
            }
            Change::RunEnded(ended) => self.runs.retain(|one| one.id != ended.id),
            Change::Read(mark) => return self.count_read(mark),
            Change::TaskCreated(task) => {
                put_newest(&mut self.tasks, (**task).clone(), |one, other| one.id == other.id);
            }
            Change::TaskUpdated(task) => replace(&mut self.tasks, (**task).clone(), |one, other| one.id == other.id),
            Change::BatchCreated(batch) => {
                put_newest(&mut self.batches, (**batch).clone(), |one, other| one.id == other.id);
            }
            Change::ArtifactCreated(artifact) => {
                put_newest(&mut self.artifacts, (**artifact).clone(), |one, other| one.id == other.id);
            }
        }
        SnapshotUpdate::Done
    }

    fn add_person(&mut self, person: &Person) -> SnapshotUpdate {
        if self.reader == MemberId::Person(person.id.clone()) {
            return SnapshotUpdate::Reload;
        }
        put_sorted(&mut self.people, person.clone(), |one, other| one.id.cmp(&other.id));
        SnapshotUpdate::Done
    }

    /// A channel was changed; one that the reader does not have is not for it.
    pub(super) fn update_channel(&mut self, channel: &Channel) {
        replace(&mut self.channels, channel.clone(), |one, other| one.id == other.id);
    }

    fn add_thread(&mut self, thread: &Thread) {
        if !self.holds(&thread.channel_id.clone().into()) {
            return;
        }
        if let Some(oldest) = put_newest(&mut self.threads, thread.clone(), |one, other| one.id == other.id) {
            let oldest: ConversationId = oldest.id.into();
            self.reading.retain(|one| one.conversation_id != oldest);
        }
    }

    fn end_stream(&mut self, message: &MessageId) {
        self.streams.retain(|stream| stream.message_id != *message);
    }
}
