use super::*;
use parlour_core::{
    Timestamp,
    author::Author,
    call::{Call, CallReason, CallState},
    id::{AgentId, ChannelId, ConversationId, PersonId, ProjectId, TaskId, ThreadId},
    task::{Task, TaskStatus},
};

#[test]
fn a_full_set_drops_its_oldest_entry() {
    let mut set = RecentSet::new(2);
    [1, 2, 2, 3].into_iter().for_each(|one| set.insert(one));
    assert_eq!([1, 2, 3].map(|one| set.contains(&one)), [false, true, true]);
}

#[test]
fn forgotten_entries_use_no_capacity() {
    let mut set = RecentSet::new(2);
    set.insert(1);
    set.insert(2);
    set.forget(&2);
    set.insert(3);
    assert_eq!([1, 2, 3].map(|one| set.contains(&one)), [true, false, true]);
}

const DEBOUNCE: Duration = Duration::from_millis(500);

/// A call with this number in the thread with that one.
fn call(number: u128, thread: u128) -> WorkItem {
    let person = PersonId::from_bits(1).into();
    WorkItem::Call(Box::new(Call {
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

fn task(number: u128, thread: Option<u128>) -> WorkItem {
    let at = Timestamp::from_millis(0);
    WorkItem::Task(Box::new(Task {
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
fn begun(queue: &mut WorkQueue, now: Instant) -> Vec<String> {
    let mut begun = Vec::new();
    while let Some((_, batch)) = queue.begin(now) {
        begun.push(match batch {
            WorkBatch::Task(_) => "t".to_owned(),
            WorkBatch::Calls(calls) => calls.iter().map(|call| call.called_at.as_millis().to_string()).collect(),
        });
    }
    begun
}

fn queue_key(thread: u128) -> QueueKey {
    QueueKey::Conversation(ThreadId::from_bits(thread).into())
}

#[test]
fn work_starts_together_after_the_debounce() {
    let (mut queue, start) = (WorkQueue::new(DEBOUNCE, 4), Instant::now());
    queue.add(call(1, 1), start);
    queue.add(call(2, 1), start + DEBOUNCE / 2);
    assert_eq!(queue.next_ready(), Some(start + DEBOUNCE));
    assert_eq!(begun(&mut queue, start + DEBOUNCE / 2), [""; 0]);
    assert_eq!(begun(&mut queue, start + DEBOUNCE), ["12"]);
}

#[test]
fn a_lane_works_on_one_item_at_a_time_and_on_tasks_alone() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 4), Instant::now());
    for work in [call(1, 1), task(1, Some(1)), call(2, 1), call(3, 1), task(2, None)] {
        assert_eq!(queue.add(work, now), AddResult::Queued);
    }
    assert_eq!(begun(&mut queue, now), ["1", "t"]);
    assert_eq!(queue.next_ready(), None);
    queue.end(&queue_key(1), now);
    assert_eq!(begun(&mut queue, now), ["t"]);
    queue.end(&queue_key(1), now);
    assert_eq!(begun(&mut queue, now), ["23"]);
}

#[test]
fn lanes_are_served_in_the_order_in_which_they_became_ready() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 1), Instant::now());
    for (number, thread) in [(1, 1), (2, 2), (3, 3)] {
        queue.add(call(number, thread), now);
    }
    assert_eq!(begun(&mut queue, now), ["1"]);
    queue.add(call(4, 1), now);
    queue.end(&queue_key(1), now);
    assert_eq!(begun(&mut queue, now), ["2"]);
    queue.end(&queue_key(2), now);
    assert_eq!(begun(&mut queue, now), ["3"]);
    queue.end(&queue_key(3), now);
    assert_eq!(begun(&mut queue, now), ["4"]);
}

#[test]
fn taken_work_is_not_taken_again_until_it_is_forgotten() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 4), Instant::now());
    queue.add(call(1, 1), now);
    assert_eq!(queue.add(call(1, 1), now), AddResult::Duplicate);
    assert_eq!(begun(&mut queue, now), ["1"]);
    queue.end(&queue_key(1), now);
    assert_eq!(queue.add(call(1, 1), now), AddResult::Duplicate);
    queue.forget(&WorkId::Call(MessageId::from_bits(1)));
    assert_eq!(queue.add(call(1, 1), now), AddResult::Queued);
}

#[test]
fn a_full_lane_refuses_each_call_once() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 4), Instant::now());
    for number in 0..QUEUE_LEN_MAX as u128 {
        assert_eq!(queue.add(call(number, 1), now), AddResult::Queued);
    }
    assert_eq!(queue.add(call(99, 1), now), AddResult::Full(call(99, 1)));
    assert_eq!(queue.add(call(99, 1), now), AddResult::Duplicate);
    for _ in 0..2 {
        assert_eq!(queue.add(task(1, Some(1)), now), AddResult::Full(task(1, Some(1))));
    }
    assert_eq!(queue.add(call(99, 2), now), AddResult::Duplicate);
    assert_eq!(queue.add(call(100, 2), now), AddResult::Queued);
}

#[test]
fn the_number_of_lanes_is_limited() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 4), Instant::now());
    for number in 0..QUEUES_MAX as u128 {
        queue.add(call(number, number), now);
    }
    assert!(matches!(queue.add(call(5_000, 5_000), now), AddResult::Full(_)));
    assert_eq!(queue.add(call(5_001, 1), now), AddResult::Queued);
}

#[test]
fn calls_are_ordered_by_their_time() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 4), Instant::now());
    for number in [2, 5, 1, 3] {
        queue.add(call(number, 1), now);
    }
    assert_eq!(begun(&mut queue, now), ["1235"]);
}

#[test]
fn withdrawn_work_is_skipped_and_an_answer_withdraws_earlier_calls() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 4), Instant::now());
    for work in [call(1, 1), task(1, Some(1)), call(2, 1), call(3, 1), call(4, 2)] {
        queue.add(work, now);
    }
    queue.withdraw_up_to(&MessageId::from_bits(2));
    queue.withdraw(&WorkId::Call(MessageId::from_bits(4)));
    assert_eq!(queue.add(call(4, 2), now), AddResult::Duplicate);
    assert_eq!(begun(&mut queue, now), ["t"]);
    queue.end(&queue_key(1), now);
    assert_eq!(begun(&mut queue, now), ["3"]);
}

#[test]
fn ending_an_unknown_lane_has_no_effect() {
    let mut queue = WorkQueue::new(Duration::ZERO, 1);
    let channel: ConversationId = ChannelId::from_bits(1).into();
    queue.end(&QueueKey::Conversation(channel), Instant::now());
    assert!(queue.begin(Instant::now()).is_none());
}

#[test]
fn work_for_a_busy_lane_or_a_full_queue_waits() {
    let (mut queue, now) = (WorkQueue::new(Duration::ZERO, 2), Instant::now());
    assert!(!queue.is_held_up(&queue_key(1)));
    queue.add(call(1, 1), now);
    assert!(!queue.is_held_up(&queue_key(1)), "it only gathers");
    begun(&mut queue, now);
    assert!(queue.is_held_up(&queue_key(1)) && !queue.is_held_up(&queue_key(2)));
    queue.add(call(2, 2), now);
    begun(&mut queue, now);
    assert!(queue.is_held_up(&queue_key(3)), "both places are taken");
}
