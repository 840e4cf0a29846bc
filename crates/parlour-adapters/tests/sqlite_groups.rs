//! Group commit: many writers, one sync, and nobody pays for another's mistake.

mod sqlite_fixture;

use parlour_adapters::SqliteOptions;
use parlour_core::{
    Code,
    event::Change,
    id::ChannelId,
    write::{Appended, Write},
};
use parlour_hub::ports::{Accounts, History, HistoryRange};
use sqlite_fixture::{Stage, number, try_append};
use tokio::task::JoinSet;

/// How many members post at the same time.
const SENDERS: usize = 64;
/// How many messages each of them posts.
const POSTS: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_senders_share_gap_free_numbers_and_offsets() {
    let stage = Stage::new().await;
    let before = stage.world.events(&stage.tour.id).await.len();
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let (world, mara, tour, general) =
            (stage.world.clone(), stage.mara.clone(), stage.tour.clone(), stage.general.clone());
        senders.spawn(async move {
            let mut seqs = Vec::new();
            for post in 0..POSTS {
                let draft = world.draft(&mara, &general, &format!("{sender} says {post}"));
                let appended = world.append(&tour.id, &mara, draft.write()).await.expect("posted");
                seqs.push(seq(&appended));
            }
            seqs
        });
    }
    let of_senders = senders.join_all().await;
    assert!(of_senders.iter().all(|seqs| seqs.is_sorted()), "who waits for an answer keeps its order");
    let mut seqs: Vec<u64> = of_senders.concat();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=(SENDERS * POSTS) as u64).collect::<Vec<_>>());

    let events = stage.world.events(&stage.tour.id).await;
    let offsets: Vec<u64> = events.iter().map(|event| event.position.offset()).collect();
    assert_eq!(offsets, (1..=(before + SENDERS * POSTS) as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_bad_write_in_a_group_spares_its_neighbours() {
    let stage = Stage::new().await;
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
    lock.execute_batch("ROLLBACK").expect("unlock");
    let good = writes.join_all().await.into_iter().filter(|is_good| *is_good).count();
    let history = stage.world.history(&stage.general.id.clone().into()).await;
    let seqs: Vec<u64> = history.iter().map(|message| message.seq).collect();
    assert_eq!((good, seqs), (6, (1..=6).collect()));
}

#[tokio::test]
async fn a_refused_write_leaves_no_words_in_the_text_index() {
    let stage = Stage::new().await;
    let mut draft = stage.world.draft(&stage.mara, &stage.general, "unfindable");
    draft.message.mentions.push("per_nobody".parse().expect("id"));
    let refused = try_append(&stage.world, &stage.tour.id, &stage.mara, draft.write()).await;
    assert_eq!(refused, Err(Code::NotFound));
    assert_eq!(number(&stage.connection(), "SELECT COUNT(*) FROM message_text_docsize"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_full_queue_refuses_at_once_and_as_retryable() {
    let stage = Stage::with(SqliteOptions { queue_len_max: 1, ..SqliteOptions::default() }).await;
    let lock = stage.connection();
    lock.execute_batch("BEGIN IMMEDIATE").expect("lock");
    // One write waits for the lock and one in the queue: of three at least one finds no room.
    let mut writes = JoinSet::new();
    for place in 0..3 {
        let write = stage.post(&format!("message {place}"));
        let (world, mara, tour) = (stage.world.clone(), stage.mara.clone(), stage.tour.clone());
        writes.spawn(async move { try_append(&world, &tour.id, &mara, write).await });
    }
    let first = writes.join_next().await.expect("three writes").expect("no panic");
    assert_eq!(first, Err(Code::Overloaded));
    assert!(Code::Overloaded.is_retryable());
    lock.execute_batch("ROLLBACK").expect("unlock");
    assert!(writes.join_all().await.iter().any(Result::is_ok), "those that found room are written");
}

#[tokio::test]
async fn a_full_disk_refuses_writes_and_reading_goes_on() {
    let options = SqliteOptions { file_bytes_max: Some(800 * 1024), ..SqliteOptions::default() };
    let stage = Stage::with(options).await;
    let mut taken = 0;
    let refused = loop {
        let write = stage.post(&format!("{taken} {}", "a long text ".repeat(500)));
        match try_append(&stage.world, &stage.tour.id, &stage.mara, write).await {
            Ok(_) => taken += 1,
            Err(code) => break code,
        }
    };
    assert!(taken > 0);
    assert_eq!(refused, Code::StoreUnavailable);
    let history = stage.world.history(&stage.general.id.clone().into()).await;
    assert_eq!(history.len(), taken, "what was acknowledged is there, what was refused is not");
    assert_eq!(stage.store.person(&stage.mara.id).await.expect("read"), Some(stage.mara.clone()));
}

#[tokio::test]
async fn a_store_goes_on_when_there_is_room_again() {
    let options = SqliteOptions { file_bytes_max: Some(800 * 1024), ..SqliteOptions::default() };
    let stage = Stage::with(options).await;
    let mut last = None;
    while let Ok(offset) = try_append(&stage.world, &stage.tour.id, &stage.mara, stage.post(&"x".repeat(9_000))).await {
        last = Some(offset);
    }
    let newest =
        stage.store.messages(&stage.general.id.clone().into(), HistoryRange::Newest, 5).await.expect("messages");
    for message in newest {
        let removal = Write::RemoveMessage(message.id);
        let removed = try_append(&stage.world, &stage.tour.id, &stage.mara, removal).await.expect("frees pages");
        assert_eq!(Some(removed), last.map(|last| last + 1));
        last = Some(removed);
    }
    let posted = try_append(&stage.world, &stage.tour.id, &stage.mara, stage.post("short")).await;
    assert_eq!(posted.ok(), last.map(|last| last + 1), "offsets have no gap where a write was refused");
}

fn seq(appended: &Appended) -> u64 {
    let Change::MessagePosted(message) = &appended.change else { unreachable!("a post answers a message") };
    message.seq
}
