use super::*;
use crate::{
    Timestamp,
    author::Author,
    conversation::Visibility,
    event::{Change, Event},
    id::{MessageId, PersonId, ProjectId},
    message::Message,
    name::Name,
    policy::Policy,
};

mod access;
mod contents;
mod counts;

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

pub(super) fn seat(channel: &str, id: &str) -> ChannelMember {
    ChannelMember { channel_id: channel.parse().expect("id"), member_id: member(id) }
}

pub(super) fn subscription(channel: &str, agent: &str) -> Subscription {
    Subscription { channel_id: channel.parse().expect("id"), agent_id: agent.parse().expect("id") }
}

/// A message of somebody in a conversation.
pub(super) fn message(author: &str, to: &str, seq: u64) -> Message {
    let author = Author::member(&member(author), &name("Somebody"));
    let (id, project) = (MessageId::from_bits(u128::from(seq)), ProjectId::from_bits(1));
    let to = to.parse().expect("id");
    Message { seq, ..Message::plain(id, project, to, author, "Hello".into(), Timestamp::from_millis(0)) }
}

/// A message that calls the reader.
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

/// Applies changes that must each be done, and answers the snapshot.
pub(super) fn after(mut snapshot: Snapshot, changes: impl IntoIterator<Item = Change>) -> Snapshot {
    for change in changes {
        let event = next(&snapshot, change);
        assert_eq!(snapshot.apply(&event), SnapshotUpdate::Done, "{}", event.change.name());
    }
    snapshot
}

/// What comes of one change.
pub(super) fn outcome(snapshot: &mut Snapshot, change: Change) -> SnapshotUpdate {
    snapshot.apply(&next(snapshot, change))
}

macro_rules! change {
    ($variant:ident, $data:expr) => {
        $crate::event::Change::$variant(Box::new($data))
    };
}
pub(super) use change;

#[test]
fn an_event_is_applied_once() {
    let mut snapshot = start();
    let event = next(&snapshot, change!(MessagePosted, message("per_2", "chn_a", 1)));
    assert_eq!(snapshot.apply(&event), SnapshotUpdate::Done);
    let once = snapshot.clone();
    assert_eq!((snapshot.apply(&event), &snapshot), (SnapshotUpdate::Known, &once));
}

#[test]
fn offsets_that_are_not_for_the_reader_are_passed_over() {
    let mut snapshot = start();
    let position = Position::new("a", 9).expect("position");
    let event = Event { position: position.clone(), ..next(&snapshot, change!(PersonAdded, person("per_9"))) };
    assert_eq!((snapshot.apply(&event), snapshot.position), (SnapshotUpdate::Done, position));
}

#[test]
fn an_event_of_another_log_is_a_hole() {
    let mut snapshot = start();
    let event = next(&snapshot, change!(PersonAdded, person("per_9")));
    let other_life = Event { position: Position::new("b", 2).expect("position"), ..event.clone() };
    let other_project = Event { project_id: ProjectId::from_bits(2), ..event };
    assert_eq!([snapshot.apply(&other_life), snapshot.apply(&other_project)], [SnapshotUpdate::Hole; 2]);
    assert_eq!(snapshot, start());
}

#[test]
fn a_position_stays_when_a_fresh_snapshot_is_needed() {
    let mut snapshot = start();
    assert_eq!(outcome(&mut snapshot, change!(ChannelMemberAdded, seat("chn_b", READER))), SnapshotUpdate::Reload);
    assert_eq!(snapshot, start());
}

#[test]
fn a_snapshot_survives_json() {
    let json = serde_json::to_string(&start()).expect("json");
    assert_eq!(serde_json::from_str::<Snapshot>(&json).expect("own form"), start());
}
