use proptest::prelude::*;

use super::*;
use crate::{author::AuthorType, id::ChannelId};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn channel(bits: u128) -> ConversationId {
    ChannelId::from_bits(bits).into()
}

pub(crate) fn run() -> Run {
    Run {
        id: RunId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        agent_id: AgentId::from_bits(1),
        state: RunState::Running,
        label: None,
        conversation_id: Some(channel(1)),
        message_id: None,
        task_id: None,
        pauses: Vec::new(),
        reason: None,
        usage: None,
        lease_seconds: 120,
        started_at: at(0),
        updated_at: at(0),
        finished_at: None,
    }
}

fn pause(bits: u128, place: u128) -> Pause {
    Pause {
        reason: PauseReason::Message,
        message_id: MessageId::from_bits(bits),
        conversation_id: channel(place),
        from: Author { author_type: AuthorType::Person, id: Some("per_1".into()), name: "Mara".into() },
        since: at(1),
    }
}

fn end(state: RunState) -> RunEnd {
    RunEnd { state, reason: None, usage: None }
}

#[test]
fn a_run_pauses_for_each_message_once_and_goes_on_after_the_last() {
    let paused = run().paused(&[pause(1, 1), pause(2, 1), pause(1, 1)], at(1)).expect("open").expect("news");
    assert_eq!((paused.state, paused.pauses.len()), (RunState::Paused, 2));
    assert_eq!(paused.paused(&[pause(2, 1)], at(2)), Ok(None), "that is no news");
    let half = paused.resumed(Some(&MessageId::from_bits(1)), at(3)).expect("paused by it");
    assert_eq!((half.state, half.pauses.len()), (RunState::Paused, 1));
    let whole = half.resumed(None, at(4)).expect("paused");
    assert_eq!((whole.state, whole.pauses.len(), whole.updated_at), (RunState::Running, 0, at(4)));
}

#[test]
fn of_two_resumptions_the_second_is_told_that_it_goes_on() {
    let refusal = run().resumed(None, at(1)).expect_err("it runs");
    assert_eq!((refusal.code, refusal.detail.as_str()), (Code::NotPaused, "the run goes on already"));
    let paused = run().paused(&[pause(1, 1)], at(1)).expect("open").expect("news");
    let other = paused.resumed(Some(&MessageId::from_bits(9)), at(2)).expect_err("another message");
    assert!(other.detail.contains("does not pause the run"), "{other}");
}

#[test]
fn a_run_ends_once_and_nothing_follows() {
    let done = run().ended(&end(RunState::Done), at(5)).expect("open").expect("news");
    assert_eq!((done.state, done.finished_at), (RunState::Done, Some(at(5))));
    assert_eq!(done.ended(&end(RunState::Done), at(6)), Ok(None));
    for refusal in [
        done.ended(&end(RunState::Failed), at(6)).expect_err("ended"),
        done.paused(&[pause(1, 1)], at(6)).expect_err("ended"),
        done.resumed(None, at(6)).expect_err("ended"),
        done.check_open().expect_err("ended"),
    ] {
        assert_eq!((refusal.code, refusal.detail.as_str()), (Code::RunEnded, "the run is done"));
    }
}

#[test]
fn a_paused_run_can_end_and_is_paused_no_more() {
    let paused = run().paused(&[pause(1, 1)], at(1)).expect("open").expect("news");
    let cancelled = paused.ended(&end(RunState::Cancelled), at(2)).expect("open").expect("news");
    assert!(cancelled.pauses.is_empty());
}

#[test]
fn only_so_many_messages_pause_a_run_at_once() {
    let many: Vec<Pause> = (0..=limits::RUN_PAUSES_MAX as u128).map(|bits| pause(bits, 1)).collect();
    assert_eq!(run().paused(&many, at(1)).expect_err("full").code, Code::Full);
    assert!(run().paused(&many[1..], at(1)).is_ok());
}

#[test]
fn a_run_is_told_without_what_stands_elsewhere() {
    let paused = run().paused(&[pause(1, 1), pause(2, 2)], at(1)).expect("open").expect("news");
    let told = paused.clone().told();
    assert_eq!((told.state, told.pauses.len()), (RunState::Paused, 1));
    let placeless = Run { conversation_id: None, ..paused }.told();
    assert!(placeless.pauses.is_empty(), "who sees the run may not read that message");
}

#[test]
fn wishes_are_bounded() {
    let wrong = [
        (StartRun { label: Some(" ".into()), ..StartRun::default() }, "label"),
        (StartRun { label: Some("a\nb".into()), ..StartRun::default() }, "label"),
        (StartRun { lease_seconds: Some(4), ..StartRun::default() }, "lease_seconds"),
        (StartRun { lease_seconds: Some(3_601), ..StartRun::default() }, "lease_seconds"),
    ];
    for (request, field) in wrong {
        assert_eq!(request.check().expect_err(field).field.as_deref(), Some(field));
    }
    let two =
        StartRun { channel_id: Some(ChannelId::from_bits(1)), dm_id: Some(DmId::from_bits(1)), ..StartRun::default() };
    assert!(two.conversation().is_err());
    assert_eq!(StartRun::default().conversation(), Ok(None));
}

#[test]
fn a_failed_run_says_why() {
    let failed = FinishRun { failed: Some("no room".into()), usage: None }.end().expect("a reason");
    assert_eq!((failed.state, failed.reason.as_deref()), (RunState::Failed, Some("no room")));
    assert_eq!(FinishRun::default().end().expect("done").state, RunState::Done);
    let blank = FinishRun { failed: Some(" ".into()), usage: None }.end().expect_err("blank");
    assert_eq!(blank.field.as_deref(), Some("failed"));
}

#[derive(Clone, Debug)]
enum Try {
    Pause(u128),
    Resume(Option<u128>),
    End(RunState),
}

fn tries() -> impl Strategy<Value = Vec<Try>> {
    let ends = proptest::sample::select(vec![RunState::Done, RunState::Failed, RunState::Cancelled]);
    let one = prop_oneof![
        4 => (0u128..3).prop_map(Try::Pause),
        4 => proptest::option::of(0u128..3).prop_map(Try::Resume),
        1 => ends.prop_map(Try::End),
    ];
    proptest::collection::vec(one, 0..20)
}

proptest! {
    #[test]
    fn a_run_is_paused_exactly_while_something_pauses_it(tries in tries()) {
        let mut now = run();
        for (moment, one) in tries.iter().enumerate() {
            let moment = at(moment as i64 + 1);
            let was_open = now.state.is_open();
            let next = match one {
                Try::Pause(bits) => now.paused(&[pause(*bits, 1)], moment).ok().flatten(),
                Try::Resume(bits) => now.resumed(bits.map(MessageId::from_bits).as_ref(), moment).ok(),
                Try::End(state) => now.ended(&end(*state), moment).ok().flatten(),
            };
            prop_assert!(was_open || next.is_none(), "an ended run never changes");
            now = next.unwrap_or(now);
            prop_assert_eq!(now.state == RunState::Paused, !now.pauses.is_empty());
            prop_assert_eq!(now.state.is_open(), now.finished_at.is_none());
        }
    }
}
