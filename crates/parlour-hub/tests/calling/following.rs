use parlour_core::{call::CallReason, message::Message, post::PostMessage};

use crate::stage::{Stage, addressed};

const AGENTS: &[&str] = &["Coder", "Tester"];

/// A thread into which Coder was called and where it has answered.
async fn thread_with_coder(stage: &Stage) -> PostMessage {
    let root = stage.say(&stage.mara, "a new idea").await;
    let thread = stage.thread(&root).await.into();
    let question = stage.post(&stage.mara, addressed(&thread, "@Coder, what do you think?")).await;
    stage.answer(stage.agent("Coder"), &question, "I like it").await;
    addressed(&thread, "and what of the price?")
}

async fn go_on(stage: &Stage, request: &PostMessage) -> Message {
    stage.post(&stage.mara, request.clone()).await
}

#[tokio::test]
async fn an_agent_goes_on_in_a_thread_that_it_was_called_into() {
    let stage = Stage::new(AGENTS).await;
    let request = thread_with_coder(&stage).await;
    let message = go_on(&stage, &request).await;
    assert_eq!(stage.called(&message), ["Coder"]);
    let [call] = stage.open_calls(stage.agent("Coder")).await.try_into().expect("one call");
    assert_eq!(call.reason, CallReason::Follow);
    assert!(call.reason.is_optional());
}

#[tokio::test]
async fn who_was_called_above_a_thread_goes_on_in_it() {
    let stage = Stage::new(AGENTS).await;
    let root = stage.say(&stage.mara, "@Coder, a new idea").await;
    let thread = stage.thread(&root).await.into();
    stage.post(stage.agent("Coder"), addressed(&thread, "tell me more")).await;
    assert_eq!(stage.called(&stage.post(&stage.mara, addressed(&thread, "here it is")).await), ["Coder"]);
}

#[tokio::test]
async fn who_wrote_in_a_thread_without_being_called_is_only_informed() {
    let stage = Stage::new(AGENTS).await;
    let root = stage.say(&stage.mara, "a new idea").await;
    let thread = stage.thread(&root).await.into();
    stage.post(stage.agent("Coder"), addressed(&thread, "by the way")).await;
    let message = stage.post(&stage.mara, addressed(&thread, "thank you")).await;
    assert_eq!(stage.called(&message), [""; 0]);
    assert_eq!(stage.test.inbox(stage.agent("Coder")).await.last(), Some(&message.id));
}

#[tokio::test]
async fn a_mention_of_another_agent_is_for_that_one_alone() {
    let stage = Stage::new(AGENTS).await;
    let request = thread_with_coder(&stage).await;
    let message = go_on(&stage, &PostMessage { body: "@Tester, and you?".into(), ..request }).await;
    assert_eq!(stage.called(&message), ["Tester"]);
}

#[tokio::test]
async fn another_agent_in_the_thread_has_to_mention() {
    let stage = Stage::new(AGENTS).await;
    let request = thread_with_coder(&stage).await;
    let message = stage.post(stage.agent("Tester"), PostMessage { body: "I agree".into(), ..request }).await;
    assert_eq!(stage.called(&message), [""; 0]);
}

#[tokio::test]
async fn the_window_ends_when_the_thread_is_idle() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.calls.follow_idle_seconds = 60).await;
    let request = thread_with_coder(&stage).await;
    stage.pass_seconds(59);
    assert_eq!(stage.called(&go_on(&stage, &request).await), ["Coder"]);
    stage.pass_seconds(1);
    assert_eq!(stage.called(&go_on(&stage, &request).await), [""; 0], "a person's word does not renew it");
    let mention = PostMessage { body: "@Coder, once more".into(), ..request.clone() };
    assert_eq!(stage.called(&go_on(&stage, &mention).await), ["Coder"]);
    assert_eq!(stage.called(&go_on(&stage, &request).await), ["Coder"], "a mention opens it again");
}

#[tokio::test]
async fn the_window_ends_after_so_many_messages() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.calls.follow_messages_max = 2).await;
    let request = thread_with_coder(&stage).await;
    for expected in [&["Coder"][..], &["Coder"], &[], &[]] {
        assert_eq!(stage.called(&go_on(&stage, &request).await), expected);
    }
}

#[tokio::test]
async fn a_project_can_do_without_following() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.calls.follow_messages_max = 0).await;
    let request = thread_with_coder(&stage).await;
    assert_eq!(stage.called(&go_on(&stage, &request).await), [""; 0]);
}

#[tokio::test]
async fn a_notice_in_a_thread_is_followed_by_nobody() {
    let stage = Stage::new(AGENTS).await;
    let request = thread_with_coder(&stage).await;
    assert_eq!(stage.called(&go_on(&stage, &PostMessage { is_notice: true, ..request }).await), [""; 0]);
}
