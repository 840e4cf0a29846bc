//! Watching a store whose writes share their commits: told is what is on the disk, and nothing else.

mod sqlite_fixture;

use std::{
    pin::pin,
    task::{Context, Waker},
};

use parlour_adapters::SqliteOptions;
use parlour_core::{Code, event::Event, id::ChannelId};
use parlour_hub::ports::Log;
use sqlite_fixture::{Stage, try_append};
use tokio::{sync::mpsc::Receiver, task::JoinSet};

fn offsets(watched: &mut Receiver<Event>) -> Vec<u64> {
    std::iter::from_fn(|| watched.try_recv().ok()).map(|event| event.position.offset()).collect()
}

#[tokio::test]
async fn a_group_that_the_disk_did_not_take_is_not_told() {
    let options = SqliteOptions { file_bytes_max: Some(800 * 1024), ..SqliteOptions::default() };
    let stage = Stage::with(options).await;
    let mut watched = stage.store.watch();
    let mut taken = Vec::new();
    let refused = loop {
        let write = stage.post(&"a long text ".repeat(500));
        match try_append(&stage.world, &stage.tour.id, &stage.mara, write).await {
            Ok(offset) => taken.push(offset),
            Err(code) => break code,
        }
    };
    assert_eq!((refused, offsets(&mut watched)), (Code::StoreUnavailable, taken));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_group_with_a_bad_write_the_good_ones_are_told_in_order() {
    let stage = Stage::new().await;
    let mut watched = stage.store.watch();
    // While another connection holds the lock, all writes wait and become one group.
    let lock = stage.connection();
    lock.execute_batch("BEGIN IMMEDIATE").expect("lock");
    let mut writes = JoinSet::new();
    for place in 0..9 {
        let mut draft = stage.world.draft(&stage.mara, &stage.general, &format!("message {place}"));
        if place % 3 == 0 {
            draft.message.to = ChannelId::from_bits(404).into();
        }
        let (world, mara, tour) = (stage.world.clone(), stage.mara.clone(), stage.tour.clone());
        writes.spawn(async move { try_append(&world, &tour.id, &mara, draft.write()).await.is_ok() });
    }
    assert_eq!(offsets(&mut watched), Vec::<u64>::new(), "nothing is told before it is committed");
    lock.execute_batch("ROLLBACK").expect("unlock");
    writes.join_all().await;
    assert_eq!(offsets(&mut watched), (3..=8).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_was_queued_when_the_store_ends_is_told_before_the_end() {
    let stage = Stage::new().await;
    let mut watched = stage.store.watch();
    for number in 0..50 {
        // One look queues the write; then it is given up.
        let append = pin!(stage.world.append(&stage.tour.id, &stage.mara, stage.post(&format!("message {number}"))));
        let _ = append.poll(&mut Context::from_waker(Waker::noop()));
    }
    stage.store.close();
    let mut told = 0;
    while watched.recv().await.is_some() {
        told += 1;
    }
    assert_eq!(told, 50);
    assert_eq!(stage.store.watch().recv().await, None, "a closed store has nothing more to tell");
}
