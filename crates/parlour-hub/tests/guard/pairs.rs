use parlour_core::{call::HoldRule, message::Message, policy::Policy};

use crate::fixture::{CallFixture, held};

const AGENTS: &[&str] = &["Ada", "Bob", "Cora"];

/// Rules under which only the pair window stands.
fn pairs_only(policy: &mut Policy) {
    policy.loop_limits.response_depth_max = 50;
    policy.loop_limits.chain_repeats_max = 50;
    policy.loop_limits.pair_messages_max = 4;
    policy.loop_limits.similar_answers_max = 100;
}

/// Ada and Bob call each other by turns, so often.
async fn exchange(fixture: &CallFixture, count: usize) -> Vec<Message> {
    let mut said = Vec::new();
    for number in 0..count {
        let (who, whom) = if number % 2 == 0 { ("Ada", "Bob") } else { ("Bob", "Ada") };
        said.push(fixture.say(fixture.agent(who), &format!("@{whom}, thank you {number}")).await);
        fixture.pass_seconds(1);
    }
    said
}

#[tokio::test]
async fn two_agents_are_silent_after_they_have_called_each_other_too_often() {
    let fixture = CallFixture::with_policy(AGENTS, pairs_only).await;
    let said = exchange(&fixture, 6).await;
    let called: Vec<usize> = said.iter().map(|message| message.calls.len()).collect();
    assert_eq!(called, [1, 1, 1, 1, 0, 0]);
    assert_eq!(held(&said[4]), [("Bob", HoldRule::Pair)]);
    assert!(said[4].held[0].until.is_some_and(|until| until > said[4].created_at));
    assert_eq!(fixture.told_rules().await, [HoldRule::Pair], "told once");
    assert_eq!(
        fixture.called(&fixture.say(fixture.agent("Ada"), "@Cora, and you?").await),
        ["Cora"],
        "others are free"
    );
}

#[tokio::test]
async fn time_lifts_the_silence() {
    let fixture = CallFixture::with_policy(AGENTS, pairs_only).await;
    let stop = exchange(&fixture, 5).await.pop().expect("said").held[0].until.expect("a time");
    let now = parlour_hub::ports::Clock::now(fixture.test.clock.as_ref());
    let wait = u32::try_from(stop.as_millis() - now.as_millis()).expect("later");
    fixture.test.clock.advance(wait - 1);
    assert_eq!(held(&fixture.say(fixture.agent("Bob"), "@Ada, now?").await), [("Ada", HoldRule::Pair)]);
    fixture.test.clock.advance(1);
    assert_eq!(fixture.called(&fixture.say(fixture.agent("Bob"), "@Ada, and now?").await), ["Ada"]);
}

#[tokio::test]
async fn a_slow_exchange_goes_on() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        pairs_only(policy);
        policy.loop_limits.pair_window_seconds = 2;
    })
    .await;
    assert!(exchange(&fixture, 8).await.iter().all(|message| message.calls.len() == 1));
}

#[tokio::test]
async fn a_person_gets_through_to_both() {
    let fixture = CallFixture::with_policy(AGENTS, pairs_only).await;
    exchange(&fixture, 5).await;
    let message = fixture.say(&fixture.mara, "@Ada and @Bob, enough").await;
    assert_eq!((message.calls.len(), message.held.len()), (2, 0));
}
