use parlour_core::{call::HoldRule, id::ChannelId, message::Message};

use crate::{
    stage::{Stage, held},
    support::say,
};

const AGENTS: &[&str] = &["Ada", "Bob"];

/// A private channel of Mara and these agents.
async fn secret(stage: &Stage, called: &str, agents: &[&str]) -> ChannelId {
    let channel = stage.test.private_channel(&stage.mara, &stage.project, called).await;
    for name in agents {
        let agent = &stage.agent(name).member;
        stage.hub().add_channel_member(&stage.mara, &channel, agent).await.expect("let in");
    }
    channel
}

/// Ada is called in the channel, and calls Bob there.
async fn begin(stage: &Stage, channel: &ChannelId) -> Message {
    let question = stage.post(&stage.mara, say(channel, "@Ada, begin")).await;
    let answer = stage.answer(stage.agent("Ada"), &question, "@Bob, and you?").await;
    assert_eq!(stage.called(&answer), ["Bob"]);
    answer
}

#[tokio::test]
async fn another_channel_is_no_way_around() {
    let stage = Stage::new(AGENTS).await;
    begin(&stage, &stage.channel).await;
    let elsewhere = stage.test.channel(&stage.mara, &stage.project, "elsewhere").await;
    let message = stage.post(stage.agent("Bob"), say(&elsewhere, "@Ada, over here")).await;
    assert_eq!((stage.called(&message), held(&message)), (Vec::new(), vec![("Ada", HoldRule::Chain)]));
    assert_eq!(message.cause.expect("a cause").depth, 2);
}

#[tokio::test]
async fn neither_is_a_private_one() {
    let stage = Stage::new(AGENTS).await;
    begin(&stage, &stage.channel).await;
    let secret = secret(&stage, "secret", AGENTS).await;
    let message = stage.post(stage.agent("Bob"), say(&secret, "@Ada, over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)], "whoever reads there reads the open channel too");
}

#[tokio::test]
async fn nor_one_with_the_same_readers_or_fewer() {
    let stage = Stage::new(AGENTS).await;
    let (one, other) = (secret(&stage, "one", AGENTS).await, secret(&stage, "other", AGENTS).await);
    begin(&stage, &one).await;
    let message = stage.post(stage.agent("Bob"), say(&other, "@Ada, over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)]);
    let dm = stage.dm(&[stage.agent("Bob"), stage.agent("Ada")]).await;
    let message = stage.post(stage.agent("Bob"), crate::stage::addressed(&dm, "over here")).await;
    assert_eq!(held(&message), [("Ada", HoldRule::Chain)]);
}

#[tokio::test]
async fn what_happened_in_private_is_not_betrayed_by_what_is_held_in_the_open() {
    let stage = Stage::new(AGENTS).await;
    let secret = secret(&stage, "secret", AGENTS).await;
    begin(&stage, &secret).await;
    let message = stage.say(stage.agent("Bob"), "@Ada, a word").await;
    assert_eq!(message.cause, None, "it seems to speak by itself");
    assert_eq!((stage.called(&message), held(&message)), (vec!["Ada"], Vec::new()));
    // That opens the way once; from then on both are known wherever they go.
    for channel in [&stage.channel, &secret] {
        let message = stage.post(stage.agent("Ada"), say(channel, "@Bob, a word")).await;
        assert_eq!(held(&message), [("Bob", HoldRule::Chain)]);
    }
}

#[tokio::test]
async fn a_private_word_of_a_person_does_not_reset_what_others_see() {
    let stage = Stage::new(AGENTS).await;
    begin(&stage, &stage.channel).await;
    let dm = stage.dm(&[&stage.mara, stage.agent("Bob")]).await;
    stage.post(&stage.mara, crate::stage::addressed(&dm, "go on")).await;
    let message = stage.say(stage.agent("Bob"), "@Ada, a word").await;
    assert_eq!(message.cause.expect("a cause").depth, 2);
}

#[tokio::test]
async fn after_the_time_for_answers_an_agent_speaks_by_itself() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.calls.expire_seconds = 60).await;
    begin(&stage, &stage.channel).await;
    stage.pass_seconds(60);
    let message = stage.say(stage.agent("Bob"), "@Ada, good morning").await;
    assert_eq!((stage.called(&message), message.cause), (vec!["Ada"], None));
}
