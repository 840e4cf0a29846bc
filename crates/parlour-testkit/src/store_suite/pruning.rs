//! How far back a log reaches: as far as its project wants.

use parlour_core::{
    Timestamp,
    conversation::Channel,
    event::Event,
    id::ProjectId,
    limits,
    member::Person,
    message::Message,
    policy::{Policy, Retention},
    project::{Project, ProjectPatch},
    write::{Entry, Novelty, Write},
};
use tokio::task::JoinSet;

use crate::world::{Caller, World, read_all};
use parlour_hub::ports::LogRange;

const DAY_MS: u32 = 24 * 60 * 60 * 1_000;

struct Stage {
    mara: Person,
    tour: Project,
    general: Channel,
}

/// A project that keeps the events of two days.
async fn stage(world: &World, name: &str) -> Stage {
    let mara = world.person(&format!("Mara of {name}")).await;
    let tour = world.project(name, &mara).await;
    keep_days(world, &mara, &tour, Some(2)).await;
    Stage { general: world.channel("general", &tour).await, mara, tour }
}

async fn keep_days(world: &World, mara: &Person, tour: &Project, event_days_max: Option<u64>) {
    let retention = Retention { event_days_max, ..Retention::default() };
    let policy = Policy { retention, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    world.change(&tour.id, mara, Write::UpdateProject(patch)).await;
}

impl Stage {
    async fn post(&self, world: &World, body: &str) -> Message {
        world.post(&self.mara, &self.general, body).await
    }

    async fn range(&self, world: &World) -> LogRange {
        world.store().log_range(&self.tour.id).await.expect("range").expect("a log")
    }

    /// The offsets that can still be read, which must be those of the range.
    async fn offsets(&self, world: &World) -> Vec<u64> {
        let offsets: Vec<u64> = world.events(&self.tour.id).await.iter().map(offset).collect();
        let range = self.range(world).await;
        assert_eq!(offsets, (range.first..=range.end.offset()).collect::<Vec<_>>());
        offsets
    }
}

fn offset(event: &Event) -> u64 {
    event.position.offset()
}

async fn prune(world: &World) -> u64 {
    world.store().prune_logs(world.now()).await.expect("pruned")
}

/// A log holds everything from its first event on, and its end is the position of the last; no project, no log.
pub async fn a_log_holds_everything_at_first(world: World) {
    let stage = stage(&world, "Tour").await;
    stage.post(&world, "hello").await;
    let end = world.store().end_of_log(&stage.tour.id).await.expect("end").expect("a log");
    assert_eq!(stage.range(&world).await, LogRange { first: 1, end });
    assert_eq!(world.store().log_range(&ProjectId::from_bits(world.bits())).await.expect("range"), None);
}

/// Events that are older than their project wants are forgotten, and no others; the answer says how many.
pub async fn older_events_are_forgotten(world: World) {
    let stage = stage(&world, "Tour").await;
    let old = stage.post(&world, "old").await;
    world.clock().advance(DAY_MS);
    stage.post(&world, "younger").await;
    world.clock().advance(DAY_MS - 1);
    let at_the_edge = Timestamp::from_millis(old.created_at.as_millis() + 2 * i64::from(DAY_MS));
    assert_eq!(world.store().prune_logs(at_the_edge).await.expect("pruned"), 3);
    assert_eq!(stage.offsets(&world).await, [4, 5], "what is exactly two days old stays");
    world.clock().advance(1);
    assert_eq!(prune(&world).await, 1);
    assert_eq!(stage.offsets(&world).await, [5]);
    assert_eq!(prune(&world).await, 0);
}

/// A project that sets no bound keeps its whole log for ever.
pub async fn a_log_without_a_bound_is_kept(world: World) {
    let stage = stage(&world, "Tour").await;
    keep_days(&world, &stage.mara, &stage.tour, None).await;
    let before = world.events(&stage.tour.id).await;
    assert_eq!(world.store().prune_logs(Timestamp::from_millis(i64::MAX)).await.expect("pruned"), 0);
    assert_eq!(world.events(&stage.tour.id).await, before);
}

/// Each log is pruned as its own project wants it.
pub async fn each_log_has_a_bound_of_its_own(world: World) {
    let (tour, fair) = (stage(&world, "Tour").await, stage(&world, "Fair").await);
    keep_days(&world, &fair.mara, &fair.tour, Some(9)).await;
    world.clock().advance(4 * DAY_MS);
    tour.post(&world, "now").await;
    assert_eq!(prune(&world).await, 3);
    assert_eq!((tour.offsets(&world).await, fair.offsets(&world).await), (vec![4], vec![1, 2, 3, 4]));
}

/// The last event of a log stays however old it is, so numbers go on after it.
pub async fn the_last_event_stays_and_numbers_go_on(world: World) {
    let stage = stage(&world, "Tour").await;
    stage.post(&world, "long ago").await;
    let end = stage.range(&world).await.end;
    world.clock().advance(40 * DAY_MS);
    assert_eq!(prune(&world).await, 3);
    assert_eq!(stage.range(&world).await, LogRange { first: 4, end: end.clone() });
    stage.post(&world, "today").await;
    assert_eq!(stage.offsets(&world).await, [4, 5]);
    assert_eq!(stage.range(&world).await.end.epoch(), end.epoch());
}

/// What forgotten events have made stays: messages, members, inboxes and what is unread.
pub async fn what_forgotten_events_have_made_stays(world: World) {
    let stage = stage(&world, "Tour").await;
    let coder = world.agent("Coder", &stage.tour).await;
    let draft = world.draft(&stage.mara, &stage.general, "@Coder").mentioning(&coder);
    let root = world.send(&stage.mara, &draft).await;
    world.thread(&stage.general, &root).await;
    stage.post(&world, "last").await;
    let callers: [&dyn Caller; 2] = [&stage.mara, &coder];
    let before = [world.view(&stage.tour, callers[0]).await, world.view(&stage.tour, callers[1]).await];
    world.clock().advance(9 * DAY_MS);
    assert!(prune(&world).await > 0);
    let after = [world.view(&stage.tour, callers[0]).await, world.view(&stage.tour, callers[1]).await];
    assert_eq!(after, before);
    let again = world.append(&stage.tour.id, &stage.mara, draft.write()).await.expect("a retry");
    assert_eq!(
        (again.novelty, again.position.offset()),
        (Novelty::Repeated, 5),
        "a retry still has its first position"
    );
}

/// The events about a message are listed without those that were forgotten.
pub async fn the_events_about_a_message_outlive_its_post(world: World) {
    let stage = stage(&world, "Tour").await;
    let message = stage.post(&world, "hello").await;
    world.clock().advance(3 * DAY_MS);
    world.edit(&stage.mara, &message, "hello again").await;
    world.remove(&stage.mara, &message).await;
    let names = async || {
        let read = async |page| world.store().message_events(&message.id, &page).await;
        read_all(1, read).await.iter().map(|event| event.change.name()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["messaging.posted", "messaging.edited", "messaging.removed"]);
    assert_eq!(prune(&world).await, 4);
    assert_eq!(names().await, ["messaging.edited", "messaging.removed"]);
}

/// An end that is asked for again is known though its event was forgotten.
pub async fn an_ending_is_known_though_its_event_was_forgotten(world: World) {
    let stage = stage(&world, "Tour").await;
    let begun = world.stream(&stage.mara, &stage.general, "").await;
    world.finish(&stage.mara, &begun, world.ending("done")).await;
    stage.post(&world, "last").await;
    world.clock().advance(3 * DAY_MS);
    prune(&world).await;
    let again = Write::FinishMessage(begun.id.clone(), world.ending("done"));
    world.repeat(&stage.tour.id, &stage.mara, again).await;
}

/// A log has no holes: an old event that was written after a younger one stays as long as that.
pub async fn a_pruned_log_has_no_holes(world: World) {
    let stage = stage(&world, "Tour").await;
    let start = world.now();
    world.clock().advance(3 * DAY_MS);
    stage.post(&world, "young").await;
    let write = world.draft(&stage.mara, &stage.general, "late").write();
    let late =
        Entry { project_id: stage.tour.id.clone(), attribution: stage.mara.principal().attribution(start), write };
    world.store().append(late).await.expect("appended");
    stage.post(&world, "young too").await;
    assert_eq!(prune(&world).await, 3);
    assert_eq!(stage.offsets(&world).await, [4, 5, 6]);
}

/// However long a log is, one call prunes all that is too old.
pub async fn a_long_log_is_pruned_to_its_bound(world: World) {
    let stage = stage(&world, "Tour").await;
    let many = limits::STORE_PRUNE_LEN_MAX + 50;
    let mut tasks = JoinSet::new();
    for number in 0..many {
        let (world, tour) = (world.clone(), stage.tour.clone());
        tasks.spawn(async move { world.task(&format!("Task {number}"), &tour).await });
    }
    tasks.join_all().await;
    world.clock().advance(3 * DAY_MS);
    stage.post(&world, "today").await;
    assert_eq!(prune(&world).await, 3 + many as u64);
    assert_eq!(stage.offsets(&world).await, [4 + many as u64]);
}

/// Forgetting is no event: nobody who watches hears of it.
pub async fn pruning_is_no_event(world: World) {
    let stage = stage(&world, "Tour").await;
    world.clock().advance(9 * DAY_MS);
    let end = stage.range(&world).await.end;
    let mut watched = world.store().watch();
    assert_eq!(prune(&world).await, 2);
    assert!(watched.try_recv().is_err());
    assert_eq!(stage.range(&world).await.end, end);
}
