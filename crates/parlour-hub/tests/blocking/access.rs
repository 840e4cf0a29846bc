//! Runs are seen like their conversation, and pauses like their messages.

use parlour_core::{
    Code,
    access::Principal,
    checkpoint::Verdict,
    delivery::DeliveryState,
    id::{MessageId, RunId, TaskId},
    paging::PageRequest,
    post::PostMessage,
    question::{Ask, QuestionState},
    run::{RunFilter, RunState, StartRun},
};
use parlour_hub::use_cases::NewTask;

use super::stage::{Stage, say_in_dm};
use crate::support::refused;

async fn listed(stage: &Stage, who: &Principal) -> Vec<RunId> {
    let page = stage.hub().runs(who, &stage.project, &RunFilter::default(), &PageRequest::first()).await;
    page.expect("runs").items.into_iter().map(|run| run.id).collect()
}

#[tokio::test]
async fn a_run_in_a_dm_is_seen_by_those_who_are_there() {
    let stage = Stage::new().await;
    let dm = stage.dm(&stage.mara, &[&stage.coder]).await;
    let hidden = StartRun { dm_id: Some(dm), ..StartRun::default() };
    let hidden = stage.hub().start_run(&stage.coder, hidden).await.expect("started").id;
    let open = stage.hub().start_run(&stage.coder, StartRun::default()).await.expect("started").id;
    assert_eq!(listed(&stage, &stage.mara).await, [open.clone(), hidden.clone()]);
    for who in [&stage.ben, &stage.tester, &stage.test.admin] {
        assert_eq!(listed(&stage, who).await, std::slice::from_ref(&open), "{}", who.name);
        let page = PageRequest::first();
        assert_eq!(refused(stage.hub().run(who, &hidden).await), Code::NotFound);
        assert_eq!(refused(stage.hub().wait_run(who, &hidden, 0).await), Code::NotFound);
        assert_eq!(refused(stage.hub().run_timeline(who, &hidden, &page).await), Code::NotFound);
        assert_eq!(refused(stage.hub().cancel_run(who, &hidden, None).await), Code::NotFound);
        assert_eq!(refused(stage.hub().resume_run(who, &hidden, None).await), Code::NotFound);
        assert_eq!(refused(stage.hub().checkpoint(who, &hidden).await), Code::NotFound);
    }
}

#[tokio::test]
async fn a_pause_is_seen_by_those_who_read_its_message() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    let dm = stage.dm(&stage.mara, &[&stage.coder]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Which version?") };
    stage.hub().post_message(&stage.mara, request).await.expect("asked");
    assert_eq!(stage.checkpoint(&stage.coder, &run).await.run.pauses.len(), 1);
    assert_eq!(stage.run(&run).await.pauses.len(), 1);
    let seen_by_ben = stage.hub().run(&stage.ben, &run).await.expect("seen");
    assert_eq!((seen_by_ben.state, seen_by_ben.pauses.len()), (RunState::Paused, 0));
    let moments = stage.hub().run_timeline(&stage.ben, &run, &PageRequest::first()).await.expect("timeline");
    assert_eq!(moments.items.len(), 1, "the pause is about a message that Ben may not read");
    stage.hub().resume_run(&stage.mara, &run, None).await.expect("resumed");
}

#[tokio::test]
async fn a_person_lets_a_run_go_on_that_waits_where_it_may_not_read() {
    let stage = Stage::new().await;
    let dm = stage.dm(&stage.tester, &[&stage.coder]).await;
    let request = PostMessage { blocking: true, ..say_in_dm(&dm, "Which version?") };
    for who in [&stage.ben, &stage.test.admin] {
        let run = stage.start(&stage.coder).await;
        let asked = stage.hub().post_message(&stage.tester, request.clone()).await.expect("asked").message;
        assert_eq!(stage.checkpoint(&stage.coder, &run).await.run.pauses.len(), 1);
        for id in [&asked.id, &MessageId::from_bits(7)] {
            let named = stage.hub().resume_run(who, &run, Some(id)).await;
            assert_eq!(refused(named), Code::NotPaused, "what is hidden is not there");
        }
        let resumed = stage.hub().resume_run(who, &run, None).await.expect("a person can always resume");
        assert_eq!((resumed.state, resumed.pauses.len()), (RunState::Running, 0));
        assert_eq!(stage.checkpoint(&stage.coder, &run).await.verdict, Verdict::Continue);
        let delivery = stage.hub().deliveries(&stage.tester, &asked.id).await.expect("deliveries").remove(0);
        assert!(delivery.handled_at.is_some() && delivery.state == DeliveryState::Stored, "nobody has read it");
        stage.answer(&stage.coder, &asked.id, "two").await.expect("the question is still open");
    }
}

#[tokio::test]
async fn a_question_that_a_run_asks_in_private_is_taken_back_by_whoever_lets_it_go_on() {
    let stage = Stage::new().await;
    let run = stage.start(&stage.coder).await;
    let dm = stage.dm(&stage.coder, &[&stage.tester]).await;
    let question = Some(Ask { run_id: Some(run.clone()), ..Ask::default() });
    let request = PostMessage { blocking: true, question, ..say_in_dm(&dm, "Is it green?") };
    let asked = stage.hub().post_message(&stage.coder, request).await.expect("asked").message;
    assert_eq!(refused(stage.hub().resume_run(&stage.tester, &run, None).await), Code::Forbidden);
    stage.hub().resume_run(&stage.ben, &run, None).await.expect("a person can always resume");
    assert_eq!(stage.state(&run).await, RunState::Running);
    let asked = stage.hub().message(&stage.tester, &asked.id).await.expect("message");
    assert_eq!(asked.question.map(|question| question.state), Some(QuestionState::Withdrawn));
}

#[tokio::test]
async fn the_chronicle_of_a_task_tells_of_its_runs() {
    let stage = Stage::new().await;
    let request = NewTask {
        project_id: stage.project.clone(),
        title: "Release".into(),
        description: None,
        status: parlour_core::task::TaskStatus::default(),
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
    };
    let task = stage.hub().create_task(&stage.mara, request).await.expect("task").id;
    let request = StartRun { task_id: Some(task.clone()), ..StartRun::default() };
    stage.hub().start_run(&stage.coder, request).await.expect("started");
    let moments = stage.hub().task_timeline(&stage.ben, &task, &PageRequest::first()).await.expect("timeline");
    assert_eq!(moments.items.len(), 2);
    let none = TaskId::from_bits(7);
    let stranger = stage.test.person("Eve").await;
    assert_eq!(refused(stage.hub().task_timeline(&stage.ben, &none, &PageRequest::first()).await), Code::NotFound);
    assert_eq!(refused(stage.hub().task_timeline(&stranger, &task, &PageRequest::first()).await), Code::NotFound);
}
