//! Group commit: many writers share one sync, and a refused write does not affect the others.

mod sqlite_fixture;

use parlour_adapters::SqliteOptions;
use parlour_core::{
    Code,
    event::Change,
    id::ChannelId,
    write::{Appended, Write},
};
use parlour_hub::ports::{Accounts, History, HistoryRange};
use sqlite_fixture::{SqliteFixture, number, try_append};
use tokio::task::JoinSet;

/// The number of members that post concurrently.
const SENDERS: usize = 64;
/// The number of messages per member.
const POSTS: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_concurrent_senders_get_seqs_and_offsets_without_gaps() {
    let fixture = SqliteFixture::new().await;
    let before = fixture.test_store.events(&fixture.tour.id).await.len();
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let (test_store, mara, tour, general) =
            (fixture.test_store.clone(), fixture.mara.clone(), fixture.tour.clone(), fixture.general.clone());
        senders.spawn(async move {
            let mut seqs = Vec::new();
            for post in 0..POSTS {
                let draft = test_store.draft(&mara, &general, &format!("{sender} says {post}"));
                let appended = test_store.append(&tour.id, &mara, draft.write()).await.expect("posted");
                seqs.push(seq(&appended));
            }
            seqs
        });
    }
    let of_senders = senders.join_all().await;
    assert!(of_senders.iter().all(|seqs| seqs.is_sorted()), "the messages of one sender keep their order");
    let mut seqs: Vec<u64> = of_senders.concat();
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=(SENDERS * POSTS) as u64).collect::<Vec<_>>());

    let events = fixture.test_store.events(&fixture.tour.id).await;
    let offsets: Vec<u64> = events.iter().map(|event| event.position.offset()).collect();
    assert_eq!(offsets, (1..=(before + SENDERS * POSTS) as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refused_write_in_a_group_does_not_affect_the_others() {
    let fixture = SqliteFixture::new().await;
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
    lock.execute_batch("ROLLBACK").expect("unlock");
    let good = writes.join_all().await.into_iter().filter(|is_good| *is_good).count();
    let history = fixture.test_store.history(&fixture.general.id.clone().into()).await;
    let seqs: Vec<u64> = history.iter().map(|message| message.seq).collect();
    assert_eq!((good, seqs), (6, (1..=6).collect()));
}

#[tokio::test]
async fn a_refused_write_leaves_no_words_in_the_text_index() {
    let fixture = SqliteFixture::new().await;
    let mut draft = fixture.test_store.draft(&fixture.mara, &fixture.general, "unfindable");
    draft.message.mentions.push("per_nobody".parse().expect("id"));
    let refused = try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, draft.write()).await;
    assert_eq!(refused, Err(Code::NotFound));
    assert_eq!(number(&fixture.connection(), "SELECT COUNT(*) FROM message_text_docsize"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_full_queue_refuses_at_once_as_retryable() {
    let fixture = SqliteFixture::with(SqliteOptions { queue_len_max: 1, ..SqliteOptions::default() }).await;
    let lock = fixture.connection();
    lock.execute_batch("BEGIN IMMEDIATE").expect("lock");
    // One write waits for the lock and one in the queue, so at least one of three is refused.
    let mut writes = JoinSet::new();
    for number in 0..3 {
        let write = fixture.post(&format!("message {number}"));
        let (test_store, mara, tour) = (fixture.test_store.clone(), fixture.mara.clone(), fixture.tour.clone());
        writes.spawn(async move { try_append(&test_store, &tour.id, &mara, write).await });
    }
    let first = writes.join_next().await.expect("three writes").expect("no panic");
    assert_eq!(first, Err(Code::Overloaded));
    assert!(Code::Overloaded.is_retryable());
    lock.execute_batch("ROLLBACK").expect("unlock");
    assert!(writes.join_all().await.iter().any(Result::is_ok), "those that found room are written");
}

#[tokio::test]
async fn a_full_disk_refuses_writes_but_not_reads() {
    let options = SqliteOptions { file_bytes_max: Some(800 * 1024), ..SqliteOptions::default() };
    let fixture = SqliteFixture::with(options).await;
    let mut taken = 0;
    let refused = loop {
        let write = fixture.post(&format!("{taken} {}", "a long text ".repeat(500)));
        match try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, write).await {
            Ok(_) => taken += 1,
            Err(code) => break code,
        }
    };
    assert!(taken > 0);
    assert_eq!(refused, Code::StoreUnavailable);
    let history = fixture.test_store.history(&fixture.general.id.clone().into()).await;
    assert_eq!(history.len(), taken, "exactly the acknowledged messages are stored");
    assert_eq!(fixture.store.person(&fixture.mara.id).await.expect("read"), Some(fixture.mara.clone()));
}

#[tokio::test]
async fn writes_succeed_again_when_the_disk_has_space() {
    let options = SqliteOptions { file_bytes_max: Some(800 * 1024), ..SqliteOptions::default() };
    let fixture = SqliteFixture::with(options).await;
    let mut last = None;
    while let Ok(offset) =
        try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, fixture.post(&"x".repeat(9_000))).await
    {
        last = Some(offset);
    }
    let newest =
        fixture.store.messages(&fixture.general.id.clone().into(), HistoryRange::Newest, 5).await.expect("messages");
    for message in newest {
        let removal = Write::RemoveMessage(message.id);
        let removed =
            try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, removal).await.expect("frees pages");
        assert_eq!(Some(removed), last.map(|last| last + 1));
        last = Some(removed);
    }
    let posted = try_append(&fixture.test_store, &fixture.tour.id, &fixture.mara, fixture.post("short")).await;
    assert_eq!(posted.ok(), last.map(|last| last + 1), "offsets have no gap where a write was refused");
}

fn seq(appended: &Appended) -> u64 {
    let Change::MessagePosted(message) = &appended.change else { unreachable!("a post answers a message") };
    message.seq
}
