use parlour_core::{
    id::RunId,
    question::Ask,
    run::{RunState, StartRun},
};

use parlour_hub::ports::Clock as _;

use super::stage::Stage;

/// Waits until a run is in this state.
pub(crate) async fn until(stage: &Stage, run: &RunId, state: RunState) {
    while stage.state(run).await != state {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_process_gives_no_sign_has_failed() {
    let stage = Stage::live().await;
    let (silent, beating) = (stage.start(&stage.coder).await, stage.start(&stage.coder).await);
    let checked = stage.start(&stage.coder).await;
    stage.test.clock.advance(119_999);
    stage.hub().beat_run(&stage.coder, &beating).await.expect("a sign");
    stage.checkpoint(&stage.coder, &checked).await;
    stage.test.clock.advance(1);
    until(&stage, &silent, RunState::Failed).await;
    let run = stage.run(&silent).await;
    assert_eq!(run.reason.as_deref(), Some("its process gave no sign for 120 seconds"));
    for run in [&beating, &checked] {
        assert_eq!(stage.state(run).await, RunState::Running);
    }
    stage.test.clock.advance(120_000);
    until(&stage, &beating, RunState::Failed).await;
    until(&stage, &checked, RunState::Failed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_run_waits_without_a_lease_and_gets_one_when_it_goes_on() {
    let stage = Stage::live().await;
    let (run, asked) = stage.waiting_run("@Mara, keep it?", Ask::default()).await;
    let witness = stage.start(&stage.tester).await;
    stage.test.clock.advance(3_600_000);
    until(&stage, &witness, RunState::Failed).await;
    assert_eq!(stage.state(&run).await, RunState::Paused);
    stage.answer(&stage.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(stage.state(&run).await, RunState::Running);
    stage.test.clock.advance(120_000);
    until(&stage, &run, RunState::Failed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_running_runs_get_a_fresh_lease() {
    // Nobody drives the first life: it could end the run while it is going away.
    let stage = Stage::new().await;
    let request = StartRun { lease_seconds: Some(60), ..StartRun::default() };
    let run = stage.hub().start_run(&stage.coder, request).await.expect("started").id;
    stage.test.clock.advance(59_000);
    let next = std::sync::Arc::new(stage.test.forgetful());
    let stop = tokio_util::sync::CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    tokio::spawn(next.drive(stop));
    let begun = stage.test.clock.now();
    while stage.state(&run).await == RunState::Running {
        stage.test.clock.advance(1_000);
        tokio::task::yield_now().await;
    }
    let lasted = stage.test.clock.now().as_millis() - begun.as_millis();
    assert!(lasted >= 60_000, "it had only {lasted} ms");
}
