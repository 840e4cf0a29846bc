use parlour_core::{
    call::{CallReason, CallState},
    message::Kind,
    post::PostMessage,
    write::Novelty,
};
use parlour_hub::use_cases::EditMessage;

use crate::{
    stage::{Stage, addressed},
    support::{agent_id, say},
};

const AGENTS: &[&str] = &["Coder", "Tester"];

#[tokio::test]
async fn a_person_calls_whom_it_mentions_once_however_often() {
    let stage = Stage::new(AGENTS).await;
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
        let request = PostMessage { mentions, ..say(&stage.channel, body) };
        let message = stage.post(&stage.mara, request).await;
        assert_eq!(stage.called(&message), *expected, "{body}");
        assert_eq!(message.held, [], "{body}");
    }
}

#[tokio::test]
async fn a_call_tells_who_asked_where_and_why() {
    let stage = Stage::new(AGENTS).await;
    let request = PostMessage { correlation_id: Some("job-1".into()), ..say(&stage.channel, "@Coder go") };
    let message = stage.post(&stage.mara, request).await;
    let coder = stage.agent("Coder");
    let [call] = stage.open_calls(coder).await.try_into().expect("one call");
    assert_eq!((&call.agent_id, &call.message_id, &call.from), (&agent_id(coder), &message.id, &message.from));
    assert_eq!((call.reason, call.state, call.depth), (CallReason::Mention, CallState::Open, 0));
    assert_eq!((call.conversation_id, call.called_at), (message.to, message.created_at));
    assert_eq!((call.correlation_id.as_deref(), call.answer_id), (Some("job-1"), None));
    assert_eq!(stage.open_calls(stage.agent("Tester")).await, []);
}

#[tokio::test]
async fn in_a_dm_of_two_nobody_has_to_mention() {
    let stage = Stage::new(AGENTS).await;
    let (coder, tester) = (stage.agent("Coder"), stage.agent("Tester"));
    let with_person = stage.dm(&[&stage.mara, coder]).await;
    let message = stage.post(&stage.mara, addressed(&with_person, "hello")).await;
    assert_eq!(stage.called(&message), ["Coder"]);
    assert_eq!(stage.open_calls(coder).await[0].reason, CallReason::Dm);
    let answer = stage.answer(coder, &message, "hello yourself").await;
    assert_eq!(stage.called(&answer), [""; 0], "people are not called");
    let of_agents = stage.dm(&[coder, tester]).await;
    let message = stage.post(coder, addressed(&of_agents, "look at this")).await;
    assert_eq!(stage.called(&message), ["Tester"]);
}

#[tokio::test]
async fn in_a_dm_of_three_a_person_calls_all_agents_or_those_it_mentions() {
    let stage = Stage::new(AGENTS).await;
    let (coder, tester) = (stage.agent("Coder"), stage.agent("Tester"));
    let dm = stage.dm(&[&stage.mara, coder, tester]).await;
    let to_all = stage.post(&stage.mara, addressed(&dm, "hello")).await;
    assert_eq!(to_all.calls.len(), 2);
    let to_one = stage.post(&stage.mara, addressed(&dm, "hello @Tester")).await;
    assert_eq!(stage.called(&to_one), ["Tester"]);
    let by_agent = stage.post(coder, addressed(&dm, "I look into it")).await;
    assert_eq!(stage.called(&by_agent), [""; 0], "among more than two an agent has to mention");
    let by_agent = stage.post(coder, addressed(&dm, "@Tester, look")).await;
    assert_eq!(stage.called(&by_agent), ["Tester"]);
}

#[tokio::test]
async fn a_subscribed_agent_is_informed_and_not_called() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    stage.hub().subscribe(coder, &stage.channel, &agent_id(coder)).await.expect("subscribed");
    let message = stage.say(&stage.mara, "no names here").await;
    assert_eq!(stage.called(&message), [""; 0]);
    assert_eq!(stage.open_calls(coder).await, []);
    assert_eq!(stage.test.inbox(coder).await, [message.id]);
}

#[tokio::test]
async fn what_only_informs_calls_nobody() {
    let stage = Stage::new(AGENTS).await;
    let coder = stage.agent("Coder");
    let own = say(&stage.channel, "@Coder, note to myself");
    let result = PostMessage { kind: Some(Kind::ToolResult), ..say(&stage.channel, "@Tester: 42") };
    let notice = PostMessage { is_notice: true, ..say(&stage.channel, "@Tester, I am busy") };
    for request in [own, result, notice] {
        let message = stage.post(coder, request).await;
        assert_eq!((&message.calls, &message.held), (&Vec::new(), &Vec::new()), "{}", message.body);
    }
    let notice = PostMessage { is_notice: true, ..say(&stage.channel, "@Coder, for your information") };
    let message = stage.post(&stage.mara, notice).await;
    assert!(message.is_notice && message.calls.is_empty());
    assert_eq!(stage.test.inbox(coder).await, [message.id], "it is informed all the same");
}

#[tokio::test]
async fn an_edit_calls_nobody_and_keeps_who_was_called() {
    let stage = Stage::new(AGENTS).await;
    let message = stage.say(&stage.mara, "@Coder go").await;
    let request = EditMessage { body: "@Tester go".into() };
    let (edited, _) = stage.hub().edit_message(&stage.mara, &message.id, request).await.expect("edited");
    assert_eq!(stage.called(&edited), ["Coder"]);
    assert_eq!(stage.open_calls(stage.agent("Tester")).await, []);
    assert_eq!(stage.test.inbox(stage.agent("Tester")).await, [message.id], "but it is told");
}

#[tokio::test]
async fn a_removed_message_no_longer_asks_for_an_answer() {
    let stage = Stage::new(AGENTS).await;
    let message = stage.say(&stage.mara, "@Coder go").await;
    let removed = stage.hub().remove_message(&stage.mara, &message.id).await.expect("removed");
    assert_eq!(removed.calls, []);
    assert_eq!(stage.open_calls(stage.agent("Coder")).await, []);
}

#[tokio::test]
async fn a_repeated_post_calls_once_and_answers_the_same() {
    let stage = Stage::new(AGENTS).await;
    let request = PostMessage { id: Some("msg_mine".parse().expect("id")), ..say(&stage.channel, "@Coder go") };
    let first = stage.try_post(&stage.mara, request.clone()).await.expect("posted");
    stage.pass_seconds(5);
    let again = stage.try_post(&stage.mara, request).await.expect("answered");
    assert_eq!((again.novelty, &again.message), (Novelty::Repeated, &first.message));
    assert_eq!(stage.open_messages(stage.agent("Coder")).await, [first.message.id]);
}

#[tokio::test]
async fn who_cannot_read_the_conversation_is_not_called() {
    let stage = Stage::new(AGENTS).await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    let coder = stage.agent("Coder");
    stage.hub().add_channel_member(&stage.mara, &secret, &coder.member).await.expect("let in");
    let posted = stage.try_post(&stage.mara, say(&secret, "@Coder and @Tester")).await.expect("posted");
    assert_eq!(stage.called(&posted.message), ["Coder"]);
    assert_eq!(posted.mention_problems.len(), 1);
    assert_eq!(stage.open_calls(stage.agent("Tester")).await, []);
}
