//! Snapshots: contents that a reader gains and loses with access.

use super::*;
use crate::{
    artifact::ContentHash,
    event::{ClosedChannel, CreatedChannel},
    id::{ArtifactId, TaskId},
    limits,
    task::TaskStatus,
};

fn closed(members: &[&str]) -> Change {
    let members = members.iter().map(|id| member(id)).collect();
    let channel = channel("chn_a", Visibility::Private);
    change!(ChannelClosed, ClosedChannel { channel_id: channel.id.clone(), channel: Some(channel), members })
}

fn closed_for_others() -> Change {
    let channel_id = "chn_a".parse().expect("id");
    change!(ChannelClosed, ClosedChannel { channel_id, channel: None, members: Vec::new() })
}

fn created(members: &[&str]) -> Change {
    let members = members.iter().map(|id| member(id)).collect();
    change!(ChannelCreated, CreatedChannel { channel: channel("chn_b", Visibility::Private), members })
}

fn artifact(bits: u128, conversation: Option<&str>) -> Artifact {
    Artifact {
        id: ArtifactId::from_bits(bits),
        project_id: ProjectId::from_bits(1),
        filename: "a.txt".into(),
        media_type: "text/plain".into(),
        size: 1,
        sha256: ContentHash::from_bytes([0; 32]),
        conversation_id: conversation.map(|id| id.parse().expect("id")),
        task_id: None,
        created_by: member("per_2"),
        created_at: Timestamp::from_millis(0),
    }
}

/// A snapshot with every kind of content in `chn_a`, and one artifact outside of conversations.
fn busy() -> Snapshot {
    let mut snapshot = after(
        start(),
        [
            change!(Subscribed, subscription("chn_a", "agt_1")),
            change!(ThreadCreated, thread("thr_1", "chn_a")),
            change!(ArtifactCreated, artifact(1, Some("chn_a"))),
            change!(ArtifactCreated, artifact(2, Some("thr_1"))),
            change!(ArtifactCreated, artifact(3, None)),
            change!(MessagePosted, message("per_2", "chn_a", 1)),
            change!(MessagePosted, message("per_2", "thr_1", 1)),
        ],
    );
    snapshot.streams = vec![StreamSnapshot {
        message_id: MessageId::from_bits(1),
        conversation_id: "thr_1".parse().expect("id"),
        text: String::new(),
        steps: Vec::new(),
    }];
    snapshot
}

/// Checks that only the artifact outside of conversations is left.
fn check_gone(snapshot: &Snapshot) {
    assert_eq!((&snapshot.channels, &snapshot.threads), (&vec![], &vec![]));
    assert_eq!((&snapshot.channel_members, &snapshot.subscriptions), (&vec![], &vec![]));
    assert_eq!((&snapshot.reading, &snapshot.streams), (&vec![], &vec![]));
    assert_eq!(snapshot.artifacts, [artifact(3, None)]);
}

#[test]
fn gaining_a_conversation_with_history_needs_a_reload() {
    let gains = [
        change!(ChannelMemberAdded, channel_member("chn_b", READER)),
        change!(ChannelOpened, channel("chn_b", Visibility::Project)),
        change!(PersonAdded, person(READER)),
    ];
    for gain in gains {
        assert_eq!(outcome(&mut start(), gain.clone()), SnapshotUpdate::Reload, "{}", gain.name());
    }
    let snapshot = after(start(), [created(&[READER, "per_2"])]);
    assert_eq!(snapshot.channel_members, [channel_member("chn_b", READER), channel_member("chn_b", "per_2")]);
    assert_eq!(snapshot.channels.len(), 2);
}

#[test]
fn a_removed_channel_member_loses_everything_of_the_channel() {
    let snapshot = after(busy(), [closed(&[READER, "per_2"])]);
    check_gone(&after(snapshot, [change!(ChannelMemberRemoved, channel_member("chn_a", READER))]));
}

#[test]
fn a_closed_channel_is_removed_for_non_members() {
    check_gone(&after(busy(), [closed_for_others()]));
}

#[test]
fn a_closed_channel_without_the_reader_is_removed_even_if_the_event_contains_it() {
    check_gone(&after(busy(), [closed(&["per_2"])]));
}

#[test]
fn a_remaining_member_of_a_closed_channel_gets_its_members() {
    let snapshot = after(busy(), [closed(&[READER, "per_2"])]);
    assert_eq!(snapshot.channels, [channel("chn_a", Visibility::Private)]);
    assert_eq!(snapshot.channel_members, [channel_member("chn_a", READER), channel_member("chn_a", "per_2")]);
    assert_eq!(snapshot.subscriptions, [], "the agent was not kept");
    assert_eq!((snapshot.threads.len(), snapshot.reading.len()), (1, 2));
}

#[test]
fn a_member_of_a_channel_that_opens_keeps_it() {
    let snapshot = after(busy(), [closed(&[READER]), change!(ChannelOpened, channel("chn_a", Visibility::Project))]);
    assert_eq!((snapshot.channel_members.len(), snapshot.reading.len()), (0, 2));
    assert_eq!(snapshot.channels, [channel("chn_a", Visibility::Project)]);
}

#[test]
fn events_of_a_private_channel_without_the_reader_are_ignored() {
    let mut snapshot = after(start(), [created(&["per_2"])]);
    assert_eq!((snapshot.channels.len(), snapshot.channel_members.len()), (1, 0));
    let later = [
        change!(MessagePosted, message("per_2", "chn_b", 7)),
        change!(ThreadCreated, thread("thr_2", "chn_b")),
        change!(Subscribed, subscription("chn_b", "agt_1")),
        change!(ChannelMemberAdded, channel_member("chn_b", "per_3")),
    ];
    snapshot = after(snapshot, later);
    assert_eq!(Snapshot { position: start().position, ..snapshot }, start());
}

#[test]
fn members_and_subscriptions_of_a_private_channel_are_added_sorted_and_removed_together() {
    let snapshot = after(
        start(),
        [
            created(&[READER, "agt_5"]),
            change!(ChannelMemberAdded, channel_member("chn_b", "agt_1")),
            change!(Subscribed, subscription("chn_b", "agt_5")),
            change!(Subscribed, subscription("chn_b", "agt_1")),
        ],
    );
    assert_eq!(snapshot.channel_members, ["agt_1", "agt_5", READER].map(|id| channel_member("chn_b", id)));
    assert_eq!(snapshot.subscriptions, ["agt_1", "agt_5"].map(|id| subscription("chn_b", id)));
    let snapshot = after(snapshot, [change!(ChannelMemberRemoved, channel_member("chn_b", "agt_1"))]);
    assert_eq!(snapshot.channel_members, ["agt_5", READER].map(|id| channel_member("chn_b", id)));
    assert_eq!(snapshot.subscriptions, [subscription("chn_b", "agt_5")]);
}

#[test]
fn a_person_who_leaves_the_project_leaves_its_private_channels() {
    let snapshot = after(start(), [change!(PersonAdded, person("per_2")), created(&[READER, "per_2"])]);
    let snapshot = after(snapshot, [change!(PersonRemoved, person("per_2"))]);
    assert_eq!(
        (snapshot.people, snapshot.channel_members),
        (vec![person(READER)], vec![channel_member("chn_b", READER)])
    );
}

#[test]
fn a_reader_that_leaves_the_project_loses_its_contents() {
    let snapshot = after(busy(), [change!(PersonRemoved, person(READER))]);
    assert_eq!((snapshot.people.len(), snapshot.channels.len(), snapshot.artifacts.len()), (0, 0, 0));
}

#[test]
fn an_administrator_that_leaves_keeps_open_channels_only() {
    let admin = Person { is_admin: true, ..person(READER) };
    let snapshot = after(busy(), [created(&[READER]), change!(PersonRemoved, admin)]);
    assert_eq!(snapshot.channels, [channel("chn_a", Visibility::Project)]);
    assert_eq!((snapshot.people.len(), snapshot.channel_members.len(), snapshot.reading.len()), (0, 0, 2));
}

#[test]
fn a_task_loses_its_thread_with_access_to_it() {
    let task = |thread: Option<&str>| Task {
        id: TaskId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        title: "Ship it".into(),
        description: None,
        status: TaskStatus::Open,
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: thread.map(|id| id.parse().expect("id")),
        created_by: member("per_2"),
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    };
    let snapshot = after(busy(), [change!(TaskCreated, task(Some("thr_1")))]);
    assert_eq!(after(snapshot, [closed_for_others()]).tasks, [task(None)]);
}

#[test]
fn losing_items_of_a_full_window_needs_a_reload() {
    let threads = (0..limits::SNAPSHOT_ITEMS_MAX).map(|bits| thread(&format!("thr_{bits}"), "chn_a"));
    let mut snapshot = Snapshot { threads: threads.collect(), ..start() };
    assert_eq!(outcome(&mut snapshot, closed_for_others()), SnapshotUpdate::Reload);
    assert_eq!(
        (snapshot.channels.len(), snapshot.threads.len()),
        (0, 0),
        "the lost items are removed although a reload is needed"
    );
}
