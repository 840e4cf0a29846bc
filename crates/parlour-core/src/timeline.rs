//! Timelines: what happened in a run, or to a task, one moment after another. Called the timeline where people see it.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    author::Author,
    id::{MessageId, RunId, TaskId},
};

/// What happened at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimelineEntryKind {
    /// A run began.
    RunStarted,
    /// A blocking message paused it.
    Paused,
    /// It asked something and waits.
    Asked,
    /// It went on: the message was handled, or the question has ended. The detail says how.
    Resumed,
    /// It ended as it should.
    RunDone,
    /// It failed.
    RunFailed,
    /// It was stopped.
    RunCancelled,
    /// The task was given.
    TaskCreated,
    /// The task is as far as the detail says.
    TaskMoved,
}

/// One moment of a run or a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TimelineEntry {
    /// Its number, for paging.
    pub no: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: TimelineEntryKind,
    /// By whom: who began, asked, answered, resumed or stopped.
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
    /// More about it, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
