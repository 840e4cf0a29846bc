//! What was read, counted along the events.

use super::*;
use crate::{inbox::ReadMark, limits, message::State};

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
fn posts_of_others_are_unread_and_own_posts_read_everything() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1), call("per_2", "chn_a", 2)]));
    assert_eq!(reading(&snapshot), (2, 0, 2, [2].as_slice()));
    let snapshot = after(snapshot, posts([message(READER, "chn_a", 3)]));
    assert_eq!(reading(&snapshot), (3, 3, 0, [].as_slice()));
}

#[test]
fn a_message_that_is_still_written_counts_at_once() {
    let answer = Message { state: State::Streaming, ..message("agt_1", "chn_a", 1) };
    let snapshot = after(start(), posts([answer.clone()]));
    assert_eq!(reading(&snapshot), (1, 0, 1, [].as_slice()));
    let called = Message { state: State::Complete, mentions: vec![member(READER)], ..answer };
    let snapshot = after(snapshot, [change!(MessageFinished, called)]);
    assert_eq!(reading(&snapshot), (1, 0, 1, [1].as_slice()));
}

#[test]
fn reading_leaves_what_stands_after_it() {
    let snapshot = after(start(), posts((1..=4).map(|seq| call("per_2", "chn_a", seq))));
    let snapshot = after(snapshot, [read(3, 1)]);
    assert_eq!(reading(&snapshot), (4, 3, 1, [4].as_slice()));
}

#[test]
fn what_others_have_read_changes_nothing() {
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
fn a_message_that_was_read_can_be_removed_without_a_trace() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1), message("per_2", "chn_a", 2)]));
    let snapshot = after(snapshot, [read(1, 1), removal(message("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot), (2, 1, 1, [].as_slice()));
}

#[test]
fn events_that_show_what_became_of_a_message_count_as_those_of_then() {
    let gone = call("per_2", "chn_a", 1).removed(Timestamp::from_millis(9));
    let snapshot = after(start(), [change!(MessagePosted, gone.clone())]);
    assert_eq!(reading(&snapshot), (1, 0, 1, [].as_slice()));
    let snapshot = after(snapshot, [change!(MessageRemoved, gone)]);
    assert_eq!(reading(&snapshot), (1, 0, 0, [].as_slice()));
}

#[test]
fn an_edit_can_add_and_take_a_mention() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let snapshot = after(snapshot, [change!(MessageEdited, call("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot).3, [1]);
    let snapshot = after(snapshot, [change!(MessageEdited, message("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot).3, [0; 0]);
}

#[test]
fn an_edit_of_what_was_read_calls_nobody() {
    let snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let snapshot = after(snapshot, [read(1, 0), change!(MessageEdited, call("per_2", "chn_a", 1))]);
    assert_eq!(reading(&snapshot), (1, 1, 0, [].as_slice()));
}

#[test]
fn a_message_that_is_not_the_next_is_a_hole() {
    let mut snapshot = after(start(), posts([message("per_2", "chn_a", 1)]));
    let before = snapshot.clone();
    assert_eq!(outcome(&mut snapshot, change!(MessagePosted, message("per_2", "chn_a", 3))), SnapshotUpdate::Hole);
    assert_eq!(snapshot, before);
}

#[test]
fn agents_have_no_reading() {
    let snapshot = Snapshot { reader: member("agt_1"), ..start() };
    let snapshot = after(snapshot, posts([message("per_2", "chn_a", 1)]));
    assert_eq!(snapshot.reading, []);
}

#[test]
fn a_message_in_an_older_thread_is_passed_over() {
    let snapshot = after(start(), posts([message("per_2", "thr_9", 7)]));
    assert_eq!(snapshot.reading, []);
}

#[test]
fn the_newest_mentions_are_kept() {
    let most = limits::SNAPSHOT_MENTIONS_MAX as u64;
    let mut snapshot = after(start(), posts((1..=most + 2).map(|seq| call("per_2", "chn_a", seq))));
    let mentions = reading(&snapshot).3;
    assert_eq!((mentions.len() as u64, mentions.first(), mentions.last()), (most, Some(&3), Some(&(most + 2))));
    // Which older one moves up is not known here.
    assert_eq!(outcome(&mut snapshot, removal(call("per_2", "chn_a", 5))), SnapshotUpdate::Reload);
}

#[test]
fn readings_are_in_the_order_of_the_ids() {
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
