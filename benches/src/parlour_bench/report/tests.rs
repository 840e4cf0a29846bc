use super::*;

fn sample() -> Report {
    Report {
        title: "post: 64 senders".into(),
        columns: vec![
            Column { key: "posts_per_second", title: "posts/s", decimals: 0 },
            Column { key: "cpu_us_per_post", title: "CPU µs/post", decimals: 1 },
        ],
        rows: vec![
            Row { name: "hub".into(), values: vec![Some(5210.4), Some(161.25)] },
            Row { name: "ceiling".into(), values: vec![Some(12_345.0), None] },
        ],
        ratios: vec![
            Ratio::times("posts/s, hub ÷ ceiling", vec![0.7, 0.74, 0.9], Some(Goal::AtLeast(0.6))),
            Ratio::times("CPU", vec![2.5], Some(Goal::AtMost(2.0))),
        ],
        notes: vec!["A note.".into()],
    }
}

#[test]
fn the_text_report_is_a_table_with_verdicts() {
    insta::assert_snapshot!(sample().to_string(), @r"
    post: 64 senders

             posts/s  CPU µs/post
    hub        5 210        161.2
    ceiling   12 345            –

    posts/s, hub ÷ ceiling    0.74 ×  (0.70 to 0.90)  goal ≥ 0.6  ✓
    CPU                       2.50 ×  (2.50 to 2.50)  goal ≤ 2  ✗

    A note.
    ");
}

#[test]
fn the_json_report_has_the_same_figures() {
    let report = sample().to_json();
    assert_eq!(report["rows"][0], json!({ "name": "hub", "posts_per_second": 5210.4, "cpu_us_per_post": 161.25 }));
    assert_eq!(report["rows"][1]["cpu_us_per_post"], Value::Null);
    let met: Vec<_> = [0, 1].iter().map(|index| &report["ratios"][*index]["met"]).collect();
    assert_eq!(met, [&json!(true), &json!(false)]);
    assert_eq!(report["ratios"][0]["goal"], "≥ 0.6");
}

#[test]
fn the_median_round_decides_the_verdict() {
    let ratio = Ratio::times("x", vec![0.1, 0.65, 0.7], Some(Goal::AtLeast(0.6)));
    assert_eq!(ratio.to_json()["met"], true);
    assert_eq!((ratio.to_json()["low"].as_f64(), ratio.to_json()["high"].as_f64()), (Some(0.1), Some(0.7)));
}

#[test]
fn a_goal_is_met_at_its_limit() {
    assert!(Goal::AtLeast(0.6).is_met_by(0.6) && Goal::AtMost(2.0).is_met_by(2.0));
    assert!(!Goal::AtLeast(0.6).is_met_by(0.59) && !Goal::AtMost(2.0).is_met_by(2.01));
}

#[test]
fn a_ratio_without_rounds_has_no_verdict() {
    let ratio = Ratio::times("x", vec![], Some(Goal::AtMost(2.0)));
    assert_eq!(ratio.to_string(), "not measured");
    assert_eq!((&ratio.to_json()["met"], &ratio.to_json()["low"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_ratio_without_a_goal_has_no_verdict() {
    let ratio = Ratio { name: "x".into(), rounds: vec![3.0], unit: "ms", goal: None };
    assert_eq!(ratio.to_string(), "  3.00 ms  (3.00 to 3.00)");
}

#[test]
fn a_count_that_must_be_zero_is_met_only_by_zero() {
    assert_eq!(Ratio::none("lost", 0).to_json()["met"], true);
    assert_eq!(Ratio::none("lost", 1).to_json()["met"], false);
}

#[test]
fn thousands_are_separated() {
    let cells = [0.0, 999.0, 1_000.0, 1_234_567.0].map(|value| cell(Some(value), 0));
    assert_eq!(cells, ["0", "999", "1 000", "1 234 567"]);
    assert_eq!(cell(Some(12_345.678), 2), "12 345.68");
}
