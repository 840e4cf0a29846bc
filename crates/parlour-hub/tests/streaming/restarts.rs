//! Streams after a crash or a stop of the hub.

use std::sync::Arc;

use parlour_core::{Code, live::AddChunk, message::State};
use parlour_hub::ports::Streams;

use super::fixture::StreamFixture;
use crate::support::refused;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_crash_streams_are_interrupted_with_the_stored_text() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    let first = fixture.begin().await;
    reader.receive_until("messaging.posted").await;
    let second = fixture.begin_with(fixture.request("begun with")).await;
    fixture.add(&first, "kept").await.expect("added");
    fixture.start_step(&first, "s1").await.expect("begun");
    fixture.test.clock.advance(2_000);
    reader.receive_until("step_started").await;
    until_stored(&fixture, "kept").await;
    fixture.add(&first, " and lost").await.expect("added");
    // The first hub ends nothing; the next one reads the store.
    let next = Arc::new(fixture.test.forgetful());
    assert_eq!(next.interrupt_abandoned_streams().await.expect("interrupted"), 2);
    let message = next.message(&fixture.mara, &first).await.expect("message");
    assert_eq!((message.state, message.body.as_str(), message.steps.len()), (State::Interrupted, "kept", 1));
    assert!(message.reason.is_some_and(|reason| reason.contains("started again")));
    assert_eq!(next.message(&fixture.mara, &second).await.expect("message").body, "begun with");
    let chunk = AddChunk { start: None, text: "more".into() };
    assert_eq!(refused(next.add_chunk(&fixture.coder, &first, chunk).await), Code::StreamEnded);
    assert_eq!(next.interrupt_abandoned_streams().await.expect("nothing is left"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_the_hub_stores_the_complete_text_of_streams() {
    let (mut fixture, id) = {
        let fixture = StreamFixture::new().await;
        let mut reader = fixture.subscribe().await;
        let id = fixture.begin().await;
        reader.receive_until("messaging.posted").await;
        (fixture, id)
    };
    fixture.add(&id, "to the last word").await.expect("added");
    drop(fixture.running.take());
    until_stored(&fixture, "to the last word").await;
    let next = fixture.test.forgetful();
    next.interrupt_abandoned_streams().await.expect("interrupted");
    assert_eq!(next.message(&fixture.mara, &id).await.expect("message").body, "to the last word");
}

#[tokio::test]
async fn streams_opened_after_the_start_are_not_interrupted() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("mine")).await;
    assert_eq!(fixture.hub().interrupt_abandoned_streams().await.expect("none"), 0);
    fixture.add(&id, "!").await.expect("still open");
}

/// Waits until the store contains this text of the first open stream.
async fn until_stored(fixture: &StreamFixture, text: &str) {
    while fixture.test.store().open_streams().await.expect("streams")[0].1.text != text {
        tokio::task::yield_now().await;
    }
}
