use parlour_core::{
    call::{CallState, HoldRule},
    live::{AddChunk, Cancel, Complete, Fail},
    message::{Message, State},
    post::PostMessage,
};
use parlour_hub::ports::CallRecords as _;

use crate::{
    fixture::{CallFixture, held},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Coder", "Tester"];

/// Coder begins an answer to a call by Mara.
async fn begin(fixture: &CallFixture, body: &str) -> (Message, Message) {
    let question = fixture.say(&fixture.mara, "@Coder go").await;
    let request = PostMessage { stream: true, reply_to: Some(question.id.clone()), ..say(&fixture.channel, body) };
    let answer = fixture.post(fixture.agent("Coder"), request).await;
    (question, answer)
}

async fn complete(fixture: &CallFixture, answer: &Message, body: &str) -> Message {
    let request = Complete { body: Some(body.into()), ..Complete::default() };
    fixture.hub().complete_stream(fixture.agent("Coder"), &answer.id, request).await.expect("complete").message
}

#[tokio::test]
async fn a_streamed_answer_calls_others_when_it_is_complete() {
    let fixture = CallFixture::new(AGENTS).await;
    let (question, answer) = begin(&fixture, "@Tester, wait").await;
    assert_eq!((answer.state, &answer.calls), (State::Streaming, &Vec::new()));
    assert_eq!(fixture.open_calls(fixture.agent("Coder")).await, [], "the call is taken from the beginning");
    assert_eq!(fixture.open_calls(fixture.agent("Tester")).await, []);
    let chunk = AddChunk { start: None, text: " for it".into() };
    fixture.hub().add_chunk(fixture.agent("Coder"), &answer.id, chunk).await.expect("added");
    let ended = fixture.hub().complete_stream(fixture.agent("Coder"), &answer.id, Complete::default()).await;
    let ended = ended.expect("complete").message;
    assert_eq!(fixture.called(&ended), ["Tester"]);
    assert_eq!(fixture.open_messages(fixture.agent("Tester")).await, std::slice::from_ref(&answer.id));
    assert_eq!(ended.cause.expect("a cause").message_id, Some(question.id), "the cause from its start");
}

#[tokio::test]
async fn the_state_of_a_call_follows_its_streamed_answer() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let state = async |question: &Message| {
        fixture.test.store().call(&agent_id(coder), &question.id).await.expect("read").expect("a call").state
    };
    let (question, answer) = begin(&fixture, "").await;
    assert_eq!(state(&question).await, CallState::Taken);
    complete(&fixture, &answer, "done").await;
    assert_eq!(state(&question).await, CallState::Answered);
    let (question, answer) = begin(&fixture, "").await;
    let fail = Fail { reason: "no key".into(), ..Fail::default() };
    fixture.hub().fail_stream(coder, &answer.id, fail).await.expect("failed");
    assert_eq!(state(&question).await, CallState::Failed);
}

#[tokio::test]
async fn a_failed_cancelled_or_interrupted_answer_calls_no_agent() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let (_, failed) = begin(&fixture, "@Tester, help").await;
    let fail = Fail { reason: "no key".into(), body: Some("@Tester, help me".into()), ..Fail::default() };
    let failed = fixture.hub().fail_stream(coder, &failed.id, fail).await.expect("failed").message;
    let (_, cancelled) = begin(&fixture, "@Tester, help").await;
    let cancelled =
        fixture.hub().cancel_stream(&fixture.mara, &cancelled.id, Cancel::default()).await.expect("stopped");
    let (_, left) = begin(&fixture, "@Tester, help").await;
    let restarted = fixture.test.forgetful();
    assert_eq!(restarted.interrupt_abandoned_streams().await.expect("interrupted"), 1);
    let interrupted = fixture.hub().message(&fixture.mara, &left.id).await.expect("read");
    for (message, state) in
        [(failed, State::Failed), (cancelled.message, State::Cancelled), (interrupted, State::Interrupted)]
    {
        assert_eq!((message.state, &message.calls, &message.held), (state, &Vec::new(), &Vec::new()));
    }
    assert_eq!(fixture.open_calls(fixture.agent("Tester")).await, []);
}

#[tokio::test]
async fn a_repeated_end_returns_the_first_result_and_calls_no_agent_again() {
    let fixture = CallFixture::new(AGENTS).await;
    let (_, answer) = begin(&fixture, "").await;
    let first = complete(&fixture, &answer, "@Tester, look").await;
    fixture.answer(fixture.agent("Tester"), &first, "seen").await;
    let again = complete(&fixture, &answer, "@Tester, look").await;
    assert_eq!(again, first);
    assert_eq!(fixture.open_calls(fixture.agent("Tester")).await, []);
}

#[tokio::test]
async fn the_loop_guard_judges_the_end_of_a_stream_by_the_cause_of_its_beginning() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.loop_limits.response_depth_max = 1).await;
    let (_, answer) = begin(&fixture, "").await;
    // A new call by a person does not reduce the depth of the answer to an older call.
    fixture.say(&fixture.mara, "@Coder once more").await;
    let ended = complete(&fixture, &answer, "@Tester, look").await;
    assert_eq!((fixture.called(&ended), held(&ended)), (Vec::new(), vec![("Tester", HoldRule::Depth)]));
    assert_eq!(fixture.reported_rules().await, [HoldRule::Depth]);
    let again = complete(&fixture, &answer, "@Tester, look").await;
    assert_eq!(again.held, ended.held);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Depth], "a repeated end posts no second notice");
}

#[tokio::test]
async fn the_loop_guard_does_not_hold_calls_of_a_streaming_person() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.loop_limits.response_depth_max = 1).await;
    let begun = fixture.post(&fixture.mara, PostMessage { stream: true, ..say(&fixture.channel, "@Coder, ") }).await;
    let ended = fixture.hub().complete_stream(&fixture.mara, &begun.id, Complete::default()).await.expect("complete");
    assert_eq!(fixture.called(&ended.message), ["Coder"]);
    assert_eq!(ended.message.cause, None);
}
