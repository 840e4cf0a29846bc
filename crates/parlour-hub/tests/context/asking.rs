//! Who may ask, and what a request may name.

use parlour_core::{
    Code,
    context::{ContextFormat, ContextRequest},
};

use crate::{
    stage::{Stage, ask, row},
    support::{agent_id, refused},
};

#[tokio::test]
async fn what_the_agent_may_not_read_is_not_there_and_what_the_person_may_not_read_neither() {
    let stage = Stage::new().await;
    let ben = stage.test.person("Ben").await;
    stage.test.join(&stage.project, &ben).await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    stage.test.post(&stage.mara, &secret, "the zebra launch is on Friday").await;
    let shared = stage.test.private_channel(&stage.mara, &stage.project, "shared").await;
    stage.test.hub.add_channel_member(&stage.mara, &shared, &stage.coder.member).await.expect("added");
    stage.test.post(&stage.mara, &shared, "@Coder the zebra launch is on Monday").await;
    stage.say(&stage.mara, "when is the zebra launch?").await;
    let asked = ContextRequest { query: Some("zebra launch".into()), ..stage.here() };
    let own = stage.context(&stage.coder, &asked).await.pack;
    assert!(own.text.contains("Monday") && !own.text.contains("Friday"), "{}", own.text);
    assert!(!own.receipt.items.iter().any(|item| item.text.contains("Friday")));
    let of_ben = stage.context(&ben, &asked).await.pack;
    assert!(!of_ben.text.contains("Monday") && of_ben.text.contains("when is the zebra"), "{}", of_ben.text);
    let of_mara = stage.context(&stage.mara, &asked).await.pack;
    assert!(of_mara.text.contains("Monday") && !of_mara.text.contains("Friday"), "{}", of_mara.text);
}

#[tokio::test]
async fn what_is_named_must_be_there_for_all_who_look() {
    let stage = Stage::new().await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    let hidden = stage.test.post(&stage.mara, &secret, "psst").await.message.id;
    let hub = &stage.test.hub;
    let asks = [
        ContextRequest { conversation_id: Some(secret.into()), ..ContextRequest::default() },
        ContextRequest { message_id: Some(hidden), ..ContextRequest::default() },
        ContextRequest { task_id: Some("tsk_none".parse().expect("id")), ..ContextRequest::default() },
        ContextRequest { run_id: Some("run_none".parse().expect("id")), ..ContextRequest::default() },
    ];
    for (asked, field) in asks.iter().zip(["conversation_id", "message_id", "task_id", "run_id"]) {
        for who in [&stage.coder, &stage.mara] {
            let failure = hub.context(who, &agent_id(&stage.coder), asked).await.expect_err(field);
            let refusal = failure.refusal().expect("a refusal");
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::NotFound, Some(field)));
        }
    }
}

#[tokio::test]
async fn strangers_learn_nothing_of_the_agent() {
    let stage = Stage::new().await;
    let stranger = stage.test.person("Stranger").await;
    let asked = stage.test.hub.context(&stranger, &agent_id(&stage.coder), &ContextRequest::default()).await;
    assert_eq!(refused(asked), Code::NotFound);
}

#[tokio::test]
async fn a_budget_that_is_too_small_is_refused_and_others_are_kept() {
    let stage = Stage::new().await;
    for number in 0..30 {
        stage.say(&stage.mara, &format!("word number {number} of a long talk about the harbour")).await;
    }
    for budget in [0, 1] {
        let asked = ContextRequest { budget: Some(budget), ..stage.here() };
        let made = stage.test.hub.context(&stage.coder, &agent_id(&stage.coder), &asked).await;
        assert_eq!(refused(made), Code::BudgetTooSmall);
    }
    for budget in [300, 512, 4_000] {
        let made = stage.context(&stage.coder, &ContextRequest { budget: Some(budget), ..stage.here() }).await.pack;
        assert!(made.receipt.used <= budget && made.receipt.budget == budget, "{budget}: {}", made.receipt.used);
    }
    let too_much = ContextRequest { budget: Some(1_000_001), ..stage.here() };
    let made = stage.test.hub.context(&stage.coder, &agent_id(&stage.coder), &too_much).await;
    assert_eq!(refused(made), Code::OutOfBounds);
}

#[tokio::test]
async fn the_same_question_has_the_same_answer() {
    let stage = Stage::new().await;
    for number in 0..20 {
        stage.say(&stage.mara, &format!("@Coder item {number}: paint the boat")).await;
    }
    for format in [ContextFormat::Pack, ContextFormat::Injection, ContextFormat::Native, ContextFormat::Last20] {
        let asked = ContextRequest { format, ..stage.here() };
        assert_eq!(stage.context(&stage.coder, &asked).await, stage.context(&stage.coder, &asked).await);
    }
}

#[tokio::test]
async fn what_was_told_is_not_told_again() {
    let stage = Stage::new().await;
    let known = stage.say(&stage.mara, "@Coder the mast is broken").await;
    let asked = ContextRequest { told: vec![known.clone()], ..ask(ContextFormat::Injection) };
    let made = stage.context(&stage.coder, &asked).await.pack;
    assert!(!made.text.contains("mast"), "{}", made.text);
    let row = row(&made.receipt, known.as_str()).expect("a row");
    assert_eq!(row.left_out, Some(parlour_core::context::OmissionReason::Told));
}
