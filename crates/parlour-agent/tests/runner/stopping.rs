//! The end of an agent.

use std::time::Duration;

use parlour_core::message::State;
use tokio::time::{Instant, sleep};

use crate::{
    engine::{EngineAct, ScriptedEngine, think, write},
    fake_hub::{FakeHub, channel},
    process::RunnerFixture,
};

/// A process that is in the middle of an answer.
async fn at_work(acts: Vec<EngineAct>) -> (FakeHub, ScriptedEngine, RunnerFixture) {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::does(acts));
    let process = RunnerFixture::start(&hub, &engine);
    hub.mention(&channel(1), "hi");
    hub.until("it writes", |hub| !hub.pieces.is_empty()).await;
    (hub, engine, process)
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_ends_within_the_grace_period_completes() {
    let (hub, engine, process) = at_work(vec![write("Yes"), think(3_000), write(".")]).await;
    process.stop().await.expect("a clean end");
    assert_eq!((hub.answers()[0].state, hub.answers()[0].body.as_str()), (State::Complete, "Yes."));
    assert_eq!(engine.stops(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_longer_answer_is_stopped_with_a_reason() {
    let (hub, engine, process) = at_work(vec![write("Well"), EngineAct::WorkOn]).await;
    let begun = Instant::now();
    process.stop().await.expect("a clean end");
    let answer = &hub.answers()[0];
    assert_eq!((answer.state, answer.reason.as_deref()), (State::Failed, Some("Coder was stopped")));
    assert_eq!((engine.stops(), begun.elapsed().as_secs()), (1, 5));
}

#[tokio::test(start_paused = true)]
async fn no_new_work_is_started_and_waiting_calls_stay_open() {
    let (hub, engine, process) = at_work(vec![write("Well"), think(2_000)]).await;
    hub.mention(&channel(1), "and this?");
    process.ask_to_stop();
    sleep(Duration::from_millis(1)).await;
    hub.mention(&channel(2), "and that?");
    process.ended().await.expect("a clean end");
    assert_eq!(engine.asked(), [["hi"]]);
    assert_eq!(hub.with(|hub| hub.calls.iter().filter(|call| call.answer_id.is_none()).count()), 2);
}

#[tokio::test(start_paused = true)]
async fn the_runner_ends_in_time_even_if_engines_ignore_the_stop() {
    let (hub, engine, process) = at_work(vec![write("Well"), EngineAct::BeDeaf]).await;
    hub.go_away();
    let begun = Instant::now();
    process.stop().await.expect("an end");
    assert_eq!((begun.elapsed().as_secs(), engine.load().now), (15, 0));
}

#[tokio::test(start_paused = true)]
async fn an_idle_agent_ends_at_once() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    let process = RunnerFixture::start(&hub, &engine);
    hub.until("the agent is there", |hub| !hub.presences.is_empty()).await;
    let begun = Instant::now();
    process.stop().await.expect("a clean end");
    assert_eq!(begun.elapsed().as_millis(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_agent_can_be_stopped_before_its_first_connection() {
    let (hub, engine) = (FakeHub::new(), ScriptedEngine::echo(0));
    hub.go_away();
    let process = RunnerFixture::start(&hub, &engine);
    sleep(Duration::from_secs(60)).await;
    process.stop().await.expect("a clean end");
}
