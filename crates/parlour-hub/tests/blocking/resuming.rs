use parlour_core::{
    Code,
    checkpoint::Verdict,
    delivery::DeliveryState,
    question::{Ask, QuestionState},
    run::RunState,
};

use super::fixture::BlockingFixture;
use crate::support::refused;

#[tokio::test]
async fn what_an_agent_has_handled_pauses_none_of_its_runs_again() {
    let fixture = BlockingFixture::new().await;
    let (first, asked) = fixture.blocked_run().await;
    let second = fixture.start(&fixture.coder).await;
    fixture.checkpoint(&fixture.coder, &second).await;
    let run = fixture.hub().resume_run(&fixture.coder, &first, Some(&asked.id)).await.expect("resumed");
    assert_eq!((run.state, run.pauses.len()), (RunState::Running, 0));
    for run in [&first, &second] {
        assert_eq!(fixture.state(run).await, RunState::Running);
        assert_eq!(fixture.checkpoint(&fixture.coder, run).await.verdict, Verdict::Continue);
    }
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Open, "others may still answer");
    let delivery = fixture.hub().deliveries(&fixture.mara, &asked.id).await.expect("deliveries").remove(0);
    assert!(delivery.handled_at.is_some() && delivery.state == DeliveryState::Seen, "{delivery:?}");
    let detail = fixture.timeline(&first).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("handled by Coder"));
}

#[tokio::test]
async fn an_agent_does_not_resume_from_its_own_question() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", Ask::default()).await;
    for message in [None, Some(&asked.id)] {
        assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, message).await), Code::Forbidden);
    }
    assert_eq!(fixture.state(&run).await, RunState::Paused);
}

#[tokio::test]
async fn a_person_always_lets_a_run_go_on_and_its_question_is_taken_back() {
    let fixture = BlockingFixture::new().await;
    let (run, own) = fixture.waiting_run("@Mara, keep it?", Ask::default()).await;
    let foreign = fixture.ask(&fixture.mara, "@Coder, which version?").await;
    fixture.checkpoint(&fixture.coder, &run).await;
    assert_eq!(fixture.run(&run).await.pauses.len(), 2);
    let resumed = fixture.hub().resume_run(&fixture.ben, &run, None).await.expect("resumed");
    assert_eq!(resumed.state, RunState::Running);
    assert_eq!(fixture.asked(&own.id).await.state, QuestionState::Withdrawn);
    assert_eq!(fixture.asked(&foreign.id).await.state, QuestionState::Open);
    assert_eq!(fixture.checkpoint(&fixture.coder, &run).await.verdict, Verdict::Continue);
}

#[tokio::test]
async fn only_what_pauses_a_run_can_be_resumed_from() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.blocked_run().await;
    let other = fixture.ask(&fixture.mara, "@Tester, is it green?").await;
    assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, Some(&other.id)).await), Code::NotPaused);
    fixture.hub().resume_run(&fixture.coder, &run, Some(&asked.id)).await.expect("resumed");
    assert_eq!(refused(fixture.hub().resume_run(&fixture.coder, &run, None).await), Code::NotPaused);
}

#[tokio::test]
async fn neither_other_agents_nor_programs_let_a_run_go_on() {
    let fixture = BlockingFixture::new().await;
    let (run, _) = fixture.blocked_run().await;
    for who in [&fixture.tester, &fixture.applet().await] {
        assert_eq!(refused(fixture.hub().resume_run(who, &run, None).await), Code::Forbidden);
        assert_eq!(refused(fixture.hub().cancel_run(who, &run, None).await), Code::Forbidden);
    }
    assert_eq!(fixture.state(&run).await, RunState::Paused);
}
