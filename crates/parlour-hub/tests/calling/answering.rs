use parlour_core::{
    call::{CallState, answer_id},
    delivery::DeliveryState,
    message::Kind,
    post::PostMessage,
};
use parlour_hub::ports::CallRecords as _;

use crate::{
    fixture::{CallFixture, addressed},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Coder", "Tester"];

#[tokio::test]
async fn an_answer_takes_its_call_and_no_other() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let first = fixture.say(&fixture.mara, "@Coder one").await;
    let second = fixture.say(&fixture.mara, "@Coder two").await;
    let third = fixture.say(&fixture.mara, "@Coder three").await;
    let answer = fixture.answer(coder, &second, "two is done").await;
    assert_eq!(fixture.open_messages(coder).await, [first.id, third.id]);
    let call = fixture.test.store().call(&agent_id(coder), &second.id).await.expect("read").expect("a call");
    assert_eq!((call.state, call.answer_id), (CallState::Answered, Some(answer.id)));
}

#[tokio::test]
async fn an_answer_to_several_calls_lists_them_and_answers_those_that_its_agent_was_shown() {
    let fixture = CallFixture::new(AGENTS).await;
    let tester = fixture.agent("Tester");
    let unlisted = fixture.say(&fixture.mara, "@Tester zero").await;
    let first = fixture.say(&fixture.mara, "@Tester one").await;
    let second = fixture.say(&fixture.mara, "@Tester two").await;
    let request = PostMessage {
        reply_to: Some(second.id.clone()),
        answers: vec![first.id.clone()],
        ..addressed(&second.to, "both are done")
    };
    fixture.post(tester, request).await;
    assert_eq!(fixture.open_messages(tester).await, std::slice::from_ref(&unlisted.id));
    let mut states = Vec::new();
    for message in [&unlisted, &first, &second] {
        states.push(fixture.test.hub.deliveries(&fixture.mara, &message.id).await.expect("deliveries")[0].state);
    }
    assert_eq!(states, [DeliveryState::Stored, DeliveryState::Stored, DeliveryState::Answered]);
    assert_eq!(fixture.test.inbox(tester).await, [unlisted.id, first.id], "the unshown ones wait to be read");
}

#[tokio::test]
async fn a_post_without_reply_to_answers_the_oldest_call_of_its_conversation() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let elsewhere = fixture.test.channel(&fixture.mara, &fixture.project, "elsewhere").await;
    let other = fixture.post(&fixture.mara, say(&elsewhere, "@Coder zero")).await;
    fixture.say(&fixture.mara, "@Coder one").await;
    let second = fixture.say(&fixture.mara, "@Coder two").await;
    fixture.say(coder, "one is done").await;
    assert_eq!(fixture.open_messages(coder).await, [other.id.clone(), second.id]);
    fixture.say(coder, "two is done").await;
    assert_eq!(fixture.open_messages(coder).await, [other.id]);
}

#[tokio::test]
async fn notices_and_tool_results_do_not_answer_a_call() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let question = fixture.say(&fixture.mara, "@Coder go").await;
    let reply_to = Some(question.id.clone());
    let notice = PostMessage { is_notice: true, reply_to: reply_to.clone(), ..say(&fixture.channel, "in a minute") };
    fixture.post(coder, notice).await;
    let result = PostMessage { kind: Some(Kind::ToolResult), reply_to, ..say(&fixture.channel, "42") };
    fixture.post(coder, result).await;
    let deliveries = fixture.hub().deliveries(&fixture.mara, &question.id).await.expect("deliveries");
    assert_eq!(deliveries[0].state, DeliveryState::Stored, "the ledger agrees with the call");
    assert_eq!(fixture.open_messages(coder).await, [question.id]);
}

#[tokio::test]
async fn a_reply_of_another_agent_does_not_answer_the_call() {
    let fixture = CallFixture::new(AGENTS).await;
    let question = fixture.say(&fixture.mara, "@Coder go").await;
    fixture.answer(fixture.agent("Tester"), &question, "I can do that too").await;
    assert_eq!(fixture.open_messages(fixture.agent("Coder")).await, [question.id]);
}

#[tokio::test]
async fn of_two_concurrent_answers_with_the_same_id_one_is_refused() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let question = fixture.say(&fixture.mara, "@Coder go").await;
    let id = Some(answer_id(&agent_id(coder), &question.id));
    let request = |claim: &str| {
        let metadata = serde_json::json!({ "claim": claim }).as_object().expect("an object").clone();
        let reply_to = Some(question.id.clone());
        PostMessage { id: id.clone(), reply_to, metadata, stream: true, ..say(&fixture.channel, "") }
    };
    let (one, other) = tokio::join!(fixture.try_post(coder, request("a")), fixture.try_post(coder, request("b")));
    let (won, lost) = if one.is_ok() { (one, other) } else { (other, one) };
    assert_eq!(crate::support::refused(lost), parlour_core::Code::ClientIdReused);
    assert_eq!(fixture.history(&won.expect("one answers").message.to).await.len(), 2);
}

#[tokio::test]
async fn an_answer_inherits_the_correlation_id() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let request = PostMessage { correlation_id: Some("job-1".into()), ..say(&fixture.channel, "@Coder go") };
    let question = fixture.post(&fixture.mara, request.clone()).await;
    assert_eq!(fixture.answer(coder, &question, "done").await.correlation_id.as_deref(), Some("job-1"));
    assert_eq!(fixture.say(coder, "by the way").await.correlation_id, None, "it answers no call");
    let question = fixture.post(&fixture.mara, request).await;
    let own = PostMessage {
        correlation_id: Some("job-2".into()),
        reply_to: Some(question.id.clone()),
        ..addressed(&question.to, "done")
    };
    assert_eq!(fixture.post(coder, own).await.correlation_id.as_deref(), Some("job-2"));
}

#[tokio::test]
async fn answers_of_agents_have_a_recorded_cause_and_posts_of_people_have_none() {
    let fixture = CallFixture::new(AGENTS).await;
    let question = fixture.say(&fixture.mara, "@Coder go").await;
    assert_eq!(question.cause, None);
    let answer = fixture.answer(fixture.agent("Coder"), &question, "@Tester, please look").await;
    let cause = answer.cause.clone().expect("a cause");
    assert_eq!((cause.depth, cause.message_id.as_ref()), (1, Some(&question.id)));
    assert_eq!(cause.agents, [agent_id(fixture.agent("Coder"))]);
    let next = fixture.answer(fixture.agent("Tester"), &answer, "fine").await;
    let cause = next.cause.expect("a cause");
    assert_eq!((cause.depth, cause.message_id), (2, Some(answer.id)));
    assert_eq!(cause.agents.len(), 2);
}
