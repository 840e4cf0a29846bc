use parlour_core::{
    call::{CallState, answer_id},
    delivery::DeliveryState,
    message::Kind,
    post::PostMessage,
};
use parlour_hub::ports::CallRecords as _;

use crate::{
    stage::{Stage, addressed},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Coder", "Tester"];

#[tokio::test]
async fn an_answer_takes_its_call_and_the_earlier_ones_of_the_conversation() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    stage.say(&stage.mara, "@Coder one").await;
    let second = stage.say(&stage.mara, "@Coder two").await;
    let third = stage.say(&stage.mara, "@Coder three").await;
    let answer = stage.answer(coder, &second, "one and two are done").await;
    assert_eq!(stage.open_messages(coder).await, [third.id]);
    let call = stage.test.store().call(&agent_id(coder), &second.id).await.expect("read").expect("a call");
    assert_eq!((call.state, call.answer_id), (CallState::Answered, Some(answer.id)));
}

#[tokio::test]
async fn an_answer_says_nothing_of_earlier_messages_that_its_agent_was_never_shown() {
    let stage = Stage::new(AGENTS).await;
    let tester = stage.agent("Tester");
    let first = stage.say(&stage.mara, "@Tester one").await;
    let second = stage.say(&stage.mara, "@Tester two").await;
    let third = stage.say(&stage.mara, "@Tester three").await;
    stage.answer(tester, &third, "three is done").await;
    let mut states = Vec::new();
    for message in [&first, &second, &third] {
        states.push(stage.test.hub.deliveries(&stage.mara, &message.id).await.expect("deliveries")[0].state);
    }
    assert_eq!(states, [DeliveryState::Stored, DeliveryState::Stored, DeliveryState::Answered]);
    assert_eq!(stage.test.inbox(tester).await, [first.id, second.id], "they wait to be read");
    assert_eq!(stage.open_messages(tester).await, vec![], "and nobody waits for another answer");
}

#[tokio::test]
async fn a_post_that_names_no_message_takes_the_oldest_call_of_its_conversation() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let elsewhere = stage.test.channel(&stage.mara, &stage.project, "elsewhere").await;
    let other = stage.post(&stage.mara, say(&elsewhere, "@Coder zero")).await;
    stage.say(&stage.mara, "@Coder one").await;
    let second = stage.say(&stage.mara, "@Coder two").await;
    stage.say(coder, "one is done").await;
    assert_eq!(stage.open_messages(coder).await, [other.id.clone(), second.id]);
    stage.say(coder, "two is done").await;
    assert_eq!(stage.open_messages(coder).await, [other.id]);
}

#[tokio::test]
async fn notices_and_results_on_the_way_are_no_answers() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let question = stage.say(&stage.mara, "@Coder go").await;
    let reply_to = Some(question.id.clone());
    let notice = PostMessage { is_notice: true, reply_to: reply_to.clone(), ..say(&stage.channel, "in a minute") };
    stage.post(coder, notice).await;
    let result = PostMessage { kind: Some(Kind::ToolResult), reply_to, ..say(&stage.channel, "42") };
    stage.post(coder, result).await;
    let deliveries = stage.hub().deliveries(&stage.mara, &question.id).await.expect("deliveries");
    assert_eq!(deliveries[0].state, DeliveryState::Stored, "the ledger says what the call says");
    assert_eq!(stage.open_messages(coder).await, [question.id]);
}

#[tokio::test]
async fn one_agent_does_not_take_the_call_of_another() {
    let stage = Stage::new(AGENTS).await;
    let question = stage.say(&stage.mara, "@Coder go").await;
    stage.answer(stage.agent("Tester"), &question, "I can do that too").await;
    assert_eq!(stage.open_messages(stage.agent("Coder")).await, [question.id]);
}

#[tokio::test]
async fn two_processes_of_one_agent_answer_once() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let question = stage.say(&stage.mara, "@Coder go").await;
    let id = Some(answer_id(&agent_id(coder), &question.id));
    let request = |claim: &str| {
        let metadata = serde_json::json!({ "claim": claim }).as_object().expect("an object").clone();
        let reply_to = Some(question.id.clone());
        PostMessage { id: id.clone(), reply_to, metadata, stream: true, ..say(&stage.channel, "") }
    };
    let (one, other) = tokio::join!(stage.try_post(coder, request("a")), stage.try_post(coder, request("b")));
    let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!(crate::support::refused(lost), parlour_core::Code::ClientIdReused);
    assert_eq!(stage.history(&won.expect("one answers").message.to).await.len(), 2);
}

#[tokio::test]
async fn an_answer_inherits_what_ties_it_to_other_calls() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let request = PostMessage { correlation_id: Some("job-1".into()), ..say(&stage.channel, "@Coder go") };
    let question = stage.post(&stage.mara, request.clone()).await;
    assert_eq!(stage.answer(coder, &question, "done").await.correlation_id.as_deref(), Some("job-1"));
    assert_eq!(stage.say(coder, "by the way").await.correlation_id, None, "it answers nothing any more");
    let question = stage.post(&stage.mara, request).await;
    let own = PostMessage {
        correlation_id: Some("job-2".into()),
        reply_to: Some(question.id.clone()),
        ..addressed(&question.to, "done")
    };
    assert_eq!(stage.post(coder, own).await.correlation_id.as_deref(), Some("job-2"));
}

#[tokio::test]
async fn the_hub_records_what_led_to_an_answer_and_nothing_for_people() {
    let stage = Stage::new(AGENTS).await;
    let question = stage.say(&stage.mara, "@Coder go").await;
    assert_eq!(question.cause, None);
    let answer = stage.answer(stage.agent("Coder"), &question, "@Tester, please look").await;
    let cause = answer.cause.clone().expect("a cause");
    assert_eq!((cause.depth, cause.message_id.as_ref()), (1, Some(&question.id)));
    assert_eq!(cause.agents, [agent_id(stage.agent("Coder"))]);
    let next = stage.answer(stage.agent("Tester"), &answer, "fine").await;
    let cause = next.cause.expect("a cause");
    assert_eq!((cause.depth, cause.message_id), (2, Some(answer.id)));
    assert_eq!(cause.agents.len(), 2);
}
