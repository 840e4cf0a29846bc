use parlour_core::{call::HoldRule, id::ChannelId, message::Message};

use crate::{
    fixture::{CallFixture, held},
    support::say,
};

const AGENTS: &[&str] = &["Ada", "Bob"];

/// A private channel of Mara and these agents.
async fn secret(fixture: &CallFixture, called: &str, agents: &[&str]) -> ChannelId {
    let channel = fixture.test.private_channel(&fixture.mara, &fixture.project, called).await;
    for name in agents {
        let agent = &fixture.agent(name).member;
        fixture.hub().add_channel_member(&fixture.mara, &channel, agent).await.expect("let in");
    }
    channel
}

/// Ada is called in the channel, and calls Bob there.
async fn begin(fixture: &CallFixture, channel: &ChannelId) -> Message {
    let question = fixture.post(&fixture.mara, say(channel, "@Ada, begin")).await;
    let answer = fixture.answer(fixture.agent("Ada"), &question, "@Bob, and you?").await;
    assert_eq!(fixture.called(&answer), ["Bob"]);
    answer
}

#[tokio::test]
async fn another_channel_is_no_way_around() {
    let fixture = CallFixture::new(AGENTS).await;
    begin(&fixture, &fixture.channel).await;
    let elsewhere = fixture.test.channel(&fixture.mara, &fixture.project, "elsewhere").await;
    let message = fixture.post(fixture.agent("Bob"), say(&elsewhere, "@Ada, over here")).await;
    assert_eq!((fixture.called(&message), held(&message)), (Vec::new(), vec![("Ada", HoldRule::Chain)]));
    assert_eq!(message.cause.expect("a cause").depth, 2);
}

#[tokio::test]
async fn neither_is_a_private_one() {
    let fixture = CallFixture::new(AGENTS).await;
    begin(&fixture, &fixture.channel).await;
    let secret = secret(&fixture, "secret", AGENTS).await;
    let message = fixture.post(fixture.agent("Bob"), say(&secret, "@Ada, over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)], "whoever reads there reads the open channel too");
}

#[tokio::test]
async fn nor_one_with_the_same_readers_or_fewer() {
    let fixture = CallFixture::new(AGENTS).await;
    let (one, other) = (secret(&fixture, "one", AGENTS).await, secret(&fixture, "other", AGENTS).await);
    begin(&fixture, &one).await;
    let message = fixture.post(fixture.agent("Bob"), say(&other, "@Ada, over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)]);
    let dm = fixture.dm(&[fixture.agent("Bob"), fixture.agent("Ada")]).await;
    let message = fixture.post(fixture.agent("Bob"), crate::fixture::addressed(&dm, "over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)]);
}

#[tokio::test]
async fn what_happened_in_private_is_not_betrayed_by_what_is_held_in_the_open() {
    let fixture = CallFixture::new(AGENTS).await;
    let secret = secret(&fixture, "secret", AGENTS).await;
    begin(&fixture, &secret).await;
    let message = fixture.say(fixture.agent("Bob"), "@Ada, a word").await;
    assert_eq!(message.cause, None, "it seems to speak by itself");
    assert_eq!((fixture.called(&message), held(&message)), (vec!["Ada"], Vec::new()));
    // That opens the way once; from then on both are known wherever they go.
    for channel in [&fixture.channel, &secret] {
        let message = fixture.post(fixture.agent("Ada"), say(channel, "@Bob, a word")).await;
        assert_eq!(held(&message), [("Bob", HoldRule::Chain)]);
    }
}

#[tokio::test]
async fn a_private_word_of_a_person_does_not_reset_what_others_see() {
    let fixture = CallFixture::new(AGENTS).await;
    begin(&fixture, &fixture.channel).await;
    let dm = fixture.dm(&[&fixture.mara, fixture.agent("Bob")]).await;
    fixture.post(&fixture.mara, crate::fixture::addressed(&dm, "go on")).await;
    let message = fixture.say(fixture.agent("Bob"), "@Ada, a word").await;
    assert_eq!(message.cause.expect("a cause").depth, 2);
}

#[tokio::test]
async fn after_the_time_for_answers_an_agent_speaks_by_itself() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.calls.expire_seconds = 60).await;
    begin(&fixture, &fixture.channel).await;
    fixture.pass_seconds(60);
    let message = fixture.say(fixture.agent("Bob"), "@Ada, good morning").await;
    assert_eq!((fixture.called(&message), message.cause), (vec!["Ada"], None));
}
