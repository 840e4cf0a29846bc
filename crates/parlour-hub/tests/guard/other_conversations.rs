use parlour_core::{call::HoldRule, id::ChannelId, message::Message};

use crate::{
    fixture::{CallFixture, held},
    support::say,
};

const AGENTS: &[&str] = &["Ada", "Bob"];

/// A private channel of Mara and these agents.
async fn private_channel(fixture: &CallFixture, name: &str, agents: &[&str]) -> ChannelId {
    let channel = fixture.test.private_channel(&fixture.mara, &fixture.project, name).await;
    for name in agents {
        let agent = &fixture.agent(name).member;
        fixture.hub().add_channel_member(&fixture.mara, &channel, agent).await.expect("added");
    }
    channel
}

/// Mara calls Ada in the channel, and Ada calls Bob there.
async fn ada_calls_bob(fixture: &CallFixture, channel: &ChannelId) -> Message {
    let question = fixture.post(&fixture.mara, say(channel, "@Ada, begin")).await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    assert_eq!(fixture.called(&answer), ["Bob"]);
    answer
}

#[tokio::test]
async fn another_channel_does_not_bypass_the_guard() {
    let fixture = CallFixture::new(AGENTS).await;
    ada_calls_bob(&fixture, &fixture.channel).await;
    let elsewhere = fixture.test.channel(&fixture.mara, &fixture.project, "elsewhere").await;
    let message = fixture.post(fixture.agent("Bob"), say(&elsewhere, "@Ada, over here")).await;
    assert_eq!((fixture.called(&message), held(&message)), (Vec::new(), vec![("Ada", HoldRule::Chain)]));
    assert_eq!(message.cause.expect("a cause").depth, 2);
}

#[tokio::test]
async fn a_private_channel_does_not_bypass_the_guard() {
    let fixture = CallFixture::new(AGENTS).await;
    ada_calls_bob(&fixture, &fixture.channel).await;
    let private = private_channel(&fixture, "private", AGENTS).await;
    let message = fixture.post(fixture.agent("Bob"), say(&private, "@Ada, over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)], "all readers of the private channel can read the open one");
}

#[tokio::test]
async fn a_channel_with_the_same_or_fewer_readers_does_not_bypass_the_guard() {
    let fixture = CallFixture::new(AGENTS).await;
    let (one, other) =
        (private_channel(&fixture, "one", AGENTS).await, private_channel(&fixture, "other", AGENTS).await);
    ada_calls_bob(&fixture, &one).await;
    let message = fixture.post(fixture.agent("Bob"), say(&other, "@Ada, over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)]);
    let dm = fixture.dm(&[fixture.agent("Bob"), fixture.agent("Ada")]).await;
    let message = fixture.post(fixture.agent("Bob"), crate::fixture::addressed(&dm, "over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)]);
}

#[tokio::test]
async fn private_calls_do_not_cause_holds_in_open_channels() {
    let fixture = CallFixture::new(AGENTS).await;
    let private = private_channel(&fixture, "private", AGENTS).await;
    ada_calls_bob(&fixture, &private).await;
    let message = fixture.say(fixture.agent("Bob"), "@Ada, a word").await;
    assert_eq!(message.cause, None, "the private call is not recorded as its cause");
    assert_eq!((fixture.called(&message), held(&message)), (vec!["Ada"], Vec::new()));
    // That call is in an open channel, so it counts in both channels from now on.
    for channel in [&fixture.channel, &private] {
        let message = fixture.post(fixture.agent("Ada"), say(channel, "@Bob, a word")).await;
        assert_eq!(held(&message), [("Bob", HoldRule::Chain)]);
    }
}

#[tokio::test]
async fn a_private_message_of_a_person_does_not_reset_the_guard_elsewhere() {
    let fixture = CallFixture::new(AGENTS).await;
    ada_calls_bob(&fixture, &fixture.channel).await;
    let dm = fixture.dm(&[&fixture.mara, fixture.agent("Bob")]).await;
    fixture.post(&fixture.mara, crate::fixture::addressed(&dm, "go on")).await;
    let message = fixture.say(fixture.agent("Bob"), "@Ada, a word").await;
    assert_eq!(message.cause.expect("a cause").depth, 2);
}

#[tokio::test]
async fn after_the_call_expires_a_message_has_no_cause() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.calls.expire_seconds = 60).await;
    ada_calls_bob(&fixture, &fixture.channel).await;
    fixture.pass_seconds(60);
    let message = fixture.say(fixture.agent("Bob"), "@Ada, good morning").await;
    assert_eq!((fixture.called(&message), message.cause), (vec!["Ada"], None));
}
