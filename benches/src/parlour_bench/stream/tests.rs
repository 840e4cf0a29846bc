use serde_json::Value;

use super::*;

const PLAN: Plan = Plan { streams: 4, tokens_each: 500, pause: Duration::from_millis(20) };

fn round(cpu_ms: u64, frames_each: f64, commits: Option<u32>) -> StreamRound {
    StreamRound {
        tokens: 2_000,
        elapsed: Duration::from_secs(10),
        cpu: Some(Duration::from_millis(cpu_ms)),
        frames_each,
        commits,
        missing: 0,
    }
}

fn report_of(hub: StreamRound, ceiling: StreamRound) -> Value {
    let mut report = Report::default();
    add_results(&mut report, PLAN, &[("hub", &[hub]), ("ceiling", &[ceiling])]);
    report.to_json()
}

fn met(report: &Value) -> Vec<Option<bool>> {
    report["ratios"].as_array().expect("ratios").iter().map(|ratio| ratio["met"].as_bool()).collect()
}

#[test]
fn a_hub_that_coalesces_tokens_meets_the_goals() {
    let report = report_of(round(100, 52.0, Some(5)), round(1_000, 500.0, None));
    assert_eq!(met(&report), [Some(true); 5]);
    assert_eq!((&report["rows"][0]["frames_each"], &report["rows"][0]["cpu_us"]), (&5.0.into(), &50.0.into()));
    assert_eq!(report["rows"][1]["commits_per_second"], Value::Null);
}

#[test]
fn a_hub_that_forwards_and_stores_every_token_misses_the_goals() {
    let report = report_of(round(1_000, 500.0, Some(2_000)), round(1_000, 500.0, None));
    assert_eq!(met(&report)[..3], [Some(false); 3]);
}

#[test]
fn text_that_does_not_arrive_misses_the_goal() {
    let report = report_of(StreamRound { missing: 1, ..round(100, 50.0, Some(0)) }, round(1_000, 500.0, None));
    assert_eq!(met(&report)[3..], [Some(false), Some(true)]);
}

#[test]
fn the_rates_of_all_answers_are_summed() {
    assert_eq!(PLAN.chunks_per_second(), 200);
}
