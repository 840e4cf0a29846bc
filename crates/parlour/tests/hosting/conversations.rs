//! Where the guide answers: dms, threads, and several questions at once.

use parlour_core::{event::Change, message::State};

use crate::stage::Stage;

#[tokio::test]
async fn in_a_dm_no_mention_is_needed() {
    let stage = Stage::make().await;
    let guide = stage.id_of("Guide").await;
    let dm = stage.client.open_dm(&stage.project, &[guide.into()]).await.expect("a dm");
    let mut watch = stage.watch().await;
    let question = stage.say_in(&dm.id.clone().into(), "what can you do?").await.message;
    let answer = watch.ended().await;
    assert_eq!((answer.to, answer.reply_to), (dm.id.into(), Some(question.id)));
    assert!(answer.state == State::Complete && answer.body.contains("built-in"), "{}", answer.body);
}

#[tokio::test]
async fn in_a_thread_it_follows_for_a_while_and_speaks_only_where_it_is_surely_meant() {
    let stage = Stage::make().await;
    let root = stage.say("About the release").await.message;
    let thread = stage.client.open_thread(&stage.general, &root.id).await.expect("a thread");
    let place = thread.id.into();
    let mut watch = stage.watch().await;
    stage.say_in(&place, "@Guide threads").await;
    assert!(watch.ended().await.body.starts_with("**A thread"));
    let aside = stage.say_in(&place, "Good, that will do for today").await.message;
    let passed = watch.change(|change| match change {
        Change::CallPassed(passed) => Some(passed.message_id.clone()),
        _ => None,
    });
    assert_eq!(passed.await, aside.id);
    let question = stage.say_in(&place, "and what about dms?").await.message;
    let answer = watch.ended().await;
    assert_eq!((answer.to, answer.reply_to), (place, Some(question.id)));
    assert!(answer.body.starts_with("**A dm"), "{}", answer.body);
}

#[tokio::test]
async fn what_was_asked_while_nobody_ran_it_is_answered_together_when_somebody_does() {
    let stage = Stage::make().await;
    let guide = stage.id_of("Guide").await;
    let mut watch = stage.watch().await;
    watch.presence(&stage, "Guide", true).await;
    stage.set_engine(&guide, "").await;
    watch.presence(&stage, "Guide", false).await;
    let first = stage.say("@Guide threads").await.message;
    let second = stage.say("@Guide dms").await.message;
    assert_eq!(stage.client.calls(&guide).await.expect("calls").items.len(), 2);
    stage.set_engine(&guide, "built-in").await;
    let answer = watch.ended().await;
    assert_eq!(answer.reply_to, Some(second.id));
    assert!(answer.body.contains("**A thread") && answer.body.contains("**A dm"), "{}", answer.body);
    assert!(stage.client.calls(&guide).await.expect("calls").items.is_empty());
    assert!(stage.answers_to(&first.id).await.is_empty());
}
