//! Tasks that are given to an agent.

use parlour_agent::requests::NewTask;
use parlour_core::{
    event::Change,
    task::{Task, TaskStatus},
};

use crate::stage::{Stage, Watch};

async fn give(stage: &Stage, title: &str, to: &str) -> Task {
    let assignee = stage.id_of(to).await.into();
    let request = NewTask {
        project_id: stage.project.clone(),
        title: title.to_owned(),
        description: None,
        assignee: Some(assignee),
        parent_id: None,
        thread_id: None,
    };
    stage.client.create_task(&request).await.expect("given")
}

/// How the task with this title has ended.
async fn ended(watch: &mut Watch, title: &str) -> Task {
    watch
        .change(|change| match change {
            Change::TaskUpdated(task) if task.title == title && task.status != TaskStatus::Working => Some(*task),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_task_is_taken_up_and_done() {
    let stage = Stage::make();
    let _agent = stage.agent("--name Coder --exec 'cat >/dev/null; echo it is done'");
    let mut watch = stage.watch().await;
    give(&stage, "Write the notes", "Coder").await;
    assert_eq!(ended(&mut watch, "Write the notes").await.status, TaskStatus::Done);
}

#[tokio::test]
async fn a_hand_off_gives_the_next_agent_a_task_of_its_own() {
    let stage = Stage::make();
    let _coder = stage.agent(r#"--name Coder --exec 'cat >/dev/null; echo "[HANDOFF: @Reviewer \"Read it\"]"'"#);
    let _reviewer = stage.agent("--name Reviewer --exec 'cat >/dev/null; echo read'");
    let mut watch = stage.watch().await;
    let first = give(&stage, "Write it", "Coder").await;
    let next = ended(&mut watch, "Read it").await;
    assert_eq!((next.status, next.parent_id), (TaskStatus::Done, Some(first.id)));
}
