//! Snapshots: contents and unread counts after events.

use super::*;
use crate::{
    Timestamp,
    author::Author,
    conversation::Visibility,
    event::{Change, CreatedChannel, Event},
    id::{AgentId, BatchId, MessageId, PersonId, ProjectId, TaskId},
    inbox::ReadMark,
    limits,
    message::{Message, State},
    name::Name,
    policy::Policy,
    task::TaskStatus,
};

macro_rules! change {
    ($variant:ident, $data:expr) => {
        $crate::event::Change::$variant(Box::new($data))
    };
}

mod access;

/// The reader of these snapshots.
const READER: &str = "per_1";

pub(super) fn member(id: &str) -> MemberId {
    id.parse().expect("id")
}

pub(super) fn name(text: &str) -> Name {
    Name::parse(text).expect("name")
}

pub(super) fn person(id: &str) -> Person {
    let at = Timestamp::from_millis(0);
    Person { id: id.parse().expect("id"), name: name(&format!("P {id}")), is_admin: false, created_at: at }
}

pub(super) fn channel(id: &str, visibility: Visibility) -> Channel {
    Channel {
        id: id.parse().expect("id"),
        project_id: ProjectId::from_bits(1),
        name: name(&id.replace('_', "-")),
        topic: None,
        visibility,
        created_by: None,
        created_at: Timestamp::from_millis(0),
        archived_at: None,
    }
}

pub(super) fn thread(id: &str, channel: &str) -> Thread {
    Thread {
        id: id.parse().expect("id"),
        project_id: ProjectId::from_bits(1),
        channel_id: channel.parse().expect("id"),
        root_message_id: MessageId::from_bits(1),
        created_by: None,
        created_at: Timestamp::from_millis(0),
    }
}

pub(super) fn channel_member(channel: &str, id: &str) -> ChannelMember {
    ChannelMember { channel_id: channel.parse().expect("id"), member_id: member(id) }
}

pub(super) fn subscription(channel: &str, agent: &str) -> Subscription {
    Subscription { channel_id: channel.parse().expect("id"), agent_id: agent.parse().expect("id") }
}

pub(super) fn message(author: &str, to: &str, seq: u64) -> Message {
    let author = Author::member(&member(author), &name("Somebody"));
    let (id, project) = (MessageId::from_bits(u128::from(seq)), ProjectId::from_bits(1));
    let to = to.parse().expect("id");
    Message { seq, ..Message::plain(id, project, to, author, "Hello".into(), Timestamp::from_millis(0)) }
}

/// A message that mentions the reader.
pub(super) fn call(author: &str, to: &str, seq: u64) -> Message {
    Message { mentions: vec![member(READER)], ..message(author, to, seq) }
}

/// The snapshot of a project with the open channel `chn_a`, read by `READER`.
pub(super) fn start() -> Snapshot {
    Snapshot {
        position: Position::new("a", 1).expect("position"),
        reader: member(READER),
        project: Project {
            id: ProjectId::from_bits(1),
            name: name("Tour"),
            description: None,
            owner: PersonId::from_bits(1),
            policy: Policy::default(),
            created_at: Timestamp::from_millis(0),
        },
        people: vec![person(READER)],
        agents: Vec::new(),
        channels: vec![channel("chn_a", Visibility::Project)],
        channel_members: Vec::new(),
        subscriptions: Vec::new(),
        threads: Vec::new(),
        dms: Vec::new(),
        tasks: Vec::new(),
        batches: Vec::new(),
        artifacts: Vec::new(),
        runs: Vec::new(),
        reading: Vec::new(),
        streams: Vec::new(),
        presence: Vec::new(),
    }
}

/// The event with this change that follows the snapshot.
pub(super) fn next(snapshot: &Snapshot, change: Change) -> Event {
    Event {
        position: Position::new("a", snapshot.position.offset() + 1).expect("position"),
        project_id: ProjectId::from_bits(1),
        at: Timestamp::from_millis(0),
        actor: Author::host(),
        change,
    }
}

/// Applies changes that must each succeed, and returns the snapshot.
pub(super) fn after(mut snapshot: Snapshot, changes: impl IntoIterator<Item = Change>) -> Snapshot {
    for change in changes {
        let event = next(&snapshot, change);
        assert_eq!(snapshot.apply(&event), SnapshotUpdate::Done, "{}", event.change.name());
    }
    snapshot
}

/// The result of applying one change.
pub(super) fn outcome(snapshot: &mut Snapshot, change: Change) -> SnapshotUpdate {
    snapshot.apply(&next(snapshot, change))
}

#[test]
fn an_event_is_applied_once() {
    let mut snapshot = start();
    let event = next(&snapshot, change!(MessagePosted, message("per_2", "chn_a", 1)));
    assert_eq!(snapshot.apply(&event), SnapshotUpdate::Done);
    let once = snapshot.clone();
    assert_eq!((snapshot.apply(&event), &snapshot), (SnapshotUpdate::Known, &once));
}

#[test]
fn offsets_of_events_that_the_reader_does_not_receive_are_skipped() {
    let mut snapshot = start();
    let position = Position::new("a", 9).expect("position");
    let event = Event { position: position.clone(), ..next(&snapshot, change!(PersonAdded, person("per_9"))) };
    assert_eq!((snapshot.apply(&event), snapshot.position), (SnapshotUpdate::Done, position));
}

#[test]
fn an_event_of_another_epoch_or_project_is_a_hole() {
    let mut snapshot = start();
    let event = next(&snapshot, change!(PersonAdded, person("per_9")));
    let other_epoch = Event { position: Position::new("b", 2).expect("position"), ..event.clone() };
    let other_project = Event { project_id: ProjectId::from_bits(2), ..event };
    assert_eq!([snapshot.apply(&other_epoch), snapshot.apply(&other_project)], [SnapshotUpdate::Hole; 2]);
    assert_eq!(snapshot, start());
}

#[test]
fn an_event_that_needs_a_reload_does_not_advance_the_position() {
    let mut snapshot = start();
    assert_eq!(
        outcome(&mut snapshot, change!(ChannelMemberAdded, channel_member("chn_b", READER))),
        SnapshotUpdate::Reload
    );
    assert_eq!(snapshot, start());
}

#[test]
fn a_snapshot_survives_json() {
    let json = serde_json::to_string(&start()).expect("json");
    assert_eq!(serde_json::from_str::<Snapshot>(&json).expect("own form"), start());
}

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
fn a_project_update_replaces_the_project() {
    let project = Project { name: name("Tour 2"), ..start().project };
    assert_eq!(after(start(), [change!(ProjectUpdated, project.clone())]).project, project);
}

#[test]
fn people_are_sorted_by_id() {
    let snapshot = after(start(), ["per_3", "per_0"].map(|id| change!(PersonAdded, person(id))));
    assert_eq!(snapshot.people, ["per_0", READER, "per_3"].map(person));
}

#[test]
fn updated_agents_and_channels_keep_their_index() {
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
fn an_update_of_an_unknown_channel_is_ignored() {
    let snapshot = after(start(), [change!(ChannelUpdated, channel("chn_9", Visibility::Private))]);
    assert_eq!(snapshot.channels, start().channels);
}

#[test]
fn a_subscription_is_added_once_and_removed() {
    let one = || change!(Subscribed, subscription("chn_a", "agt_1"));
    let snapshot = after(start(), [one(), one()]);
    assert_eq!(snapshot.subscriptions, [subscription("chn_a", "agt_1")]);
    let snapshot = after(snapshot, [change!(Unsubscribed, subscription("chn_a", "agt_1"))]);
    assert_eq!(snapshot.subscriptions, []);
}

#[test]
fn updates_replace_known_tasks_and_ignore_unknown_ones() {
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
fn only_the_newest_tasks_are_kept() {
    let items_max = limits::SNAPSHOT_ITEMS_MAX;
    let snapshot =
        after(start(), (0..items_max + 2).map(|number| change!(TaskCreated, task(number, TaskStatus::Open))));
    assert_eq!((snapshot.tasks.len(), &snapshot.tasks[0].id), (items_max, &TaskId::from_bits(2)));
}

#[test]
fn a_dropped_thread_drops_its_read_state() {
    let threads = (0..limits::SNAPSHOT_ITEMS_MAX).map(|number| thread(&format!("thr_{number}"), "chn_a"));
    let snapshot = Snapshot { threads: threads.collect(), ..start() };
    let snapshot = after(snapshot, [change!(MessagePosted, message("per_2", "thr_0", 1))]);
    assert_eq!(snapshot.reading.len(), 1);
    let snapshot = after(snapshot, [change!(ThreadCreated, thread("thr_new", "chn_a"))]);
    assert_eq!((snapshot.reading.len(), snapshot.threads[0].id.as_str()), (0, "thr_1"));
}

#[test]
fn finished_and_removed_messages_end_their_streams() {
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

fn reading(snapshot: &Snapshot) -> (u64, u64, u64, &[u64]) {
    let [one] = snapshot.reading.as_slice() else { unreachable!("one conversation has messages") };
    (one.last_seq, one.read_seq, one.unread, &one.mentions)
}

fn read(seq: u64, unread: u64) -> Change {
    let conversation_id = "chn_a".parse().expect("id");
    change!(Read, ReadMark { reader: member(READER), conversation_id, seq, unread })
}

fn posts(messages: impl IntoIterator<Item = Message>) -> impl Iterator<Item = Change> {
    messages.into_iter().map(|message| change!(MessagePosted, message))
}

fn removal(message: Message) -> Change {
    change!(MessageRemoved, message.removed(Timestamp::from_millis(9)))
}

#[test]
fn messages_of_others_are_unread_and_an_own_post_marks_all_as_read() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1), call("per_2", "chn_a", 2)]));
    assert_eq!(reading(&snapshot), (2, 0, 2, [2].as_slice()));
    let snapshot = after(snapshot, posts([message(READER, "chn_a", 3)]));
    assert_eq!(reading(&snapshot), (3, 3, 0, [].as_slice()));
}

#[test]
fn a_streaming_message_counts_as_unread_from_its_start() {
    let answer = Message { state: State::Streaming, ..message("agt_1", "chn_a", 1) };
    let snapshot = after(start(), posts([answer.clone()]));
    assert_eq!(reading(&snapshot), (1, 0, 1, [].as_slice()));
    let called = Message { state: State::Complete, mentions: vec![member(READER)], ..answer };
    let snapshot = after(snapshot, [change!(MessageFinished, called)]);
    assert_eq!(reading(&snapshot), (1, 0, 1, [1].as_slice()));
}

#[test]
fn a_read_mark_keeps_later_messages_unread() {
    let snapshot = after(start(), posts((1..=4).map(|seq| call("per_2", "chn_a", seq))));
    let snapshot = after(snapshot, [read(3, 1)]);
    assert_eq!(reading(&snapshot), (4, 3, 1, [4].as_slice()));
}

#[test]
fn read_marks_of_other_members_change_nothing() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let other = ReadMark { reader: member("per_2"), conversation_id: "chn_a".parse().expect("id"), seq: 1, unread: 0 };
    let snapshot = after(snapshot, [change!(Read, other)]);
    assert_eq!(reading(&snapshot), (1, 0, 1, [].as_slice()));
}

#[test]
fn a_removed_message_is_not_unread() {
    let snapshot = after(start(), posts([call("per_2", "chn_a", 1), message("per_2", "chn_a", 2)]));
    let snapshot = after(snapshot, [removal(call("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot), (2, 0, 1, [].as_slice()));
}

#[test]
fn removing_a_read_message_changes_no_unread_count() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1), message("per_2", "chn_a", 2)]));
    let snapshot = after(snapshot, [read(1, 1), removal(message("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot), (2, 1, 1, [].as_slice()));
}

#[test]
fn an_old_event_with_a_removed_message_still_counts_until_the_removal() {
    let gone = call("per_2", "chn_a", 1).removed(Timestamp::from_millis(9));
    let snapshot = after(start(), [change!(MessagePosted, gone.clone())]);
    assert_eq!(reading(&snapshot), (1, 0, 1, [].as_slice()));
    let snapshot = after(snapshot, [change!(MessageRemoved, gone)]);
    assert_eq!(reading(&snapshot), (1, 0, 0, [].as_slice()));
}

#[test]
fn an_edit_can_add_and_remove_a_mention() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let snapshot = after(snapshot, [change!(MessageEdited, call("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot).3, [1]);
    let snapshot = after(snapshot, [change!(MessageEdited, message("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot).3, [0; 0]);
}

#[test]
fn an_edit_of_a_read_message_adds_no_mention() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let snapshot = after(snapshot, [read(1, 0), change!(MessageEdited, call("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot), (1, 1, 0, [].as_slice()));
}

#[test]
fn a_message_with_a_skipped_number_is_a_hole() {
    let mut snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let before = snapshot.clone();
    assert_eq!(outcome(&mut snapshot, change!(MessagePosted, message("per_2", "chn_a", 3))), SnapshotUpdate::Hole);
    assert_eq!(snapshot, before);
}

#[test]
fn agents_have_no_read_state() {
    let snapshot = Snapshot { reader: member("agt_1"), ..start() };
    let snapshot = after(snapshot, posts([message("per_2", "chn_a", 1)]));
    assert_eq!(snapshot.reading, []);
}

#[test]
fn a_message_in_a_thread_outside_the_snapshot_is_ignored() {
    let snapshot = after(start(), posts([message("per_2", "thr_9", 7)]));
    assert_eq!(snapshot.reading, []);
}

#[test]
fn only_the_newest_mentions_are_kept_and_a_removal_needs_a_reload() {
    let items_max = limits::SNAPSHOT_MENTIONS_MAX as u64;
    let mut snapshot = after(start(), posts((1..=items_max + 2).map(|seq| call("per_2", "chn_a", seq))));
    let mentions = reading(&snapshot).3;
    assert_eq!(
        (mentions.len() as u64, mentions.first(), mentions.last()),
        (items_max, Some(&3), Some(&(items_max + 2)))
    );
    // The snapshot does not contain the older mention that moves up.
    assert_eq!(outcome(&mut snapshot, removal(call("per_2", "chn_a", 5))), SnapshotUpdate::Reload);
}

#[test]
fn read_states_are_sorted_by_conversation_id() {
    let snapshot = after(start(), [change!(ThreadCreated, thread("thr_1", "chn_a"))]);
    let dm = Dm {
        id: "dm_1".parse().expect("id"),
        project_id: ProjectId::from_bits(1),
        participants: vec![member(READER), member("per_2")],
        created_at: Timestamp::from_millis(0),
    };
    let snapshot = after(snapshot, [change!(DmCreated, dm)]);
    let snapshot = after(snapshot, posts(["thr_1", "dm_1", "chn_a"].map(|to| message("per_2", to, 1))));
    let ids: Vec<_> = snapshot.reading.iter().map(|one| one.conversation_id.as_str()).collect();
    assert_eq!(ids, ["chn_a", "dm_1", "thr_1"]);
}
