use futures_util::FutureExt;
use parlour_core::{author::Author, id::ChannelId, id::ProjectId, message::Message};

use super::*;
use crate::ports::StoppedClock;

fn clock() -> StoppedClock {
    StoppedClock(Timestamp::from_millis(1_000))
}

fn posted(in_channel: u128) -> Change {
    let (project, to) = (ProjectId::from_bits(1), ChannelId::from_bits(in_channel).into());
    let (id, at) = (MessageId::from_bits(1), Timestamp::from_millis(0));
    Change::MessagePosted(Box::new(Message::plain(id, project, to, Author::host(), "Hi".into(), at)))
}

fn register(waiters: &Waiters, channel: u128, seconds: u64) -> Waiter {
    let topic = Topic::Conversation(ChannelId::from_bits(channel).into());
    waiters.register(vec![topic], clock().0, seconds).expect("room")
}

#[test]
fn a_change_between_reading_and_waiting_wakes_the_waiter() {
    let waiters = Waiters::default();
    let waiter = register(&waiters, 1, 5);
    waiters.notify(&posted(1));
    assert_eq!(waiter.wait_for_change(&clock()).now_or_never(), Some(true));
    assert_eq!(waiter.wait_for_change(&clock()).now_or_never(), None, "a change wakes it once");
}

#[test]
fn a_change_in_another_conversation_wakes_nobody() {
    let waiters = Waiters::default();
    let waiter = register(&waiters, 1, 5);
    waiters.notify(&posted(2));
    assert_eq!(waiter.wait_for_change(&clock()).now_or_never(), None);
}

#[test]
fn a_wait_of_zero_seconds_returns_at_once() {
    let waiter = register(&Waiters::default(), 1, 0);
    assert_eq!(waiter.wait_for_change(&clock()).now_or_never(), Some(false));
}

#[test]
fn waits_return_at_once_when_the_hub_stops() {
    let waiters = Waiters::default();
    let waiter = register(&waiters, 1, 5);
    waiters.end();
    assert_eq!(waiter.wait_for_change(&clock()).now_or_never(), Some(false));
    assert_eq!(register(&waiters, 1, 5).wait_for_change(&clock()).now_or_never(), Some(false));
}

#[test]
fn too_long_waits_and_too_many_waiters_are_refused() {
    let waiters = Waiters::default();
    let refused = |seconds| waiters.register(Vec::new(), clock().0, seconds).err().map(|refusal| refusal.code);
    assert_eq!(refused(limits::WAIT_SECONDS_MAX as u64 + 1), Some(Code::OutOfBounds));
    assert_eq!(refused(u64::MAX), Some(Code::OutOfBounds));
    let held: Vec<Waiter> = (0..limits::WAITERS_MAX).map(|number| register(&waiters, number as u128, 1)).collect();
    assert_eq!(refused(1), Some(Code::Overloaded));
    drop(held);
    assert_eq!(refused(1), None);
    assert!(waiters.0.table.lock().by_topic.is_empty(), "dropped waiters are removed");
}
