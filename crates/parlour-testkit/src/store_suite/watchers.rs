//! Watchers: queues of committed events, in log order, that never block the store.

use std::{
    collections::BTreeMap,
    pin::pin,
    task::{Context, Waker},
};

use parlour_core::{
    event::{Change, Event},
    id::{MessageId, ProjectId},
    limits,
    write::{Entry, Write},
};
use tokio::{sync::mpsc::Receiver, task::JoinSet};

use super::events::{all_writes, fixture};
use crate::test_store::{TestMember, TestStore};

/// Number of concurrent writes; fewer than the queue of a store holds.
const CROWD: usize = 500;

/// All events that the watcher has received.
fn received(watched: &mut Receiver<Event>) -> Vec<Event> {
    std::iter::from_fn(|| watched.try_recv().ok()).collect()
}

async fn end(test_store: &TestStore, project: &ProjectId) -> u64 {
    test_store.store().end_of_log(project).await.expect("end").expect("a log").offset()
}

/// A watcher gets each kind of event as the log contains it at that time, before the write returns.
pub async fn watchers_get_every_committed_event(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut watched = test_store.store().watch();
    for write in all_writes(&test_store, &fixture) {
        let text = format!("{write:?}");
        let before = end(&test_store, &fixture.tour.id).await;
        test_store.change(&fixture.tour.id, &fixture.mara, write).await;
        let events = received(&mut watched);
        assert_eq!(events.len(), 1, "{text}");
        assert_eq!(
            events,
            test_store.store().events_after(&fixture.tour.id, before, 9).await.expect("events"),
            "{text}"
        );
    }
}

pub async fn a_watcher_gets_no_events_from_before_it_started(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut watched = test_store.store().watch();
    assert_eq!(received(&mut watched), []);
    test_store.channel("random", &fixture.tour).await;
    assert_eq!(received(&mut watched).len(), 1);
}

/// The log contains the current message, the queue the message at the time of its event.
pub async fn a_watcher_gets_messages_as_they_were_committed(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let mut watched = test_store.store().watch();
    let posted = test_store.post(&mara, &general, "first").await;
    let edited = test_store.edit(&mara, &posted, "second").await;
    let changes: Vec<_> = received(&mut watched).into_iter().map(|event| event.change).collect();
    assert_eq!(changes, [Change::MessagePosted(Box::new(posted)), Change::MessageEdited(Box::new(edited))]);
}

pub async fn refused_and_repeated_writes_reach_no_watcher(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut watched = test_store.store().watch();
    test_store.repeat(&fixture.tour.id, &fixture.mara, Write::AddPerson(fixture.mara.id.clone())).await;
    let removal = Write::RemoveMessage(MessageId::from_bits(test_store.bits()));
    test_store.refusal(&fixture.tour.id, &fixture.mara, removal).await;
    test_store.person("Nobody in a project").await;
    assert_eq!(received(&mut watched), []);
}

/// Events of one project arrive in log order, also with concurrent writes to several logs.
pub async fn a_watcher_gets_events_in_log_order(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let mut logs = Vec::new();
    for name in ["Tour", "Fair"] {
        let project = test_store.project(name, &mara).await;
        logs.push(test_store.channel("general", &project).await);
    }
    let mut watched = test_store.store().watch();
    let mut writes = JoinSet::new();
    for number in 0..200 {
        let (test_store, mara, channel) = (test_store.clone(), mara.clone(), logs[number % 2].clone());
        writes.spawn(async move { test_store.post(&mara, &channel, &format!("message {number}")).await.seq });
    }
    assert_eq!(writes.join_all().await.len(), 200);
    let mut received_events: BTreeMap<ProjectId, Vec<Event>> = BTreeMap::new();
    for event in received(&mut watched) {
        received_events.entry(event.project_id.clone()).or_default().push(event);
    }
    for channel in logs {
        let log = test_store.events(&channel.project_id).await;
        assert_eq!(received_events[&channel.project_id], log[2..]);
    }
}

/// The message of a received event can be read.
pub async fn an_event_arrives_after_it_is_on_disk(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let mut watched = test_store.store().watch();
    let mut writes = JoinSet::new();
    for number in 0..50 {
        let (test_store, mara, general) = (test_store.clone(), mara.clone(), general.clone());
        writes.spawn(async move { test_store.post(&mara, &general, &format!("message {number}")).await });
    }
    for _ in 0..50 {
        let event = watched.recv().await.expect("an event");
        let Change::MessagePosted(message) = event.change else { unreachable!("only posts") };
        let log = test_store.store().end_of_log(&tour.id).await.expect("end").expect("a log");
        assert!(event.position.offset() <= log.offset());
        assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(*message));
    }
    writes.join_all().await;
}

pub async fn an_event_arrives_if_the_caller_of_append_has_gone_away(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let mut watched = test_store.store().watch();
    let write = test_store.draft(&mara, &general, "left alone").write();
    let entry =
        Entry { project_id: tour.id.clone(), attribution: mara.principal().attribution(test_store.now()), write };
    {
        // One poll enqueues the write; then the future is dropped.
        let append = pin!(test_store.store().append(entry));
        let _ = append.poll(&mut Context::from_waker(Waker::noop()));
    }
    let event = watched.recv().await.expect("an event");
    assert_eq!(test_store.events(&tour.id).await.pop(), Some(event));
}

/// All watchers get the same events, and a dropped one does not affect the others.
pub async fn watchers_are_independent(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let (mut first, gone, mut second) =
        (test_store.store().watch(), test_store.store().watch(), test_store.store().watch());
    test_store.channel("random", &fixture.tour).await;
    drop(gone);
    test_store.channel("other", &fixture.tour).await;
    test_store.channel("third", &fixture.tour).await;
    let events = received(&mut first);
    assert_eq!(events.len(), 3);
    assert_eq!(received(&mut second), events);
}

/// The store never waits for a full queue; the receiver reads the gap from the log.
pub async fn events_that_do_not_fit_into_the_queue_are_dropped(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let mut watched = test_store.store().watch();
    let over = 100;
    for start in (0..limits::WATCH_QUEUE_LEN_MAX + over).step_by(CROWD) {
        let mut writes = JoinSet::new();
        for number in start..(start + CROWD).min(limits::WATCH_QUEUE_LEN_MAX + over) {
            let (test_store, tour) = (test_store.clone(), tour.clone());
            writes.spawn(async move { test_store.task(&format!("Task {number}"), &tour).await });
        }
        writes.join_all().await;
    }
    let events = received(&mut watched);
    assert_eq!(events.len(), limits::WATCH_QUEUE_LEN_MAX);
    let last = events.last().expect("events").position.offset();
    assert_eq!(last, 1 + limits::WATCH_QUEUE_LEN_MAX as u64, "the first ones are those that fit");
    let hole = test_store.store().events_after(&tour.id, last, limits::EVENTS_PER_READ_MAX).await.expect("events");
    assert_eq!(hole.len(), over);
    test_store.channel("general", &tour).await;
    let next = received(&mut watched);
    assert_eq!(next.len(), 1, "once there is room, events come again");
    assert_eq!(next[0].position.offset(), last + over as u64 + 1);
}
