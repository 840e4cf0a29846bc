use parlour_core::{
    Code,
    checkpoint::Verdict,
    delivery::DeliveryState,
    question::{Ask, QuestionState},
    run::RunState,
};

use super::stage::Stage;
use crate::support::refused;

#[tokio::test]
async fn what_an_agent_has_handled_pauses_none_of_its_runs_again() {
    let stage = Stage::new().await;
    let (first, asked) = stage.blocked_run().await;
    let second = stage.start(&stage.coder).await;
    stage.checkpoint(&stage.coder, &second).await;
    let run = stage.hub().resume_run(&stage.coder, &first, Some(&asked.id)).await.expect("resumed");
    assert_eq!((run.state, run.pauses.len()), (RunState::Running, 0));
    for run in [&first, &second] {
        assert_eq!(stage.state(run).await, RunState::Running);
        assert_eq!(stage.checkpoint(&stage.coder, run).await.verdict, Verdict::Continue);
    }
    assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Open, "others may still answer");
    let delivery = stage.hub().deliveries(&stage.mara, &asked.id).await.expect("deliveries").remove(0);
    assert!(delivery.handled_at.is_some() && delivery.state == DeliveryState::Seen, "{delivery:?}");
    let detail = stage.timeline(&first).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("handled by Coder"));
}

#[tokio::test]
async fn an_agent_does_not_resume_from_its_own_question() {
    let stage = Stage::new().await;
    let (run, asked) = stage.waiting_run("@Mara, keep it?", Ask::default()).await;
    for message in [None, Some(&asked.id)] {
        assert_eq!(refused(stage.hub().resume_run(&stage.coder, &run, message).await), Code::Forbidden);
    }
    assert_eq!(stage.state(&run).await, RunState::Paused);
}

#[tokio::test]
async fn a_person_always_lets_a_run_go_on_and_its_question_is_taken_back() {
    let stage = Stage::new().await;
    let (run, own) = stage.waiting_run("@Mara, keep it?", Ask::default()).await;
    let foreign = stage.ask(&stage.mara, "@Coder, which version?").await;
    stage.checkpoint(&stage.coder, &run).await;
    assert_eq!(stage.run(&run).await.pauses.len(), 2);
    let resumed = stage.hub().resume_run(&stage.ben, &run, None).await.expect("resumed");
    assert_eq!(resumed.state, RunState::Running);
    assert_eq!(stage.asked(&own.id).await.state, QuestionState::Withdrawn);
    assert_eq!(stage.asked(&foreign.id).await.state, QuestionState::Open);
    assert_eq!(stage.checkpoint(&stage.coder, &run).await.verdict, Verdict::Continue);
}

#[tokio::test]
async fn only_what_pauses_a_run_can_be_resumed_from() {
    let stage = Stage::new().await;
    let (run, asked) = stage.blocked_run().await;
    let other = stage.ask(&stage.mara, "@Tester, is it green?").await;
    assert_eq!(refused(stage.hub().resume_run(&stage.coder, &run, Some(&other.id)).await), Code::NotPaused);
    stage.hub().resume_run(&stage.coder, &run, Some(&asked.id)).await.expect("resumed");
    assert_eq!(refused(stage.hub().resume_run(&stage.coder, &run, None).await), Code::NotPaused);
}

#[tokio::test]
async fn neither_other_agents_nor_programs_let_a_run_go_on() {
    let stage = Stage::new().await;
    let (run, _) = stage.blocked_run().await;
    for who in [&stage.tester, &stage.applet().await] {
        assert_eq!(refused(stage.hub().resume_run(who, &run, None).await), Code::Forbidden);
        assert_eq!(refused(stage.hub().cancel_run(who, &run, None).await), Code::Forbidden);
    }
    assert_eq!(stage.state(&run).await, RunState::Paused);
}
