use parlour_core::{
    Code,
    checkpoint::CheckpointDecision,
    delivery::DeliveryState,
    question::{NewQuestion, QuestionState},
    run::RunState,
};

use super::fixture::BlockingFixture;
use crate::support::refused;

#[tokio::test]
async fn a_handled_message_pauses_no_run_of_the_agent_again() {
    let fixture = BlockingFixture::new().await;
    let (first, asked) = fixture.blocked_run().await;
    let second = fixture.start(&fixture.coder).await;
    fixture.checkpoint(&fixture.coder, &second).await;
    let run = fixture.hub().resume_run(&fixture.coder, &first, Some(&asked.id)).await.expect("resumed");
    assert_eq!((run.state, run.pauses.len()), (RunState::Running, 0));
    for run in [&first, &second] {
        assert_eq!(fixture.state(run).await, RunState::Running);
        assert_eq!(fixture.checkpoint(&fixture.coder, run).await.verdict, CheckpointDecision::Continue);
    }
    let question = fixture.asked(&asked.id).await;
    assert_eq!((question.state, question.unanswered_by.len()), (QuestionState::Unanswered, 1));
    let delivery = fixture.hub().deliveries(&fixture.mara, &asked.id).await.expect("deliveries").remove(0);
    assert!(delivery.handled_at.is_some() && delivery.state == DeliveryState::Seen, "{delivery:?}");
    let detail = fixture.timeline(&first).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("handled by Coder"));
}

#[tokio::test]
async fn an_agent_cannot_resume_from_its_own_question() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    for message in [None, Some(&asked.id)] {
        assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, message).await), Code::Forbidden);
    }
    assert_eq!(fixture.state(&run).await, RunState::Paused);
}

#[tokio::test]
async fn a_person_can_always_resume_a_run_and_its_question_is_withdrawn() {
    let fixture = BlockingFixture::new().await;
    let (run, own) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    let foreign = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    fixture.checkpoint(&fixture.coder, &run).await;
    assert_eq!(fixture.run(&run).await.pauses.len(), 2);
    let resumed = fixture.hub().resume_run(&fixture.ben, &run, None).await.expect("resumed");
    assert_eq!(resumed.state, RunState::Running);
    assert_eq!(fixture.asked(&own.id).await.state, QuestionState::Withdrawn);
    assert_eq!(fixture.asked(&foreign.id).await.state, QuestionState::Open);
    assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.verdict, CheckpointDecision::Continue);
}

#[tokio::test]
async fn a_run_resumes_only_from_messages_that_pause_it() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.blocked_run().await;
    let other = fixture.ask(&fixture.mara, "@Tester, is it green?").await;
    assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, Some(&other.id)).await), Code::NotPaused);
    fixture.hub().resume_run(&fixture.coder, &run, Some(&asked.id)).await.expect("resumed");
    assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, None).await), Code::NotPaused);
}

#[tokio::test]
async fn other_agents_and_programs_cannot_resume_a_run() {
    let fixture = BlockingFixture::new().await;
    let (run, _) = fixture.blocked_run().await;
    for who in [&fixture.tester, &fixture.applet().await] {
        assert_eq!(refused(fixture.hub().resume_run(who, &run, None).await), Code::Forbidden);
        assert_eq!(refused(fixture.hub().cancel_run(who, &run, None).await), Code::Forbidden);
    }
    assert_eq!(fixture.state(&run).await, RunState::Paused);
}
