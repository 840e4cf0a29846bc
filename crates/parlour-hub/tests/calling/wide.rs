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
    stage::{Stage, addressed},
    support::say,
};

const AGENTS: &[&str] = &["Coder", "Tester"];

async fn refusal(stage: &Stage, who: &Principal, request: PostMessage) -> Refusal {
    stage.try_post(who, request).await.expect_err("a refusal").refusal().expect("no fault").clone()
}

fn confirmed(request: PostMessage) -> PostMessage {
    PostMessage { confirm_wide: true, ..request }
}

fn with_scopes(who: &Principal, scopes: Scopes) -> Principal {
    who.clone().granted(Grant { scopes, ..who.grant.clone() })
}

#[tokio::test]
async fn a_wide_mention_asks_first_and_posts_nothing() {
    let stage = Stage::new(AGENTS).await;
    let tom = stage.test.person("Tom").await;
    stage.test.join(&stage.project, &tom).await;
    for (body, expected) in [
        ("@agents, stop", &["Coder", "Tester"][..]),
        ("@everyone stop", &["Coder", "Tester", "Tom"]),
        ("@all @agents", &["Coder", "Tester", "Tom"]),
        ("@Channel", &["Coder", "Tester", "Tom"]),
    ] {
        let refusal = refusal(&stage, &stage.mara, say(&stage.channel, body)).await;
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::WideMention, Some("confirm_wide")), "{body}");
        let mut names: Vec<_> = refusal.candidates.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{body}");
        assert!(refusal.detail.contains("2 agents"), "{}", refusal.detail);
    }
    assert_eq!(stage.history(&stage.channel.clone().into()).await, []);
}

#[tokio::test]
async fn a_confirmed_wide_mention_calls_all_agents_and_mentions_everyone_meant() {
    let stage = Stage::new(AGENTS).await;
    let message = stage.post(&stage.mara, confirmed(say(&stage.channel, "@agents, stop"))).await;
    assert_eq!(message.calls.len(), 2);
    assert_eq!(message.mentions.len(), 2);
    assert!(!message.mentions.contains(&stage.mara.member));
    for agent in &stage.agents {
        assert_eq!(stage.open_messages(agent).await, std::slice::from_ref(&message.id));
    }
    let message = stage.post(&stage.mara, confirmed(say(&stage.channel, "@everyone and @Coder"))).await;
    assert_eq!((message.calls.len(), message.mentions[0].agent()), (2, stage.agent("Coder").member.agent()));
}

#[tokio::test]
async fn only_those_who_read_the_conversation_are_meant() {
    let stage = Stage::new(AGENTS).await;
    let dm = stage.dm(&[&stage.mara, stage.agent("Coder")]).await;
    let refusal = refusal(&stage, &stage.mara, addressed(&dm, "@everyone")).await;
    assert_eq!(refusal.candidates, ["Coder"]);
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    let message = stage.post(&stage.mara, say(&secret, "@agents and @everyone: nobody else is here")).await;
    assert_eq!((message.mentions, message.calls), (Vec::new(), Vec::new()), "there is nobody to ask about");
}

#[tokio::test]
async fn a_wide_mention_needs_its_scope_whether_confirmed_or_not() {
    let stage = Stage::new(AGENTS).await;
    let narrow = with_scopes(&stage.mara, Scopes::all().without(Scope::MentionsWide));
    for request in [say(&stage.channel, "@agents"), confirmed(say(&stage.channel, "@agents"))] {
        for who in [&narrow, stage.agent("Coder")] {
            let refusal = refusal(&stage, who, request.clone()).await;
            assert_eq!(refusal.code, Code::MissingScope);
            assert_eq!(refusal.candidates, [""; 0]);
        }
    }
}

#[tokio::test]
async fn a_token_that_may_not_see_who_is_there_learns_only_how_many() {
    let stage = Stage::new(AGENTS).await;
    let scopes = [Scope::MessagesWrite, Scope::MentionsWide].into_iter().collect();
    let refusal = refusal(&stage, &with_scopes(&stage.mara, scopes), say(&stage.channel, "@agents")).await;
    assert_eq!((refusal.code, refusal.candidates.len()), (Code::WideMention, 0));
    assert!(refusal.detail.contains("2 agents"));
}

#[tokio::test]
async fn the_project_says_how_many_agents_may_be_called_at_once() {
    let stage = Stage::with_policy(AGENTS, |policy| policy.calls.wide_agents_max = 1).await;
    for request in [say(&stage.channel, "@everyone"), confirmed(say(&stage.channel, "@agents"))] {
        let refusal = refusal(&stage, &stage.mara, request).await;
        assert_eq!(refusal.code, Code::OutOfBounds);
        assert!(refusal.detail.contains("calls.wide_agents_max"), "{}", refusal.detail);
    }
}

#[tokio::test]
async fn a_message_mentions_no_more_than_it_can_hold() {
    let stage = Stage::new(&[]).await;
    for number in 0..=limits::MENTIONS_MAX {
        let someone = stage.test.person(&format!("Person {number}")).await;
        stage.test.join(&stage.project, &someone).await;
    }
    let refusal = refusal(&stage, &stage.mara, confirmed(say(&stage.channel, "@everyone"))).await;
    assert_eq!(refusal.code, Code::OutOfBounds);
    assert_eq!(stage.post(&stage.mara, say(&stage.channel, "@agents")).await.mentions, [], "there are none");
}

#[tokio::test]
async fn where_nobody_can_be_asked_a_wide_word_is_reported_and_calls_nobody() {
    let stage = Stage::new(AGENTS).await;
    let message = stage.say(&stage.mara, "hello").await;
    let request = EditMessage { body: "hello @agents".into() };
    let (edited, problems) = stage.hub().edit_message(&stage.mara, &message.id, request).await.expect("edited");
    assert_eq!(edited.mentions, []);
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].name.as_str(), problems[0].reason), ("agents", MentionProblemReason::WideMention));
    let begun = PostMessage { stream: true, ..confirmed(say(&stage.channel, "@everyone: ")) };
    let begun = stage.try_post(&stage.mara, begun).await.expect("begun");
    assert_eq!(begun.mention_problems[0].reason, MentionProblemReason::WideMention);
    let ended = stage.hub().complete_stream(&stage.mara, &begun.message.id, Default::default()).await.expect("ended");
    assert_eq!((ended.message.mentions, ended.message.calls), (Vec::new(), Vec::new()));
    assert_eq!(ended.mention_problems[0].reason, MentionProblemReason::WideMention);
}

#[tokio::test]
async fn in_the_result_of_a_tool_a_wide_word_is_only_a_word() {
    let stage = Stage::new(AGENTS).await;
    let result = PostMessage { kind: Some(Kind::ToolResult), ..say(&stage.channel, "to: @everyone") };
    assert_eq!(stage.post(stage.agent("Coder"), result).await.mentions, []);
}
