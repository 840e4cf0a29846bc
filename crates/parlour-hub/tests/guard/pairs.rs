use parlour_core::{call::HoldRule, message::Message, policy::Policy};

use crate::fixture::{CallFixture, held};

const AGENTS: &[&str] = &["Ada", "Bob", "Cora"];

/// Limits under which only the pair rule can hold calls.
fn pairs_only(policy: &mut Policy) {
    policy.loop_limits.response_depth_max = 50;
    policy.loop_limits.chain_repeats_max = 50;
    policy.loop_limits.pair_messages_max = 4;
    policy.loop_limits.similar_answers_max = 100;
}

/// Ada and Bob call each other in turn, `count` times in total.
async fn exchange(fixture: &CallFixture, count: usize) -> Vec<Message> {
    let mut posted = Vec::new();
    for number in 0..count {
        let (who, whom) = if number % 2 == 0 { ("Ada", "Bob") } else { ("Bob", "Ada") };
        posted.push(fixture.say(fixture.agent(who), &format!("@{whom}, thank you {number}")).await);
        fixture.pass_seconds(1);
    }
    posted
}

#[tokio::test]
async fn two_agents_that_call_each_other_too_often_are_blocked() {
    let fixture = CallFixture::with_policy(AGENTS, pairs_only).await;
    let posted = exchange(&fixture, 6).await;
    let called: Vec<usize> = posted.iter().map(|message| message.calls.len()).collect();
    assert_eq!(called, [1, 1, 1, 1, 0, 0]);
    assert_eq!(held(&posted[4]), [("Bob", HoldRule::Pair)]);
    assert!(posted[4].held[0].until.is_some_and(|until| until > posted[4].created_at));
    assert_eq!(fixture.reported_rules().await, [HoldRule::Pair], "reported once");
    assert_eq!(
        fixture.called(&fixture.say(fixture.agent("Ada"), "@Cora, and you?").await),
        ["Cora"],
        "other agents can be called"
    );
}

#[tokio::test]
async fn a_pair_block_expires() {
    let fixture = CallFixture::with_policy(AGENTS, pairs_only).await;
    let blocked_until = exchange(&fixture, 5).await.pop().expect("posted").held[0].until.expect("a time");
    let now = parlour_hub::ports::Clock::now(fixture.test.clock.as_ref());
    let wait = u32::try_from(blocked_until.as_millis() - now.as_millis()).expect("later");
    fixture.test.clock.advance(wait - 1);
    assert_eq!(held(&fixture.say(fixture.agent("Bob"), "@Ada, now?").await), [("Ada", HoldRule::Pair)]);
    fixture.test.clock.advance(1);
    assert_eq!(fixture.called(&fixture.say(fixture.agent("Bob"), "@Ada, and now?").await), ["Ada"]);
}

#[tokio::test]
async fn a_slow_exchange_is_not_blocked() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        pairs_only(policy);
        policy.loop_limits.pair_window_seconds = 2;
    })
    .await;
    assert!(exchange(&fixture, 8).await.iter().all(|message| message.calls.len() == 1));
}

#[tokio::test]
async fn a_person_can_call_both_blocked_agents() {
    let fixture = CallFixture::with_policy(AGENTS, pairs_only).await;
    exchange(&fixture, 5).await;
    let message = fixture.say(&fixture.mara, "@Ada and @Bob, enough").await;
    assert_eq!((message.calls.len(), message.held.len()), (2, 0));
}
