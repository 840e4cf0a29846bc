use parlour_core::call::HoldRule;

use crate::fixture::{CallFixture, addressed, held};

#[tokio::test]
async fn the_waiting_calls_of_an_agent_in_a_conversation_are_limited() {
    let fixture = CallFixture::with_policy(&["Coder", "Tester"], |policy| policy.calls.waiting_max = 2).await;
    for _ in 0..2 {
        assert_eq!(fixture.called(&fixture.say(&fixture.mara, "@Coder go").await), ["Coder"]);
    }
    let message = fixture.say(&fixture.mara, "@Coder and @Tester").await;
    assert_eq!(fixture.called(&message), ["Tester"], "other agents are still called");
    assert_eq!(held(&message), [("Coder", HoldRule::Waiting)]);
    let elsewhere = fixture.test.channel(&fixture.mara, &fixture.project, "elsewhere").await.into();
    assert_eq!(fixture.called(&fixture.post(&fixture.mara, addressed(&elsewhere, "@Coder")).await), ["Coder"]);
    assert_eq!(fixture.reported_rules().await, [], "no host message: only the sender's result lists it");
    fixture.say(fixture.agent("Coder"), "one is done").await;
    assert_eq!(fixture.called(&fixture.say(&fixture.mara, "@Coder go").await), ["Coder"]);
}

#[tokio::test]
async fn the_limit_of_waiting_calls_applies_to_calls_by_agents() {
    let fixture = CallFixture::with_policy(&["Coder", "Tester"], |policy| policy.calls.waiting_max = 1).await;
    fixture.say(&fixture.mara, "@Coder go").await;
    let message = fixture.say(fixture.agent("Tester"), "@Coder, hurry up").await;
    assert_eq!((fixture.called(&message), held(&message)), (Vec::new(), vec![("Coder", HoldRule::Waiting)]));
    assert_eq!(fixture.reported_rules().await, []);
}

#[tokio::test]
async fn expired_calls_do_not_count_as_waiting() {
    let change = |policy: &mut parlour_core::policy::Policy| {
        policy.calls.waiting_max = 1;
        policy.calls.expire_seconds = 60;
    };
    let fixture = CallFixture::with_policy(&["Coder"], change).await;
    fixture.say(&fixture.mara, "@Coder go").await;
    fixture.pass_seconds(59);
    assert_eq!(held(&fixture.say(&fixture.mara, "@Coder go").await), [("Coder", HoldRule::Waiting)]);
    fixture.pass_seconds(1);
    assert_eq!(fixture.called(&fixture.say(&fixture.mara, "@Coder go").await), ["Coder"]);
}
