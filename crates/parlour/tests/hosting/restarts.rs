//! Kills and restarts of the hub while its agents answer.

use parlour_core::message::State;

use crate::fixture::HostingFixture;

/// The test cannot choose the moment of the kill, so it repeats until the kill hits the wanted state.
const ROUNDS_MAX: usize = 12;

#[tokio::test]
async fn a_call_right_before_a_kill_is_answered_exactly_once() {
    let mut fixture = HostingFixture::make().await;
    for _ in 0..ROUNDS_MAX {
        let question = fixture.say("@Guide threads").await;
        fixture = fixture.killed().await;
        let mut watch = fixture.watch_after(&question.position);
        let answer = watch.ended().await;
        assert_eq!(answer.reply_to.as_ref(), Some(&question.message.id));
        // A repeated answer would come before this one.
        fixture.say("@Guide thanks").await;
        assert_eq!(watch.ended().await.body, "You are welcome.");
        assert_eq!(fixture.answers_to(&question.message.id).await.len(), 1);
        if answer.state == State::Complete {
            return;
        }
        assert_eq!(answer.state, State::Interrupted, "it had begun before the kill");
    }
    panic!("every answer had begun before the kill");
}

#[tokio::test]
async fn an_answer_cut_by_a_kill_is_interrupted_and_not_repeated() {
    let mut fixture = HostingFixture::make().await;
    for _ in 0..ROUNDS_MAX {
        let mut watch = fixture.watch().await;
        let question = fixture.say("@Guide join").await;
        watch.piece().await;
        drop(watch);
        fixture = fixture.killed().await;
        let mut watch = fixture.watch_after(&question.position);
        let answer = watch.ended().await;
        fixture.say("@Guide thanks").await;
        assert_eq!(watch.ended().await.body, "You are welcome.");
        assert_eq!(fixture.answers_to(&question.message.id).await.len(), 1);
        if answer.state == State::Interrupted {
            return;
        }
        assert_eq!(answer.state, State::Complete, "it had ended before the kill");
    }
    panic!("every answer had ended before the kill");
}

#[tokio::test]
async fn a_stopping_hub_completes_running_answers() {
    let fixture = HostingFixture::make().await;
    let mut watch = fixture.watch().await;
    let question = fixture.say("@Guide help").await;
    watch.begun().await;
    drop(watch);
    let fixture = fixture.stopped(|command| command).await;
    let answer = fixture.watch_after(&question.position).ended().await;
    assert_eq!((answer.state, answer.reply_to), (State::Complete, Some(question.message.id)));
}
