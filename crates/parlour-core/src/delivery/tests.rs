use proptest::prelude::*;

use super::*;
use DeliveryState::{Answered, Expired, Failed, Injected, Queued, Seen, Stored};

const ALL: [DeliveryState; 7] = [Stored, Queued, Injected, Seen, Answered, Expired, Failed];

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn stored() -> Delivery {
    let recipient = AgentId::from_bits(1).into();
    Delivery::stored(MessageId::from_bits(1), recipient, DeliveryReason::Mention, at(0))
}

fn moved(delivery: &Delivery, state: DeliveryState, seconds: i64) -> Option<Delivery> {
    delivery.moved(&DeliveryStep::to(state), at(seconds))
}

#[test]
fn each_step_leaves_its_moment() {
    let step = DeliveryStep {
        delivered_via: Some(DeliveryPath::Prompt),
        run_id: Some(RunId::from_bits(1)),
        ..DeliveryStep::to(Injected)
    };
    let queued = moved(&stored(), Queued, 1).expect("news");
    let injected = queued.moved(&step, at(2)).expect("news");
    let seen = moved(&injected, Seen, 3).expect("news");
    let answered = moved(&seen, Answered, 4).expect("news");
    let moments = [answered.queued_at, answered.injected_at, answered.seen_at, answered.answered_at];
    assert_eq!(moments, [1, 2, 3, 4].map(|seconds| Some(at(seconds))));
    assert_eq!(
        (answered.delivered_via, answered.run_id.is_some()),
        (Some(DeliveryPath::Prompt), true),
        "how it came in stays known"
    );
    assert_eq!(answered.time_to_read_ms, Some(3_000));
}

#[test]
fn an_answer_without_a_sign_before_was_also_read() {
    let answered = moved(&stored(), Answered, 7).expect("news");
    assert_eq!((answered.seen_at, answered.time_to_read_ms, answered.injected_at), (Some(at(7)), Some(7_000), None));
}

#[test]
fn what_failed_may_be_shown_again_and_says_no_longer_why() {
    let step = DeliveryStep { why: Some("the run ended".into()), ..DeliveryStep::to(Failed) };
    let failed = moved(&stored(), Injected, 1).expect("news").moved(&step, at(2)).expect("news");
    assert_eq!((failed.why.as_deref(), failed.ended_at), (Some("the run ended"), Some(at(2))));
    let again = moved(&failed, Injected, 3).expect("news");
    assert_eq!((again.why.clone(), again.ended_at, again.injected_at), (None, None, Some(at(3))));
}

#[test]
fn what_expired_can_only_be_read_late() {
    let expired = moved(&stored(), Expired, 1).expect("news");
    for state in [Queued, Injected, Failed, Expired] {
        assert_eq!(moved(&expired, state, 2), None, "{state:?}");
    }
    assert!(moved(&expired, Seen, 2).is_some() && moved(&expired, Answered, 2).is_some());
}

#[test]
fn what_was_read_neither_fails_nor_expires() {
    let seen = moved(&stored(), Seen, 1).expect("news");
    for state in [Stored, Queued, Injected, Seen, Expired, Failed] {
        assert_eq!(moved(&seen, state, 2), None, "{state:?}");
    }
}

#[test]
fn waiting_ends_when_it_has_come_so_far_or_never_will() {
    assert!(Seen.settles(Seen) && Answered.settles(Seen) && Failed.settles(Seen) && Expired.settles(Answered));
    assert!(!Stored.settles(Queued) && !Injected.settles(Seen) && !Seen.settles(Answered));
}

#[test]
fn a_report_names_its_delivery_path_and_only_reportable_states() {
    for state in [Stored, Answered, Expired] {
        assert_eq!(
            DeliveryStep::to(state).check().expect_err("reported by the hub only").field.as_deref(),
            Some("state")
        );
    }
    assert_eq!(
        DeliveryStep::to(Injected).check().expect_err("no delivered_via").field.as_deref(),
        Some("delivered_via")
    );
    assert_eq!(DeliveryStep::to(Failed).check().expect_err("no cause").field.as_deref(), Some("why"));
    let blank = DeliveryStep { why: Some(" ".into()), ..DeliveryStep::to(Failed) };
    assert_eq!(blank.check().expect_err("blank").field.as_deref(), Some("why"));
    assert_eq!(DeliveryStep::to(Seen).check(), Ok(()));
}

proptest! {
    #[test]
    fn nothing_is_unread_again_and_answers_stay(steps in proptest::collection::vec(0usize..7, 0..20)) {
        let mut now = stored();
        for (moment, step) in steps.iter().enumerate() {
            let Some(next) = moved(&now, ALL[*step], moment as i64 + 1) else { continue };
            prop_assert_ne!(&next, &now, "what is no news is not told");
            prop_assert!(now.seen_at.is_none() || now.seen_at == next.seen_at, "the first reading counts");
            prop_assert!(now.state != Answered);
            prop_assert_eq!(next.seen_at.is_some(), next.time_to_read_ms.is_some());
            prop_assert_eq!(matches!(next.state, Expired | Failed), next.ended_at.is_some());
            now = next;
        }
    }
}

#[test]
fn a_resumed_run_marks_its_message_as_handled_and_as_read_when_the_agent_has_read_it() {
    let by_agent = stored().handled(ResumedBy::Agent, at(50)).expect("news");
    assert_eq!((by_agent.state, by_agent.handled_at, by_agent.seen_at), (Seen, Some(at(50)), Some(at(50))));
    let by_other = stored().handled(ResumedBy::Other, at(50)).expect("news");
    assert_eq!((by_other.state, by_other.handled_at, by_other.seen_at), (Stored, Some(at(50)), None));
    let injected = Delivery { state: Injected, ..stored() };
    assert_eq!(injected.handled(ResumedBy::Other, at(50)).expect("news").state, Seen);
    assert_eq!(by_agent.handled(ResumedBy::Agent, at(60)), None, "the first time counts");
}

#[test]
fn a_message_that_was_seen_or_answered_is_read() {
    assert_eq!(ALL.map(DeliveryState::is_read), [false, false, false, true, true, false, false]);
}
