//! What events make and change.

use super::*;
use crate::{
    event::CreatedChannel,
    id::{AgentId, BatchId, TaskId},
    limits,
    task::TaskStatus,
};

fn agent(bits: u128, called: &str) -> Agent {
    Agent {
        id: AgentId::from_bits(bits),
        project_id: ProjectId::from_bits(1),
        name: name(called),
        capabilities: Vec::new(),
        endpoint_url: None,
        instructions: None,
        engine: None,
        context: None,
        owner: PersonId::from_bits(1),
        created_at: Timestamp::from_millis(0),
    }
}

fn task(number: usize, status: TaskStatus) -> Task {
    Task {
        id: TaskId::from_bits(number as u128),
        project_id: ProjectId::from_bits(1),
        title: "Ship it".into(),
        description: None,
        status,
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: None,
        created_by: member("per_2"),
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    }
}

#[test]
fn a_project_is_as_it_was_changed() {
    let project = Project { name: name("Tour 2"), ..start().project };
    assert_eq!(after(start(), [change!(ProjectUpdated, project.clone())]).project, project);
}

#[test]
fn people_are_in_the_order_of_their_ids() {
    let snapshot = after(start(), ["per_3", "per_0"].map(|id| change!(PersonAdded, person(id))));
    assert_eq!(snapshot.people, ["per_0", READER, "per_3"].map(person));
}

#[test]
fn agents_and_channels_keep_their_place_when_they_change() {
    let made = |id| CreatedChannel { channel: channel(id, Visibility::Project), members: Vec::new() };
    let topic = Channel { topic: Some("News".into()), ..channel("chn_a", Visibility::Project) };
    let archived = Channel { archived_at: Some(Timestamp::from_millis(5)), ..topic.clone() };
    let snapshot = after(
        start(),
        [
            change!(AgentCreated, agent(1, "Coder")),
            change!(AgentCreated, agent(2, "Writer")),
            change!(AgentUpdated, agent(1, "Builder")),
            change!(ChannelCreated, made("chn_0")),
            change!(ChannelUpdated, topic.clone()),
            change!(ChannelArchived, archived.clone()),
        ],
    );
    assert_eq!(snapshot.agents, [agent(1, "Builder"), agent(2, "Writer")]);
    assert_eq!(snapshot.channels, [archived, channel("chn_0", Visibility::Project)]);
    assert_eq!(after(snapshot, [change!(ChannelUnarchived, topic.clone())]).channels[0], topic);
}

#[test]
fn a_channel_that_the_reader_does_not_have_cannot_change() {
    let snapshot = after(start(), [change!(ChannelUpdated, channel("chn_9", Visibility::Private))]);
    assert_eq!(snapshot.channels, start().channels);
}

#[test]
fn subscriptions_come_and_go() {
    let one = || change!(Subscribed, subscription("chn_a", "agt_1"));
    let snapshot = after(start(), [one(), one()]);
    assert_eq!(snapshot.subscriptions, [subscription("chn_a", "agt_1")]);
    let snapshot = after(snapshot, [change!(Unsubscribed, subscription("chn_a", "agt_1"))]);
    assert_eq!(snapshot.subscriptions, []);
}

#[test]
fn tasks_and_batches_are_kept_as_they_are_now() {
    let batch = Batch {
        id: BatchId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        name: name("Release"),
        created_by: member("per_2"),
        created_at: Timestamp::from_millis(0),
    };
    let snapshot = after(
        start(),
        [
            change!(BatchCreated, batch.clone()),
            change!(TaskCreated, task(1, TaskStatus::Open)),
            change!(TaskUpdated, task(1, TaskStatus::Done)),
            change!(TaskUpdated, task(9, TaskStatus::Done)),
        ],
    );
    assert_eq!((snapshot.tasks, snapshot.batches), (vec![task(1, TaskStatus::Done)], vec![batch]));
}

#[test]
fn windows_hold_the_newest() {
    let most = limits::SNAPSHOT_ITEMS_MAX;
    let snapshot = after(start(), (0..most + 2).map(|number| change!(TaskCreated, task(number, TaskStatus::Open))));
    assert_eq!((snapshot.tasks.len(), &snapshot.tasks[0].id), (most, &TaskId::from_bits(2)));
}

#[test]
fn a_thread_that_falls_out_of_the_window_takes_its_reading_along() {
    let threads = (0..limits::SNAPSHOT_ITEMS_MAX).map(|number| thread(&format!("thr_{number}"), "chn_a"));
    let snapshot = Snapshot { threads: threads.collect(), ..start() };
    let snapshot = after(snapshot, [change!(MessagePosted, message("per_2", "thr_0", 1))]);
    assert_eq!(snapshot.reading.len(), 1);
    let snapshot = after(snapshot, [change!(ThreadCreated, thread("thr_new", "chn_a"))]);
    assert_eq!((snapshot.reading.len(), snapshot.threads[0].id.as_str()), (0, "thr_1"));
}

#[test]
fn a_stream_ends_with_its_message() {
    let running = |seq| StreamSnapshot {
        message_id: message("agt_1", "chn_a", seq).id,
        conversation_id: "chn_a".parse().expect("id"),
        text: "Hel".into(),
        steps: Vec::new(),
    };
    let snapshot = Snapshot { streams: vec![running(1), running(2), running(3)], ..start() };
    let snapshot = after(
        snapshot,
        [change!(MessageFinished, message("agt_1", "chn_a", 1)), change!(MessageRemoved, message("agt_1", "chn_a", 3))],
    );
    assert_eq!(snapshot.streams, [running(2)]);
}
