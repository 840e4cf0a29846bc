//! A hub that is killed while its own agents are called and answer.

use parlour_core::message::State;

use crate::fixture::HostingFixture;

/// Where the kill falls is not in a test's hand; it is tried until it fell where the test wants it.
const ROUNDS_MAX: usize = 12;

#[tokio::test]
async fn what_was_asked_right_before_a_kill_is_answered_exactly_once_after_it() {
    let mut fixture = HostingFixture::make().await;
    for _ in 0..ROUNDS_MAX {
        let question = fixture.say("@Guide threads").await;
        fixture = fixture.killed().await;
        let mut watch = fixture.watch_after(&question.position);
        let answer = watch.ended().await;
        assert_eq!(answer.reply_to.as_ref(), Some(&question.message.id));
        // Whatever else would be answered again comes before this.
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
async fn an_answer_in_the_middle_of_a_kill_is_interrupted_and_not_repeated() {
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
async fn a_hub_that_is_stopped_lets_its_agents_end_first() {
    let fixture = HostingFixture::make().await;
    let mut watch = fixture.watch().await;
    let question = fixture.say("@Guide help").await;
    watch.begun().await;
    drop(watch);
    let fixture = fixture.stopped(|command| command).await;
    let answer = fixture.watch_after(&question.position).ended().await;
    assert_eq!((answer.state, answer.reply_to), (State::Complete, Some(question.message.id)));
}
