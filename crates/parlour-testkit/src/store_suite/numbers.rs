//! Offsets of a log and numbers of messages: 1, 2, 3 … without gaps, whoever writes at the same time.

use std::collections::BTreeSet;

use parlour_core::{
    event::Change,
    id::ProjectId,
    write::{Appended, Novelty},
};
use tokio::task::JoinSet;

use crate::world::{Caller, Draft, World};

/// How many senders write at once.
const SENDERS: usize = 64;

/// The offsets of a project's events, in the order in which they are read.
async fn offsets(world: &World, project: &ProjectId) -> Vec<u64> {
    world.events(project).await.iter().map(|event| event.position.offset()).collect()
}

fn count_from_one(count: usize) -> Vec<u64> {
    (1..=count as u64).collect()
}

fn seq(appended: &Appended) -> u64 {
    let Change::MessagePosted(message) = &appended.change else { return 0 };
    message.seq
}

/// Sends all drafts at once, each from a task of its own.
async fn send_at_once(
    world: &World,
    author: &(impl Caller + Clone + Send + 'static),
    drafts: Vec<Draft>,
) -> Vec<Appended> {
    let mut tasks = JoinSet::new();
    for draft in drafts {
        let (world, author) = (world.clone(), author.clone());
        tasks.spawn(
            async move { world.append(&draft.message.project_id, &author, draft.write()).await.expect("posted") },
        );
    }
    tasks.join_all().await
}

/// Each project counts its own events from 1.
pub async fn offsets_of_each_log_count_from_one(world: World) {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    for name in ["a", "b", "c"] {
        world.channel(name, &tour).await;
        world.channel(name, &fair).await;
    }
    for project in [&tour, &fair] {
        assert_eq!(offsets(&world, &project.id).await, count_from_one(4));
    }
}

/// Each conversation counts its own messages from 1: channels, threads and dms alike.
pub async fn numbers_of_each_conversation_count_from_one(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let coder = world.agent("Coder", &tour).await;
    let (general, random) = (world.channel("general", &tour).await, world.channel("random", &tour).await);
    let root = world.post(&mara, &general, "root").await;
    let thread = world.thread(&general, &root).await;
    let dm = world.dm(&tour, &[&mara, &coder]).await;
    for round in 1..=3 {
        assert_eq!(world.post(&mara, &general, "x").await.seq, round + 1);
        assert_eq!(world.post(&mara, &random, "x").await.seq, round);
        assert_eq!(world.post(&coder, &thread, "x").await.seq, round);
        assert_eq!(world.post(&coder, &dm, "x").await.seq, round);
    }
}

/// Many senders at once leave no gap and share no number, in the conversations and in the log.
pub async fn concurrent_senders_leave_no_gap(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let (general, random) = (world.channel("general", &tour).await, world.channel("random", &tour).await);
    let start = offsets(&world, &tour.id).await.len();
    let drafts = (0..SENDERS).flat_map(|sender| {
        [world.draft(&mara, &general, &format!("g{sender}")), world.draft(&mara, &random, &format!("r{sender}"))]
    });
    let answers = send_at_once(&world, &mara, drafts.collect()).await;
    for channel in [&general, &random] {
        let history = world.history(&channel.id.clone().into()).await;
        let seqs: Vec<_> = history.iter().map(|message| message.seq).collect();
        assert_eq!(seqs, count_from_one(SENDERS));
    }
    assert_eq!(offsets(&world, &tour.id).await, count_from_one(start + 2 * SENDERS));
    let told: BTreeSet<_> = answers.iter().map(|answer| answer.position.offset()).collect();
    assert_eq!(told, (start as u64 + 1..=(start + 2 * SENDERS) as u64).collect());
}

/// Each sender is answered with the number under which its message really stands.
pub async fn concurrent_senders_are_told_their_own_number(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let drafts = (0..SENDERS).map(|sender| world.draft(&mara, &general, &format!("message {sender}"))).collect();
    for answer in send_at_once(&world, &mara, drafts).await {
        let Change::MessagePosted(message) = &answer.change else { unreachable!("a post answers a message") };
        assert_eq!(world.store().message(&message.id).await.expect("read").as_ref(), Some(message.as_ref()));
        let before = answer.position.offset() - 1;
        let events = world.store().events_after(&tour.id, before, 1).await.expect("event");
        assert_eq!((&events[0].change, &events[0].position), (&answer.change, &answer.position));
    }
}

/// A retry that overtakes its first try posts nothing twice: one of many equal posts is new, all get one answer.
pub async fn concurrent_retries_post_once(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let start = offsets(&world, &tour.id).await.len();
    let draft = world.draft(&mara, &general, "only once");
    let answers = send_at_once(&world, &mara, vec![draft; SENDERS]).await;
    assert_eq!(answers.iter().filter(|answer| answer.novelty == Novelty::New).count(), 1);
    assert!(answers.iter().all(|answer| seq(answer) == 1 && answer.position == answers[0].position));
    assert_eq!(offsets(&world, &tour.id).await.len(), start + 1);
}

/// A number is never used again, not even after its message was removed.
pub async fn numbers_of_removed_messages_are_not_reused(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let first = world.post(&mara, &general, "first").await;
    world.remove(&mara, &first).await;
    assert_eq!(world.post(&mara, &general, "second").await.seq, 2);
}

/// A refused write uses up no number.
pub async fn refused_posts_use_up_no_number(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let first = world.post(&mara, &general, "first").await;
    let reused = world.draft(&mara, &general, "another text").under_id(&first.id);
    world.refusal(&tour.id, &mara, reused.write()).await;
    assert_eq!(world.post(&mara, &general, "second").await.seq, 2);
    let count = offsets(&world, &tour.id).await;
    assert_eq!(count, count_from_one(count.len()));
}

/// Whoever was answered can read what was written, on any connection.
pub async fn reads_see_every_write_that_was_answered(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let mut tasks = JoinSet::new();
    for sender in 0..SENDERS {
        let (world, mara, general) = (world.clone(), mara.clone(), general.clone());
        tasks.spawn(async move {
            let message = world.post(&mara, &general, &format!("message {sender}")).await;
            let read = world.store().message(&message.id).await.expect("read");
            let end = world.store().end_of_log(&message.project_id).await.expect("end").expect("a log");
            (read == Some(message.clone()), end.offset() >= message.seq)
        });
    }
    assert_eq!(tasks.join_all().await, [(true, true); SENDERS]);
}
