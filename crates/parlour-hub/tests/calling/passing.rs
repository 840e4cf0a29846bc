use parlour_core::{Code, call::CallState, limits};
use parlour_hub::ports::CallRecords as _;

use crate::{
    fixture::CallFixture,
    support::{agent_id, refused},
};

#[tokio::test]
async fn passing_closes_only_the_call_of_the_caller() {
    let fixture = CallFixture::new(&["Coder", "Tester"]).await;
    let (coder, tester) = (fixture.agent("Coder"), fixture.agent("Tester"));
    let message = fixture.say(&fixture.mara, "@Coder and @Tester").await;
    let passed = fixture.hub().pass_call(coder, &message.id, Some("not for me".into())).await.expect("passed");
    assert_eq!((&passed.agent_id, &passed.message_id), (&agent_id(coder), &message.id));
    assert_eq!((&passed.conversation_id, passed.reason.as_deref()), (&message.to, Some("not for me")));
    assert_eq!(fixture.open_calls(coder).await, []);
    assert_eq!(fixture.open_messages(tester).await, std::slice::from_ref(&message.id));
    let call = fixture.test.store().call(&agent_id(coder), &message.id).await.expect("read").expect("a call");
    assert_eq!((call.state, call.answer_id), (CallState::Passed, None));
}

#[tokio::test]
async fn passing_on_a_closed_call_changes_nothing() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let coder = fixture.agent("Coder");
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    fixture.answer(coder, &message, "done").await;
    let end = fixture.hub().end_of_log(&fixture.mara, &fixture.project).await.expect("end");
    fixture.hub().pass_call(coder, &message.id, None).await.expect("nothing to do");
    let call = fixture.test.store().call(&agent_id(coder), &message.id).await.expect("read").expect("a call");
    assert_eq!(call.state, CallState::Answered);
    assert_eq!(
        fixture.hub().end_of_log(&fixture.mara, &fixture.project).await.expect("end"),
        end,
        "nothing was written"
    );
}

#[tokio::test]
async fn only_a_called_agent_can_pass() {
    let fixture = CallFixture::new(&["Coder", "Tester"]).await;
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    assert_eq!(refused(fixture.hub().pass_call(fixture.agent("Tester"), &message.id, None).await), Code::NotFound);
    assert_eq!(refused(fixture.hub().pass_call(&fixture.mara, &message.id, None).await), Code::Forbidden);
    let nowhere = "msg_none".parse().expect("id");
    assert_eq!(refused(fixture.hub().pass_call(fixture.agent("Coder"), &nowhere, None).await), Code::NotFound);
}

#[tokio::test]
async fn the_reason_of_a_pass_is_limited_and_a_blank_one_is_dropped() {
    let fixture = CallFixture::new(&["Coder"]).await;
    let coder = fixture.agent("Coder");
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    let pass = async |reason: &str| fixture.hub().pass_call(coder, &message.id, Some(reason.into())).await;
    assert_eq!(refused(pass(&"x".repeat(limits::REASON_CHARS_MAX + 1)).await), Code::OutOfBounds);
    assert_eq!(refused(pass("a\u{7}b").await), Code::ControlCharacter);
    assert_eq!(fixture.open_messages(coder).await, std::slice::from_ref(&message.id));
    assert_eq!(pass("  ").await.expect("passed").reason, None);
}
