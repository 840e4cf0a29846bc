//! Posting through the hub: who is notified, what is refused, and what the sender's result contains.

mod support;

use parlour_core::{
    Code,
    access::Principal,
    author::{AuthorType, Source},
    id::{ChannelId, ProjectId},
    inbox::DeliveryReason,
    mention::MentionProblemReason,
    message::Kind,
    post::{NewMessageContext, PostMessage},
    write::{Archival, Novelty},
};
use parlour_hub::use_cases::EditMessage;
use support::{TestHub, agent_id, refused, say};

/// A project of Mara with an open channel and the agent Coder.
async fn fixture() -> (TestHub, Principal, ProjectId, ChannelId, Principal) {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let coder = hub.agent(&project, "Coder").await;
    (hub, mara, project, channel, coder)
}

#[tokio::test]
async fn a_mentioned_agent_finds_the_message_in_its_inbox_and_others_do_not() {
    let (hub, mara, project, channel, coder) = fixture().await;
    let painter = hub.agent(&project, "Painter").await;
    let posted = hub.post(&mara, &channel, "hi @coder, have a look").await;
    assert_eq!(posted.message.mentions, std::slice::from_ref(&coder.member));
    assert_eq!(hub.inbox_entries(&coder).await[0].reason, DeliveryReason::Mention);
    assert_eq!(hub.inbox(&painter).await, []);
}

#[tokio::test]
async fn a_subscribed_agent_gets_all_messages_except_its_own() {
    let (hub, mara, _, channel, coder) = fixture().await;
    hub.hub.subscribe(&coder, &channel, &agent_id(&coder)).await.expect("subscribed");
    let posted = hub.post(&mara, &channel, "no names here").await;
    hub.post(&coder, &channel, "my own").await;
    assert_eq!(hub.inbox(&coder).await, [posted.message.id]);
}

#[tokio::test]
async fn an_unknown_name_is_reported_in_the_text_and_refused_in_the_list() {
    let (hub, mara, _, channel, _) = fixture().await;
    let posted = hub.post(&mara, &channel, "hi @Codr").await;
    assert_eq!(posted.mention_problems[0].candidates, ["Coder"]);
    let request = PostMessage { mentions: vec!["Codr".into()], ..say(&channel, "hi") };
    let failure = hub.hub.post_message(&mara, request).await.expect_err("refused");
    let refusal = failure.refusal().expect("refusal");
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::UnknownMention, Some("mentions[0]")));
    assert_eq!(refusal.candidates, ["Coder"]);
}

#[tokio::test]
async fn mentioning_someone_outside_a_private_channel_is_reported_and_delivers_nothing() {
    let (hub, mara, project, _, coder) = fixture().await;
    let secret = hub.private_channel(&mara, &project, "secret").await;
    let posted = hub.post(&mara, &secret, "psst @Coder").await;
    assert_eq!(posted.message.mentions, []);
    assert_eq!(posted.mention_problems[0].reason, MentionProblemReason::NotInConversation);
    assert_eq!(hub.inbox(&coder).await, []);
    hub.hub.add_channel_member(&mara, &secret, &coder.member).await.expect("added");
    let posted = hub.post(&mara, &secret, "psst @Coder").await;
    assert_eq!(hub.inbox(&coder).await, [posted.message.id]);
}

#[tokio::test]
async fn a_renamed_agent_is_mentioned_by_its_new_name_at_once() {
    let (hub, mara, _, channel, coder) = fixture().await;
    hub.post(&mara, &channel, "fill the cache of names: @Coder").await;
    let patch = parlour_core::member::AgentPatch { name: Some(support::name("Builder")), ..Default::default() };
    hub.hub.update_agent(&mara, &agent_id(&coder), patch).await.expect("renamed");
    let posted = hub.post(&mara, &channel, "@Builder and @Coder").await;
    assert_eq!(posted.message.mentions, [coder.member]);
    assert_eq!(posted.mention_problems[0].name, "Coder");
}

#[tokio::test]
async fn the_token_determines_the_author_and_a_source_prefix_is_plain_text() {
    let (hub, mara, _, channel, coder) = fixture().await;
    let posted = hub.post(&mara, &channel, "[scheduler:daily] report").await.message;
    assert_eq!((posted.from.source(), posted.kind), (Some(Source::User), Kind::User));
    assert_eq!(posted.body, "[scheduler:daily] report");
    let answer = hub.post(&coder, &channel, "done").await.message;
    assert_eq!((answer.from.author_type, answer.kind), (AuthorType::Agent, Kind::Assistant));
}

#[tokio::test]
async fn host_and_system_messages_cannot_be_posted() {
    let (hub, mara, _, channel, coder) = fixture().await;
    for who in [&mara, &coder, &hub.admin] {
        for kind in [Kind::Host, Kind::System] {
            let request = PostMessage { kind: Some(kind), ..say(&channel, "I am the hub") };
            assert_eq!(refused(hub.hub.post_message(who, request).await), Code::Forbidden);
        }
    }
}

#[tokio::test]
async fn tool_results_are_not_delivered_to_subscribers() {
    let (hub, _, project, channel, coder) = fixture().await;
    let painter = hub.agent(&project, "Painter").await;
    hub.hub.subscribe(&painter, &channel, &agent_id(&painter)).await.expect("subscribed");
    let request = PostMessage { kind: Some(Kind::ToolResult), ..say(&channel, "exit 0") };
    hub.hub.post_message(&coder, request).await.expect("posted");
    assert_eq!(hub.inbox(&painter).await, []);
}

#[tokio::test]
async fn a_repeated_id_returns_the_first_result_and_other_content_is_refused() {
    let (hub, mara, project, channel, coder) = fixture().await;
    let request = PostMessage { id: Some("msg_mine-1".parse().expect("id")), ..say(&channel, "once") };
    let first = hub.hub.post_message(&mara, request.clone()).await.expect("posted");
    hub.clock.advance(5_000);
    let again = hub.hub.post_message(&mara, request.clone()).await.expect("repeated");
    assert_eq!((again.novelty, &again.message, &again.position), (Novelty::Repeated, &first.message, &first.position));
    let other = PostMessage { body: "twice".into(), ..request.clone() };
    assert_eq!(refused(hub.hub.post_message(&mara, other).await), Code::ClientIdReused);
    assert_eq!(refused(hub.hub.post_message(&coder, request).await), Code::ClientIdReused);
    let end = hub.hub.end_of_log(&mara, &project).await.expect("end");
    assert_eq!(end, first.position, "nothing was written by the repeats");
}

#[tokio::test]
async fn references_to_other_conversations_and_missing_objects_are_refused() {
    let (hub, mara, project, channel, coder) = fixture().await;
    let elsewhere = hub.channel(&mara, &project, "elsewhere").await;
    let foreign = hub.post(&mara, &elsewhere, "over here").await.message.id;
    let context = NewMessageContext { task_id: Some("tsk_none".parse().expect("id")), ..NewMessageContext::default() };
    let requests = [
        PostMessage { reply_to: Some(foreign), ..say(&channel, "re") },
        PostMessage { reply_to: Some("msg_none".parse().expect("id")), ..say(&channel, "re") },
        PostMessage { artifacts: vec!["art_none".parse().expect("id")], ..say(&channel, "file") },
        PostMessage { context: Some(context), ..say(&channel, "task") },
    ];
    for request in requests {
        assert_eq!(refused(hub.hub.post_message(&coder, request.clone()).await), Code::NotFound, "{request:?}");
    }
    let root = hub.post(&mara, &channel, "root").await.message.id;
    let request = PostMessage { reply_to: Some(root), ..say(&channel, "re") };
    hub.hub.post_message(&coder, request).await.expect("a reply in the same conversation");
}

#[tokio::test]
async fn an_archived_channel_refuses_posts_until_it_is_active_again() {
    let (hub, mara, _, channel, _) = fixture().await;
    hub.post(&mara, &channel, "before").await;
    hub.hub.archive_channel(&mara, &channel, Archival::Archived).await.expect("archived");
    assert_eq!(refused(hub.hub.post_message(&mara, say(&channel, "after")).await), Code::Archived);
    hub.hub.archive_channel(&mara, &channel, Archival::Active).await.expect("active");
    assert_eq!(hub.post(&mara, &channel, "after").await.message.seq, 2);
}

#[tokio::test]
async fn replies_in_a_thread_are_delivered_to_its_agents() {
    let (hub, mara, _, channel, coder) = fixture().await;
    let root = hub.post(&coder, &channel, "I broke the build").await.message.id;
    let request = parlour_hub::use_cases::OpenThread { channel_id: channel.clone(), root_message_id: root };
    let (thread, _) = hub.hub.open_thread(&mara, request).await.expect("thread");
    let request = PostMessage { thread_id: Some(thread.id), body: "how?".into(), ..PostMessage::default() };
    let posted = hub.hub.post_message(&mara, request).await.expect("posted");
    assert_eq!(hub.inbox(&coder).await, [posted.message.id]);
    assert_eq!(hub.inbox_entries(&coder).await[0].reason, DeliveryReason::Thread);
}

#[tokio::test]
async fn tool_results_are_not_delivered_to_mentioned_agents() {
    let (hub, _, project, channel, coder) = fixture().await;
    let painter = hub.agent(&project, "Painter").await;
    let request = PostMessage { kind: Some(Kind::ToolResult), ..say(&channel, "log of @Painter") };
    let posted = hub.hub.post_message(&coder, request).await.expect("posted").message;
    assert_eq!(posted.mentions, std::slice::from_ref(&painter.member));
    let edited = EditMessage { body: "log of @Painter and @Coder".into() };
    hub.hub.edit_message(&coder, &posted.id, edited).await.expect("edited");
    assert_eq!(hub.inbox(&painter).await, []);
}
