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
        answered_separately: false,
    }
}

fn end(state: RunState) -> RunEnd {
    RunEnd { state, reason: None, usage: None }
}

#[test]
fn a_run_pauses_for_each_message_once_and_resumes_after_the_last() {
    let paused = run().paused(&[pause(1, 1), pause(2, 1), pause(1, 1)], at(1)).expect("open").expect("news");
    assert_eq!((paused.state, paused.pauses.len()), (RunState::Paused, 2));
    assert_eq!(paused.paused(&[pause(2, 1)], at(2)), Ok(None), "a known pause changes nothing");
    let half = paused.resumed(Some(&MessageId::from_bits(1)), at(3)).expect("paused by it");
    assert_eq!((half.state, half.pauses.len()), (RunState::Paused, 1));
    let whole = half.resumed(None, at(4)).expect("paused");
    assert_eq!((whole.state, whole.pauses.len(), whole.updated_at), (RunState::Running, 0, at(4)));
}

#[test]
fn resuming_a_running_run_or_for_another_message_is_refused() {
    let refusal = run().resumed(None, at(1)).expect_err("it runs");
    assert_eq!((refusal.code, refusal.detail.as_str()), (Code::NotPaused, "the run is already running"));
    let paused = run().paused(&[pause(1, 1)], at(1)).expect("open").expect("news");
    let other = paused.resumed(Some(&MessageId::from_bits(9)), at(2)).expect_err("another message");
    assert!(other.detail.contains("is not paused by"), "{other}");
}

#[test]
fn an_ended_run_refuses_every_change() {
    let done = run().ended(&end(RunState::Done), at(5)).expect("open").expect("news");
    assert_eq!((done.state, done.finished_at), (RunState::Done, Some(at(5))));
    assert_eq!(done.ended(&end(RunState::Done), at(6)), Ok(None));
    for refusal in [
        done.ended(&end(RunState::Failed), at(6)).expect_err("ended"),
        done.paused(&[pause(1, 1)], at(6)).expect_err("ended"),
        done.resumed(None, at(6)).expect_err("ended"),
        done.check_open().expect_err("ended"),
    ] {
        assert_eq!((refusal.code, refusal.detail.as_str()), (Code::RunEnded, "the run is already done"));
    }
}

#[test]
fn ending_a_paused_run_clears_its_pauses() {
    let paused = run().paused(&[pause(1, 1)], at(1)).expect("open").expect("news");
    let cancelled = paused.ended(&end(RunState::Cancelled), at(2)).expect("open").expect("news");
    assert!(cancelled.pauses.is_empty());
}

#[test]
fn the_pauses_of_a_run_are_limited() {
    let many: Vec<Pause> = (0..=limits::RUN_PAUSES_MAX as u128).map(|bits| pause(bits, 1)).collect();
    assert_eq!(run().paused(&many, at(1)).expect_err("full").code, Code::Full);
    assert!(run().paused(&many[1..], at(1)).is_ok());
}

#[test]
fn a_published_run_omits_pauses_of_other_conversations() {
    let paused = run().paused(&[pause(1, 1), pause(2, 2)], at(1)).expect("open").expect("news");
    let published = paused.clone().published();
    assert_eq!((published.state, published.pauses.len()), (RunState::Paused, 1));
    let without_conversation = Run { conversation_id: None, ..paused }.published();
    assert!(without_conversation.pauses.is_empty(), "who sees the run may not read that message");
}

#[test]
fn start_requests_are_bounded() {
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
fn a_failed_run_needs_a_reason() {
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
    fn a_run_is_paused_exactly_while_it_has_pauses(tries in tries()) {
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

#[test]
fn a_pause_applies_while_its_question_is_open_and_unhandled() {
    let facts = PauseFacts { is_question_open: true, awaits_agent: true, is_handled: false };
    let pause = |reason| Pause { reason, ..pause(1, 1) };
    let (message, asked) = (pause(PauseReason::Message), pause(PauseReason::Asked));
    assert!(message.applies(facts) && asked.applies(facts));
    let handled = PauseFacts { is_handled: true, ..facts };
    let ignored = PauseFacts { awaits_agent: false, ..facts };
    assert!(!message.applies(handled) && !message.applies(ignored));
    assert!(asked.applies(handled) && asked.applies(ignored), "an own question waits for its answer alone");
    let closed = PauseFacts { is_question_open: false, ..facts };
    assert!(!message.applies(closed) && !asked.applies(closed));
}

#[test]
fn a_failed_or_cancelled_run_fails_its_injections_and_gives_the_reason_in_its_own_conversation_only() {
    let own: ConversationId = ChannelId::from_bits(1).into();
    let other: ConversationId = ChannelId::from_bits(2).into();
    let run = Run { conversation_id: Some(own.clone()), ..run() };
    let end = |state| RunEnd { state, reason: Some("out of memory".into()), usage: None };
    let why = |conversation| run.failed_injection(&end(RunState::Failed), conversation).expect("a step").why;
    assert_eq!(why(&own).as_deref(), Some("the run ended while it was paused: out of memory"));
    assert_eq!(why(&other).as_deref(), Some("the run ended while it was paused"));
    assert!(run.failed_injection(&end(RunState::Cancelled), &own).is_some());
    assert_eq!(run.failed_injection(&end(RunState::Done), &own), None);
}

#[test]
fn a_resumption_handles_messages_of_others_that_still_exist() {
    use crate::message::tests::sample;
    let (run, message) = (run(), sample());
    let agent = Author { author_type: AuthorType::Agent, id: Some(run.agent_id.to_string()), name: "C".into() };
    let pause = |reason| Pause { reason, ..pause(1, 1) };
    let paused = pause(PauseReason::Message);
    assert_eq!(run.resumption_of(&paused, &message, &agent), Some(ResumedBy::Agent));
    assert_eq!(run.resumption_of(&paused, &message, &Author::host()), Some(ResumedBy::Other));
    assert_eq!(run.resumption_of(&pause(PauseReason::Asked), &message, &agent), None);
    assert_eq!(run.resumption_of(&paused, &message.clone().removed(at(9)), &agent), None);
}

#[test]
fn a_started_run_is_running_and_unpaused_in_its_project() {
    let sent = Run { state: RunState::Done, pauses: vec![pause(1, 1)], ..run() };
    assert_eq!(sent.started(ProjectId::from_bits(2)), Run { project_id: ProjectId::from_bits(2), ..run() });
}

#[test]
fn a_repeated_start_needs_the_same_agent_and_project() {
    let (own, foreign) = (ProjectId::from_bits(1), ProjectId::from_bits(2));
    let relabelled = Run { label: Some("again".into()), ..run() };
    let of_another = Run { agent_id: AgentId::from_bits(2), ..run() };
    let cases = [
        ("the same start", run(), &own, None),
        ("another label", relabelled, &own, None),
        ("another agent", of_another, &own, Some(Code::ClientIdReused)),
        ("another project", run(), &foreign, Some(Code::ClientIdReused)),
    ];
    for (case, again, project, expected) in cases {
        assert_eq!(run().check_repeated_start(&again, project).err().map(|refusal| refusal.code), expected, "{case}");
    }
}

#[test]
fn the_timeline_names_messages_of_the_conversation_of_the_run_only() {
    assert!(run().may_name(&channel(1)));
    assert!(!run().may_name(&channel(2)));
    assert!(!Run { conversation_id: None, ..run() }.may_name(&channel(1)));
}

#[test]
fn each_pause_and_each_end_has_its_kind_in_the_timeline() {
    let kind_of_pause = |reason| Pause { reason, ..pause(1, 1) }.timeline_kind();
    assert_eq!(kind_of_pause(PauseReason::Message), TimelineEntryKind::Paused);
    assert_eq!(kind_of_pause(PauseReason::Asked), TimelineEntryKind::Asked);
    let ends = [
        (RunState::Done, TimelineEntryKind::RunDone),
        (RunState::Failed, TimelineEntryKind::RunFailed),
        (RunState::Cancelled, TimelineEntryKind::RunCancelled),
    ];
    for (state, expected) in ends {
        assert_eq!(end(state).timeline_kind(), expected, "{state:?}");
    }
}
