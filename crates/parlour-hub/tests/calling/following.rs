use parlour_core::{call::CallReason, message::Message, post::PostMessage};

use crate::fixture::{CallFixture, addressed};

const AGENTS: &[&str] = &["Coder", "Tester"];

/// A thread in which Coder was called and has answered.
async fn thread_with_coder(fixture: &CallFixture) -> PostMessage {
    let root = fixture.say(&fixture.mara, "a new idea").await;
    let thread = fixture.thread(&root).await.into();
    let question = fixture.post(&fixture.mara, addressed(&thread, "@Coder, what do you think?")).await;
    fixture.answer(fixture.agent("Coder"), &question, "I like it").await;
    addressed(&thread, "and what of the price?")
}

async fn go_on(fixture: &CallFixture, request: &PostMessage) -> Message {
    fixture.post(&fixture.mara, request.clone()).await
}

#[tokio::test]
async fn an_agent_that_was_called_in_a_thread_follows_it() {
    let fixture = CallFixture::new(AGENTS).await;
    let request = thread_with_coder(&fixture).await;
    let message = go_on(&fixture, &request).await;
    assert_eq!(fixture.called(&message), ["Coder"]);
    let [call] = fixture.open_calls(fixture.agent("Coder")).await.try_into().expect("one call");
    assert_eq!(call.reason, CallReason::Follow);
    assert!(call.reason.is_optional());
}

#[tokio::test]
async fn an_agent_called_by_the_root_message_follows_the_thread() {
    let fixture = CallFixture::new(AGENTS).await;
    let root = fixture.say(&fixture.mara, "@Coder, a new idea").await;
    let thread = fixture.thread(&root).await.into();
    fixture.post(fixture.agent("Coder"), addressed(&thread, "tell me more")).await;
    assert_eq!(fixture.called(&fixture.post(&fixture.mara, addressed(&thread, "here it is")).await), ["Coder"]);
}

#[tokio::test]
async fn an_agent_that_was_not_called_in_a_thread_gets_only_deliveries() {
    let fixture = CallFixture::new(AGENTS).await;
    let root = fixture.say(&fixture.mara, "a new idea").await;
    let thread = fixture.thread(&root).await.into();
    fixture.post(fixture.agent("Coder"), addressed(&thread, "by the way")).await;
    let message = fixture.post(&fixture.mara, addressed(&thread, "thank you")).await;
    assert_eq!(fixture.called(&message), [""; 0]);
    assert_eq!(fixture.test.inbox(fixture.agent("Coder")).await.last(), Some(&message.id));
}

#[tokio::test]
async fn a_message_that_mentions_another_agent_does_not_call_the_follower() {
    let fixture = CallFixture::new(AGENTS).await;
    let request = thread_with_coder(&fixture).await;
    let message = go_on(&fixture, &PostMessage { body: "@Tester, and you?".into(), ..request }).await;
    assert_eq!(fixture.called(&message), ["Tester"]);
}

#[tokio::test]
async fn a_message_of_another_agent_does_not_call_the_follower() {
    let fixture = CallFixture::new(AGENTS).await;
    let request = thread_with_coder(&fixture).await;
    let message = fixture.post(fixture.agent("Tester"), PostMessage { body: "I agree".into(), ..request }).await;
    assert_eq!(fixture.called(&message), [""; 0]);
}

#[tokio::test]
async fn the_window_ends_when_the_thread_is_idle() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.calls.follow_idle_seconds = 60).await;
    let request = thread_with_coder(&fixture).await;
    fixture.pass_seconds(59);
    assert_eq!(fixture.called(&go_on(&fixture, &request).await), ["Coder"]);
    fixture.pass_seconds(1);
    assert_eq!(
        fixture.called(&go_on(&fixture, &request).await),
        [""; 0],
        "a message of a person does not renew the window"
    );
    let mention = PostMessage { body: "@Coder, once more".into(), ..request.clone() };
    assert_eq!(fixture.called(&go_on(&fixture, &mention).await), ["Coder"]);
    assert_eq!(fixture.called(&go_on(&fixture, &request).await), ["Coder"], "a mention opens the window again");
}

#[tokio::test]
async fn the_window_ends_after_the_maximum_number_of_messages() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.calls.follow_messages_max = 2).await;
    let request = thread_with_coder(&fixture).await;
    for expected in [&["Coder"][..], &["Coder"], &[], &[]] {
        assert_eq!(fixture.called(&go_on(&fixture, &request).await), expected);
    }
}

#[tokio::test]
async fn a_policy_can_disable_following() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.calls.follow_messages_max = 0).await;
    let request = thread_with_coder(&fixture).await;
    assert_eq!(fixture.called(&go_on(&fixture, &request).await), [""; 0]);
}

#[tokio::test]
async fn a_notice_in_a_thread_does_not_call_the_follower() {
    let fixture = CallFixture::new(AGENTS).await;
    let request = thread_with_coder(&fixture).await;
    assert_eq!(fixture.called(&go_on(&fixture, &PostMessage { is_notice: true, ..request }).await), [""; 0]);
}
