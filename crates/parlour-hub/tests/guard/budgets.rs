use parlour_core::{call::HoldRule, message::Message, policy::Policy};

use crate::fixture::{CallFixture, held};

const AGENTS: &[&str] = &["Ada", "Bob"];

fn relax_other_rules(policy: &mut Policy) {
    policy.loop_limits.response_depth_max = 50;
    policy.loop_limits.chain_repeats_max = 50;
    policy.loop_limits.pair_messages_max = 1_000;
    policy.loop_limits.similar_answers_max = 100;
}

async fn exchange(fixture: &CallFixture, bodies: &[&str]) -> Vec<Message> {
    let mut posted = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let (who, whom) = if number % 2 == 0 { ("Ada", "Bob") } else { ("Bob", "Ada") };
        posted.push(fixture.say(fixture.agent(who), &format!("@{whom} {body}")).await);
    }
    posted
}

fn rules(posted: &[Message]) -> Vec<Option<HoldRule>> {
    posted.iter().map(|message| message.held.first().map(|one| one.rule)).collect()
}

#[tokio::test]
async fn the_budget_of_a_conversation_is_used_up_until_a_person_posts() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.conversation_answers_max = 3;
    })
    .await;
    let posted = exchange(&fixture, &["one apple", "two pears", "three plums", "four nuts"]).await;
    let budget = Some(HoldRule::Budget);
    assert_eq!(rules(&posted), [None, None, budget, budget]);
    assert_eq!(fixture.reported_rules().await, [HoldRule::Budget]);
    fixture.say(&fixture.mara, "go on").await;
    assert_eq!(rules(&exchange(&fixture, &["five figs"]).await), [None]);
}

#[tokio::test]
async fn agents_that_repeat_themselves_are_held() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.similar_answers_max = 3;
    })
    .await;
    let thanks = "thank you very much for your kind help today";
    let posted = exchange(&fixture, &[thanks, thanks, thanks]).await;
    assert_eq!(rules(&posted), [None, None, Some(HoldRule::NoProgress)]);
    let different =
        fixture.say(fixture.agent("Bob"), "@Ada the build is green and the release notes are written").await;
    assert_eq!(held(&different), [], "a different text is progress");
    assert_eq!(fixture.reported_rules().await, [HoldRule::NoProgress]);
}

#[tokio::test]
async fn the_default_limits_stop_two_agents_without_the_depth_and_chain_rules() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        policy.loop_limits.response_depth_max = 50;
        policy.loop_limits.chain_repeats_max = 50;
    })
    .await;
    let mut answers = 0;
    let mut last = fixture.say(&fixture.mara, "@Ada, begin").await;
    for number in 0..100 {
        let who = if number % 2 == 0 { "Ada" } else { "Bob" };
        let whom = if number % 2 == 0 { "Bob" } else { "Ada" };
        if fixture.called(&last) != [who] {
            break;
        }
        last = fixture.answer(fixture.agent(who), &last, &format!("@{whom}, here is thing number {number}")).await;
        answers += 1;
    }
    assert!((1..=30).contains(&answers), "{answers} answers");
}
