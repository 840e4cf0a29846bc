use parlour_core::{call::HoldRule, message::Message, policy::Policy};

use crate::stage::{Stage, held};

const AGENTS: &[&str] = &["Ada", "Bob"];

fn free(policy: &mut Policy) {
    policy.loop_limits.response_depth_max = 50;
    policy.loop_limits.chain_repeats_max = 50;
    policy.loop_limits.pair_messages_max = 1_000;
    policy.loop_limits.similar_answers_max = 100;
}

async fn exchange(stage: &Stage, bodies: &[&str]) -> Vec<Message> {
    let mut said = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let (who, whom) = if number % 2 == 0 { ("Ada", "Bob") } else { ("Bob", "Ada") };
        said.push(stage.say(stage.agent(who), &format!("@{whom} {body}")).await);
    }
    said
}

fn rules(said: &[Message]) -> Vec<Option<HoldRule>> {
    said.iter().map(|message| message.held.first().map(|one| one.rule)).collect()
}

#[tokio::test]
async fn agents_use_up_their_messages_in_a_conversation_until_a_person_speaks() {
    let stage = Stage::with_policy(AGENTS, |policy| {
        free(policy);
        policy.loop_limits.conversation_answers_max = 3;
    })
    .await;
    let said = exchange(&stage, &["one apple", "two pears", "three plums", "four nuts"]).await;
    let budget = Some(HoldRule::Budget);
    assert_eq!(rules(&said), [None, None, budget, budget]);
    assert_eq!(stage.told_rules().await, [HoldRule::Budget]);
    stage.say(&stage.mara, "go on").await;
    assert_eq!(rules(&exchange(&stage, &["five figs"]).await), [None]);
}

#[tokio::test]
async fn agents_that_say_the_same_again_and_again_are_stopped() {
    let stage = Stage::with_policy(AGENTS, |policy| {
        free(policy);
        policy.loop_limits.similar_answers_max = 3;
    })
    .await;
    let thanks = "thank you very much for your kind help today";
    let said = exchange(&stage, &[thanks, thanks, thanks]).await;
    assert_eq!(rules(&said), [None, None, Some(HoldRule::NoProgress)]);
    let fresh = stage.say(stage.agent("Bob"), "@Ada the build is green and the release notes are written").await;
    assert_eq!(held(&fresh), [], "who has something new to say gets through");
    assert_eq!(stage.told_rules().await, [HoldRule::NoProgress]);
}

#[tokio::test]
async fn all_rules_hold_together_by_default() {
    let stage = Stage::with_policy(AGENTS, |policy| {
        policy.loop_limits.response_depth_max = 50;
        policy.loop_limits.chain_repeats_max = 50;
    })
    .await;
    let mut answers = 0;
    let mut last = stage.say(&stage.mara, "@Ada, begin").await;
    for number in 0..100 {
        let who = if number % 2 == 0 { "Ada" } else { "Bob" };
        let whom = if number % 2 == 0 { "Bob" } else { "Ada" };
        if stage.called(&last) != [who] {
            break;
        }
        last = stage.answer(stage.agent(who), &last, &format!("@{whom}, here is thing number {number}")).await;
        answers += 1;
    }
    assert!((1..=30).contains(&answers), "{answers} answers");
}
