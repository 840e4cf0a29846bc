//! Each answer and each task is a run, and ends as one.

use parlour_agent::runner::RunnerEvent;
use parlour_core::{
    Code,
    call::{CallReason, CallState, answer_id},
    id::ThreadId,
    message::State,
    run::{RunEnd, RunState},
    task::TaskStatus,
};
use tokio::time::Instant;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, agent_id, channel, thread},
    process::RunnerFixture,
};

/// Waits until no run is open.
pub(crate) async fn all_ended(hub: &FakeHub) {
    hub.until("every run has ended", |hub| hub.work.runs.iter().all(|run| !run.state.is_open())).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_a_run_with_the_id_of_its_message() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("ok"), EngineAct::Use(7)]));
    let _process = RunnerFixture::start(&hub, &engine);
    let call = hub.mention(&channel(1), "hi");
    settled(&hub).await;
    all_ended(&hub).await;
    let [run] = hub.runs().try_into().expect("one run");
    let bits = |id: &str| id.split_once('_').map(|(_, bits)| bits.to_owned());
    assert_eq!(bits(run.id.as_str()), bits(answer_id(&agent_id(), &call).as_str()));
    assert_eq!((run.state, run.conversation_id, run.message_id), (RunState::Done, Some(channel(1)), Some(call)));
    assert_eq!((run.label.as_deref(), run.usage.map(|usage| usage.output_tokens)), (Some("Answer Mara"), Some(7)));
    assert_eq!(engine.prompts()[0].run_id, Some(run.id));
}

#[tokio::test(start_paused = true)]
async fn a_run_fails_with_its_answer_and_the_same_reason() {
    let (hub, engine) =
        (FakeHub::new(), ScriptedEngine::does(vec![write("Half"), EngineAct::Fail("no model answers")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    all_ended(&hub).await;
    let run = &hub.runs()[0];
    assert_eq!((run.state, run.reason.as_deref()), (RunState::Failed, Some("no model answers")));
}

#[tokio::test(start_paused = true)]
async fn the_run_of_a_task_names_the_task() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("done")]));
    let _process = RunnerFixture::start(&hub, &engine);
    let tasks = [hub.give("Ship it", Some(ThreadId::from_bits(1))), hub.give("Test it", None)];
    for task in &tasks {
        hub.until("it is done", |hub| hub.tasks.iter().any(|one| one.id == *task && one.status == TaskStatus::Done))
            .await;
    }
    all_ended(&hub).await;
    let mut runs: Vec<_> = hub.runs().into_iter().map(|run| (run.label, run.task_id, run.conversation_id)).collect();
    runs.sort();
    let [first, second] = tasks.map(Some);
    let expected = [(Some("Ship it".into()), first, Some(thread(1))), (Some("Test it".into()), second, None)];
    assert_eq!(runs, expected);
    assert_eq!(hub.run_states(), [RunState::Done; 2]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_answer_cancels_its_run() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("On and "), EngineAct::WorkOn]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    hub.cancel(&hub.answers()[0].id);
    all_ended(&hub).await;
    let run = &hub.runs()[0];
    assert_eq!((run.state, run.reason.as_deref()), (RunState::Cancelled, Some("enough")));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_stops_the_engine_and_the_answer() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("On and "), EngineAct::WorkOn]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let (run, begun) = (hub.runs()[0].id.clone(), Instant::now());
    hub.with(|hub| hub.cancel_run(&run, Some("wrong branch".into()))).expect("stopped");
    settled(&hub).await;
    let answer = &hub.answers()[0];
    assert_eq!((answer.state, answer.reason.as_deref()), (State::Cancelled, Some("wrong branch")));
    assert_eq!((engine.stops(), begun.elapsed().as_millis()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_is_noticed_at_its_next_heartbeat() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("On and "), EngineAct::WorkOn]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    hub.with(|hub| hub.work.runs[0].state = RunState::Cancelled);
    settled(&hub).await;
    assert_eq!((engine.stops(), hub.answers()[0].state), (1, State::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_hub_without_runs_gets_answers_and_is_reported_once() {
    for code in [Code::Forbidden, Code::Full, Code::NotFound] {
        let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
        hub.with(|hub| hub.work.refuses_runs = Some(code));
        let process = RunnerFixture::start(&hub, &engine);
        for number in 1..=3 {
            hub.mention(&channel(number), "hi");
        }
        settled(&hub).await;
        assert_eq!(hub.call_states(), [CallState::Answered; 3]);
        let told = process.reports().into_iter().filter(|report| matches!(report, RunnerEvent::WithoutRuns(_)));
        assert_eq!(told.count(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_sends_heartbeats_without_checkpoints_during_a_long_step() {
    let step = EngineAct::LongStep("build", std::time::Duration::from_secs(300));
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![step, write("built")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    let (beats, checkpoints) = hub.with(|hub| (hub.work.run_beats, hub.work.checkpoints));
    assert!((10..20).contains(&beats), "{beats}");
    assert_eq!(checkpoints, 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_continues_after_the_hub_ended_its_run() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("slow"), think(60_000), write("ly")]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let end = RunEnd { state: RunState::Failed, reason: Some("no sign".into()), usage: None };
    let run = hub.runs()[0].id.clone();
    hub.with(|hub| hub.end_run(&run, &end)).expect("ended");
    settled(&hub).await;
    assert_eq!((hub.answers()[0].body.as_str(), hub.answers()[0].state), ("slowly", State::Complete));
    assert_eq!(hub.run_states(), [RunState::Failed]);
}

#[tokio::test(start_paused = true)]
async fn a_pass_completes_the_run() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![]));
    let _process = RunnerFixture::start(&hub, &engine);
    hub.say(&thread(1), "by the way", Some(CallReason::Follow));
    settled(&hub).await;
    all_ended(&hub).await;
    assert_eq!((hub.run_states(), hub.answers().len()), (vec![RunState::Done], 0));
}

#[tokio::test(start_paused = true)]
async fn unread_messages_at_the_end_of_a_run_are_reported() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.with(|hub| hub.work.has_nudge = true);
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    all_ended(&hub).await;
    let nudges = || process.reports().into_iter().filter(|report| matches!(report, RunnerEvent::Nudge(_))).count();
    assert_eq!(nudges(), 0, "everything is read");
    let unread = hub.say(&channel(2), "for later", None);
    hub.with(|hub| hub.work.unread.push(unread));
    hub.mention(&channel(1), "again");
    settled(&hub).await;
    hub.until("it waits again", |hub| hub.presences.len() == 5).await;
    assert_eq!(nudges(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_agent_ends_its_runs() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("Well"), EngineAct::WorkOn]));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    process.stop().await.expect("a clean end");
    assert_eq!(hub.runs()[0].reason.as_deref(), Some("Coder was stopped"));
}
