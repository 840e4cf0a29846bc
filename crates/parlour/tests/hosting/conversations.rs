//! Answers of the guide in DMs, in threads, and to several questions at once.

use parlour_core::{event::Change, message::State};

use crate::fixture::HostingFixture;

#[tokio::test]
async fn a_dm_is_answered_without_a_mention() {
    let fixture = HostingFixture::make().await;
    let guide = fixture.id_of("Guide").await;
    let dm = fixture.client.open_dm(&fixture.project, &[guide.into()]).await.expect("a dm");
    let mut watch = fixture.watch().await;
    let question = fixture.say_in(&dm.id.clone().into(), "what can you do?").await.message;
    let answer = watch.ended().await;
    assert_eq!((answer.to, answer.reply_to), (dm.id.into(), Some(question.id)));
    assert!(answer.state == State::Complete && answer.body.contains("built-in"), "{}", answer.body);
}

#[tokio::test]
async fn in_a_followed_thread_the_guide_answers_clear_questions_and_passes_others() {
    let fixture = HostingFixture::make().await;
    let root = fixture.say("About the release").await.message;
    let thread = fixture.client.open_thread(&fixture.general, &root.id).await.expect("a thread");
    let thread = thread.id.into();
    let mut watch = fixture.watch().await;
    fixture.say_in(&thread, "@Guide threads").await;
    assert!(watch.ended().await.body.starts_with("**A thread"));
    let aside = fixture.say_in(&thread, "Good, that will do for today").await.message;
    let passed = watch.change(|change| match change {
        Change::CallPassed(passed) => Some(passed.message_id.clone()),
        _ => None,
    });
    assert_eq!(passed.await, aside.id);
    let question = fixture.say_in(&thread, "and what about dms?").await.message;
    let answer = watch.ended().await;
    assert_eq!((answer.to, answer.reply_to), (thread, Some(question.id)));
    assert!(answer.body.starts_with("**A DM"), "{}", answer.body);
}

#[tokio::test]
async fn calls_made_while_the_agent_has_no_engine_are_answered_together_later() {
    let fixture = HostingFixture::make().await;
    let guide = fixture.id_of("Guide").await;
    let mut watch = fixture.watch().await;
    watch.presence(&fixture, "Guide", true).await;
    fixture.set_engine(&guide, "").await;
    watch.presence(&fixture, "Guide", false).await;
    let first = fixture.say("@Guide threads").await.message;
    let second = fixture.say("@Guide dms").await.message;
    assert_eq!(fixture.client.calls(&guide).await.expect("calls").items.len(), 2);
    fixture.set_engine(&guide, "built-in").await;
    let answer = watch.ended().await;
    assert_eq!(answer.reply_to, Some(second.id));
    assert!(answer.body.contains("**A thread") && answer.body.contains("**A DM"), "{}", answer.body);
    assert!(fixture.client.calls(&guide).await.expect("calls").items.is_empty());
    assert!(fixture.answers_to(&first.id).await.is_empty());
}
