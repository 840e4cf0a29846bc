//! Watchers of a store with group commit receive committed events only.

mod sqlite_fixture;

use std::{
    pin::pin,
    task::{Context, Waker},
};

use parlour_adapters::SqliteOptions;
use parlour_core::{Code, event::Event, id::ChannelId};
use parlour_hub::ports::Log;
use sqlite_fixture::{SqliteFixture, try_append};
use tokio::{sync::mpsc::Receiver, task::JoinSet};

fn offsets(watched: &mut Receiver<Event>) -> Vec<u64> {
    std::iter::from_fn(|| watched.try_recv().ok()).map(|event| event.position.offset()).collect()
}

#[tokio::test]
async fn watchers_get_no_events_of_a_group_that_the_disk_refused() {
    let options = SqliteOptions { file_bytes_max: Some(800 * 1024), ..SqliteOptions::default() };
    let fixture = SqliteFixture::with(options).await;
    let mut watched = fixture.store.watch();
    let mut committed = Vec::new();
    let refused = loop {
        let write = fixture.post(&"a long text ".repeat(500));
        match try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, write).await {
            Ok(offset) => committed.push(offset),
            Err(code) => break code,
        }
    };
    assert_eq!((refused, offsets(&mut watched)), (Code::StoreUnavailable, committed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn watchers_get_the_valid_writes_of_a_group_in_order() {
    let fixture = SqliteFixture::new().await;
    let mut watched = fixture.store.watch();
    // While another connection holds the lock, all writes wait and become one group.
    let lock = fixture.connection();
    lock.execute_batch("BEGIN IMMEDIATE").expect("lock");
    let mut writes = JoinSet::new();
    for number in 0..9 {
        let mut draft = fixture.test_store.draft(&fixture.mara, &fixture.general, &format!("message {number}"));
        if number % 3 == 0 {
            draft.message.to = ChannelId::from_bits(404).into();
        }
        let (test_store, mara, tour) = (fixture.test_store.clone(), fixture.mara.clone(), fixture.tour.clone());
        writes.spawn(async move { try_append(&test_store, &tour.id, &mara, draft.write()).await.is_ok() });
    }
    assert_eq!(offsets(&mut watched), Vec::<u64>::new(), "no event is sent before the commit");
    lock.execute_batch("ROLLBACK").expect("unlock");
    writes.join_all().await;
    assert_eq!(offsets(&mut watched), (3..=8).collect::<Vec<_>>());
}

#[tokio::test]
async fn watchers_get_queued_writes_before_the_store_closes() {
    let fixture = SqliteFixture::new().await;
    let mut watched = fixture.store.watch();
    for number in 0..50 {
        // One poll queues the write; then the future is dropped.
        let append = pin!(fixture.test_store.append(
            &fixture.tour.id,
            &fixture.mara,
            fixture.post(&format!("message {number}"))
        ));
        let _ = append.poll(&mut Context::from_waker(Waker::noop()));
    }
    fixture.store.close();
    let mut received = 0;
    while watched.recv().await.is_some() {
        received += 1;
    }
    assert_eq!(received, 50);
    assert_eq!(fixture.store.watch().recv().await, None, "a closed store sends no events");
}
