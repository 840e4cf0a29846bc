use parlour_core::{call::HoldRule, message::Message, policy::Policy, post::PostMessage};

use crate::{
    fixture::{CallFixture, held},
    support::say,
};

const AGENTS: &[&str] = &["Ada", "Bob", "Cora", "Dora"];

fn relax_other_rules(policy: &mut Policy) {
    policy.loop_limits.response_depth_max = 50;
    policy.loop_limits.chain_repeats_max = 50;
    policy.loop_limits.similar_answers_max = 100;
}

async fn call(fixture: &CallFixture, who: &str, whom: &str, job: &str) -> Message {
    let body = format!("@{whom}, please");
    let request = PostMessage { correlation_id: Some(job.into()), ..say(&fixture.channel, &body) };
    fixture.post(fixture.agent(who), request).await
}

#[tokio::test]
async fn calls_with_one_correlation_id_have_a_depth_limit() {
    let fixture = CallFixture::with_policy(AGENTS, relax_other_rules).await;
    for (who, whom) in [("Ada", "Bob"), ("Bob", "Cora")] {
        assert_eq!(fixture.called(&call(&fixture, who, whom, "job").await), [whom]);
    }
    assert_eq!(held(&call(&fixture, "Cora", "Dora", "job").await), [("Dora", HoldRule::Correlation)]);
    assert_eq!(fixture.called(&call(&fixture, "Cora", "Ada", "job").await), ["Ada"], "a call back adds no depth");
    assert_eq!(fixture.called(&call(&fixture, "Cora", "Dora", "another-job").await), ["Dora"]);
}

#[tokio::test]
async fn an_answer_inherits_the_correlation_id_for_the_guard() {
    let fixture = CallFixture::with_policy(AGENTS, relax_other_rules).await;
    let first = call(&fixture, "Ada", "Bob", "job").await;
    let second = fixture.answer(fixture.agent("Bob"), &first, "@Cora, please").await;
    let third = fixture.answer(fixture.agent("Cora"), &second, "@Dora, please").await;
    assert_eq!(third.correlation_id.as_deref(), Some("job"));
    assert_eq!(held(&third), [("Dora", HoldRule::Correlation)]);
}

#[tokio::test]
async fn calls_with_one_correlation_id_have_a_rate_limit() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.correlation_calls_max = 2;
        policy.loop_limits.correlation_window_seconds = 10;
    })
    .await;
    for _ in 0..2 {
        assert_eq!(fixture.called(&call(&fixture, "Ada", "Bob", "job").await), ["Bob"]);
    }
    assert_eq!(held(&call(&fixture, "Ada", "Bob", "job").await), [("Bob", HoldRule::Correlation)]);
    fixture.pass_seconds(10);
    assert_eq!(fixture.called(&call(&fixture, "Ada", "Bob", "job").await), ["Bob"]);
}

#[tokio::test]
async fn calls_with_one_correlation_id_have_an_age_limit() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| {
        relax_other_rules(policy);
        policy.loop_limits.correlation_age_seconds = 60;
    })
    .await;
    call(&fixture, "Ada", "Bob", "job").await;
    fixture.pass_seconds(61);
    assert_eq!(held(&call(&fixture, "Ada", "Bob", "job").await), [("Bob", HoldRule::Correlation)]);
}
