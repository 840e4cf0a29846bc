use async_trait::async_trait;
use parlour_core::{
    Refusal, Timestamp,
    event::Event,
    id::ProjectId,
    position::{Position, StartTag},
    write::{Appended, Entry},
};
use tokio::sync::mpsc;

use crate::Failure;

/// The logs: the only way to change anything in a project.
#[async_trait]
pub trait Log: Send + Sync {
    /// Makes one change and writes its event in one transaction; returns after both are synced to disk.
    ///
    /// - The write is atomic: a refused or failed write changes nothing.
    /// - Log offsets of a project are 1, 2, 3 … without gaps; so are message numbers of a conversation.
    /// - A write that changes nothing is `Repeated`: it writes no event and returns the present state.
    /// - A message id is used once: the same digest by the same author returns the first result again, any other post is
    ///   refused (`ClientIdReused`).
    /// - A post advances its author's read position and adds one inbox row for each delivery, and no other row per member.
    /// - A post, and the end of a stream, records one call for each agent that it calls and that can read it. The message
    ///   names exactly these agents, and no agent is called twice by one message.
    /// - An answer takes the open call that it names, and the further open calls that it lists in the conversation of that
    ///   call, provided that these messages have called its agent. It takes no other call. Passing closes one call. Removing a message closes its open
    ///   calls, and an agent that loses access to a channel loses its open calls there.
    /// - A blocking post is stored with its question. A complete answer that names an open question settles it in the same
    ///   write and produces a second event (`messaging.question`) right after the first. If the question was closed
    ///   meanwhile, the message is stored without `answer_to`. Removing a message withdraws its question.
    /// - A complete answer of an agent (`call::is_answer`) sets these deliveries to `Answered` in the same write: the
    ///   message that it replies to, and the messages whose calls it took and that had been injected. Settling a question
    ///   sets the delivery of its message. Nothing else sets `Answered`.
    /// - A run beyond `RUNS_PER_AGENT_MAX` of its agent or `RUNS_PER_PROJECT_MAX` is refused (`Full`).
    /// - A task change that expects another status is refused (`TaskMoved`).
    /// - A post to an archived channel is refused (`Archived`), a name that is confusable with one in use (`NameTaken`), a
    ///   thing that does not exist (`NotFound`).
    /// - The name of an agent is never confusable with that of a person who counts as a member of its project: its people,
    ///   its owner, any administrator. Whichever comes second is refused (`NameTaken`).
    async fn append(&self, entry: Entry) -> Result<Appended, Failure>;

    /// Makes several changes like `append`, all in one transaction.
    ///
    /// - They are made in this order, without other changes in between.
    /// - The first refusal ends the batch: the entries before it are written, the others change nothing.
    async fn append_all(&self, entries: Vec<Entry>) -> Result<AppendedBatch, Failure>;

    /// Reads up to `limit` events after the one with this offset, in order.
    ///
    /// Events about messages contain the current message, so a removed text is not in the log any more.
    async fn events_after(&self, project: &ProjectId, offset: u64, limit: usize) -> Result<Vec<Event>, Failure>;

    /// The position after the last event.
    async fn end_of_log(&self, project: &ProjectId) -> Result<Option<Position>, Failure>;

    /// The range of events that can still be read.
    async fn log_range(&self, project: &ProjectId) -> Result<Option<LogRange>, Failure>;

    /// Begins a start of the hub: from now on all positions carry this tag. It writes no event and no audit entry.
    ///
    /// The store keeps the tags of the last `STARTS_KEPT_MAX` starts. A tag is used once.
    async fn begin_start(&self, tag: StartTag) -> Result<(), Failure>;

    /// The offset of the last event that the log had at the end of the start with this tag, and that it has now during the
    /// running start; 0 if the log was created later. None if the project or the tag is unknown.
    async fn end_of_start(&self, project: &ProjectId, tag: StartTag) -> Result<Option<u64>, Failure>;

    /// The time of the newest event of all logs; none if no log has an event.
    ///
    /// After a restart the clock of the hub continues from it. Pruning does not change it.
    async fn newest_event_at(&self) -> Result<Option<Timestamp>, Failure>;

    /// Deletes the events that are older than `retention.event_days_max` of their project and returns their number.
    ///
    /// Their effects stay, and so does the last event of each log, so that offsets are never reused.
    async fn prune_logs(&self, now: Timestamp) -> Result<u64, Failure>;

    /// A queue of the events of all projects that are committed from now on.
    ///
    /// - Events of one project are in log order; none arrives before it is on disk.
    /// - An event arrives even if the caller of its `append` has gone away.
    /// - The queue holds `WATCH_QUEUE_LEN_MAX` events. An event that does not fit is dropped, the store never waits. The
    ///   receiver detects the gap by the offsets and reads it with `events_after`.
    fn watch(&self) -> mpsc::Receiver<Event>;
}

/// The result of several changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendedBatch {
    /// The results of the changes that were made, in order.
    pub appended: Vec<Appended>,
    /// Why the next one, and therefore the rest, was not made.
    pub refusal: Option<Refusal>,
}

/// The range of events that a log still contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRange {
    /// The offset of the oldest event that can be read; 1 unless events were pruned.
    pub first: u64,
    /// The position after the last event.
    pub end: Position,
}
