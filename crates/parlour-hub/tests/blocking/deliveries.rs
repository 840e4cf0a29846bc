use parlour_core::{
    Code,
    access::Principal,
    delivery::{Delivery, DeliveryPath, DeliveryState, DeliveryStep},
    id::MessageId,
    run::StartRun,
};
use parlour_hub::{Failure, use_cases::ReportDeliveries};

use super::fixture::{BlockingFixture, say_in_dm};
use crate::support::refused;

async fn report(
    fixture: &BlockingFixture,
    who: &Principal,
    ids: &[&MessageId],
    step: DeliveryStep,
) -> Result<Vec<Delivery>, Failure> {
    let message_ids = ids.iter().map(|id| (*id).clone()).collect();
    fixture.hub().report_deliveries(who, ReportDeliveries { agent_id: None, message_ids, step }).await
}

fn injected() -> DeliveryStep {
    DeliveryStep { delivered_via: Some(DeliveryPath::Tool), ..DeliveryStep::to(DeliveryState::Injected) }
}

#[tokio::test]
async fn a_delivery_has_the_furthest_reported_state() {
    let fixture = BlockingFixture::new().await;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let state = async || fixture.hub().deliveries(&fixture.ben, &said.id).await.expect("deliveries")[0].state;
    assert_eq!(state().await, DeliveryState::Stored);
    let step = DeliveryStep::to(DeliveryState::Queued);
    assert_eq!(
        report(&fixture, &fixture.coder, &[&said.id], step.clone()).await.expect("queued")[0].state,
        DeliveryState::Queued
    );
    assert_eq!(state().await, DeliveryState::Queued);
    report(&fixture, &fixture.coder, &[&said.id], injected()).await.expect("injected");
    let behind = report(&fixture, &fixture.coder, &[&said.id], step).await.expect("an earlier state changes nothing");
    assert_eq!((behind[0].state, behind[0].delivered_via), (DeliveryState::Injected, Some(DeliveryPath::Tool)));
    report(&fixture, &fixture.coder, &[&said.id], DeliveryStep::to(DeliveryState::Seen)).await.expect("seen");
    assert_eq!((state().await, fixture.test.inbox(&fixture.coder).await), (DeliveryState::Seen, vec![]));
    fixture.reply(&fixture.coder, &said, "Looked").await;
    assert_eq!(state().await, DeliveryState::Answered);
}

#[tokio::test]
async fn a_message_that_a_person_reads_becomes_seen() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.ben, &fixture.coder]).await;
    let said = fixture.hub().post_message(&fixture.mara, say_in_dm(&dm, "Look")).await.expect("posted").message;
    let states = async || {
        let found = fixture.hub().deliveries(&fixture.mara, &said.id).await.expect("deliveries");
        found.into_iter().map(|one| (one.recipient, one.state)).collect::<Vec<_>>()
    };
    let (coder, ben) = (fixture.coder.member.clone(), fixture.ben.member.clone());
    let stored = DeliveryState::Stored;
    assert_eq!(states().await, [(coder.clone(), stored), (ben.clone(), stored)]);
    fixture.hub().mark_read(&fixture.ben, &said.id, None).await.expect("read");
    assert_eq!(states().await, [(coder, stored), (ben, DeliveryState::Seen)]);
}

#[tokio::test]
async fn reports_for_other_agents_and_about_unreadable_messages_are_refused() {
    let fixture = BlockingFixture::new().await;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    assert_eq!(refused(report(&fixture, &fixture.tester, &[&said.id], injected()).await), Code::NotFound);
    assert_eq!(refused(report(&fixture, &fixture.mara, &[&said.id], injected()).await), Code::WrongShape);
    let for_coder = ReportDeliveries {
        agent_id: fixture.coder.member.agent().cloned(),
        message_ids: vec![said.id.clone()],
        step: injected(),
    };
    for who in [&fixture.tester, &fixture.mara] {
        assert_eq!(refused(fixture.hub().report_deliveries(who, for_coder.clone()).await), Code::Forbidden);
    }
    fixture.hub().report_deliveries(&fixture.test.admin, for_coder).await.expect("an administrator may");
    let private = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let hidden = fixture.test.post(&fixture.mara, &private, "Hello").await.message;
    for id in [&hidden.id, &MessageId::from_bits(7)] {
        assert_eq!(refused(report(&fixture, &fixture.coder, &[id], injected()).await), Code::NotFound);
        assert_eq!(refused(fixture.hub().deliveries(&fixture.coder, id).await), Code::NotFound);
    }
}

#[tokio::test]
async fn invalid_delivery_reports_are_refused() {
    let fixture = BlockingFixture::new().await;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    for state in [DeliveryState::Stored, DeliveryState::Answered, DeliveryState::Expired] {
        let step = DeliveryStep::to(state);
        assert_eq!(refused(report(&fixture, &fixture.coder, &[&said.id], step).await), Code::WrongShape);
    }
    assert_eq!(refused(report(&fixture, &fixture.coder, &[], injected()).await), Code::OutOfBounds);
    let many: Vec<&MessageId> = std::iter::repeat_n(&said.id, 201).collect();
    assert_eq!(refused(report(&fixture, &fixture.coder, &many, injected()).await), Code::OutOfBounds);
    let foreign = DeliveryStep { run_id: Some(fixture.start(&fixture.tester).await), ..injected() };
    assert_eq!(refused(report(&fixture, &fixture.coder, &[&said.id], foreign).await), Code::NotFound);
}

#[tokio::test]
async fn a_ledger_does_not_name_runs_of_other_conversations() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder]).await;
    let hidden = StartRun { dm_id: Some(dm), ..StartRun::default() };
    let hidden = fixture.hub().start_run(&fixture.coder, hidden).await.expect("started").id;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let elsewhere = DeliveryStep { run_id: Some(hidden), ..injected() };
    let deliveries = report(&fixture, &fixture.coder, &[&said.id], elsewhere).await.expect("injected");
    assert_eq!((deliveries[0].state, deliveries[0].run_id.clone()), (DeliveryState::Injected, None));
    let here = fixture.start(&fixture.coder).await;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let step = DeliveryStep { run_id: Some(here.clone()), ..injected() };
    assert_eq!(report(&fixture, &fixture.coder, &[&said.id], step).await.expect("injected")[0].run_id, Some(here));
}

#[tokio::test]
async fn deliveries_injected_into_a_run_fail_when_it_is_cancelled() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.start(&fixture.coder).await;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let step = DeliveryStep { run_id: Some(run.clone()), ..injected() };
    report(&fixture, &fixture.coder, &[&said.id], step).await.expect("injected");
    fixture.hub().cancel_run(&fixture.mara, &run, None).await.expect("stopped");
    let delivery = fixture.hub().deliveries(&fixture.mara, &said.id).await.expect("deliveries").remove(0);
    assert!(delivery.state == DeliveryState::Failed && delivery.why.is_some(), "{delivery:?}");
}

#[tokio::test]
async fn a_run_without_a_conversation_is_named_in_the_ledger_and_its_cancellation_fails_its_deliveries() {
    let fixture = BlockingFixture::new().await;
    let run = fixture.hub().start_run(&fixture.coder, StartRun::default()).await.expect("started").id;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let step = DeliveryStep { run_id: Some(run.clone()), ..injected() };
    let deliveries = report(&fixture, &fixture.coder, &[&said.id], step).await.expect("injected");
    assert_eq!(deliveries[0].run_id, Some(run.clone()), "the whole project sees it");
    fixture.hub().cancel_run(&fixture.mara, &run, Some("out of time".into())).await.expect("stopped");
    let delivery = fixture.hub().deliveries(&fixture.mara, &said.id).await.expect("deliveries").remove(0);
    assert_eq!(delivery.state, DeliveryState::Failed);
    assert_eq!(delivery.why.as_deref(), Some("the run ended while it was paused: out of time"));
}

#[tokio::test]
async fn a_cancelled_run_of_another_conversation_gives_no_reason_in_the_ledger() {
    let fixture = BlockingFixture::new().await;
    let dm = fixture.dm(&fixture.mara, &[&fixture.coder]).await;
    let hidden = StartRun { dm_id: Some(dm), ..StartRun::default() };
    let hidden = fixture.hub().start_run(&fixture.coder, hidden).await.expect("started").id;
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let step = DeliveryStep { run_id: Some(hidden.clone()), ..injected() };
    report(&fixture, &fixture.coder, &[&said.id], step).await.expect("injected");
    fixture.hub().cancel_run(&fixture.mara, &hidden, Some("a private reason".into())).await.expect("stopped");
    let delivery = fixture.hub().deliveries(&fixture.ben, &said.id).await.expect("deliveries").remove(0);
    assert_eq!((delivery.state, delivery.run_id), (DeliveryState::Failed, None));
    assert_eq!(delivery.why.as_deref(), Some("the run ended while it was paused"));
}
