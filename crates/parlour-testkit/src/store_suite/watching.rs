//! Watching: every committed event is handed over, in order, and nobody is waited for.

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

use super::events::{all_writes, stage};
use crate::world::{Caller, World};

/// Writes that are under way at the same time; fewer than may wait for a store.
const CROWD: usize = 500;

/// All events that are waiting.
fn waiting(watched: &mut Receiver<Event>) -> Vec<Event> {
    std::iter::from_fn(|| watched.try_recv().ok()).collect()
}

async fn end(world: &World, project: &ProjectId) -> u64 {
    world.store().end_of_log(project).await.expect("end").expect("a log").offset()
}

/// Every sort of event is handed over as the log shows it at that moment, and before the writer has its answer.
pub async fn every_event_is_handed_over_as_it_was_committed(world: World) {
    let stage = stage(&world).await;
    let mut watched = world.store().watch();
    for write in all_writes(&world, &stage) {
        let text = format!("{write:?}");
        let before = end(&world, &stage.tour.id).await;
        world.change(&stage.tour.id, &stage.mara, write).await;
        let told = waiting(&mut watched);
        assert_eq!(told.len(), 1, "{text}");
        assert_eq!(told, world.store().events_after(&stage.tour.id, before, 9).await.expect("events"), "{text}");
    }
}

/// What happened before a watcher came is not told to it.
pub async fn a_watcher_hears_nothing_of_the_past(world: World) {
    let stage = stage(&world).await;
    let mut watched = world.store().watch();
    assert_eq!(waiting(&mut watched), []);
    world.channel("random", &stage.tour).await;
    assert_eq!(waiting(&mut watched).len(), 1);
}

/// A message is told as it was committed, though the log shows it as it is now.
pub async fn a_message_is_told_as_it_was(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let mut watched = world.store().watch();
    let posted = world.post(&mara, &general, "first").await;
    let edited = world.edit(&mara, &posted, "second").await;
    let told: Vec<_> = waiting(&mut watched).into_iter().map(|event| event.change).collect();
    assert_eq!(told, [Change::MessagePosted(Box::new(posted)), Change::MessageEdited(Box::new(edited))]);
}

/// What was refused, and what found everything as wanted, is no event.
pub async fn what_writes_no_event_is_not_told(world: World) {
    let stage = stage(&world).await;
    let mut watched = world.store().watch();
    world.repeat(&stage.tour.id, &stage.mara, Write::AddPerson(stage.mara.id.clone())).await;
    let removal = Write::RemoveMessage(MessageId::from_bits(world.bits()));
    world.refusal(&stage.tour.id, &stage.mara, removal).await;
    world.person("Nobody in a project").await;
    assert_eq!(waiting(&mut watched), []);
}

/// Events of one project come in the order of its log, however many write into however many logs at once.
pub async fn events_come_in_the_order_of_their_log(world: World) {
    let mara = world.person("Mara").await;
    let mut logs = Vec::new();
    for name in ["Tour", "Fair"] {
        let project = world.project(name, &mara).await;
        logs.push(world.channel("general", &project).await);
    }
    let mut watched = world.store().watch();
    let mut writes = JoinSet::new();
    for number in 0..200 {
        let (world, mara, channel) = (world.clone(), mara.clone(), logs[number % 2].clone());
        writes.spawn(async move { world.post(&mara, &channel, &format!("message {number}")).await.seq });
    }
    assert_eq!(writes.join_all().await.len(), 200);
    let mut told: BTreeMap<ProjectId, Vec<Event>> = BTreeMap::new();
    for event in waiting(&mut watched) {
        told.entry(event.project_id.clone()).or_default().push(event);
    }
    for channel in logs {
        let log = world.events(&channel.project_id).await;
        assert_eq!(told[&channel.project_id], log[2..]);
    }
}

/// Whoever hears of an event can read what it made: it is on the disk.
pub async fn an_event_comes_when_it_can_be_read(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let mut watched = world.store().watch();
    let mut writes = JoinSet::new();
    for number in 0..50 {
        let (world, mara, general) = (world.clone(), mara.clone(), general.clone());
        writes.spawn(async move { world.post(&mara, &general, &format!("message {number}")).await });
    }
    for _ in 0..50 {
        let event = watched.recv().await.expect("an event");
        let Change::MessagePosted(message) = event.change else { unreachable!("only posts") };
        let log = world.store().end_of_log(&tour.id).await.expect("end").expect("a log");
        assert!(event.position.offset() <= log.offset());
        assert_eq!(world.store().message(&message.id).await.expect("read"), Some(*message));
    }
    writes.join_all().await;
}

/// An event comes even when the caller of its append has gone away.
pub async fn an_event_comes_though_its_writer_has_gone_away(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    let mut watched = world.store().watch();
    let write = world.draft(&mara, &general, "left alone").write();
    let entry = Entry { project_id: tour.id.clone(), attribution: mara.principal().attribution(world.now()), write };
    {
        // One look hands the write over; then nobody waits for it any more.
        let append = pin!(world.store().append(entry));
        let _ = append.poll(&mut Context::from_waker(Waker::noop()));
    }
    let event = watched.recv().await.expect("an event");
    assert_eq!(world.events(&tour.id).await.pop(), Some(event));
}

/// Several watchers hear the same, and one that goes away disturbs nobody.
pub async fn watchers_do_not_disturb_one_another(world: World) {
    let stage = stage(&world).await;
    let (mut first, gone, mut second) = (world.store().watch(), world.store().watch(), world.store().watch());
    world.channel("random", &stage.tour).await;
    drop(gone);
    world.channel("other", &stage.tour).await;
    world.channel("third", &stage.tour).await;
    let told = waiting(&mut first);
    assert_eq!(told.len(), 3);
    assert_eq!(waiting(&mut second), told);
}

/// A full queue is never waited for: what does not fit is left out, and the hole is read from the log.
pub async fn what_does_not_fit_is_left_out_and_read_from_the_log(world: World) {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let mut watched = world.store().watch();
    let over = 100;
    for start in (0..limits::WATCH_QUEUE_LEN_MAX + over).step_by(CROWD) {
        let mut writes = JoinSet::new();
        for number in start..(start + CROWD).min(limits::WATCH_QUEUE_LEN_MAX + over) {
            let (world, tour) = (world.clone(), tour.clone());
            writes.spawn(async move { world.task(&format!("Task {number}"), &tour).await });
        }
        writes.join_all().await;
    }
    let told = waiting(&mut watched);
    assert_eq!(told.len(), limits::WATCH_QUEUE_LEN_MAX);
    let last = told.last().expect("events").position.offset();
    assert_eq!(last, 1 + limits::WATCH_QUEUE_LEN_MAX as u64, "the first ones are those that fit");
    let hole = world.store().events_after(&tour.id, last, limits::EVENTS_PER_READ_MAX).await.expect("events");
    assert_eq!(hole.len(), over);
    world.channel("general", &tour).await;
    let next = waiting(&mut watched);
    assert_eq!(next.len(), 1, "once there is room, events come again");
    assert_eq!(next[0].position.offset(), last + over as u64 + 1);
}
