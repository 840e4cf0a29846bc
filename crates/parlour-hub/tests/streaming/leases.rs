//! Leases of streams whose producer is silent or unknown.

use parlour_core::{
    Code,
    author::AuthorType,
    event::Change,
    live::ServerFrame,
    message::State,
    policy::{Policy, StreamRules},
    project::ProjectPatch,
};

use super::fixture::StreamFixture;
use crate::support::refused;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abandoned_answer_ends_as_interrupted_with_its_text() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    let id = fixture.begin().await;
    reader.receive_until("messaging.posted").await;
    fixture.add(&id, "half a sent").await.expect("added");
    fixture.test.clock.advance(30_000);
    let received = reader.receive_until("messaging.finished").await;
    assert_eq!(received, ["0:half a sent", "Interrupted:half a sent"]);
    let message = fixture.message(&id).await;
    assert_eq!(message.reason.as_deref(), Some("its producer gave no sign for 30 seconds"));
    assert_eq!(refused(fixture.add(&id, "ence").await), Code::StreamEnded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_actor_of_an_interruption_is_the_hub() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    fixture.begin().await;
    reader.receive_until("messaging.posted").await;
    fixture.test.clock.advance(30_000);
    let ServerFrame::Event(event) = reader.next().await else { panic!("an event") };
    assert!(matches!(event.change, Change::MessageFinished(_)));
    assert_eq!(event.actor.author_type, AuthorType::Host);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_of_the_producer_renews_the_lease() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    let id = fixture.begin_with(fixture.request("a")).await;
    for round in 0..8 {
        fixture.test.clock.advance(29_999);
        match round % 4 {
            0 => drop(fixture.add(&id, "b").await.expect("added")),
            1 => drop(fixture.hub().beat_stream(&fixture.coder, &id).await.expect("beaten")),
            2 => drop(fixture.start_step(&id, &round.to_string()).await.expect("begun")),
            _ => drop(fixture.finish_step(&id, &(round - 1).to_string()).await.expect("ended")),
        }
    }
    assert_eq!(fixture.complete(&id).await.expect("still open").message.body, "abb");
    reader.receive_until("messaging.finished").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_policy_of_the_project_sets_the_lease() {
    let fixture = StreamFixture::new().await;
    let streams = StreamRules { lease_seconds: 2, ..StreamRules::default() };
    let patch = ProjectPatch { policy: Some(Policy { streams, ..Policy::default() }), ..ProjectPatch::default() };
    fixture.hub().update_project(&fixture.mara, &fixture.project, patch).await.expect("updated");
    let mut reader = fixture.subscribe().await;
    fixture.begin().await;
    reader.receive_until("messaging.posted").await;
    fixture.test.clock.advance(2_000);
    assert_eq!(reader.receive_until("messaging.finished").await, ["Interrupted:"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_stream_without_a_producer_in_memory_is_open_and_expires() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    // Another hub that only stores the message, like one whose caller disconnected at that point.
    let elsewhere = fixture.test.forgetful();
    let request =
        parlour_core::post::PostMessage { id: Some("msg_lost".parse().expect("id")), ..fixture.request("So: ") };
    let id = elsewhere.post_message(&fixture.coder, request).await.expect("stored").message.id;
    reader.receive_until("messaging.posted").await;
    assert_eq!(fixture.add(&id, "here").await.expect("open").chars, 8);
    fixture.pass_window();
    assert_eq!(reader.receive_until("chunk").await, ["4:here"]);
    fixture.test.clock.advance(30_000);
    assert_eq!(reader.receive_until("messaging.finished").await, ["Interrupted:So: here"]);
    assert_eq!(fixture.message(&id).await.state, State::Interrupted);
}
