//! Runs that a process has left behind.

use parlour_core::{
    id::RunId,
    message::State,
    question::NewQuestion,
    run::{RunState, StartRun},
};
use tokio::time::sleep;

use crate::{
    calls::settled,
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, FakeHubState, channel},
    pausing::last,
    process::RunnerFixture,
};

/// An engine that works for long, and never answers a question.
fn busy() -> ScriptedEngine {
    ScriptedEngine::new(|prompt| {
        if last(prompt) == "work" { vec![write("one "), think(60_000), write("two")] } else { vec![EngineAct::WorkOn] }
    })
}

fn paused(hub: &FakeHubState) -> usize {
    hub.work.runs.iter().filter(|run| run.state == RunState::Paused).count()
}

#[tokio::test(start_paused = true)]
async fn the_paused_run_of_a_killed_process_is_ended_by_the_next() {
    let (hub, engine) = (FakeHub::new(), busy());
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "work");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.until("it is paused", |hub| paused(hub) == 1).await;
    process.kill(&hub);
    assert_eq!(hub.run_states(), [RunState::Paused, RunState::Failed]);
    let _next = RunnerFixture::start(&hub, &engine);
    hub.until("nothing is paused", |hub| paused(hub) == 0).await;
    let run = &hub.runs()[0];
    assert_eq!((run.state, run.reason.as_deref()), (RunState::Failed, Some("its process was restarted")));
}

#[tokio::test(start_paused = true)]
async fn a_leftover_run_is_ended_after_its_message_ends() {
    let (hub, engine) = (FakeHub::new(), busy());
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "work");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    hub.block(&channel(2), "Ship it?", NewQuestion::default());
    hub.until("it is paused", |hub| paused(hub) == 1).await;
    drop(process);
    let _next = RunnerFixture::start(&hub, &engine);
    sleep(std::time::Duration::from_secs(20)).await;
    assert_eq!(hub.with(|hub| paused(hub)), 1, "it cannot be told from one that lives");
    hub.with(|hub| hub.interrupt_all());
    hub.until("nothing is paused", |hub| paused(hub) == 0).await;
}

#[tokio::test(start_paused = true)]
async fn runs_of_other_processes_and_surfaces_are_left_alone() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(vec![write("one "), think(60_000), write("two")]));
    hub.with(|hub| hub.start_run(&StartRun { id: Some(RunId::from_bits(77)), ..StartRun::default() })).expect("begun");
    let _first = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "work");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    let _second = RunnerFixture::start(&hub, &engine);
    settled(&hub).await;
    hub.until("its run is done", |hub| hub.work.runs[1].state == RunState::Done).await;
    assert_eq!(hub.run_states(), [RunState::Running, RunState::Done]);
}

#[tokio::test(start_paused = true)]
async fn a_leftover_run_with_a_complete_answer_is_done() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    settled(&hub).await;
    hub.until("it has ended", |hub| hub.work.runs[0].state == RunState::Done).await;
    drop(process);
    // As if it had been killed between the end of the message and that of the run.
    hub.with(|hub| hub.work.runs[0].state = RunState::Running);
    let _next = RunnerFixture::start(&hub, &engine);
    hub.until("it has ended", |hub| hub.work.runs[0].state == RunState::Done).await;
    assert_eq!(hub.answers()[0].state, State::Complete);
}
