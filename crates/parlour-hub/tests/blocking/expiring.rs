use parlour_core::{
    Code,
    delivery::DeliveryState,
    id::MessageId,
    question::{NewQuestion, QuestionState},
    run::RunState,
};

use super::{
    fixture::{BlockingFixture, choice},
    leases::until,
};
use crate::support::refused;

fn soon(ask: NewQuestion) -> NewQuestion {
    NewQuestion { expires_in_seconds: Some(60), ..ask }
}

async fn until_closed(fixture: &BlockingFixture, id: &MessageId) {
    while fixture.asked(id).await.is_open() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_question_gets_its_default_answer() {
    let fixture = BlockingFixture::live().await;
    let late = fixture.ask(&fixture.mara, "@Coder, tomorrow?").await;
    let (run, asked) = fixture.waiting_run("@Mara or @Tester, keep it?", soon(choice(&["keep", "drop"]))).await;
    fixture.test.clock.advance(59_999);
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Open);
    fixture.test.clock.advance(1);
    until(&fixture, &run, RunState::Running).await;
    let question = fixture.asked(&asked.id).await;
    assert_eq!(question.state, QuestionState::Expired);
    assert!(question.answer.is_some_and(|answer| answer.is_default && answer.option.as_deref() == Some("keep")));
    assert_eq!(fixture.asked(&late.id).await.state, QuestionState::Open);
    let detail = fixture.timeline(&run).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("expired: default keep it"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unseen_deliveries_of_an_expired_question_expire() {
    let fixture = BlockingFixture::live().await;
    let asked = fixture.ask_with(&fixture.mara, "@Coder and @Tester, which one?", soon(NewQuestion::default())).await;
    fixture.hub().mark_read(&fixture.tester, &asked.id, None).await.expect("read");
    fixture.test.clock.advance(60_000);
    until_closed(&fixture, &asked.id).await;
    let deliveries = fixture.hub().deliveries(&fixture.mara, &asked.id).await.expect("deliveries");
    let state_of = |member| deliveries.iter().find(|one| one.recipient == member).map(|one| one.state);
    assert_eq!(state_of(fixture.coder.member.clone()), Some(DeliveryState::Expired));
    assert_eq!(state_of(fixture.tester.member.clone()), Some(DeliveryState::Seen));
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_refused_and_expires_the_question() {
    let fixture = BlockingFixture::new().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", soon(choice(&["keep", "drop"]))).await;
    fixture.test.clock.advance(60_000);
    let late = fixture.choose(&fixture.mara, &asked.id, "drop").await.expect_err("too late");
    let refusal = late.refusal().expect("a refusal");
    assert_eq!(refusal.code, Code::QuestionClosed);
    assert!(refusal.detail.contains("default"), "{refusal}");
    assert_eq!(
        (fixture.asked(&asked.id).await.state, fixture.state(&run).await),
        (QuestionState::Expired, RunState::Running)
    );
    assert_eq!(refused(fixture.hub().withdraw_question(&fixture.coder, &asked.id).await), Code::QuestionClosed);
}

#[tokio::test]
async fn a_reply_after_the_deadline_is_a_plain_message() {
    let fixture = BlockingFixture::new().await;
    let asked = fixture.ask_with(&fixture.coder, "@Mara, keep it?", soon(choice(&["keep", "drop"]))).await;
    fixture.test.clock.advance(60_000);
    let posted = fixture.reply(&fixture.mara, &asked, "drop").await;
    assert_eq!(posted.message.answer_to, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_question_with_an_earlier_deadline_expires_on_time() {
    let fixture = BlockingFixture::live().await;
    fixture.ask(&fixture.mara, "@Coder, tomorrow?").await;
    // The timer is now set to tomorrow.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let asked = fixture.ask_with(&fixture.mara, "@Coder, now?", soon(NewQuestion::default())).await;
    fixture.test.clock.advance(60_000);
    until_closed(&fixture, &asked.id).await;
    assert_eq!(fixture.asked(&asked.id).await.state, QuestionState::Expired);
}
