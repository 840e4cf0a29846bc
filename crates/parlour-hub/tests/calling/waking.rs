use parlour_core::{
    call::{CallReason, CallState},
    message::Kind,
    post::PostMessage,
    write::Novelty,
};
use parlour_hub::use_cases::EditMessage;

use crate::{
    fixture::{CallFixture, addressed},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Coder", "Tester"];

#[tokio::test]
async fn a_message_of_a_person_calls_each_mentioned_agent_once() {
    let fixture = CallFixture::new(AGENTS).await;
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("hello all of you", &[], &[]),
        ("hello @Coder", &[], &["Coder"]),
        ("@coder, @CODER and @Coder again", &[], &["Coder"]),
        ("@Tester before @Coder", &[], &["Tester", "Coder"]),
        ("hello", &["Coder"], &["Coder"]),
        ("hello @Coder", &["Coder", "@Tester"], &["Coder", "Tester"]),
        ("`@Coder` in code, and mail@Coder", &[], &[]),
        ("@Mara, not an agent", &[], &[]),
        ("@Codr is nobody", &[], &[]),
    ];
    for (body, mentions, expected) in cases {
        let mentions = mentions.iter().map(ToString::to_string).collect();
        let request = PostMessage { mentions, ..say(&fixture.channel, body) };
        let message = fixture.post(&fixture.mara, request).await;
        assert_eq!(fixture.called(&message), *expected, "{body}");
        assert_eq!(message.held, [], "{body}");
    }
}

#[tokio::test]
async fn a_call_names_its_author_conversation_and_reason() {
    let fixture = CallFixture::new(AGENTS).await;
    let request = PostMessage { correlation_id: Some("job-1".into()), ..say(&fixture.channel, "@Coder go") };
    let message = fixture.post(&fixture.mara, request).await;
    let coder = fixture.agent("Coder");
    let [call] = fixture.open_calls(coder).await.try_into().expect("one call");
    assert_eq!((&call.agent_id, &call.message_id, &call.from), (&agent_id(coder), &message.id, &message.from));
    assert_eq!((call.reason, call.state, call.depth), (CallReason::Mention, CallState::Open, 0));
    assert_eq!((call.conversation_id, call.called_at), (message.to, message.created_at));
    assert_eq!((call.correlation_id.as_deref(), call.answer_id), (Some("job-1"), None));
    assert_eq!(fixture.open_calls(fixture.agent("Tester")).await, []);
}

#[tokio::test]
async fn in_a_dm_of_two_the_other_agent_is_called_without_a_mention() {
    let fixture = CallFixture::new(AGENTS).await;
    let (coder, tester) = (fixture.agent("Coder"), fixture.agent("Tester"));
    let with_person = fixture.dm(&[&fixture.mara, coder]).await;
    let message = fixture.post(&fixture.mara, addressed(&with_person, "hello")).await;
    assert_eq!(fixture.called(&message), ["Coder"]);
    assert_eq!(fixture.open_calls(coder).await[0].reason, CallReason::Dm);
    let answer = fixture.answer(coder, &message, "hello yourself").await;
    assert_eq!(fixture.called(&answer), [""; 0], "people are not called");
    let of_agents = fixture.dm(&[coder, tester]).await;
    let message = fixture.post(coder, addressed(&of_agents, "look at this")).await;
    assert_eq!(fixture.called(&message), ["Tester"]);
}

#[tokio::test]
async fn in_a_dm_of_three_a_person_calls_all_agents_or_those_it_mentions() {
    let fixture = CallFixture::new(AGENTS).await;
    let (coder, tester) = (fixture.agent("Coder"), fixture.agent("Tester"));
    let dm = fixture.dm(&[&fixture.mara, coder, tester]).await;
    let to_all = fixture.post(&fixture.mara, addressed(&dm, "hello")).await;
    assert_eq!(to_all.calls.len(), 2);
    let to_one = fixture.post(&fixture.mara, addressed(&dm, "hello @Tester")).await;
    assert_eq!(fixture.called(&to_one), ["Tester"]);
    let by_agent = fixture.post(coder, addressed(&dm, "I look into it")).await;
    assert_eq!(fixture.called(&by_agent), [""; 0], "among more than two an agent has to mention");
    let by_agent = fixture.post(coder, addressed(&dm, "@Tester, look")).await;
    assert_eq!(fixture.called(&by_agent), ["Tester"]);
}

#[tokio::test]
async fn a_subscribed_agent_gets_a_delivery_and_no_call() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    fixture.hub().subscribe(coder, &fixture.channel, &agent_id(coder)).await.expect("subscribed");
    let message = fixture.say(&fixture.mara, "no names here").await;
    assert_eq!(fixture.called(&message), [""; 0]);
    assert_eq!(fixture.open_calls(coder).await, []);
    assert_eq!(fixture.test.inbox(coder).await, [message.id]);
}

#[tokio::test]
async fn self_mentions_notices_and_tool_results_call_nobody() {
    let fixture = CallFixture::new(AGENTS).await;
    let coder = fixture.agent("Coder");
    let own = say(&fixture.channel, "@Coder, note to myself");
    let result = PostMessage { kind: Some(Kind::ToolResult), ..say(&fixture.channel, "@Tester: 42") };
    let notice = PostMessage { is_notice: true, ..say(&fixture.channel, "@Tester, I am busy") };
    for request in [own, result, notice] {
        let message = fixture.post(coder, request).await;
        assert_eq!((&message.calls, &message.held), (&Vec::new(), &Vec::new()), "{}", message.body);
    }
    let notice = PostMessage { is_notice: true, ..say(&fixture.channel, "@Coder, for your information") };
    let message = fixture.post(&fixture.mara, notice).await;
    assert!(message.is_notice && message.calls.is_empty());
    assert_eq!(fixture.test.inbox(coder).await, [message.id], "the delivery arrives without a call");
}

#[tokio::test]
async fn an_edit_calls_nobody_and_closes_the_call_of_a_removed_mention() {
    let fixture = CallFixture::new(AGENTS).await;
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    let request = EditMessage { body: "@Tester go".into() };
    let (edited, _) = fixture.hub().edit_message(&fixture.mara, &message.id, request).await.expect("edited");
    assert_eq!(fixture.called(&edited), [""; 0]);
    for name in ["Coder", "Tester"] {
        assert_eq!(fixture.open_calls(fixture.agent(name)).await, [], "{name}");
    }
    assert_eq!(fixture.test.inbox(fixture.agent("Tester")).await, [message.id], "a delivery without a call");
}

#[tokio::test]
async fn removing_a_message_closes_its_calls() {
    let fixture = CallFixture::new(AGENTS).await;
    let message = fixture.say(&fixture.mara, "@Coder go").await;
    let removed = fixture.hub().remove_message(&fixture.mara, &message.id).await.expect("removed");
    assert_eq!(removed.calls, []);
    assert_eq!(fixture.open_calls(fixture.agent("Coder")).await, []);
}

#[tokio::test]
async fn a_repeated_post_calls_once_and_returns_the_first_result() {
    let fixture = CallFixture::new(AGENTS).await;
    let request = PostMessage { id: Some("msg_mine".parse().expect("id")), ..say(&fixture.channel, "@Coder go") };
    let first = fixture.try_post(&fixture.mara, request.clone()).await.expect("posted");
    fixture.pass_seconds(5);
    let again = fixture.try_post(&fixture.mara, request).await.expect("answered");
    assert_eq!((again.novelty, &again.message), (Novelty::Repeated, &first.message));
    assert_eq!(fixture.open_messages(fixture.agent("Coder")).await, [first.message.id]);
}

#[tokio::test]
async fn an_agent_that_cannot_read_the_conversation_is_not_called() {
    let fixture = CallFixture::new(AGENTS).await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let coder = fixture.agent("Coder");
    fixture.hub().add_channel_member(&fixture.mara, &secret, &coder.member).await.expect("added");
    let posted = fixture.try_post(&fixture.mara, say(&secret, "@Coder and @Tester")).await.expect("posted");
    assert_eq!(fixture.called(&posted.message), ["Coder"]);
    assert_eq!(posted.mention_problems.len(), 1);
    assert_eq!(fixture.open_calls(fixture.agent("Tester")).await, []);
}
