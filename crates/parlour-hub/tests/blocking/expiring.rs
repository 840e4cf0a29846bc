use parlour_core::{
    Code,
    delivery::DeliveryState,
    id::MessageId,
    question::{Ask, QuestionState},
    run::RunState,
};

use super::{
    leases::until,
    stage::{Stage, choice},
};
use crate::support::refused;

fn soon(ask: Ask) -> Ask {
    Ask { expires_in_seconds: Some(60), ..ask }
}

async fn until_closed(stage: &Stage, id: &MessageId) {
    while stage.asked(id).await.is_open() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_time_is_over_the_default_counts_and_says_so() {
    let stage = Stage::live().await;
    let late = stage.ask(&stage.mara, "@Coder, tomorrow?").await;
    let (run, asked) = stage.waiting_run("@Mara or @Tester, keep it?", soon(choice(&["keep", "drop"]))).await;
    stage.test.clock.advance(59_999);
    assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Open);
    stage.test.clock.advance(1);
    until(&stage, &run, RunState::Running).await;
    let question = stage.asked(&asked.id).await;
    assert_eq!(question.state, QuestionState::Expired);
    assert!(question.answer.is_some_and(|answer| answer.is_default && answer.option.as_deref() == Some("keep")));
    assert_eq!(stage.asked(&late.id).await.state, QuestionState::Open);
    let detail = stage.timeline(&run).await.pop().and_then(|(_, detail)| detail);
    assert_eq!(detail.as_deref(), Some("expired: default keep it"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_agent_has_not_seen_of_an_expired_question_has_expired_too() {
    let stage = Stage::live().await;
    let asked = stage.ask_with(&stage.mara, "@Coder and @Tester, which one?", soon(Ask::default())).await;
    stage.hub().mark_read(&stage.tester, &asked.id, None).await.expect("read");
    stage.test.clock.advance(60_000);
    until_closed(&stage, &asked.id).await;
    let deliveries = stage.hub().deliveries(&stage.mara, &asked.id).await.expect("deliveries");
    let state_of = |member| deliveries.iter().find(|one| one.recipient == member).map(|one| one.state);
    assert_eq!(state_of(stage.coder.member.clone()), Some(DeliveryState::Expired));
    assert_eq!(state_of(stage.tester.member.clone()), Some(DeliveryState::Seen));
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_refused_even_if_nobody_has_noticed_yet() {
    let stage = Stage::new().await;
    let (run, asked) = stage.waiting_run("@Mara, keep it?", soon(choice(&["keep", "drop"]))).await;
    stage.test.clock.advance(60_000);
    let late = stage.choose(&stage.mara, &asked.id, "drop").await.expect_err("too late");
    let refusal = late.refusal().expect("a refusal");
    assert_eq!(refusal.code, Code::QuestionClosed);
    assert!(refusal.detail.contains("default"), "{refusal}");
    assert_eq!(
        (stage.asked(&asked.id).await.state, stage.state(&run).await),
        (QuestionState::Expired, RunState::Running)
    );
    assert_eq!(refused(stage.hub().withdraw_question(&stage.coder, &asked.id).await), Code::QuestionClosed);
}

#[tokio::test]
async fn a_reply_that_comes_too_late_is_a_message_like_any_other() {
    let stage = Stage::new().await;
    let asked = stage.ask_with(&stage.coder, "@Mara, keep it?", soon(choice(&["keep", "drop"]))).await;
    stage.test.clock.advance(60_000);
    let posted = stage.reply(&stage.mara, &asked, "drop").await;
    assert_eq!(posted.message.answer_to, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_is_asked_later_but_expires_sooner_is_not_overslept() {
    let stage = Stage::live().await;
    stage.ask(&stage.mara, "@Coder, tomorrow?").await;
    // Any sleeper now waits for tomorrow.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let asked = stage.ask_with(&stage.mara, "@Coder, now?", soon(Ask::default())).await;
    stage.test.clock.advance(60_000);
    until_closed(&stage, &asked.id).await;
    assert_eq!(stage.asked(&asked.id).await.state, QuestionState::Expired);
}
