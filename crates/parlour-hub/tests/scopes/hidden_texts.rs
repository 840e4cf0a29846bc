//! Results for tokens without the read scope contain no text of other authors.

use parlour_core::{
    Code,
    access::Principal,
    live::{AddChunk, Cancel},
    post::PostMessage,
    scope::{JoinRole, Scope, Scopes},
};

use super::with_scopes;
use crate::support::{TestHub, refused, say};

const SECRET: &str = "the code is 4711";

fn post_only(who: &Principal) -> Principal {
    with_scopes(who, JoinRole::PostOnly.scopes())
}

#[tokio::test]
async fn reactions_give_a_post_only_token_no_text_of_others() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let message = hub.post(&mara, &channel, SECRET).await.message;
    let writer = post_only(&hub.agent(&project, "Coder").await);
    assert_eq!(refused(hub.hub.message(&writer, &message.id).await), Code::MissingScope);
    let reacted = hub.hub.react(&writer, &message.id, "👍").await.expect("reacted");
    let unreacted = hub.hub.unreact(&writer, &message.id, "👍").await.expect("removed");
    for answer in [reacted, unreacted] {
        assert_eq!((answer.id.clone(), answer.body.as_str(), answer.removed_at), (message.id.clone(), "", None));
        assert!(!format!("{answer:?}").contains("4711"));
    }
    let reader = hub.hub.react(&mara, &message.id, "👍").await.expect("reacted");
    assert_eq!(reader.body, SECRET);
}

#[tokio::test]
async fn a_post_only_token_gets_its_own_text_back() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let writer = post_only(&hub.agent(&project, "Coder").await);
    let posted = hub.post(&writer, &channel, SECRET).await.message;
    assert_eq!(hub.hub.react(&writer, &posted.id, "👍").await.expect("reacted").body, SECRET);
}

#[tokio::test]
async fn cancelling_without_the_read_scope_does_not_return_the_text() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let coder = hub.agent(&project, "Coder").await;
    let request = PostMessage { stream: true, ..say(&channel, "") };
    let answer = hub.hub.post_message(&coder, request).await.expect("begun").message;
    let chunk = AddChunk { start: None, text: SECRET.into() };
    hub.hub.add_chunk(&coder, &answer.id, chunk).await.expect("added");
    let ended = hub.hub.cancel_stream(&post_only(&mara), &answer.id, Cancel::default()).await.expect("stopped");
    assert_eq!((ended.message.body.as_str(), ended.message.removed_at), ("", None));
    assert_eq!(hub.hub.message(&mara, &answer.id).await.expect("kept").body, SECRET);
}

#[tokio::test]
async fn a_read_only_token_cannot_write() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let reader = with_scopes(&mara, JoinRole::ReadOnly.scopes());
    assert_eq!(refused(hub.hub.post_message(&reader, say(&channel, "Hi")).await), Code::MissingScope);
    let message = hub.post(&mara, &channel, SECRET).await.message;
    assert_eq!(refused(hub.hub.react(&reader, &message.id, "👍").await), Code::MissingScope);
    assert_eq!(hub.hub.message(&reader, &message.id).await.expect("read").body, SECRET);
    let nothing = with_scopes(&mara, Scopes::NONE);
    assert_eq!(refused(hub.hub.message(&nothing, &message.id).await), Code::MissingScope);
    let without = with_scopes(&mara, Scopes::all().without(Scope::MessagesRead));
    assert_eq!(refused(hub.hub.unread(&without, &project).await), Code::MissingScope);
}

#[tokio::test]
async fn a_reply_without_the_read_scope_returns_no_text_of_others() {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let writer = post_only(&hub.agent(&project, "Coder").await);
    let tester = hub.agent(&project, "Tester").await;
    let question = hub.post(&mara, &channel, &format!("@Coder, {SECRET}")).await.message;
    let answer = PostMessage { reply_to: Some(question.id.clone()), ..say(&channel, "@Tester, look") };
    let answer = hub.hub.post_message(&writer, answer).await.expect("posted");
    assert_eq!(answer.message.calls, [tester.member.agent().expect("an agent").clone()]);
    hub.post(&mara, &channel, "@Coder again").await;
    let passed = hub.hub.pass_call(&writer, &question.id, None).await.expect("passed");
    let lifted = hub.hub.reset_loop_guard(&post_only(&mara), &channel.clone().into()).await.expect("lifted");
    assert!(!format!("{answer:?} {passed:?} {lifted:?}").contains("4711"));
    assert_eq!(refused(hub.hub.loop_guard(&writer, &channel.into()).await), Code::MissingScope);
}
