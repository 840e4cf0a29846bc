//! Tasks that are given to an agent.

use parlour_agent::requests::NewTask;
use parlour_core::{
    event::Change,
    task::{Task, TaskStatus},
};

use crate::fixture::{AgentFixture, LiveWatcher};

async fn give(fixture: &AgentFixture, title: &str, to: &str) -> Task {
    let assignee = fixture.id_of(to).await.into();
    let request = NewTask {
        project_id: fixture.project.clone(),
        title: title.to_owned(),
        description: None,
        assignee: Some(assignee),
        parent_id: None,
        thread_id: None,
    };
    fixture.client.create_task(&request).await.expect("given")
}

/// How the task with this title has ended.
async fn ended(watch: &mut LiveWatcher, title: &str) -> Task {
    watch
        .change(|change| match change {
            Change::TaskUpdated(task) if task.title == title && task.status != TaskStatus::Working => Some(*task),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_task_is_started_and_done() {
    let fixture = AgentFixture::make();
    let _agent = fixture.agent("--name Coder --exec 'cat >/dev/null; echo it is done'");
    let mut watch = fixture.watch().await;
    give(&fixture, "Write the notes", "Coder").await;
    assert_eq!(ended(&mut watch, "Write the notes").await.status, TaskStatus::Done);
}

#[tokio::test]
async fn a_hand_off_creates_a_task_for_the_next_agent() {
    let fixture = AgentFixture::make();
    let _coder = fixture.agent(r#"--name Coder --exec 'cat >/dev/null; echo "[HANDOFF: @Reviewer \"Read it\"]"'"#);
    let _reviewer = fixture.agent("--name Reviewer --exec 'cat >/dev/null; echo read'");
    let mut watch = fixture.watch().await;
    let first = give(&fixture, "Write it", "Coder").await;
    let next = ended(&mut watch, "Read it").await;
    assert_eq!((next.status, next.parent_id), (TaskStatus::Done, Some(first.id)));
}
