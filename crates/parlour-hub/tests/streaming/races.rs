//! Concurrent chunks, ends and cancellations: exactly one end, and no frame after it.

use std::sync::Arc;

use parlour_core::Code;
use tokio::task::JoinSet;

use super::fixture::{FrameReader, StreamFixture};

const ROUNDS: usize = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_ends_give_one_end_with_every_accepted_piece() {
    let fixture = Arc::new(StreamFixture::new().await);
    let mut reader = fixture.subscribe().await;
    for _ in 0..ROUNDS {
        let id = fixture.begin_with(fixture.request(">")).await;
        let producer = {
            let (fixture, id) = (Arc::clone(&fixture), id.clone());
            tokio::spawn(async move {
                let mut accepted = String::from(">");
                for number in 0.. {
                    let piece = format!("{number} ");
                    match fixture.add(&id, &piece).await {
                        Ok(_) => accepted.push_str(&piece),
                        Err(failure) => {
                            assert_eq!(failure.refusal().expect("no fault").code, Code::StreamEnded);
                            return accepted;
                        }
                    }
                }
                unreachable!("the answer ends")
            })
        };
        let mut ends = JoinSet::new();
        for is_stop in [true, false, true, false] {
            let (fixture, id) = (Arc::clone(&fixture), id.clone());
            ends.spawn(async move {
                match is_stop {
                    true => fixture.cancel(&fixture.mara, &id).await,
                    false => fixture.complete(&id).await,
                }
            });
        }
        let ends = ends.join_all().await;
        let accepted = producer.await.expect("the producer stops");
        let ended: Vec<_> = ends.into_iter().filter_map(Result::ok).map(|end| (end.position, end.message)).collect();
        assert_eq!(ended.len(), 2, "both of one kind, none of the other");
        assert_eq!(ended[0], ended[1]);
        assert_eq!(ended[0].1.body, accepted);
        check_received(&mut reader, &accepted).await;
    }
}

/// Checks that the chunks join to a prefix of the text and that the end follows.
async fn check_received(reader: &mut FrameReader, accepted: &str) {
    let mut received = reader.receive_until("messaging.finished").await;
    let end = received.pop().expect("the end");
    assert_eq!(end.split_once(':').expect("an end").1, accepted);
    assert_eq!(received.remove(0), "messaging.posted");
    let joined = received.iter().fold(String::from(">"), |joined, chunk| {
        let (start, piece) = chunk.split_once(':').expect("a chunk");
        assert_eq!(start, joined.chars().count().to_string());
        joined + piece
    });
    assert!(accepted.starts_with(&joined), "{joined} of {accepted}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_that_join_at_any_time_get_the_same_text() {
    let fixture = StreamFixture::new().await;
    let mut first = fixture.subscribe().await;
    let id = fixture.begin().await;
    first.receive_until("messaging.posted").await;
    let mut readers = JoinSet::new();
    let mut expected = String::new();
    for number in 0..40 {
        if number % 4 == 0 {
            readers.spawn(received_text(fixture.subscribe().await));
        }
        let piece = format!("{number} ");
        fixture.add(&id, &piece).await.expect("added");
        expected.push_str(&piece);
        fixture.test.clock.advance(70);
    }
    fixture.complete(&id).await.expect("completed");
    assert_eq!(received_text(first).await, expected);
    for text in readers.join_all().await {
        assert_eq!(text, expected);
    }
}

/// The text that a reader assembles from the stream and its chunks, compared with the end.
async fn received_text(mut reader: FrameReader) -> String {
    let mut received = reader.receive_until("messaging.finished").await;
    let end = received.pop().expect("the end").split_once(':').expect("an end").1.to_owned();
    let mut text = String::new();
    for frame in received {
        if let Some(whole) = frame.strip_prefix('=') {
            whole.clone_into(&mut text);
            continue;
        }
        let (start, piece) = frame.split_once(':').expect("a chunk");
        assert_eq!(start, text.chars().count().to_string(), "chunks are contiguous");
        text.push_str(piece);
    }
    assert_eq!(text, end);
    text
}
