//! Snapshots: a project as one reader sees it at one position.
//!
//! An old snapshot plus the later events that its reader may receive equals the new snapshot. [`Snapshot::apply`]
//! implements this rule and is the model for clients in other languages.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{
    artifact::Artifact,
    conversation::{Channel, Dm, Thread},
    event::{Change, ChannelMember, Event, Subscription},
    id::{ConversationId, MemberId, MessageId},
    limits,
    member::{Agent, Person},
    position::Position,
    presence::Presence,
    project::Project,
    run::Run,
    stream::StreamSnapshot,
    task::{Batch, Task},
};

mod access;
mod unread;

/// The result of applying an event to a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SnapshotUpdate {
    /// The snapshot now contains the event.
    Done,
    /// The snapshot already contained the event.
    Known,
    /// The reader gained content whose history the event does not contain: load a fresh snapshot. The position
    /// stays, so a reader that resumes from it receives the event again.
    Reload,
    /// Something is missing between the snapshot and the event, or they are of different logs: load a fresh snapshot.
    Hole,
}

/// A project as one reader sees it.
///
/// All lists are ordered by creation. Of threads, tasks, batches and artifacts it has the
/// newest `SNAPSHOT_ITEMS_MAX`; older ones are found by their own lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Snapshot {
    /// The last event that it contains. Subscribe after this position to continue without a gap.
    pub position: Position,
    /// The reader.
    pub reader: MemberId,
    /// The project.
    pub project: Project,
    /// The people of the project, by the text of their id.
    pub people: Vec<Person>,
    /// The agents of the project.
    pub agents: Vec<Agent>,
    /// The channels that the reader sees, archived ones included.
    pub channels: Vec<Channel>,
    /// The members of the private channels among them, ordered by channel and member id.
    pub channel_members: Vec<ChannelMember>,
    /// The agents subscribed to these channels, ordered by channel and agent id.
    pub subscriptions: Vec<Subscription>,
    /// The newest threads of these channels.
    pub threads: Vec<Thread>,
    /// The reader's dms.
    pub dms: Vec<Dm>,
    /// The newest tasks.
    pub tasks: Vec<Task>,
    /// The newest batches.
    pub batches: Vec<Batch>,
    /// The newest artifacts that the reader sees.
    pub artifacts: Vec<Artifact>,
    /// The unfinished runs that the reader can see, without pauses of other conversations.
    #[serde(default)]
    pub runs: Vec<Run>,
    /// The read state of each of these conversations with messages, ordered by id. Empty for
    /// agents, which have an inbox instead.
    pub reading: Vec<ReadState>,
    /// Answers that are being written, with their text so far.
    #[serde(default)]
    pub streams: Vec<StreamSnapshot>,
    /// The present members; at most `PRESENCE_CHANGES_MAX`.
    #[serde(default)]
    pub presence: Vec<Presence>,
}

/// The read state of one conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReadState {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The number of its last message.
    pub last_seq: u64,
    /// The number of the last message that was read.
    pub read_seq: u64,
    /// The number of messages after it that were not removed.
    pub unread: u64,
    /// The numbers of the unread messages that mention the reader, the newest `SNAPSHOT_MENTIONS_MAX`.
    pub mentions: Vec<u64>,
}

impl Snapshot {
    /// Applies an event that the reader may receive.
    ///
    /// A reader does not receive all events, so offsets may be missing. Events of the log may show messages as they are
    /// now; after the last of them the snapshot is the same as with live events. Running streams end with their
    /// message. Otherwise streams and presence are ephemeral and stay as they are.
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
            // Reactions, calls, deliveries and questions belong to messages, which a snapshot does not contain.
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

    /// Updates a channel that the snapshot has.
    fn update_channel(&mut self, channel: &Channel) {
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

/// Replaces the same item, or appends it.
fn put<T>(list: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) {
    match list.iter_mut().find(|one| is_same(one, &item)) {
        Some(known) => *known = item,
        None => list.push(item),
    }
}

/// Replaces the same item, if there is one.
fn replace<T>(list: &mut [T], item: T, is_same: impl Fn(&T, &T) -> bool) {
    if let Some(known) = list.iter_mut().find(|one| is_same(one, &item)) {
        *known = item;
    }
}

/// Puts an item into a window, and returns the oldest one if that was dropped.
fn put_newest<T>(window: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) -> Option<T> {
    put(window, item, is_same);
    (window.len() > limits::SNAPSHOT_ITEMS_MAX).then(|| window.remove(0))
}

/// Whether a window may have left out older items.
fn is_full<T>(window: &[T]) -> bool {
    window.len() >= limits::SNAPSHOT_ITEMS_MAX
}

/// Replaces the equal item of a sorted list, or inserts it in order.
fn put_sorted<T>(list: &mut Vec<T>, item: T, order: impl Fn(&T, &T) -> Ordering) {
    match list.binary_search_by(|one| order(one, &item)) {
        Ok(known) => list[known] = item,
        Err(index) => list.insert(index, item),
    }
}

/// The order of the members of channels.
fn member_order(one: &ChannelMember, other: &ChannelMember) -> Ordering {
    (&one.channel_id, one.member_id.as_str()).cmp(&(&other.channel_id, other.member_id.as_str()))
}

/// The order of subscriptions.
fn subscription_order(one: &Subscription, other: &Subscription) -> Ordering {
    (&one.channel_id, &one.agent_id).cmp(&(&other.channel_id, &other.agent_id))
}

#[cfg(test)]
mod tests;
