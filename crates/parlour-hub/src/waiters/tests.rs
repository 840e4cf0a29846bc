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
fn a_change_between_the_look_and_the_wait_is_not_missed() {
    let waiters = Waiters::default();
    let waiter = register(&waiters, 1, 5);
    waiters.ring(&posted(1));
    assert_eq!(waiter.rings(&clock()).now_or_never(), Some(true));
    assert_eq!(waiter.rings(&clock()).now_or_never(), None, "it rings once");
}

#[test]
fn a_change_elsewhere_wakes_nobody() {
    let waiters = Waiters::default();
    let waiter = register(&waiters, 1, 5);
    waiters.ring(&posted(2));
    assert_eq!(waiter.rings(&clock()).now_or_never(), None);
}

#[test]
fn who_waits_for_no_time_does_not_wait() {
    let waiter = register(&Waiters::default(), 1, 0);
    assert_eq!(waiter.rings(&clock()).now_or_never(), Some(false));
}

#[test]
fn when_the_hub_stops_nobody_waits_any_more() {
    let waiters = Waiters::default();
    let waiter = register(&waiters, 1, 5);
    waiters.end();
    assert_eq!(waiter.rings(&clock()).now_or_never(), Some(false));
    assert_eq!(register(&waiters, 1, 5).rings(&clock()).now_or_never(), Some(false));
}

#[test]
fn waiting_too_long_is_refused_and_so_are_too_many() {
    let waiters = Waiters::default();
    let refused = |seconds| waiters.register(Vec::new(), clock().0, seconds).err().map(|refusal| refusal.code);
    assert_eq!(refused(limits::WAIT_SECONDS_MAX as u64 + 1), Some(Code::OutOfBounds));
    assert_eq!(refused(u64::MAX), Some(Code::OutOfBounds));
    let held: Vec<Waiter> = (0..limits::WAITERS_MAX).map(|number| register(&waiters, number as u128, 1)).collect();
    assert_eq!(refused(1), Some(Code::Overloaded));
    drop(held);
    assert_eq!(refused(1), None);
    assert!(waiters.0.bells.lock().by_topic.is_empty(), "nothing is left of those who went away");
}
