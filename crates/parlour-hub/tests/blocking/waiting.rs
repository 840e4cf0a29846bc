use std::sync::Arc;

use parlour_core::{Code, delivery::DeliveryState, message::Message, question::Ask, run::RunState};
use parlour_hub::{Failure, use_cases::DeliveryWait};
use tokio::task::JoinHandle;

use super::stage::Stage;
use crate::support::refused;

/// Lets a request begin to wait.
async fn waits<T>(request: &JoinHandle<T>) {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!request.is_finished(), "it waits");
}

/// Coder waits for the answer.
fn wait_for_answer(stage: &Arc<Stage>, asked: &Message) -> JoinHandle<Result<Message, Failure>> {
    let (stage, id) = (Arc::clone(stage), asked.id.clone());
    tokio::spawn(async move { stage.hub().wait_question(&stage.coder, &id, 25).await })
}

fn seen(seconds: u64) -> DeliveryWait {
    DeliveryWait { state: DeliveryState::Seen, recipient: None, seconds }
}

#[tokio::test]
async fn who_waits_for_an_answer_gets_it_when_it_is_there() {
    let stage = Arc::new(Stage::new().await);
    let asked = stage.ask(&stage.coder, "@Mara, keep it?").await;
    let waiting = wait_for_answer(&stage, &asked);
    waits(&waiting).await;
    stage.reply(&stage.mara, &asked, "yes").await;
    let answered = waiting.await.expect("joined").expect("answered").question.expect("a question");
    assert!(!answered.is_open());
    stage.hub().wait_question(&stage.coder, &asked.id, 25).await.expect("at once");
}

#[tokio::test]
async fn who_waits_in_vain_is_told_how_it_is_when_the_time_is_over() {
    let stage = Arc::new(Stage::new().await);
    let asked = stage.ask(&stage.coder, "@Mara, keep it?").await;
    let waiting = wait_for_answer(&stage, &asked);
    waits(&waiting).await;
    stage.test.clock.advance(24_999);
    waits(&waiting).await;
    stage.test.clock.advance(1);
    assert!(waiting.await.expect("joined").expect("as it is").question.expect("a question").is_open());
    let at_once = stage.hub().wait_question(&stage.coder, &asked.id, 0).await.expect("as it is");
    assert!(at_once.question.expect("a question").is_open());
    assert_eq!(refused(stage.hub().wait_question(&stage.coder, &asked.id, 26).await), Code::OutOfBounds);
}

#[tokio::test]
async fn who_waits_for_a_reader_learns_when_it_has_read() {
    let stage = Arc::new(Stage::new().await);
    let said = stage.test.post(&stage.mara, &stage.channel, "@Coder and @Ben, look").await.message;
    let waiting = {
        let (stage, id) = (Arc::clone(&stage), said.id.clone());
        tokio::spawn(async move { stage.hub().wait_deliveries(&stage.mara, &id, seen(25)).await })
    };
    waits(&waiting).await;
    stage.hub().mark_read(&stage.coder, &said.id, None).await.expect("read");
    waits(&waiting).await;
    stage.hub().mark_read(&stage.ben, &said.id, None).await.expect("read");
    let deliveries = waiting.await.expect("joined").expect("seen");
    assert!(deliveries.len() == 2 && deliveries.iter().all(|one| one.state == DeliveryState::Seen), "{deliveries:?}");
    let nobody = DeliveryWait { recipient: Some(stage.tester.member.clone()), ..seen(25) };
    assert_eq!(refused(stage.hub().wait_deliveries(&stage.mara, &said.id, nobody).await), Code::NotFound);
    assert_eq!(refused(stage.hub().wait_deliveries(&stage.mara, &said.id, seen(26)).await), Code::OutOfBounds);
}

#[tokio::test]
async fn an_answer_in_the_thread_wakes_who_waits_above() {
    let stage = Arc::new(Stage::new().await);
    let said = stage.test.post(&stage.mara, &stage.channel, "@Coder, look").await.message;
    let thread = stage.thread(&said.id).await;
    let wait = DeliveryWait { state: DeliveryState::Answered, ..seen(25) };
    let waiting = {
        let (stage, id) = (Arc::clone(&stage), said.id.clone());
        tokio::spawn(async move { stage.hub().wait_deliveries(&stage.mara, &id, wait).await })
    };
    waits(&waiting).await;
    let request = parlour_core::post::PostMessage {
        thread_id: Some(thread),
        reply_to: Some(said.id.clone()),
        body: "Done".into(),
        ..Default::default()
    };
    stage.hub().post_message(&stage.coder, request).await.expect("posted");
    let deliveries = waiting.await.expect("joined").expect("answered");
    assert_eq!(deliveries[0].state, DeliveryState::Answered);
}

#[tokio::test]
async fn who_waits_for_a_run_learns_that_it_goes_on() {
    let stage = Arc::new(Stage::new().await);
    let (run, asked) = stage.waiting_run("@Mara, keep it?", Ask::default()).await;
    let waiting = {
        let (stage, run) = (Arc::clone(&stage), run.clone());
        tokio::spawn(async move { stage.hub().wait_run(&stage.coder, &run, 25).await })
    };
    waits(&waiting).await;
    stage.answer(&stage.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(waiting.await.expect("joined").expect("goes on").state, RunState::Running);
}

#[tokio::test]
async fn who_loses_sight_of_what_it_waits_for_is_told_nothing_of_it() {
    let stage = Arc::new(Stage::new().await);
    let asked = stage.ask(&stage.coder, "@Mara, keep it?").await;
    let waiting = {
        let (stage, id) = (Arc::clone(&stage), asked.id.clone());
        tokio::spawn(async move { stage.hub().wait_question(&stage.ben, &id, 25).await })
    };
    waits(&waiting).await;
    let ben = crate::support::person_id(&stage.ben);
    stage.hub().remove_project_person(&stage.mara, &stage.project, &ben).await.expect("removed");
    stage.answer(&stage.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(refused(waiting.await.expect("joined")), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_stops_keeps_nobody_waiting() {
    let stage = Arc::new(Stage::new().await);
    let asked = stage.ask(&stage.coder, "@Mara, keep it?").await;
    let waiting = wait_for_answer(&stage, &asked);
    waits(&waiting).await;
    stage.hub().end_waits();
    assert!(waiting.await.expect("joined").expect("as it is").question.expect("a question").is_open());
}
