use parlour_core::call::HoldRule;

use crate::fixture::{CallFixture, addressed, held};

#[tokio::test]
async fn only_so_many_calls_of_one_agent_wait_in_one_conversation() {
    let fixture = CallFixture::with_policy(&["Coder", "Tester"], |policy| policy.calls.waiting_max = 2).await;
    for _ in 0..2 {
        assert_eq!(fixture.called(&fixture.say(&fixture.mara, "@Coder go").await), ["Coder"]);
    }
    let message = fixture.say(&fixture.mara, "@Coder and @Tester").await;
    assert_eq!(fixture.called(&message), ["Tester"], "others are not concerned");
    assert_eq!(held(&message), [("Coder", HoldRule::Waiting)]);
    let elsewhere = fixture.test.channel(&fixture.mara, &fixture.project, "elsewhere").await.into();
    assert_eq!(fixture.called(&fixture.post(&fixture.mara, addressed(&elsewhere, "@Coder")).await), ["Coder"]);
    assert_eq!(fixture.reported_rules().await, [], "it is told to the sender alone");
    fixture.say(fixture.agent("Coder"), "one is done").await;
    assert_eq!(fixture.called(&fixture.say(&fixture.mara, "@Coder go").await), ["Coder"]);
}

#[tokio::test]
async fn agents_are_held_by_the_same_bound() {
    let fixture = CallFixture::with_policy(&["Coder", "Tester"], |policy| policy.calls.waiting_max = 1).await;
    fixture.say(&fixture.mara, "@Coder go").await;
    let message = fixture.say(fixture.agent("Tester"), "@Coder, hurry up").await;
    assert_eq!((fixture.called(&message), held(&message)), (Vec::new(), vec![("Coder", HoldRule::Waiting)]));
    assert_eq!(fixture.reported_rules().await, []);
}

#[tokio::test]
async fn calls_that_nobody_took_in_time_do_not_wait() {
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
