//! Timelines: the recorded events of a run or a task, in order.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    author::Author,
    id::{MessageId, RunId, TaskId},
};

/// The kind of a timeline entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimelineEntryKind {
    /// A run started.
    RunStarted,
    /// A blocking message paused the run.
    Paused,
    /// The run asked a question and waits.
    Asked,
    /// The run continued: the message was handled, or the question ended. The detail says how.
    Resumed,
    /// The run succeeded.
    RunDone,
    /// The run failed.
    RunFailed,
    /// The run was cancelled.
    RunCancelled,
    /// The task was created.
    TaskCreated,
    /// The task changed to the status in the detail.
    TaskMoved,
}

/// One event of a run or a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TimelineEntry {
    /// The number of the entry, for paging.
    pub no: u64,
    /// The time.
    pub at: Timestamp,
    /// The kind.
    pub kind: TimelineEntryKind,
    /// The member that caused it.
    pub by: Author,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The message that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
