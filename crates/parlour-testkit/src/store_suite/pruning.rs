//! Pruning of logs by the retention of their project.

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

use crate::test_store::{TestMember, TestStore, read_all};
use parlour_hub::ports::LogRange;

const DAY_MS: u32 = 24 * 60 * 60 * 1_000;

struct PruningFixture {
    mara: Person,
    tour: Project,
    general: Channel,
}

/// A project that keeps events for two days.
async fn fixture(test_store: &TestStore, name: &str) -> PruningFixture {
    let mara = test_store.person(&format!("Mara of {name}")).await;
    let tour = test_store.project(name, &mara).await;
    keep_days(test_store, &mara, &tour, Some(2)).await;
    PruningFixture { general: test_store.channel("general", &tour).await, mara, tour }
}

async fn keep_days(test_store: &TestStore, mara: &Person, tour: &Project, event_days_max: Option<u64>) {
    let retention = Retention { event_days_max, ..Retention::default() };
    let policy = Policy { retention, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    test_store.change(&tour.id, mara, Write::UpdateProject(patch)).await;
}

impl PruningFixture {
    async fn post(&self, test_store: &TestStore, body: &str) -> Message {
        test_store.post(&self.mara, &self.general, body).await
    }

    async fn range(&self, test_store: &TestStore) -> LogRange {
        test_store.store().log_range(&self.tour.id).await.expect("range").expect("a log")
    }

    /// The offsets of the readable events; checks that they agree with the range.
    async fn offsets(&self, test_store: &TestStore) -> Vec<u64> {
        let offsets: Vec<u64> = test_store.events(&self.tour.id).await.iter().map(offset).collect();
        let range = self.range(test_store).await;
        assert_eq!(offsets, (range.first..=range.end.offset()).collect::<Vec<_>>());
        offsets
    }
}

fn offset(event: &Event) -> u64 {
    event.position.offset()
}

async fn prune(test_store: &TestStore) -> u64 {
    test_store.store().prune_logs(test_store.now()).await.expect("pruned")
}

/// The range starts at the first event and ends at the position of the last; an unknown project has no log.
pub async fn an_unpruned_log_contains_all_events(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    fixture.post(&test_store, "hello").await;
    let end = test_store.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a log");
    assert_eq!(fixture.range(&test_store).await, LogRange { first: 1, end });
    assert_eq!(test_store.store().log_range(&ProjectId::from_bits(test_store.bits())).await.expect("range"), None);
}

/// Events beyond the retention of their project are deleted, and no others; the call returns their number.
pub async fn older_events_are_deleted(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let old = fixture.post(&test_store, "old").await;
    test_store.clock().advance(DAY_MS);
    fixture.post(&test_store, "younger").await;
    test_store.clock().advance(DAY_MS - 1);
    let at_the_edge = Timestamp::from_millis(old.created_at.as_millis() + 2 * i64::from(DAY_MS));
    assert_eq!(test_store.store().prune_logs(at_the_edge).await.expect("pruned"), 3);
    assert_eq!(fixture.offsets(&test_store).await, [4, 5], "what is exactly two days old stays");
    test_store.clock().advance(1);
    assert_eq!(prune(&test_store).await, 1);
    assert_eq!(fixture.offsets(&test_store).await, [5]);
    assert_eq!(prune(&test_store).await, 0);
}

pub async fn a_log_without_retention_is_kept_for_ever(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    keep_days(&test_store, &fixture.mara, &fixture.tour, None).await;
    let before = test_store.events(&fixture.tour.id).await;
    assert_eq!(test_store.store().prune_logs(Timestamp::from_millis(i64::MAX)).await.expect("pruned"), 0);
    assert_eq!(test_store.events(&fixture.tour.id).await, before);
}

pub async fn each_log_is_pruned_by_its_own_retention(test_store: TestStore) {
    let (tour, fair) = (fixture(&test_store, "Tour").await, fixture(&test_store, "Fair").await);
    keep_days(&test_store, &fair.mara, &fair.tour, Some(9)).await;
    test_store.clock().advance(4 * DAY_MS);
    tour.post(&test_store, "now").await;
    assert_eq!(prune(&test_store).await, 3);
    assert_eq!((tour.offsets(&test_store).await, fair.offsets(&test_store).await), (vec![4], vec![1, 2, 3, 4]));
}

/// The last event of a log is never deleted, so that offsets continue after it.
pub async fn the_last_event_stays_and_offsets_continue(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    fixture.post(&test_store, "long ago").await;
    let end = fixture.range(&test_store).await.end;
    test_store.clock().advance(40 * DAY_MS);
    assert_eq!(prune(&test_store).await, 3);
    assert_eq!(fixture.range(&test_store).await, LogRange { first: 4, end: end.clone() });
    fixture.post(&test_store, "today").await;
    assert_eq!(fixture.offsets(&test_store).await, [4, 5]);
    assert_eq!(fixture.range(&test_store).await.end.epoch(), end.epoch());
}

pub async fn pruning_keeps_the_time_of_the_newest_event(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let newest = fixture.post(&test_store, "long ago").await.created_at;
    test_store.clock().advance(40 * DAY_MS);
    assert_eq!(prune(&test_store).await, 3);
    assert_eq!(test_store.store().newest_event_at().await.expect("read"), Some(newest));
}

/// Messages, members, inboxes and unread counts stay.
pub async fn the_effects_of_deleted_events_stay(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let coder = test_store.agent("Coder", &fixture.tour).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "@Coder").mentioning(&coder);
    let root = test_store.send(&fixture.mara, &draft).await;
    test_store.thread(&fixture.general, &root).await;
    fixture.post(&test_store, "last").await;
    let callers: [&dyn TestMember; 2] = [&fixture.mara, &coder];
    let before = [test_store.view(&fixture.tour, callers[0]).await, test_store.view(&fixture.tour, callers[1]).await];
    test_store.clock().advance(9 * DAY_MS);
    assert!(prune(&test_store).await > 0);
    let after = [test_store.view(&fixture.tour, callers[0]).await, test_store.view(&fixture.tour, callers[1]).await];
    assert_eq!(after, before);
    let again = test_store.append(&fixture.tour.id, &fixture.mara, draft.write()).await.expect("a retry");
    assert_eq!(
        (again.novelty, again.position.offset()),
        (Novelty::Repeated, 5),
        "a retry still has its first position"
    );
}

pub async fn later_events_about_a_message_outlive_the_event_of_its_post(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let message = fixture.post(&test_store, "hello").await;
    test_store.clock().advance(3 * DAY_MS);
    test_store.edit(&fixture.mara, &message, "hello again").await;
    test_store.remove(&fixture.mara, &message).await;
    let names = async || {
        let read = async |page| test_store.store().message_events(&message.id, &page).await;
        read_all(1, read).await.iter().map(|event| event.change.name()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["messaging.posted", "messaging.edited", "messaging.removed"]);
    assert_eq!(prune(&test_store).await, 4);
    assert_eq!(names().await, ["messaging.edited", "messaging.removed"]);
}

pub async fn a_repeated_ending_is_recognised_after_its_event_was_deleted(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let begun = test_store.stream(&fixture.mara, &fixture.general, "").await;
    test_store.finish(&fixture.mara, &begun, test_store.ending("done")).await;
    fixture.post(&test_store, "last").await;
    test_store.clock().advance(3 * DAY_MS);
    prune(&test_store).await;
    let again = Write::FinishMessage(begun.id.clone(), test_store.ending("done"));
    test_store.repeat(&fixture.tour.id, &fixture.mara, again).await;
}

/// An old event that was written after a younger one stays as long as the younger one.
pub async fn a_pruned_log_has_no_gaps(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let start = test_store.now();
    test_store.clock().advance(3 * DAY_MS);
    fixture.post(&test_store, "young").await;
    let write = test_store.draft(&fixture.mara, &fixture.general, "late").write();
    let late =
        Entry { project_id: fixture.tour.id.clone(), attribution: fixture.mara.principal().attribution(start), write };
    test_store.store().append(late).await.expect("appended");
    fixture.post(&test_store, "young too").await;
    assert_eq!(prune(&test_store).await, 3);
    assert_eq!(fixture.offsets(&test_store).await, [4, 5, 6]);
}

pub async fn a_long_log_is_pruned_in_one_call(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    let many = limits::STORE_PRUNE_LEN_MAX + 50;
    let mut tasks = JoinSet::new();
    for number in 0..many {
        let (test_store, tour) = (test_store.clone(), fixture.tour.clone());
        tasks.spawn(async move { test_store.task(&format!("Task {number}"), &tour).await });
    }
    tasks.join_all().await;
    test_store.clock().advance(3 * DAY_MS);
    fixture.post(&test_store, "today").await;
    assert_eq!(prune(&test_store).await, 3 + many as u64);
    assert_eq!(fixture.offsets(&test_store).await, [4 + many as u64]);
}

pub async fn pruning_writes_no_event(test_store: TestStore) {
    let fixture = fixture(&test_store, "Tour").await;
    test_store.clock().advance(9 * DAY_MS);
    let end = fixture.range(&test_store).await.end;
    let mut watched = test_store.store().watch();
    assert_eq!(prune(&test_store).await, 2);
    assert!(watched.try_recv().is_err());
    assert_eq!(fixture.range(&test_store).await.end, end);
}
