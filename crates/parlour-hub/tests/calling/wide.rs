use parlour_core::{
    Code, Refusal,
    access::{Grant, Principal},
    limits,
    mention::MentionProblemReason,
    message::Kind,
    post::PostMessage,
    scope::{Scope, Scopes},
};
use parlour_hub::use_cases::EditMessage;

use crate::{
    fixture::{CallFixture, addressed},
    support::say,
};

const AGENTS: &[&str] = &["Coder", "Tester"];

async fn refusal(fixture: &CallFixture, who: &Principal, request: PostMessage) -> Refusal {
    fixture.try_post(who, request).await.expect_err("a refusal").refusal().expect("no fault").clone()
}

fn confirmed(request: PostMessage) -> PostMessage {
    PostMessage { confirm_wide: true, ..request }
}

fn with_scopes(who: &Principal, scopes: Scopes) -> Principal {
    who.clone().granted(Grant { scopes, ..who.grant.clone() })
}

#[tokio::test]
async fn an_unconfirmed_wide_mention_is_refused_with_the_members_it_would_call() {
    let fixture = CallFixture::new(AGENTS).await;
    let tom = fixture.test.person("Tom").await;
    fixture.test.join(&fixture.project, &tom).await;
    for (body, expected) in [
        ("@agents, stop", &["Coder", "Tester"][..]),
        ("@everyone stop", &["Coder", "Tester", "Tom"]),
        ("@all @agents", &["Coder", "Tester", "Tom"]),
        ("@Channel", &["Coder", "Tester", "Tom"]),
    ] {
        let refusal = refusal(&fixture, &fixture.mara, say(&fixture.channel, body)).await;
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::WideMention, Some("confirm_wide")), "{body}");
        let mut names: Vec<_> = refusal.candidates.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{body}");
        assert!(refusal.detail.contains("2 agents"), "{}", refusal.detail);
    }
    assert_eq!(fixture.history(&fixture.channel.clone().into()).await, []);
}

#[tokio::test]
async fn a_confirmed_wide_mention_calls_all_agents_and_mentions_all_addressed_members() {
    let fixture = CallFixture::new(AGENTS).await;
    let message = fixture.post(&fixture.mara, confirmed(say(&fixture.channel, "@agents, stop"))).await;
    assert_eq!(message.calls.len(), 2);
    assert_eq!(message.mentions.len(), 2);
    assert!(!message.mentions.contains(&fixture.mara.member));
    for agent in &fixture.agents {
        assert_eq!(fixture.open_messages(agent).await, std::slice::from_ref(&message.id));
    }
    let message = fixture.post(&fixture.mara, confirmed(say(&fixture.channel, "@everyone and @Coder"))).await;
    assert_eq!((message.calls.len(), message.mentions[0].agent()), (2, fixture.agent("Coder").member.agent()));
}

#[tokio::test]
async fn a_wide_mention_addresses_only_readers_of_the_conversation() {
    let fixture = CallFixture::new(AGENTS).await;
    let dm = fixture.dm(&[&fixture.mara, fixture.agent("Coder")]).await;
    let refusal = refusal(&fixture, &fixture.mara, addressed(&dm, "@everyone")).await;
    assert_eq!(refusal.candidates, ["Coder"]);
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let message = fixture.post(&fixture.mara, say(&secret, "@agents and @everyone: nobody else is here")).await;
    assert_eq!(
        (message.mentions, message.calls),
        (Vec::new(), Vec::new()),
        "nobody would be mentioned, so no confirmation is needed"
    );
}

#[tokio::test]
async fn a_wide_mention_requires_its_scope_confirmed_or_not() {
    let fixture = CallFixture::new(AGENTS).await;
    let narrow = with_scopes(&fixture.mara, Scopes::all().without(Scope::MentionsWide));
    for request in [say(&fixture.channel, "@agents"), confirmed(say(&fixture.channel, "@agents"))] {
        for who in [&narrow, fixture.agent("Coder")] {
            let refusal = refusal(&fixture, who, request.clone()).await;
            assert_eq!(refusal.code, Code::MissingScope);
            assert_eq!(refusal.candidates, [""; 0]);
        }
    }
}

#[tokio::test]
async fn the_refusal_of_a_wide_mention_contains_only_counts_without_the_scope_channels_read() {
    let fixture = CallFixture::new(AGENTS).await;
    let scopes = [Scope::MessagesWrite, Scope::MentionsWide].into_iter().collect();
    let refusal = refusal(&fixture, &with_scopes(&fixture.mara, scopes), say(&fixture.channel, "@agents")).await;
    assert_eq!((refusal.code, refusal.candidates.len()), (Code::WideMention, 0));
    assert!(refusal.detail.contains("2 agents"));
}

#[tokio::test]
async fn the_policy_limits_the_agents_of_a_wide_mention() {
    let fixture = CallFixture::with_policy(AGENTS, |policy| policy.calls.wide_agents_max = 1).await;
    for request in [say(&fixture.channel, "@everyone"), confirmed(say(&fixture.channel, "@agents"))] {
        let refusal = refusal(&fixture, &fixture.mara, request).await;
        assert_eq!(refusal.code, Code::OutOfBounds);
        assert!(refusal.detail.contains("calls.wide_agents_max"), "{}", refusal.detail);
    }
}

#[tokio::test]
async fn a_wide_mention_of_more_members_than_the_mention_limit_is_refused() {
    let fixture = CallFixture::new(&[]).await;
    for number in 0..=limits::MENTIONS_MAX {
        let someone = fixture.test.person(&format!("Person {number}")).await;
        fixture.test.join(&fixture.project, &someone).await;
    }
    let refusal = refusal(&fixture, &fixture.mara, confirmed(say(&fixture.channel, "@everyone"))).await;
    assert_eq!(refusal.code, Code::OutOfBounds);
    assert_eq!(fixture.post(&fixture.mara, say(&fixture.channel, "@agents")).await.mentions, [], "there are none");
}

#[tokio::test]
async fn a_wide_mention_in_an_edit_or_a_stream_is_reported_and_calls_nobody() {
    let fixture = CallFixture::new(AGENTS).await;
    let message = fixture.say(&fixture.mara, "hello").await;
    let request = EditMessage { body: "hello @agents".into() };
    let (edited, problems) = fixture.hub().edit_message(&fixture.mara, &message.id, request).await.expect("edited");
    assert_eq!(edited.mentions, []);
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].name.as_str(), problems[0].reason), ("agents", MentionProblemReason::Wide));
    let begun = PostMessage { stream: true, ..confirmed(say(&fixture.channel, "@everyone: ")) };
    let begun = fixture.try_post(&fixture.mara, begun).await.expect("begun");
    assert_eq!(begun.mention_problems[0].reason, MentionProblemReason::Wide);
    let ended =
        fixture.hub().complete_stream(&fixture.mara, &begun.message.id, Default::default()).await.expect("ended");
    assert_eq!((ended.message.mentions, ended.message.calls), (Vec::new(), Vec::new()));
    assert_eq!(ended.mention_problems[0].reason, MentionProblemReason::Wide);
}

#[tokio::test]
async fn a_wide_mention_in_a_tool_result_is_plain_text() {
    let fixture = CallFixture::new(AGENTS).await;
    let result = PostMessage { kind: Some(Kind::ToolResult), ..say(&fixture.channel, "to: @everyone") };
    assert_eq!(fixture.post(fixture.agent("Coder"), result).await.mentions, []);
}
