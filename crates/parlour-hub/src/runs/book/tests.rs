use futures_util::FutureExt;
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

fn silent_at(book: &RunBook, seconds: i64) -> Vec<RunId> {
    book.take_expired(at(seconds)).into_iter().map(|one| one.run_id).collect()
}

#[test]
fn a_run_is_silent_when_its_lease_is_over_and_only_once() {
    let book = RunBook::default();
    book.renew(&run(1, 10), at(0));
    book.renew(&run(2, 20), at(0));
    assert_eq!(silent_at(&book, 9), []);
    assert_eq!(silent_at(&book, 10), [RunId::from_bits(1)]);
    assert_eq!(silent_at(&book, 10), []);
    assert_eq!(silent_at(&book, 99), [RunId::from_bits(2)]);
    assert_eq!(book.next_look(), None);
}

#[test]
fn each_sign_renews_the_lease() {
    let book = RunBook::default();
    book.renew(&run(1, 10), at(0));
    book.renew(&run(1, 10), at(8));
    assert_eq!(silent_at(&book, 10), []);
    assert_eq!(book.next_look(), Some(at(18)));
    assert_eq!(silent_at(&book, 18), [RunId::from_bits(1)]);
}

#[test]
fn a_forgotten_lease_is_never_due_and_an_adopted_run_keeps_its_own() {
    let book = RunBook::default();
    book.renew(&run(1, 10), at(0));
    book.adopt(&run(1, 10), at(5));
    assert_eq!(book.next_look(), Some(at(10)));
    book.forget(&RunId::from_bits(1));
    assert_eq!((silent_at(&book, 99), book.next_look()), (vec![], None));
    book.adopt(&run(1, 10), at(5));
    assert_eq!(book.next_look(), Some(at(15)));
}

#[test]
fn the_alarm_rings_only_for_what_is_due_earlier() {
    let book = RunBook::default();
    let rings = |book: &RunBook| book.lease_alarm().notified().now_or_never().is_some();
    book.renew(&run(1, 10), at(0));
    assert!(rings(&book));
    book.renew(&run(2, 20), at(0));
    book.renew(&run(1, 10), at(1));
    assert!(!rings(&book));
    book.renew(&run(3, 5), at(0));
    assert!(rings(&book));
}

#[test]
fn more_ended_questions_than_are_noted_are_not_forgotten() {
    let book = RunBook::default();
    for bits in 0..=limits::QUESTIONS_PER_PROJECT_MAX {
        book.note_closed(&MessageId::from_bits(bits as u128));
    }
    let closed = book.take_closed();
    assert_eq!((closed.messages.len(), closed.has_missed), (limits::QUESTIONS_PER_PROJECT_MAX, true));
    assert_eq!(book.take_closed(), ClosedQuestions::default());
}

#[test]
fn a_run_that_is_being_ended_gets_another_lease_only_by_a_sign() {
    let book = RunBook::default();
    book.renew(&run(1, 10), at(0));
    assert_eq!(silent_at(&book, 10), [RunId::from_bits(1)]);
    book.adopt(&run(1, 10), at(10));
    assert!(!book.has_lease(&RunId::from_bits(1)));
    book.renew(&run(1, 10), at(10));
    assert!(book.has_lease(&RunId::from_bits(1)));
    assert_eq!(silent_at(&book, 20), [RunId::from_bits(1)]);
    book.end_tried(&RunId::from_bits(1));
    book.adopt(&run(1, 10), at(20));
    assert!(book.has_lease(&RunId::from_bits(1)));
}
