use parlour_core::{
    id::{AgentId, ProjectId},
    run::RunState,
};

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn run(bits: u128, lease_seconds: u64) -> Run {
    Run {
        id: RunId::from_bits(bits),
        project_id: ProjectId::from_bits(1),
        agent_id: AgentId::from_bits(1),
        state: RunState::Running,
        label: None,
        conversation_id: None,
        message_id: None,
        task_id: None,
        pauses: Vec::new(),
        reason: None,
        usage: None,
        lease_seconds,
        started_at: at(0),
        updated_at: at(0),
        finished_at: None,
    }
}

fn expired_at(tracker: &RunTracker, seconds: i64) -> Vec<RunId> {
    tracker.take_expired(at(seconds)).into_iter().map(|one| one.key).collect()
}

#[test]
fn a_lease_of_a_run_expires_once() {
    let tracker = RunTracker::default();
    tracker.renew(&run(1, 10), at(0));
    tracker.renew(&run(2, 20), at(0));
    assert_eq!(expired_at(&tracker, 9), []);
    assert_eq!(expired_at(&tracker, 10), [RunId::from_bits(1)]);
    assert_eq!(expired_at(&tracker, 10), []);
    assert_eq!(expired_at(&tracker, 99), [RunId::from_bits(2)]);
    assert_eq!(tracker.next_check(), None);
}

#[test]
fn each_renewal_extends_the_lease() {
    let tracker = RunTracker::default();
    tracker.renew(&run(1, 10), at(0));
    tracker.renew(&run(1, 10), at(8));
    assert_eq!(expired_at(&tracker, 10), []);
    assert_eq!(tracker.next_check(), Some(at(18)));
    assert_eq!(expired_at(&tracker, 18), [RunId::from_bits(1)]);
}

#[test]
fn a_removed_lease_never_expires_and_adoption_keeps_an_existing_lease() {
    let tracker = RunTracker::default();
    tracker.renew(&run(1, 10), at(0));
    tracker.adopt(&run(1, 10), at(5));
    assert_eq!(tracker.next_check(), Some(at(10)));
    tracker.forget(&RunId::from_bits(1));
    assert_eq!((expired_at(&tracker, 99), tracker.next_check()), (vec![], None));
    tracker.adopt(&run(1, 10), at(5));
    assert_eq!(tracker.next_check(), Some(at(15)));
}

#[test]
fn the_alarm_wakes_its_task_only_for_an_earlier_lease() {
    let tracker = RunTracker::default();
    let woke = |tracker: &RunTracker| tracker.lease_alarm().take_wake_up();
    tracker.renew(&run(1, 10), at(0));
    assert!(woke(&tracker));
    tracker.renew(&run(2, 20), at(0));
    tracker.renew(&run(1, 10), at(1));
    assert!(!woke(&tracker));
    tracker.renew(&run(3, 5), at(0));
    assert!(woke(&tracker));
}

#[test]
fn more_closed_questions_than_the_limit_set_the_overflow_flag() {
    let tracker = RunTracker::default();
    for bits in 0..=limits::QUESTIONS_PER_PROJECT_MAX {
        tracker.note_closed(&MessageId::from_bits(bits as u128));
    }
    let closed = tracker.take_closed();
    assert_eq!((closed.messages.len(), closed.has_overflowed), (limits::QUESTIONS_PER_PROJECT_MAX, true));
    assert_eq!(tracker.take_closed(), ClosedQuestions::default());
}

#[test]
fn a_run_that_is_being_ended_gets_a_new_lease_only_by_renewal() {
    let tracker = RunTracker::default();
    tracker.renew(&run(1, 10), at(0));
    assert_eq!(expired_at(&tracker, 10), [RunId::from_bits(1)]);
    tracker.adopt(&run(1, 10), at(10));
    assert!(!tracker.has_lease(&RunId::from_bits(1)));
    tracker.renew(&run(1, 10), at(10));
    assert!(tracker.has_lease(&RunId::from_bits(1)));
    assert_eq!(expired_at(&tracker, 20), [RunId::from_bits(1)]);
    tracker.mark_end_tried(&RunId::from_bits(1));
    tracker.adopt(&run(1, 10), at(20));
    assert!(tracker.has_lease(&RunId::from_bits(1)));
}
