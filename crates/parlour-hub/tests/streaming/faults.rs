//! Streams while the store cannot write.

use parlour_core::{live::Cancel, message::State};
use parlour_hub::Failure;
use rusqlite::Connection;

use super::fixture::StreamFixture;

/// Makes every update of a message fail, as a broken disk would.
fn break_store(fixture: &StreamFixture) -> Connection {
    let db = Connection::open(fixture.test.folder.path().join("parlour.db")).expect("the file of the store");
    db.execute_batch(
        "CREATE TRIGGER broken BEFORE UPDATE ON message
         BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END",
    )
    .expect("broken");
    db
}

fn repair_store(db: &Connection) {
    db.execute_batch("DROP TRIGGER broken").expect("repaired");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_whose_end_failed_stays_open_and_can_be_ended_again() {
    let fixture = StreamFixture::new().await;
    let id = fixture.begin_with(fixture.request("one")).await;
    let db = break_store(&fixture);
    assert!(matches!(fixture.complete(&id).await, Err(Failure::Fault(_))));
    assert_eq!(fixture.message(&id).await.state, State::Streaming);
    assert_eq!(fixture.add(&id, ", two").await.expect("the stream is open").chars, 8);
    repair_store(&db);
    assert_eq!(fixture.complete(&id).await.expect("completed").message.body, "one, two");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abandoned_stream_is_interrupted_when_the_store_works_again() {
    let fixture = StreamFixture::new().await;
    let mut reader = fixture.subscribe().await;
    let id = fixture.begin_with(fixture.request("abandoned")).await;
    reader.receive_until("messaging.posted").await;
    let db = break_store(&fixture);
    fixture.test.clock.advance(30_000);
    assert!(matches!(fixture.complete(&id).await, Err(Failure::Fault(_))), "nothing ends now");
    repair_store(&db);
    // The hub retries at its next check; advance the clock until then.
    let received = async {
        loop {
            tokio::select! {
                biased;
                received = reader.receive_until("messaging.finished") => return received,
                () = tokio::task::yield_now() => drop(fixture.test.clock.advance(100)),
            }
        }
    };
    assert_eq!(received.await, ["Interrupted:abandoned"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_an_earlier_start_keeps_its_text_when_its_interruption_fails() {
    let fixture = StreamFixture::new().await;
    let ids = [fixture.begin_with(fixture.request("first")).await, fixture.begin_with(fixture.request("second")).await];
    let next = fixture.test.forgetful();
    let db = break_store(&fixture);
    assert!(matches!(next.interrupt_abandoned_streams().await, Err(Failure::Fault(_))));
    repair_store(&db);
    for (id, text) in ids.iter().zip(["first", "second"]) {
        let ended = next.cancel_stream(&fixture.mara, id, Cancel::default()).await.expect("ended later");
        assert_eq!(ended.message.body, text);
    }
}
