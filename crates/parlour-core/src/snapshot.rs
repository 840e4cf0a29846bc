//! Snapshots: a project as one reader sees it at one position. Applying the events that follow gives the next one.
//!
//! The law of live clients is: an old snapshot and the events after its position, as far as the reader may learn of
//! them, give the new snapshot. [`Snapshot::apply`] is that law, and the model for clients in other languages.

use serde::{Deserialize, Serialize};

use crate::{
    artifact::Artifact,
    conversation::{Channel, Dm, Thread},
    event::{ChannelMember, Subscription},
    id::{ConversationId, MemberId},
    member::{Agent, Person},
    position::Position,
    presence::Presence,
    project::Project,
    run::Run,
    stream::StreamSnapshot,
    task::{Batch, Task},
};

mod apply;
mod lists;
mod reading;
mod sight;

/// What came of an event that was applied to a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SnapshotUpdate {
    /// The snapshot holds it now.
    Done,
    /// The snapshot held it already.
    Known,
    /// The reader sees something from now on whose past the event does not tell: load a fresh snapshot. The position
    /// stays, so that whoever resumes from it instead is told again.
    Reload,
    /// Something is missing between the snapshot and the event, or they are of different logs: load a fresh snapshot.
    Hole,
}

/// A project as one reader sees it.
///
/// All lists are in the order in which their things were made. Of threads, tasks, batches and artifacts it holds the
/// newest `SNAPSHOT_ITEMS_MAX`; older ones are found by their own lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Snapshot {
    /// The last event that it holds: subscribe after this position to go on without a hole.
    pub position: Position,
    /// Who reads.
    pub reader: MemberId,
    /// The project.
    pub project: Project,
    /// The people of the project, by the text of their id.
    pub people: Vec<Person>,
    /// The agents of the project.
    pub agents: Vec<Agent>,
    /// The channels that the reader sees, archived ones included.
    pub channels: Vec<Channel>,
    /// Who is in the private channels among them, by the texts of channel and member.
    pub channel_members: Vec<ChannelMember>,
    /// Which agents follow these channels, by the texts of channel and agent.
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
    /// The runs that have not ended and that the reader sees, as they are told.
    #[serde(default)]
    pub runs: Vec<Run>,
    /// What the reader has read in each of these conversations that has messages, by the text of its id. Empty for
    /// agents, which have an inbox instead.
    pub reading: Vec<ReadState>,
    /// Answers that are being written, with their text so far.
    #[serde(default)]
    pub streams: Vec<StreamSnapshot>,
    /// Who is there; at most `PRESENCE_CHANGES_MAX` of them.
    #[serde(default)]
    pub presence: Vec<Presence>,
}

/// How far the reader has read in one conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReadState {
    /// The conversation.
    pub conversation_id: ConversationId,
    /// The number of its last message.
    pub last_seq: u64,
    /// The number of the last message that was read.
    pub read_seq: u64,
    /// How many messages after it were not removed.
    pub unread: u64,
    /// The numbers of the unread messages that mention the reader, the newest `SNAPSHOT_MENTIONS_MAX`.
    pub mentions: Vec<u64>,
}

#[cfg(test)]
mod tests;
