//! Tasks: assignment, nesting limits and conditional updates.

mod support;

use parlour_core::{
    Code,
    access::Principal,
    id::{ProjectId, TaskId},
    limits,
    task::{Task, TaskPatch, TaskStatus},
};
use parlour_hub::{Failure, use_cases::NewTask};
use support::{TestHub, refused};

async fn fixture() -> (TestHub, Principal, ProjectId, Principal) {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let coder = hub.agent(&project, "Coder").await;
    (hub, mara, project, coder)
}

async fn create(
    hub: &TestHub,
    who: &Principal,
    project: &ProjectId,
    parent_id: Option<TaskId>,
) -> Result<Task, Failure> {
    let request = NewTask {
        project_id: project.clone(),
        title: "Ship it".into(),
        description: None,
        status: TaskStatus::Open,
        assignee: None,
        parent_id,
        batch_id: None,
        thread_id: None,
    };
    hub.hub.create_task(who, request).await
}

#[tokio::test]
async fn agents_can_nest_tasks_only_up_to_the_limit() {
    let (hub, mara, project, coder) = fixture().await;
    let mut last = create(&hub, &mara, &project, None).await.expect("given").id;
    for _ in 0..limits::TASK_DEPTH_MAX {
        last = create(&hub, &coder, &project, Some(last)).await.expect("handed on").id;
    }
    let failure = create(&hub, &coder, &project, Some(last.clone())).await.expect_err("too far");
    let refusal = failure.refusal().expect("a refusal");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("parent_id")));
    assert!(refusal.detail.contains("person"), "{}", refusal.detail);
    let by_person = create(&hub, &mara, &project, Some(last)).await.expect("a person may");
    assert_eq!(refused(create(&hub, &coder, &project, Some(by_person.id)).await), Code::OutOfBounds);
    assert!(create(&hub, &coder, &project, None).await.is_ok(), "a task of its own begins anew");
}

#[tokio::test]
async fn only_one_of_several_members_starts_a_task() {
    let (hub, mara, project, coder) = fixture().await;
    let tester = hub.agent(&project, "Tester").await;
    let task = create(&hub, &mara, &project, None).await.expect("given");
    let begin = async |who: &Principal| {
        let patch = TaskPatch {
            status: Some(TaskStatus::Working),
            assignee: Some(who.member.clone()),
            if_status: Some(TaskStatus::Open),
            ..TaskPatch::default()
        };
        hub.hub.update_task(who, &task.id, patch).await
    };
    let (one, other) = tokio::join!(begin(&coder), begin(&tester));
    let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!(refused(lost), Code::TaskMoved);
    let now = hub.hub.task(&mara, &task.id).await.expect("read");
    assert_eq!((now.status, now.assignee), (TaskStatus::Working, won.expect("one begins").assignee));
}

#[tokio::test]
async fn agents_cannot_assign_each_other_tasks_without_end() {
    let (hub, mara, project, coder) = fixture().await;
    let tester = hub.agent(&project, "Tester").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let assign = async |from: &Principal, to: &Principal| {
        hub.clock.advance(1_000);
        let request = NewTask {
            project_id: project.clone(),
            title: "Your turn".into(),
            description: None,
            status: TaskStatus::Open,
            assignee: Some(to.member.clone()),
            parent_id: None,
            batch_id: None,
            thread_id: None,
        };
        hub.hub.create_task(from, request).await
    };
    let mut turns = [(&coder, &tester), (&tester, &coder)].into_iter().cycle();
    for (from, to) in turns.by_ref().take(limits::TASK_DEPTH_MAX) {
        assign(from, to).await.expect("assigned");
    }
    let (from, to) = turns.next().expect("a cycle");
    let failure = assign(from, to).await.expect_err("too many in a row");
    let refusal = failure.refusal().expect("a refusal");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("assignee")));
    assign(from, &mara).await.expect("a task for a person calls no agent");
    hub.post(&mara, &channel, &format!("@{} go on", from.name)).await;
    assign(from, to).await.expect("a person has called it");
}
