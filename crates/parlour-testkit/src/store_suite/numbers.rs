//! Offsets of a log and numbers of messages: 1, 2, 3 … without gaps, also under concurrent writes.

use std::collections::BTreeSet;

use parlour_core::{
    event::Change,
    id::ProjectId,
    write::{Appended, Novelty},
};
use tokio::task::JoinSet;

use crate::test_store::{MessageDraft, TestMember, TestStore};

/// Number of concurrent senders.
const SENDERS: usize = 64;

/// The offsets of a project's events, in the order in which they are read.
async fn offsets(test_store: &TestStore, project: &ProjectId) -> Vec<u64> {
    test_store.events(project).await.iter().map(|event| event.position.offset()).collect()
}

fn count_from_one(count: usize) -> Vec<u64> {
    (1..=count as u64).collect()
}

fn seq(appended: &Appended) -> u64 {
    let Change::MessagePosted(message) = &appended.change else { return 0 };
    message.seq
}

/// Sends all drafts at once, each in its own task.
async fn send_concurrently(
    test_store: &TestStore,
    author: &(impl TestMember + Clone + Send + 'static),
    drafts: Vec<MessageDraft>,
) -> Vec<Appended> {
    let mut tasks = JoinSet::new();
    for draft in drafts {
        let (test_store, author) = (test_store.clone(), author.clone());
        tasks.spawn(async move {
            test_store.append(&draft.message.project_id, &author, draft.write()).await.expect("posted")
        });
    }
    tasks.join_all().await
}

pub async fn offsets_of_each_log_count_from_one(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let (tour, fair) = (test_store.project("Tour", &mara).await, test_store.project("Fair", &mara).await);
    for name in ["a", "b", "c"] {
        test_store.channel(name, &tour).await;
        test_store.channel(name, &fair).await;
    }
    for project in [&tour, &fair] {
        assert_eq!(offsets(&test_store, &project.id).await, count_from_one(4));
    }
}

/// Channels, threads and DMs each number their messages from 1.
pub async fn numbers_of_each_conversation_count_from_one(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let coder = test_store.agent("Coder", &tour).await;
    let (general, random) = (test_store.channel("general", &tour).await, test_store.channel("random", &tour).await);
    let root = test_store.post(&mara, &general, "root").await;
    let thread = test_store.thread(&general, &root).await;
    let dm = test_store.dm(&tour, &[&mara, &coder]).await;
    for round in 1..=3 {
        assert_eq!(test_store.post(&mara, &general, "x").await.seq, round + 1);
        assert_eq!(test_store.post(&mara, &random, "x").await.seq, round);
        assert_eq!(test_store.post(&coder, &thread, "x").await.seq, round);
        assert_eq!(test_store.post(&coder, &dm, "x").await.seq, round);
    }
}

/// Concurrent senders leave no gap and share no number, in the conversations and in the log.
pub async fn concurrent_writes_leave_no_gaps(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let (general, random) = (test_store.channel("general", &tour).await, test_store.channel("random", &tour).await);
    let start = offsets(&test_store, &tour.id).await.len();
    let drafts = (0..SENDERS).flat_map(|sender| {
        [
            test_store.draft(&mara, &general, &format!("g{sender}")),
            test_store.draft(&mara, &random, &format!("r{sender}")),
        ]
    });
    let answers = send_concurrently(&test_store, &mara, drafts.collect()).await;
    for channel in [&general, &random] {
        let history = test_store.history(&channel.id.clone().into()).await;
        let seqs: Vec<_> = history.iter().map(|message| message.seq).collect();
        assert_eq!(seqs, count_from_one(SENDERS));
    }
    assert_eq!(offsets(&test_store, &tour.id).await, count_from_one(start + 2 * SENDERS));
    let offsets: BTreeSet<_> = answers.iter().map(|answer| answer.position.offset()).collect();
    assert_eq!(offsets, (start as u64 + 1..=(start + 2 * SENDERS) as u64).collect());
}

pub async fn concurrent_senders_get_the_number_of_their_own_message(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let drafts = (0..SENDERS).map(|sender| test_store.draft(&mara, &general, &format!("message {sender}"))).collect();
    for answer in send_concurrently(&test_store, &mara, drafts).await {
        let Change::MessagePosted(message) = &answer.change else { unreachable!("a post answers a message") };
        assert_eq!(test_store.store().message(&message.id).await.expect("read").as_ref(), Some(message.as_ref()));
        let before = answer.position.offset() - 1;
        let events = test_store.store().events_after(&tour.id, before, 1).await.expect("event");
        assert_eq!((&events[0].change, &events[0].position), (&answer.change, &answer.position));
    }
}

/// Of several equal concurrent posts one is new, and all return the same result.
pub async fn concurrent_retries_post_once(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let start = offsets(&test_store, &tour.id).await.len();
    let draft = test_store.draft(&mara, &general, "only once");
    let answers = send_concurrently(&test_store, &mara, vec![draft; SENDERS]).await;
    assert_eq!(answers.iter().filter(|answer| answer.novelty == Novelty::New).count(), 1);
    assert!(answers.iter().all(|answer| seq(answer) == 1 && answer.position == answers[0].position));
    assert_eq!(offsets(&test_store, &tour.id).await.len(), start + 1);
}

pub async fn numbers_of_removed_messages_are_not_reused(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let first = test_store.post(&mara, &general, "first").await;
    test_store.remove(&mara, &first).await;
    assert_eq!(test_store.post(&mara, &general, "second").await.seq, 2);
}

pub async fn refused_posts_use_no_number(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let first = test_store.post(&mara, &general, "first").await;
    let reused = test_store.draft(&mara, &general, "another text").with_id(&first.id);
    test_store.refusal(&tour.id, &mara, reused.write()).await;
    assert_eq!(test_store.post(&mara, &general, "second").await.seq, 2);
    let count = offsets(&test_store, &tour.id).await;
    assert_eq!(count, count_from_one(count.len()));
}

/// A read on any connection sees every write that returned before.
pub async fn reads_see_every_write_that_has_returned(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let mut tasks = JoinSet::new();
    for sender in 0..SENDERS {
        let (test_store, mara, general) = (test_store.clone(), mara.clone(), general.clone());
        tasks.spawn(async move {
            let message = test_store.post(&mara, &general, &format!("message {sender}")).await;
            let read = test_store.store().message(&message.id).await.expect("read");
            let end = test_store.store().end_of_log(&message.project_id).await.expect("end").expect("a log");
            (read == Some(message.clone()), end.offset() >= message.seq)
        });
    }
    assert_eq!(tasks.join_all().await, [(true, true); SENDERS]);
}
