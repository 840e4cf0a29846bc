use parlour_core::call::HoldRule;

use crate::stage::{Stage, addressed, held};

#[tokio::test]
async fn only_so_many_calls_of_one_agent_wait_in_one_conversation() {
    let stage = Stage::with_policy(&["Coder", "Tester"], |policy| policy.calls.waiting_max = 2).await;
    for _ in 0..2 {
        assert_eq!(stage.called(&stage.say(&stage.mara, "@Coder go").await), ["Coder"]);
    }
    let message = stage.say(&stage.mara, "@Coder and @Tester").await;
    assert_eq!(stage.called(&message), ["Tester"], "others are not concerned");
    assert_eq!(held(&message), [("Coder", HoldRule::Waiting)]);
    let elsewhere = stage.test.channel(&stage.mara, &stage.project, "elsewhere").await.into();
    assert_eq!(stage.called(&stage.post(&stage.mara, addressed(&elsewhere, "@Coder")).await), ["Coder"]);
    assert_eq!(stage.told_rules().await, [], "it is told to the sender alone");
    stage.say(stage.agent("Coder"), "one is done").await;
    assert_eq!(stage.called(&stage.say(&stage.mara, "@Coder go").await), ["Coder"]);
}

#[tokio::test]
async fn agents_are_held_by_the_same_bound() {
    let stage = Stage::with_policy(&["Coder", "Tester"], |policy| policy.calls.waiting_max = 1).await;
    stage.say(&stage.mara, "@Coder go").await;
    let message = stage.say(stage.agent("Tester"), "@Coder, hurry up").await;
    assert_eq!((stage.called(&message), held(&message)), (Vec::new(), vec![("Coder", HoldRule::Waiting)]));
    assert_eq!(stage.told_rules().await, []);
}

#[tokio::test]
async fn calls_that_nobody_took_in_time_do_not_wait() {
    let change = |policy: &mut parlour_core::policy::Policy| {
        policy.calls.waiting_max = 1;
        policy.calls.expire_seconds = 60;
    };
    let stage = Stage::with_policy(&["Coder"], change).await;
    stage.say(&stage.mara, "@Coder go").await;
    stage.pass_seconds(59);
    assert_eq!(held(&stage.say(&stage.mara, "@Coder go").await), [("Coder", HoldRule::Waiting)]);
    stage.pass_seconds(1);
    assert_eq!(stage.called(&stage.say(&stage.mara, "@Coder go").await), ["Coder"]);
}
