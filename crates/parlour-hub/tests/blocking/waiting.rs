use std::sync::Arc;

use parlour_core::{Code, delivery::DeliveryState, message::Message, question::NewQuestion, run::RunState};
use parlour_hub::{Failure, use_cases::DeliveryWait};
use tokio::task::JoinHandle;

use super::fixture::BlockingFixture;
use crate::support::refused;

/// Polls a request until it waits.
async fn waits<T>(request: &JoinHandle<T>) {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!request.is_finished(), "it waits");
}

/// Coder waits for the answer.
fn wait_for_answer(fixture: &Arc<BlockingFixture>, asked: &Message) -> JoinHandle<Result<Message, Failure>> {
    let (fixture, id) = (Arc::clone(fixture), asked.id.clone());
    tokio::spawn(async move { fixture.hub().wait_question(&fixture.coder, &id, 25).await })
}

fn seen(seconds: u64) -> DeliveryWait {
    DeliveryWait { state: DeliveryState::Seen, recipient: None, seconds }
}

#[tokio::test]
async fn a_wait_for_an_answer_returns_when_it_arrives() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    let waiting = wait_for_answer(&fixture, &asked);
    waits(&waiting).await;
    fixture.reply(&fixture.mara, &asked, "yes").await;
    let answered = waiting.await.expect("joined").expect("answered").question.expect("a question");
    assert!(!answered.is_open());
    fixture.hub().wait_question(&fixture.coder, &asked.id, 25).await.expect("at once");
}

#[tokio::test]
async fn a_wait_without_a_change_returns_the_state_at_its_timeout() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    let waiting = wait_for_answer(&fixture, &asked);
    waits(&waiting).await;
    fixture.test.clock.advance(24_999);
    waits(&waiting).await;
    fixture.test.clock.advance(1);
    assert!(waiting.await.expect("joined").expect("as it is").question.expect("a question").is_open());
    let at_once = fixture.hub().wait_question(&fixture.coder, &asked.id, 0).await.expect("as it is");
    assert!(at_once.question.expect("a question").is_open());
    assert_eq!(refused(fixture.hub().wait_question(&fixture.coder, &asked.id, 26).await), Code::OutOfBounds);
}

#[tokio::test]
async fn a_wait_for_a_delivery_returns_when_the_message_is_read() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder and @Ben, look").await.message;
    let waiting = {
        let (fixture, id) = (Arc::clone(&fixture), said.id.clone());
        tokio::spawn(async move { fixture.hub().wait_deliveries(&fixture.mara, &id, seen(25)).await })
    };
    waits(&waiting).await;
    fixture.hub().mark_read(&fixture.coder, &said.id, None).await.expect("read");
    waits(&waiting).await;
    fixture.hub().mark_read(&fixture.ben, &said.id, None).await.expect("read");
    let deliveries = waiting.await.expect("joined").expect("seen");
    assert!(deliveries.len() == 2 && deliveries.iter().all(|one| one.state == DeliveryState::Seen), "{deliveries:?}");
    let nobody = DeliveryWait { recipient: Some(fixture.tester.member.clone()), ..seen(25) };
    assert_eq!(refused(fixture.hub().wait_deliveries(&fixture.mara, &said.id, nobody).await), Code::NotFound);
    assert_eq!(refused(fixture.hub().wait_deliveries(&fixture.mara, &said.id, seen(26)).await), Code::OutOfBounds);
}

#[tokio::test]
async fn an_answer_in_the_thread_wakes_a_wait_for_the_root_message() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let said = fixture.test.post(&fixture.mara, &fixture.channel, "@Coder, look").await.message;
    let thread = fixture.thread(&said.id).await;
    let wait = DeliveryWait { state: DeliveryState::Answered, ..seen(25) };
    let waiting = {
        let (fixture, id) = (Arc::clone(&fixture), said.id.clone());
        tokio::spawn(async move { fixture.hub().wait_deliveries(&fixture.mara, &id, wait).await })
    };
    waits(&waiting).await;
    let request = parlour_core::post::PostMessage {
        thread_id: Some(thread),
        reply_to: Some(said.id.clone()),
        body: "Done".into(),
        ..Default::default()
    };
    fixture.hub().post_message(&fixture.coder, request).await.expect("posted");
    let deliveries = waiting.await.expect("joined").expect("answered");
    assert_eq!(deliveries[0].state, DeliveryState::Answered);
}

#[tokio::test]
async fn a_wait_for_a_run_returns_when_it_resumes() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", NewQuestion::default()).await;
    let waiting = {
        let (fixture, run) = (Arc::clone(&fixture), run.clone());
        tokio::spawn(async move { fixture.hub().wait_run(&fixture.coder, &run, 25).await })
    };
    waits(&waiting).await;
    fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(waiting.await.expect("joined").expect("resumed").state, RunState::Running);
}

#[tokio::test]
async fn a_wait_is_refused_when_the_caller_loses_access() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    let waiting = {
        let (fixture, id) = (Arc::clone(&fixture), asked.id.clone());
        tokio::spawn(async move { fixture.hub().wait_question(&fixture.ben, &id, 25).await })
    };
    waits(&waiting).await;
    let ben = crate::support::person_id(&fixture.ben);
    fixture.hub().remove_project_person(&fixture.mara, &fixture.project, &ben).await.expect("removed");
    fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(refused(waiting.await.expect("joined")), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_end_when_the_hub_stops() {
    let fixture = Arc::new(BlockingFixture::new().await);
    let asked = fixture.ask(&fixture.coder, "@Mara, keep it?").await;
    let waiting = wait_for_answer(&fixture, &asked);
    waits(&waiting).await;
    fixture.hub().end_waits();
    assert!(waiting.await.expect("joined").expect("as it is").question.expect("a question").is_open());
}
