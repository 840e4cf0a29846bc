//! Recovery from a crash between two writes, by the next start or by the running hub.

use std::sync::Arc;

use parlour_core::{
    access::Principal,
    attribution::Attribution,
    delivery::DeliveryState,
    id::MessageId,
    question::{Answer, NewQuestion, QuestionState, Settlement},
    run::RunState,
    write::{Entry, Write},
};
use parlour_hub::ports::{Clock as _, Log as _};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    fixture::BlockingFixture,
    leases::{advance_until_failed, long_question, until},
};

/// Writes directly to the store, as a hub that crashed after this write.
async fn write(fixture: &BlockingFixture, who: Option<&Principal>, write: Write) {
    let now = fixture.test.clock.now();
    let attribution = who.map_or_else(|| Attribution::of_host(now), |who| who.attribution(now));
    fixture
        .test
        .store()
        .append(Entry { project_id: fixture.project.clone(), attribution, write })
        .await
        .expect("written");
}

fn answered() -> Settlement {
    let text = Some("yes".into());
    Settlement::Answered(Answer { option: None, value: None, text, message_id: None, is_default: false })
}

/// A restarted hub over the same store.
fn restarted_hub(fixture: &mut BlockingFixture) -> DropGuard {
    fixture.running = None;
    let stop = CancellationToken::new();
    tokio::spawn(Arc::new(fixture.test.forgetful()).drive(stop.clone()));
    stop.drop_guard()
}

async fn settle(fixture: &BlockingFixture, id: &MessageId, settlement: Settlement) {
    write(fixture, Some(&fixture.mara), Write::SettleQuestion(id.clone(), settlement)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_question_ended_before_a_restart_resumes() {
    for settlement in [answered(), Settlement::Expired, Settlement::Withdrawn] {
        let mut fixture = BlockingFixture::new().await;
        let (waiting, asked) = fixture.waiting_run("@Tester, is it green?", NewQuestion::default()).await;
        let blocked = fixture.start(&fixture.tester).await;
        fixture.checkpoint(&fixture.tester, &blocked).await;
        settle(&fixture, &asked.id, settlement).await;
        assert_eq!(
            (fixture.state(&waiting).await, fixture.state(&blocked).await),
            (RunState::Paused, RunState::Paused)
        );
        let _running = restarted_hub(&mut fixture);
        until(&fixture, &waiting, RunState::Running).await;
        until(&fixture, &blocked, RunState::Running).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_question_was_removed_before_a_restart_resumes() {
    let mut fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    write(&fixture, Some(&fixture.mara), Write::RemoveMessage(asked.id.clone())).await;
    let _running = restarted_hub(&mut fixture);
    until(&fixture, &run, RunState::Running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_resumes_even_if_the_answering_request_was_cut_off() {
    let fixture = BlockingFixture::live().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    settle(&fixture, &asked.id, answered()).await;
    until(&fixture, &run, RunState::Running).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_expired_while_the_hub_was_down_ends_at_its_start() {
    let mut fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Tester, is it green?", NewQuestion::default()).await;
    fixture.test.clock.advance(24 * 60 * 60 * 1_000);
    let _running = restarted_hub(&mut fixture);
    until(&fixture, &run, RunState::Running).await;
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Expired);
    let delivery = fixture.hub().deliveries(&fixture.mara, &asked.id).await.expect("deliveries").remove(0);
    assert_eq!(delivery.state, DeliveryState::Expired);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_run_survives_every_restart_and_can_still_be_answered() {
    let mut fixture = BlockingFixture::live().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", long_question()).await;
    let witness = fixture.start(&fixture.tester).await;
    for _ in 0..2 {
        let _running = restarted_hub(&mut fixture);
        fixture.test.clock.advance(10_000);
        tokio::task::yield_now().await;
    }
    let _running = restarted_hub(&mut fixture);
    // All leases of this hub expire; a paused run has none.
    advance_until_failed(&fixture, &witness).await;
    assert_eq!(fixture.state(&run).await, RunState::Paused);
    fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(fixture.state(&run).await, RunState::Running);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_finish_was_cut_off_fails_when_its_lease_ends() {
    let mut fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    write(&fixture, Some(&fixture.coder), Write::SettleQuestion(asked.id.clone(), Settlement::Withdrawn)).await;
    let _running = restarted_hub(&mut fixture);
    until(&fixture, &run, RunState::Running).await;
    while fixture.state(&run).await == RunState::Running {
        fixture.test.clock.advance(120_000);
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.state(&run).await, RunState::Failed);
}
