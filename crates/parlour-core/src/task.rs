//! Tasks and batches: pieces of work, and groups of them.

use serde::{Deserialize, Serialize};

use crate::{
    Code, Refusal, Timestamp,
    id::{BatchId, MemberId, ProjectId, TaskId, ThreadId},
    limits,
    member::patch_text,
    name::Name,
    project::check_description,
    text,
};

/// The status of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nobody works on it yet.
    #[default]
    Open,
    /// Somebody works on it.
    Working,
    /// It waits for something.
    Blocked,
    /// It is done.
    Done,
    /// It was given up because of a failure.
    Failed,
    /// It is cancelled.
    Cancelled,
}

impl TaskStatus {
    /// The name of the status in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Task {
    /// The task's id.
    pub id: TaskId,
    /// Its project.
    pub project_id: ProjectId,
    /// The work, in one line.
    pub title: String,
    /// The work in detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The status.
    pub status: TaskStatus,
    /// The assignee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<MemberId>,
    /// The larger task it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<TaskId>,
    /// The batch it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<BatchId>,
    /// The thread where it is talked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The creator.
    pub created_by: MemberId,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A change of a task; absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskPatch {
    /// The new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub title: Option<String>,
    /// The new description; an empty text removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 4000))]
    pub description: Option<String>,
    /// The new status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// The new assignee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<MemberId>,
    /// The thread where it is talked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// Changes the task only if it has this status: of several members that start it, one succeeds and the others are
    /// refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_status: Option<TaskStatus>,
}

/// A group of tasks that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Batch {
    /// The batch's id.
    pub id: BatchId,
    /// Its project.
    pub project_id: ProjectId,
    /// The name.
    pub name: Name,
    /// The creator.
    pub created_by: MemberId,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Task {
    /// Refuses a task with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        check_title(&self.title).map_err(|refusal| refusal.at("title"))?;
        check_description(self.description.as_deref())
    }

    /// The task after `patch`, or a refusal.
    pub fn patched(&self, patch: &TaskPatch, at: Timestamp) -> Result<Self, Refusal> {
        self.check_status(patch.if_status)?;
        let patched = Self {
            title: patch.title.clone().unwrap_or_else(|| self.title.clone()),
            description: patch_text(&self.description, &patch.description),
            status: patch.status.unwrap_or(self.status),
            assignee: patch.assignee.clone().or_else(|| self.assignee.clone()),
            thread_id: patch.thread_id.clone().or_else(|| self.thread_id.clone()),
            updated_at: at,
            ..self.clone()
        };
        patched.check()?;
        Ok(patched)
    }

    /// Refuses (`TaskMoved`) if the task has another status than the change expects.
    fn check_status(&self, expected: Option<TaskStatus>) -> Result<(), Refusal> {
        match expected {
            Some(expected) if expected != self.status => {
                let detail = format!("the task is {}, not {}", self.status.as_str(), expected.as_str());
                Err(Refusal::new(Code::TaskMoved, detail).at("if_status"))
            }
            _ => Ok(()),
        }
    }
}

/// Checks a line that is a title or a file name.
pub(crate) fn check_title(title: &str) -> Result<(), Refusal> {
    text::check_not_blank(title)?;
    text::check_line(title, limits::TITLE_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{AgentId, PersonId};

    fn task() -> Task {
        Task {
            id: TaskId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            title: "Ship it".into(),
            description: None,
            status: TaskStatus::Open,
            assignee: None,
            parent_id: None,
            batch_id: None,
            thread_id: None,
            created_by: PersonId::from_bits(1).into(),
            created_at: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(1),
        }
    }

    #[test]
    fn a_patch_changes_what_it_names_and_the_time() {
        let assignee: MemberId = AgentId::from_bits(2).into();
        let patch =
            TaskPatch { status: Some(TaskStatus::Working), assignee: Some(assignee.clone()), ..TaskPatch::default() };
        let patched = task().patched(&patch, Timestamp::from_millis(9)).expect("patched");
        let expected = Task {
            status: TaskStatus::Working,
            assignee: Some(assignee),
            updated_at: Timestamp::from_millis(9),
            ..task()
        };
        assert_eq!(patched, expected);
    }

    #[test]
    fn a_patch_that_expects_another_status_is_refused_with_the_real_one() {
        let working = Task { status: TaskStatus::Working, ..task() };
        let begin =
            TaskPatch { status: Some(TaskStatus::Working), if_status: Some(TaskStatus::Open), ..TaskPatch::default() };
        assert!(task().patched(&begin, Timestamp::from_millis(9)).is_ok());
        let refusal = working.patched(&begin, Timestamp::from_millis(9)).expect_err("begun already");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::TaskMoved, Some("if_status")));
        assert_eq!(refusal.detail, "the task is working, not open");
    }

    #[test]
    fn the_name_of_a_status_equals_its_json_form() {
        use TaskStatus::{Blocked, Cancelled, Done, Failed, Open, Working};
        for status in [Open, Working, Blocked, Done, Failed, Cancelled] {
            assert_eq!(serde_json::to_value(status).expect("json"), status.as_str());
        }
    }

    #[test]
    fn titles_are_single_visible_lines() {
        for title in ["", "  ", "a\nb", "a\tb", &"x".repeat(201)] {
            let refusal = Task { title: title.into(), ..task() }.check().expect_err(title);
            assert_eq!(refusal.field.as_deref(), Some("title"));
        }
    }
}
