use parlour_core::{
    call::{CallState, HoldRule},
    live::{AddChunk, Cancel, Complete, Fail},
    message::{Message, State},
    post::PostMessage,
};
use parlour_hub::ports::CallRecords as _;

use crate::{
    stage::{Stage, held},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Coder", "Tester"];

/// Coder begins an answer to a call by Mara.
async fn begin(stage: &Stage, body: &str) -> (Message, Message) {
    let question = stage.say(&stage.mara, "@Coder go").await;
    let request = PostMessage { stream: true, reply_to: Some(question.id.clone()), ..say(&stage.channel, body) };
    let answer = stage.post(stage.agent("Coder"), request).await;
    (question, answer)
}

async fn complete(stage: &Stage, answer: &Message, body: &str) -> Message {
    let request = Complete { body: Some(body.into()), ..Complete::default() };
    stage.hub().complete_stream(stage.agent("Coder"), &answer.id, request).await.expect("complete").message
}

#[tokio::test]
async fn an_answer_that_is_streamed_calls_others_when_it_is_complete() {
    let stage = Stage::new(AGENTS).await;
    let (question, answer) = begin(&stage, "@Tester, wait").await;
    assert_eq!((answer.state, &answer.calls), (State::Streaming, &Vec::new()));
    assert_eq!(stage.open_calls(stage.agent("Coder")).await, [], "the call is taken from the beginning");
    assert_eq!(stage.open_calls(stage.agent("Tester")).await, []);
    let chunk = AddChunk { start: None, text: " for it".into() };
    stage.hub().add_chunk(stage.agent("Coder"), &answer.id, chunk).await.expect("added");
    let ended = stage.hub().complete_stream(stage.agent("Coder"), &answer.id, Complete::default()).await;
    let ended = ended.expect("complete").message;
    assert_eq!(stage.called(&ended), ["Tester"]);
    assert_eq!(stage.open_messages(stage.agent("Tester")).await, std::slice::from_ref(&answer.id));
    assert_eq!(ended.cause.expect("a cause").message_id, Some(question.id), "as it was at its beginning");
}

#[tokio::test]
async fn the_state_of_a_call_follows_its_streamed_answer() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let state = async |question: &Message| {
        stage.test.store().call(&agent_id(coder), &question.id).await.expect("read").expect("a call").state
    };
    let (question, answer) = begin(&stage, "").await;
    assert_eq!(state(&question).await, CallState::Taken);
    complete(&stage, &answer, "done").await;
    assert_eq!(state(&question).await, CallState::Answered);
    let (question, answer) = begin(&stage, "").await;
    let fail = Fail { reason: "no key".into(), ..Fail::default() };
    stage.hub().fail_stream(coder, &answer.id, fail).await.expect("failed");
    assert_eq!(state(&question).await, CallState::Failed);
}

#[tokio::test]
async fn an_answer_that_is_not_complete_calls_nobody() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let (_, failed) = begin(&stage, "@Tester, help").await;
    let fail = Fail { reason: "no key".into(), body: Some("@Tester, help me".into()), ..Fail::default() };
    let failed = stage.hub().fail_stream(coder, &failed.id, fail).await.expect("failed").message;
    let (_, cancelled) = begin(&stage, "@Tester, help").await;
    let cancelled = stage.hub().cancel_stream(&stage.mara, &cancelled.id, Cancel::default()).await.expect("stopped");
    let (_, left) = begin(&stage, "@Tester, help").await;
    let reborn = stage.test.forgetful();
    assert_eq!(reborn.interrupt_abandoned_streams().await.expect("interrupted"), 1);
    let interrupted = stage.hub().message(&stage.mara, &left.id).await.expect("read");
    for (message, state) in
        [(failed, State::Failed), (cancelled.message, State::Cancelled), (interrupted, State::Interrupted)]
    {
        assert_eq!((message.state, &message.calls, &message.held), (state, &Vec::new(), &Vec::new()));
    }
    assert_eq!(stage.open_calls(stage.agent("Tester")).await, []);
}

#[tokio::test]
async fn a_repeated_end_answers_the_first_and_calls_nobody_again() {
    let stage = Stage::new(AGENTS).await;
    let (_, answer) = begin(&stage, "").await;
    let first = complete(&stage, &answer, "@Tester, look").await;
    stage.answer(stage.agent("Tester"), &first, "seen").await;
    let again = complete(&stage, &answer, "@Tester, look").await;
    assert_eq!(again, first);
    assert_eq!(stage.open_calls(stage.agent("Tester")).await, []);
}

#[tokio::test]
async fn the_loop_guard_judges_the_end_of_a_stream_by_the_cause_of_its_beginning() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.loop_limits.response_depth_max = 1).await;
    let (_, answer) = begin(&stage, "").await;
    // A fresh call by a person does not make the answer to an older one less deep.
    stage.say(&stage.mara, "@Coder once more").await;
    let ended = complete(&stage, &answer, "@Tester, look").await;
    assert_eq!((stage.called(&ended), held(&ended)), (Vec::new(), vec![("Tester", HoldRule::Depth)]));
    assert_eq!(stage.told_rules().await, [HoldRule::Depth]);
    let again = complete(&stage, &answer, "@Tester, look").await;
    assert_eq!(again.held, ended.held);
    assert_eq!(stage.told_rules().await, [HoldRule::Depth], "a repetition tells nothing");
}

#[tokio::test]
async fn a_person_may_stream_too_and_is_not_judged() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.loop_limits.response_depth_max = 1).await;
    let begun = stage.post(&stage.mara, PostMessage { stream: true, ..say(&stage.channel, "@Coder, ") }).await;
    let ended = stage.hub().complete_stream(&stage.mara, &begun.id, Complete::default()).await.expect("complete");
    assert_eq!(stage.called(&ended.message), ["Coder"]);
    assert_eq!(ended.message.cause, None);
}
