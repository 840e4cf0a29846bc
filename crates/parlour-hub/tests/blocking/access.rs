//! Runs are visible to readers of their conversation, and pauses to readers of their message.

use parlour_core::{
    Code,
    access::Principal,
    checkpoint::{CheckpointDecision, CheckpointDelivery},
    delivery::DeliveryState,
    id::{MessageId, RunId, TaskId},
    paging::PageRequest,
    post::PostMessage,
    question::{NewQuestion, QuestionState},
    run::{RunFilter, RunState, StartRun},
};
use parlour_hub::use_cases::NewTask;

use super::fixture::{BlockingFixture, say_in_dm};
use crate::support::refused;

async fn listed(fixture: &BlockingFixture, who: &Principal) -> Vec<RunId> {
    let page = fixture.hub().runs(who, &fixture.project, &RunFilter::default(), &PageRequest::first()).await;
    page.expect("runs").items.into_iter().map(|run| run.id).collect()
}

#[tokio::test]
async fn a_run_in_a_dm_is_visible_to_its_participants() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder]).await;
    let hidden = StartRun { dm_id: Some(dm), ..StartRun::default() };
    let hidden = fixture.hub().start_run(&fixture.coder, hidden).await.expect("started").id;
    let open = fixture.hub().start_run(&fixture.coder, StartRun::default()).await.expect("started").id;
    assert_eq!(listed(&fixture, &fixture.mara).await, [open.clone(), hidden.clone()]);
    for who in [&fixture.ben, &fixture.tester, &fixture.test.admin] {
        assert_eq!(listed(&fixture, who).await, std::slice::from_ref(&open), "{}", who.name);
        let page = PageRequest::first();
        assert_eq!(refused(fixture.hub().run(who, &hidden).await), Code::NotFound);
        assert_eq!(refused(fixture.hub().wait_run(who, &hidden, 0).await), Code::NotFound);
        assert_eq!(refused(fixture.hub().run_timeline(who, &hidden, &page).await), Code::NotFound);
        assert_eq!(refused(fixture.hub().cancel_run(who, &hidden, None).await), Code::NotFound);
        assert_eq!(refused(fixture.hub().resume_run(who, &hidden, None).await), Code::NotFound);
        assert_eq!(
            refused(fixture.hub().checkpoint(who, &hidden, CheckpointDelivery::Checkpoint).await),
            Code::NotFound
        );
    }
}

#[tokio::test]
async fn a_pause_is_visible_to_readers_of_its_message() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Which version?") };
    fixture.hub().post_message(&fixture.mara, request).await.expect("asked");
    assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.run.pauses.len(), 1);
    assert_eq!(fixture.run(&run).await.pauses.len(), 1);
    let seen_by_ben = fixture.hub().run(&fixture.ben, &run).await.expect("seen");
    assert_eq!((seen_by_ben.state, seen_by_ben.pauses.len()), (RunState::Paused, 0));
    let entries = fixture.hub().run_timeline(&fixture.ben, &run, &PageRequest::first()).await.expect("timeline");
    assert_eq!(entries.items.len(), 1, "the pause is about a message that Ben may not read");
    fixture.hub().resume_run(&fixture.mara, &run, None).await.expect("resumed");
}

#[tokio::test]
async fn a_person_can_resume_a_run_that_waits_in_a_hidden_conversation() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.tester, &[&fixture.coder]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Which version?") };
    for who in [&fixture.ben, &fixture.test.admin] {
        let run = fixture.start(&fixture.coder).await;
        let asked = fixture.hub().post_message(&fixture.tester, request.clone()).await.expect("asked").message;
        assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.run.pauses.len(), 1);
        for id in [&asked.id, &MessageId::from_bits(7)] {
            let named = fixture.hub().resume_run(who, &run, Some(id)).await;
            assert_eq!(refused(named), Code::NotPaused, "a hidden pause is refused like a missing one");
        }
        let resumed = fixture.hub().resume_run(who, &run, None).await.expect("a person can always resume");
        assert_eq!((resumed.state, resumed.pauses.len()), (RunState::Running, 0));
        assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.verdict, CheckpointDecision::Continue);
        let delivery = fixture.hub().deliveries(&fixture.tester, &asked.id).await.expect("deliveries").remove(0);
        assert!(delivery.handled_at.is_some() && delivery.state == DeliveryState::Stored, "nobody has read it");
        fixture.answer(&fixture.coder, &asked.id, "two").await.expect("the question is still open");
    }
}

#[tokio::test]
async fn resuming_a_run_withdraws_its_private_question() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let dm = fixture.dm(&fixture.coder, &[&fixture.tester]).await;
    let question = Some(NewQuestion { run_id: Some(run.clone()), ..NewQuestion::default() });
    let request = PostMessage { blocking: true, question, ..say_in_dm(&dm, "Is it green?") };
    let asked = fixture.hub().post_message(&fixture.coder, request).await.expect("asked").message;
    assert_eq!(refused(fixture.hub().resume_run(&fixture.tester, &run, None).await), Code::Forbidden);
    fixture.hub().resume_run(&fixture.ben, &run, None).await.expect("a person can always resume");
    assert_eq!(fixture.state(&run).await, RunState::Running);
    let asked = fixture.hub().message(&fixture.tester, &asked.id).await.expect("message");
    assert_eq!(asked.question.map(|question| question.state), Some(QuestionState::Withdrawn));
}

#[tokio::test]
async fn the_timeline_of_a_task_lists_its_runs() {
    let fixture = BlockingFixture::new().await;
    let request = NewTask {
        project_id: fixture.project.clone(),
        title: "Release".into(),
        description: None,
        status: parlour_core::task::TaskStatus::default(),
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
    };
    let task = fixture.hub().create_task(&fixture.mara, request).await.expect("task").id;
    let request = StartRun { task_id: Some(task.clone()), ..StartRun::default() };
    fixture.hub().start_run(&fixture.coder, request).await.expect("started");
    let entries = fixture.hub().task_timeline(&fixture.ben, &task, &PageRequest::first()).await.expect("timeline");
    assert_eq!(entries.items.len(), 2);
    let none = TaskId::from_bits(7);
    let stranger = fixture.test.person("Eve").await;
    assert_eq!(refused(fixture.hub().task_timeline(&fixture.ben, &none, &PageRequest::first()).await), Code::NotFound);
    assert_eq!(refused(fixture.hub().task_timeline(&stranger, &task, &PageRequest::first()).await), Code::NotFound);
}
