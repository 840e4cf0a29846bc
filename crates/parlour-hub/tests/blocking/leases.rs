use parlour_core::{
    id::RunId,
    limits,
    question::NewQuestion,
    run::{RunState, StartRun},
};

use parlour_hub::ports::Clock as _;

use super::fixture::BlockingFixture;

/// Waits until a run is in this state.
pub(crate) async fn until(fixture: &BlockingFixture, run: &RunId, state: RunState) {
    while fixture.state(run).await != state {
        tokio::task::yield_now().await;
    }
}

/// A question with the latest possible deadline, which `advance_until_failed` does not reach.
pub(crate) fn long_question() -> NewQuestion {
    NewQuestion { expires_in_seconds: Some(limits::QUESTION_SECONDS_MAX as u64), ..NewQuestion::default() }
}

/// Advances the clock until the lease of a run has expired. One jump is not enough: on a busy machine the hub may
/// register the lease after it.
pub(crate) async fn advance_until_failed(fixture: &BlockingFixture, run: &RunId) {
    while fixture.state(run).await != RunState::Failed {
        fixture.test.clock.advance(1_000);
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_fails_when_its_lease_expires_without_a_heartbeat_or_checkpoint() {
    let fixture = BlockingFixture::live().await;
    let (silent, beating) = (fixture.start(&fixture.coder).await, fixture.start(&fixture.coder).await);
    let checked = fixture.start(&fixture.coder).await;
    fixture.test.clock.advance(119_999);
    fixture.hub().beat_run(&fixture.coder, &beating).await.expect("a sign");
    fixture.checkpoint(&fixture.coder, &checked).await;
    fixture.test.clock.advance(1);
    until(&fixture, &silent, RunState::Failed).await;
    let run = fixture.run(&silent).await;
    assert_eq!(run.reason.as_deref(), Some("its process gave no sign for 120 seconds"));
    for run in [&beating, &checked] {
        assert_eq!(fixture.state(run).await, RunState::Running);
    }
    fixture.test.clock.advance(120_000);
    until(&fixture, &beating, RunState::Failed).await;
    until(&fixture, &checked, RunState::Failed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_run_has_no_lease_and_gets_one_when_it_resumes() {
    let fixture = BlockingFixture::live().await;
    let (run, asked) = fixture.waiting_run("@Mara, keep it?", long_question()).await;
    let witness = fixture.start(&fixture.tester).await;
    advance_until_failed(&fixture, &witness).await;
    assert_eq!(fixture.state(&run).await, RunState::Paused);
    fixture.answer(&fixture.mara, &asked.id, "yes").await.expect("answered");
    assert_eq!(fixture.state(&run).await, RunState::Running);
    advance_until_failed(&fixture, &run).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_running_runs_get_a_fresh_lease() {
    // The first hub runs no background tasks: they could end the run while the hub stops.
    let fixture = BlockingFixture::new().await;
    let request = StartRun { lease_seconds: Some(60), ..StartRun::default() };
    let run = fixture.hub().start_run(&fixture.coder, request).await.expect("started").id;
    fixture.test.clock.advance(59_000);
    let next = std::sync::Arc::new(fixture.test.forgetful());
    let stop = tokio_util::sync::CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    tokio::spawn(next.drive(stop));
    let begun = fixture.test.clock.now();
    while fixture.state(&run).await == RunState::Running {
        fixture.test.clock.advance(1_000);
        tokio::task::yield_now().await;
    }
    let lasted = fixture.test.clock.now().as_millis() - begun.as_millis();
    assert!(lasted >= 60_000, "it had only {lasted} ms");
}
