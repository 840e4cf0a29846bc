//! The law: an old snapshot and the events after it, as far as its reader may learn of them, give the new snapshot.
//!
//! Random sequences of all writes are made on a real store. One reader of each member hears every event at once, as it
//! was committed; another one rests, and then catches up from the log, which shows messages as they are now. Timelines
//! of all conversations are held to the history in the same way.
//!
//! A failing sequence is made smaller and printed with its seed. `PARLOUR_LAW_SEED=7` runs the sequences of that seed
//! alone, `PARLOUR_LAW_SEEDS=500` many more seeds than usual.

mod act;
mod asking;
mod fixture;
mod fixtures;
mod readers;
mod things;
mod timelines;

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
use parlour_testkit::World;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tokio::{runtime::Handle, sync::mpsc, task::spawn_blocking};

use crate::{
    act::{Act, Step, steps},
    fixture::LawFixture,
    readers::{AddressedEvent, Reader},
    timelines::Timelines,
};

/// How many seeds are tried when nothing else is said.
const SEEDS: u64 = 6;
/// How many sequences each of them has.
const SEQUENCES: u32 = 8;
/// How often a failing sequence is made smaller before it is shown.
const SHRINKS_MAX: u32 = 300;

/// What the sequences have done, so that none of it is left out for ever.
#[derive(Clone, Default)]
struct Coverage(Arc<Mutex<(BTreeSet<Act>, BTreeSet<&'static str>)>>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_snapshot_and_the_events_after_it_give_the_new_snapshot() {
    let folder = tempfile::tempdir().expect("folder");
    let store = SqliteStore::open(folder.path(), SqliteOptions::default()).expect("store");
    let (world, coverage) = (World::new(Arc::new(store)), Coverage::default());
    for seed in seeds() {
        check_seed(seed, &world, &coverage).await;
    }
    if std::env::var_os("PARLOUR_LAW_SEED").is_none() {
        coverage.check();
    }
}

fn seeds() -> Vec<u64> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    match number("PARLOUR_LAW_SEED") {
        Some(seed) => vec![seed],
        None => (0..number("PARLOUR_LAW_SEEDS").unwrap_or(SEEDS)).collect(),
    }
}

/// Tries the sequences of one seed. The search for them is not async, so it runs on a thread of its own.
async fn check_seed(seed: u64, world: &World, coverage: &Coverage) {
    let (runtime, world, coverage) = (Handle::current(), world.clone(), coverage.clone());
    let search = move || {
        let config =
            Config { cases: SEQUENCES, max_shrink_iters: SHRINKS_MAX, failure_persistence: None, ..Config::default() };
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let run = |steps: Vec<Step>| {
            runtime.block_on(play(&world, &coverage, steps));
            Ok(())
        };
        TestRunner::new_with_rng(config, rng).run(&steps(), run).map_err(|error| error.to_string())
    };
    let verdict = spawn_blocking(search).await.expect("the search itself does not fail");
    assert_eq!(verdict, Ok(()), "PARLOUR_LAW_SEED={seed} breaks the law");
}

/// Plays one sequence, in a project of its own.
async fn play(world: &World, coverage: &Coverage, steps: Vec<Step>) {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let mut fixture = LawFixture::new(world.numbered(NUMBER.fetch_add(1, Ordering::SeqCst))).await;
    let mut committed = world.store().watch();
    let mut private_members = private_members(&fixture).await;
    let mut live = Reader::all(&fixture).await;
    let mut late = Reader::all(&fixture).await;
    let (mut rested_at, start) = (private_members.position.offset(), private_members.position.offset());
    let mut timelines = Timelines::default();
    timelines.begin(&fixture).await;
    for step in &steps {
        if let Some(act) = fixture.make(step).await {
            let mut told = Vec::new();
            for event in heard(&fixture, &mut committed).await {
                coverage.note(act, &event.change);
                if event.project_id == fixture.tour.id {
                    fixture.note(&event);
                    private_members.private_members.apply(&event.change);
                    told.push(AddressedEvent::new(&fixture.world, event).await);
                }
            }
            timelines.follow(&fixture, &told).await;
            for reader in &mut live {
                reader.follow(&fixture, &told, &private_members.private_members).await;
            }
        }
        if step.is_rest {
            timelines.load(&fixture, rested_at).await;
            rested_at = catch_up(&fixture, &mut late, rested_at).await;
        }
    }
    catch_up(&fixture, &mut late, rested_at).await;
    assert_eq!(
        self::private_members(&fixture).await.private_members,
        private_members.private_members,
        "private channel members follow the events"
    );
    timelines.catch_up(&fixture.world, &events_after(&fixture, start).await).await;
}

/// Lets readers take from the log what they have missed, judged by who sits where now.
async fn catch_up(fixture: &LawFixture, readers: &mut [Reader], after: u64) -> u64 {
    let mut told = Vec::new();
    for event in events_after(fixture, after).await {
        told.push(AddressedEvent::new(&fixture.world, event).await);
    }
    let private_members = private_members(fixture).await;
    for reader in readers {
        reader.follow(fixture, &told, &private_members.private_members).await;
    }
    private_members.position.offset()
}

async fn events_after(fixture: &LawFixture, offset: u64) -> Vec<Event> {
    fixture.world.store().events_after(&fixture.tour.id, offset, 1_000).await.expect("events")
}

async fn private_members(fixture: &LawFixture) -> PrivateChannelMembersAt {
    fixture.world.store().private_members(&fixture.tour.id).await.expect("private_members").expect("a project")
}

/// What a write was told by: an answer settles its question, and that is an event of its own.
async fn heard(fixture: &LawFixture, committed: &mut mpsc::Receiver<Event>) -> Vec<Event> {
    let mut next = async || committed.recv().await.expect("what is committed is handed over");
    let mut events = vec![next().await];
    if events[0].project_id == fixture.tour.id {
        let end = fixture.world.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a project").offset();
        while events.last().is_some_and(|event| event.position.offset() < end) {
            events.push(next().await);
        }
    }
    events
}

impl Coverage {
    fn note(&self, act: Act, change: &Change) {
        let mut seen = self.0.lock().expect("coverage");
        seen.0.insert(act);
        seen.1.insert(change.name());
    }

    /// Every write has changed something, and every event was told.
    fn check(&self) {
        let seen = self.0.lock().expect("coverage");
        assert_eq!(seen.0, Act::ALL.iter().copied().collect(), "acts that changed something");
        assert_eq!(seen.1, Change::NAMES.iter().copied().collect(), "events that were told");
    }
}
