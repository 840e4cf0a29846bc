//! The hub is killed under load, its readers are killed, and the lines between them are cut, stalled and delayed. Then
//! everything that was heard is held against the log: per reader nothing is lost, nothing comes twice, everything is in
//! order, every gap is announced and nothing is heard that is for others.
//!
//! `PARLOUR_FAULTS_SEED` repeats the faults of a run, `PARLOUR_FAULTS_RUNS` sets the number of runs, each with a seed of
//! its own, and `PARLOUR_FAULTS_DEATHS` how often the hub ends in each.

#[path = "live_faults/aftermath.rs"]
mod aftermath;
#[path = "live_faults/api.rs"]
mod api;
#[path = "live_faults/chaos.rs"]
mod chaos;
#[path = "live_faults/checker.rs"]
mod checker;
#[path = "live_faults/expected.rs"]
mod expected;
#[path = "live_faults/hub_runner.rs"]
mod hub_runner;
#[path = "live_faults/load.rs"]
mod load;
#[path = "live_faults/producer.rs"]
mod producer;
#[path = "live_faults/project_fixture.rs"]
mod project_fixture;
#[path = "live_faults/proxy.rs"]
mod proxy;
#[path = "live_faults/reader.rs"]
mod reader;
#[path = "live_faults/run_state.rs"]
mod run_state;
#[path = "live_faults/seed.rs"]
mod seed;
#[path = "live_faults/sse.rs"]
mod sse;
#[path = "live_faults/stream_checker.rs"]
mod stream_checker;
mod support;
#[path = "live_faults/tail.rs"]
mod tail;
#[path = "live_faults/transcript.rs"]
mod transcript;
#[path = "live_faults/verdict.rs"]
mod verdict;
#[path = "live_faults/ws.rs"]
mod ws;

use std::{env, time::Duration};

use chaos::{RunOutcome, RunSettings};
use seed::{SEED_VARIABLE, SeededRng};

/// A run that has not ended by then hangs.
const RUN_SECONDS_MAX: u64 = 240;

/// What a usual run does.
const USUAL: RunSettings = RunSettings { seed: 0, deaths: 6, acks_end: 400, sabotage: None };
/// A run in which a fault shows soon.
const SHORT: RunSettings = RunSettings { deaths: 2, acks_end: 300, ..USUAL };

fn number(variable: &str, default: usize) -> usize {
    env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Lets a run happen and judges it.
#[allow(clippy::print_stdout, clippy::panic, reason = "whoever sees a failure needs the seed")]
async fn judge(setting: RunSettings) -> (RunOutcome, Vec<String>) {
    println!("{SEED_VARIABLE}={}", setting.seed);
    let folder = tempfile::tempdir().expect("a folder");
    let run = async {
        let outcome = chaos::run(folder.path(), setting).await;
        let complaints = verdict::complaints(folder.path(), &outcome).await;
        (outcome, complaints)
    };
    let judged = tokio::time::timeout(Duration::from_secs(RUN_SECONDS_MAX), run).await;
    judged.unwrap_or_else(|_| panic!("the run hangs; repeat it with {SEED_VARIABLE}={}", setting.seed))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_live_reader_gets_each_event_once_and_in_order_despite_kills() {
    let mut seeds = SeededRng::new(seed::seed());
    for run in 0..number("PARLOUR_FAULTS_RUNS", 1) {
        let seed = if run == 0 { seeds.seed() } else { seeds.fork().seed() };
        let deaths = number("PARLOUR_FAULTS_DEATHS", USUAL.deaths);
        let (outcome, complaints) = judge(RunSettings { seed, deaths, ..USUAL }).await;
        outcome.say_what_happened();
        let shown = complaints.join("\n");
        assert!(complaints.is_empty(), "broken promises; repeat with {SEED_VARIABLE}={seed}:\n{shown}");
        outcome.assert_enough_happened();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_skips_an_event_on_resume_is_detected() {
    assert_noticed("skip", "lost: ").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_sends_an_event_twice_is_detected() {
    assert_noticed("double", "doubled or moved: ").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_ignores_audiences_is_detected() {
    assert_noticed("everybody", "received an event of a private channel: ").await;
}

/// The same run turns red when the hub does this wrong.
async fn assert_noticed(sabotage: &'static str, complaint: &str) {
    let setting = RunSettings { seed: seed::seed(), sabotage: Some(sabotage), ..SHORT };
    let (_, complaints) = judge(setting).await;
    let shown = complaints.join("\n");
    assert!(shown.contains(complaint), "repeat with {SEED_VARIABLE}={}:\n{shown}", setting.seed);
}
