//! Context requests: access, references, budgets and stored packs.

use parlour_core::{
    Code,
    context::{ContextFormat, ContextRequest, OmissionReason},
    delivery::DeliveryPath,
    paging::PageRequest,
    run::StartRun,
};

use crate::{
    fixture::{ContextFixture, ask, row},
    support::{agent_id, refused},
};

#[tokio::test]
async fn a_pack_contains_only_messages_that_agent_and_caller_may_read() {
    let fixture = ContextFixture::new().await;
    let ben = fixture.test.person("Ben").await;
    fixture.test.join(&fixture.project, &ben).await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.test.post(&fixture.mara, &secret, "the zebra launch is on Friday").await;
    let shared = fixture.test.private_channel(&fixture.mara, &fixture.project, "shared").await;
    fixture.test.hub.add_channel_member(&fixture.mara, &shared, &fixture.coder.member).await.expect("added");
    fixture.test.post(&fixture.mara, &shared, "@Coder the zebra launch is on Monday").await;
    fixture.say(&fixture.mara, "when is the zebra launch?").await;
    let asked = ContextRequest { query: Some("zebra launch".into()), ..fixture.here() };
    let own = fixture.context(&fixture.coder, &asked).await.pack;
    assert!(own.text.contains("Monday") && !own.text.contains("Friday"), "{}", own.text);
    assert!(!own.receipt.items.iter().any(|item| item.text.contains("Friday")));
    let of_ben = fixture.context(&ben, &asked).await.pack;
    assert!(!of_ben.text.contains("Monday") && of_ben.text.contains("when is the zebra"), "{}", of_ben.text);
    let of_mara = fixture.context(&fixture.mara, &asked).await.pack;
    assert!(of_mara.text.contains("Monday") && !of_mara.text.contains("Friday"), "{}", of_mara.text);
}

#[tokio::test]
async fn names_in_a_request_must_be_visible_to_caller_and_agent() {
    let fixture = ContextFixture::new().await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let hidden = fixture.test.post(&fixture.mara, &secret, "psst").await.message.id;
    let hub = &fixture.test.hub;
    let asks = [
        ContextRequest { conversation_id: Some(secret.into()), ..ContextRequest::default() },
        ContextRequest { message_id: Some(hidden), ..ContextRequest::default() },
        ContextRequest { task_id: Some("tsk_none".parse().expect("id")), ..ContextRequest::default() },
        ContextRequest { run_id: Some("run_none".parse().expect("id")), ..ContextRequest::default() },
    ];
    for (asked, field) in asks.iter().zip(["conversation_id", "message_id", "task_id", "run_id"]) {
        for who in [&fixture.coder, &fixture.mara] {
            let failure = hub.context(who, &agent_id(&fixture.coder), asked).await.expect_err(field);
            let refusal = failure.refusal().expect("a refusal");
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::NotFound, Some(field)));
        }
    }
}

#[tokio::test]
async fn non_members_do_not_find_the_agent() {
    let fixture = ContextFixture::new().await;
    let stranger = fixture.test.person("Stranger").await;
    let asked = fixture.test.hub.context(&stranger, &agent_id(&fixture.coder), &ContextRequest::default()).await;
    assert_eq!(refused(asked), Code::NotFound);
}

#[tokio::test]
async fn a_pack_keeps_its_budget_and_invalid_budgets_are_refused() {
    let fixture = ContextFixture::new().await;
    for number in 0..30 {
        fixture.say(&fixture.mara, &format!("word number {number} of a long talk about the harbour")).await;
    }
    for budget in [0, 1] {
        let asked = ContextRequest { budget: Some(budget), ..fixture.here() };
        let made = fixture.test.hub.context(&fixture.coder, &agent_id(&fixture.coder), &asked).await;
        assert_eq!(refused(made), Code::BudgetTooSmall);
    }
    for budget in [300, 512, 4_000] {
        let made =
            fixture.context(&fixture.coder, &ContextRequest { budget: Some(budget), ..fixture.here() }).await.pack;
        assert!(made.receipt.used <= budget && made.receipt.budget == budget, "{budget}: {}", made.receipt.used);
    }
    let too_much = ContextRequest { budget: Some(1_000_001), ..fixture.here() };
    let made = fixture.test.hub.context(&fixture.coder, &agent_id(&fixture.coder), &too_much).await;
    assert_eq!(refused(made), Code::OutOfBounds);
}

#[tokio::test]
async fn the_same_request_returns_the_same_context() {
    let fixture = ContextFixture::new().await;
    for number in 0..20 {
        fixture.say(&fixture.mara, &format!("@Coder item {number}: paint the boat")).await;
    }
    for format in [ContextFormat::Pack, ContextFormat::Injection, ContextFormat::Native, ContextFormat::Last20] {
        let asked = ContextRequest { format, ..fixture.here() };
        assert_eq!(fixture.context(&fixture.coder, &asked).await, fixture.context(&fixture.coder, &asked).await);
    }
}

#[tokio::test]
async fn messages_that_the_agent_already_has_are_left_out_of_the_pack() {
    let fixture = ContextFixture::new().await;
    let known = fixture.say(&fixture.mara, "@Coder the mast is broken").await;
    let asked = ContextRequest { told: vec![known.clone()], ..ask(ContextFormat::Injection) };
    let made = fixture.context(&fixture.coder, &asked).await.pack;
    assert!(!made.text.contains("mast"), "{}", made.text);
    let row = row(&made.receipt, known.as_str()).expect("a row");
    assert_eq!(row.left_out, Some(OmissionReason::Told));
}

#[tokio::test]
async fn only_packs_for_an_open_run_of_the_agent_are_stored() {
    let fixture = ContextFixture::new().await;
    fixture.say(&fixture.mara, "@Coder hello").await;
    let hub = &fixture.test.hub;
    let run = hub.start_run(&fixture.coder, StartRun::default()).await.expect("run");
    let asked =
        ContextRequest { run_id: Some(run.id.clone()), delivered_via: Some(DeliveryPath::Tool), ..fixture.here() };
    assert_eq!(refused(hub.context(&fixture.mara, &agent_id(&fixture.coder), &asked).await), Code::Forbidden);
    assert_eq!(fixture.context(&fixture.coder, &fixture.here()).await.pack.injection_id, None);
    let made = fixture.context(&fixture.coder, &asked).await.pack;
    let kept = hub.injections(&fixture.coder, &run.id, &PageRequest::first()).await.expect("list").items;
    let ids: Vec<_> = kept.iter().map(|one| (Some(one.id.clone()), one.delivered_via, one.text.clone())).collect();
    assert_eq!(ids, [(made.injection_id, DeliveryPath::Tool, Some(made.text))]);
}
