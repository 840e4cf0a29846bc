use parlour_core::{
    Timestamp,
    author::Author,
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, ConversationId, PersonId, ProjectId, TaskId, ThreadId},
    task::{Task, TaskStatus},
};

use super::*;

const DEBOUNCE: Duration = Duration::from_millis(500);

/// A call with this number in the thread with that one.
fn call(number: u128, thread: u128) -> Work {
    let person = PersonId::from_bits(1).into();
    Work::Call(Box::new(Call {
        agent_id: AgentId::from_bits(1),
        message_id: MessageId::from_bits(number),
        project_id: ProjectId::from_bits(1),
        conversation_id: ThreadId::from_bits(thread).into(),
        reason: CallReason::Mention,
        from: Author::member(&person, &"Mara".parse().expect("a name")),
        depth: 0,
        correlation_id: None,
        called_at: Timestamp::from_millis(i64::try_from(number).expect("small")),
        state: CallState::Open,
        answer_id: None,
    }))
}

fn task(number: u128, thread: Option<u128>) -> Work {
    let at = Timestamp::from_millis(0);
    Work::Task(Box::new(Task {
        id: TaskId::from_bits(number),
        project_id: ProjectId::from_bits(1),
        title: "Paint it".into(),
        description: None,
        status: TaskStatus::Open,
        assignee: None,
        parent_id: None,
        batch_id: None,
        thread_id: thread.map(ThreadId::from_bits),
        created_by: PersonId::from_bits(1).into(),
        created_at: at,
        updated_at: at,
    }))
}

/// What begins, in short: the numbers of the calls, or `t` for a task.
fn begun(lanes: &mut Lanes, now: Instant) -> Vec<String> {
    let mut begun = Vec::new();
    while let Some((_, batch)) = lanes.begin(now) {
        begun.push(match batch {
            Batch::Task(_) => "t".to_owned(),
            Batch::Calls(calls) => calls.iter().map(|call| call.called_at.as_millis().to_string()).collect(),
        });
    }
    begun
}

fn lane(thread: u128) -> LaneKey {
    LaneKey::Conversation(ThreadId::from_bits(thread).into())
}

#[test]
fn nothing_begins_before_its_time_and_then_together() {
    let (mut lanes, start) = (Lanes::new(DEBOUNCE, 4), Instant::now());
    lanes.add(call(1, 1), start);
    lanes.add(call(2, 1), start + DEBOUNCE / 2);
    assert_eq!(lanes.next_ready(), Some(start + DEBOUNCE));
    assert_eq!(begun(&mut lanes, start + DEBOUNCE / 2), [""; 0]);
    assert_eq!(begun(&mut lanes, start + DEBOUNCE), ["12"]);
}

#[test]
fn a_lane_does_one_thing_at_a_time_and_tasks_alone() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 4), Instant::now());
    for work in [call(1, 1), task(1, Some(1)), call(2, 1), call(3, 1), task(2, None)] {
        assert_eq!(lanes.add(work, now), Taken::Waits);
    }
    assert_eq!(begun(&mut lanes, now), ["1", "t"]);
    assert_eq!(lanes.next_ready(), None);
    lanes.end(&lane(1), now);
    assert_eq!(begun(&mut lanes, now), ["t"]);
    lanes.end(&lane(1), now);
    assert_eq!(begun(&mut lanes, now), ["23"]);
}

#[test]
fn lanes_get_their_turn_in_the_order_in_which_they_became_ready() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 1), Instant::now());
    for (number, thread) in [(1, 1), (2, 2), (3, 3)] {
        lanes.add(call(number, thread), now);
    }
    assert_eq!(begun(&mut lanes, now), ["1"]);
    lanes.add(call(4, 1), now);
    lanes.end(&lane(1), now);
    assert_eq!(begun(&mut lanes, now), ["2"]);
    lanes.end(&lane(2), now);
    assert_eq!(begun(&mut lanes, now), ["3"]);
    lanes.end(&lane(3), now);
    assert_eq!(begun(&mut lanes, now), ["4"]);
}

#[test]
fn what_was_taken_is_not_taken_again_until_it_is_forgotten() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 4), Instant::now());
    lanes.add(call(1, 1), now);
    assert_eq!(lanes.add(call(1, 1), now), Taken::Known);
    assert_eq!(begun(&mut lanes, now), ["1"]);
    lanes.end(&lane(1), now);
    assert_eq!(lanes.add(call(1, 1), now), Taken::Known);
    lanes.forget(&WorkId::Call(MessageId::from_bits(1)));
    assert_eq!(lanes.add(call(1, 1), now), Taken::Waits);
}

#[test]
fn a_full_lane_takes_no_more_and_says_so_once_for_a_call() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 4), Instant::now());
    for number in 0..LANE_LEN_MAX as u128 {
        assert_eq!(lanes.add(call(number, 1), now), Taken::Waits);
    }
    assert_eq!(lanes.add(call(99, 1), now), Taken::Overflow(call(99, 1)));
    assert_eq!(lanes.add(call(99, 1), now), Taken::Known);
    for _ in 0..2 {
        assert_eq!(lanes.add(task(1, Some(1)), now), Taken::Overflow(task(1, Some(1))));
    }
    assert_eq!(lanes.add(call(99, 2), now), Taken::Known);
    assert_eq!(lanes.add(call(100, 2), now), Taken::Waits);
}

#[test]
fn there_is_a_bound_for_lanes_too() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 4), Instant::now());
    for number in 0..LANES_MAX as u128 {
        lanes.add(call(number, number), now);
    }
    assert!(matches!(lanes.add(call(5_000, 5_000), now), Taken::Overflow(_)));
    assert_eq!(lanes.add(call(5_001, 1), now), Taken::Waits);
}

#[test]
fn calls_stand_in_the_order_in_which_they_were_made() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 4), Instant::now());
    for number in [2, 5, 1, 3] {
        lanes.add(call(number, 1), now);
    }
    assert_eq!(begun(&mut lanes, now), ["1235"]);
}

#[test]
fn what_is_withdrawn_is_not_done_and_an_answer_withdraws_what_came_before() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 4), Instant::now());
    for work in [call(1, 1), task(1, Some(1)), call(2, 1), call(3, 1), call(4, 2)] {
        lanes.add(work, now);
    }
    lanes.withdraw_up_to(&MessageId::from_bits(2));
    lanes.withdraw(&WorkId::Call(MessageId::from_bits(4)));
    assert_eq!(lanes.add(call(4, 2), now), Taken::Known);
    assert_eq!(begun(&mut lanes, now), ["t"]);
    lanes.end(&lane(1), now);
    assert_eq!(begun(&mut lanes, now), ["3"]);
}

#[test]
fn an_unknown_lane_can_end_without_harm() {
    let mut lanes = Lanes::new(Duration::ZERO, 1);
    let channel: ConversationId = ChannelId::from_bits(1).into();
    lanes.end(&LaneKey::Conversation(channel), Instant::now());
    assert!(lanes.begin(Instant::now()).is_none());
}

#[test]
fn who_comes_to_a_busy_lane_or_finds_no_place_is_held_up() {
    let (mut lanes, now) = (Lanes::new(Duration::ZERO, 2), Instant::now());
    assert!(!lanes.is_held_up(&lane(1)));
    lanes.add(call(1, 1), now);
    assert!(!lanes.is_held_up(&lane(1)), "it only gathers");
    begun(&mut lanes, now);
    assert!(lanes.is_held_up(&lane(1)) && !lanes.is_held_up(&lane(2)));
    lanes.add(call(2, 2), now);
    begun(&mut lanes, now);
    assert!(lanes.is_held_up(&lane(3)), "both places are taken");
}
