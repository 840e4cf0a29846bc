//! Property: an old snapshot plus the later events that its reader receives equals the new snapshot.
//!
//! The test applies random sequences of all writes to a real store. Each member has two readers: a live one gets every
//! event when it is committed; the other one pauses and then resumes from the log, which contains messages in their
//! current state. Message lists of all conversations are compared with the history in the same way.
//!
//! A failing sequence is shrunk and printed with its seed. `PARLOUR_SNAPSHOT_SEED=7` runs the sequences of that seed
//! alone, `PARLOUR_SNAPSHOT_SEEDS=500` many more seeds than usual.

mod fixture;
mod fixtures;
mod message_lists;
mod questions_and_runs;
mod readers;
mod write_step;
mod written_objects;

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use parlour_adapters::{SqliteOptions, SqliteStore};
use parlour_core::event::{Change, Event};
use parlour_hub::ports::PrivateChannelMembersAt;
use parlour_testkit::TestStore;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tokio::{runtime::Handle, sync::mpsc, task::spawn_blocking};

use crate::{
    fixture::SnapshotFixture,
    message_lists::MessageLists,
    readers::{AddressedEvent, SnapshotReader},
    write_step::{WriteAction, WriteStep, steps},
};

/// Seeds by default.
const SEEDS: u64 = 6;
/// Sequences of each seed.
const SEQUENCES: u32 = 8;
/// Attempts to shrink a failing sequence.
const SHRINKS_MAX: u32 = 300;

/// The actions and events that occurred, to check that the sequences cover all of them.
#[derive(Clone, Default)]
struct Coverage(Arc<Mutex<(BTreeSet<WriteAction>, BTreeSet<&'static str>)>>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_snapshot_and_the_events_after_it_give_the_new_snapshot() {
    let folder = tempfile::tempdir().expect("folder");
    let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
    let (test_store, coverage) = (TestStore::new(Arc::new(store)), Coverage::default());
    for seed in seeds() {
        check_seed(seed, &test_store, &coverage).await;
    }
    if std::env::var_os("PARLOUR_SNAPSHOT_SEED").is_none() {
        coverage.check();
    }
}

fn seeds() -> Vec<u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    match number("PARLOUR_SNAPSHOT_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("PARLOUR_SNAPSHOT_SEEDS").unwrap_or(SEEDS)).collect(),
    }
}

/// Runs the sequences of one seed. The proptest runner is not async, so it runs on its own thread.
async fn check_seed(seed: u64, test_store: &TestStore, coverage: &Coverage) {
    let (runtime, test_store, coverage) = (Handle::current(), test_store.clone(), coverage.clone());
    let search = move || {
        let config =
            Config { cases: SEQUENCES, max_shrink_iters: SHRINKS_MAX, failure_persistence: None, ..Config::default() };
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let run = |steps: Vec<WriteStep>| {
            runtime.block_on(play_sequence(&test_store, &coverage, steps));
            Ok(())
        };
        TestRunner::new_with_rng(config, rng).run(&steps(), run).map_err(|error| error.to_string())
    };
    let verdict = spawn_blocking(search).await.expect("the search itself does not fail");
    assert_eq!(verdict, Ok(()), "PARLOUR_SNAPSHOT_SEED={seed} breaks the property");
}

/// Runs one sequence in its own project.
async fn play_sequence(test_store: &TestStore, coverage: &Coverage, steps: Vec<WriteStep>) {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let mut fixture = SnapshotFixture::new(test_store.numbered(NUMBER.fetch_add(1, Ordering::SeqCst))).await;
    let mut committed = test_store.store().watch();
    let mut private_members = private_members(&fixture).await;
    let mut live = SnapshotReader::all(&fixture).await;
    let mut resumed = SnapshotReader::all(&fixture).await;
    let (mut rested_at, start) = (private_members.position.offset(), private_members.position.offset());
    let mut message_lists = MessageLists::default();
    message_lists.begin(&fixture).await;
    for step in &steps {
        if let Some(action) = fixture.apply(step).await {
            let mut addressed = Vec::new();
            for event in committed_events(&fixture, &mut committed).await {
                coverage.note(action, &event.change);
                if event.project_id == fixture.tour.id {
                    fixture.remember_created(&event);
                    private_members.private_members.apply(&event.change);
                    addressed.push(AddressedEvent::new(&fixture.test_store, event).await);
                }
            }
            message_lists.follow(&fixture, &addressed).await;
            for reader in &mut live {
                reader.follow(&fixture, &addressed, &private_members.private_members).await;
            }
        }
        if step.is_rest {
            message_lists.load(&fixture, rested_at).await;
            rested_at = catch_up(&fixture, &mut resumed, rested_at).await;
        }
    }
    catch_up(&fixture, &mut resumed, rested_at).await;
    assert_eq!(
        self::private_members(&fixture).await.private_members,
        private_members.private_members,
        "private channel members follow the events"
    );
    message_lists.catch_up(&fixture.test_store, &events_after(&fixture, start).await).await;
}

/// Applies the missed events of the log to the readers, filtered by the current channel members.
async fn catch_up(fixture: &SnapshotFixture, readers: &mut [SnapshotReader], after: u64) -> u64 {
    let mut addressed = Vec::new();
    for event in events_after(fixture, after).await {
        addressed.push(AddressedEvent::new(&fixture.test_store, event).await);
    }
    let private_members = private_members(fixture).await;
    for reader in readers {
        reader.follow(fixture, &addressed, &private_members.private_members).await;
    }
    private_members.position.offset()
}

async fn events_after(fixture: &SnapshotFixture, offset: u64) -> Vec<Event> {
    fixture.test_store.store().events_after(&fixture.tour.id, offset, 1_000).await.expect("events")
}

async fn private_members(fixture: &SnapshotFixture) -> PrivateChannelMembersAt {
    fixture.test_store.store().private_members(&fixture.tour.id).await.expect("private_members").expect("a project")
}

/// The events of one write. An answer that settles a question has two.
async fn committed_events(fixture: &SnapshotFixture, committed: &mut mpsc::Receiver<Event>) -> Vec<Event> {
    let mut next = async || committed.recv().await.expect("committed events are published");
    let mut events = vec![next().await];
    if events[0].project_id == fixture.tour.id {
        let end =
            fixture.test_store.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a project").offset();
        while events.last().is_some_and(|event| event.position.offset() < end) {
            events.push(next().await);
        }
    }
    events
}

impl Coverage {
    fn note(&self, action: WriteAction, change: &Change) {
        let mut seen = self.0.lock().expect("coverage");
        seen.0.insert(action);
        seen.1.insert(change.name());
    }

    /// Checks that every action changed something and every event occurred.
    fn check(&self) {
        let seen = self.0.lock().expect("coverage");
        assert_eq!(seen.0, WriteAction::ALL.iter().copied().collect(), "actions that changed something");
        assert_eq!(seen.1, Change::NAMES.iter().copied().collect(), "events that occurred");
    }
}
