use parlour_core::Refusal;
use parlour_dialects::caco::{LastRun, OutputMetadata, OutputType, RunResult, Schedule, SessionMeta, Timing};
use serde::Serialize;
use serde_json::{Value, json};

fn check_exact<T: Serialize>(decode: fn(Value) -> Result<T, Refusal>, value: Value) -> T {
    let read = decode(value.clone()).expect("stored");
    assert_eq!(serde_json::to_value(&read).expect("JSON"), value);
    read
}

fn check_refused<T: std::fmt::Debug>(decode: fn(Value) -> Result<T, Refusal>, value: Value, field: Option<&str>) {
    assert_eq!(decode(value.clone()).expect_err(&value.to_string()).field.as_deref(), field, "{value}");
}

#[test]
fn the_metadata_of_an_output_survives_a_round_trip() {
    let read = check_exact(
        OutputMetadata::decode,
        json!({
            "type": "embed", "provider": "YouTube", "title": "A talk", "sessionCwd": "~/apollo",
            "createdAt": "2026-01-27T01:42:30.769Z", "url": "https://example.org",
        }),
    );
    assert_eq!((read.output_type, read.provider.as_deref()), (OutputType::Embed, Some("YouTube")));
    for name in ["image", "html", "text"] {
        let value = json!({"type": name, "sessionCwd": "~", "createdAt": "2026-01-27T01:42:30Z"});
        check_exact(OutputMetadata::decode, value);
    }
}

#[test]
fn invalid_metadata_of_an_output_is_refused() {
    let good = json!({"type": "image", "sessionCwd": "~", "createdAt": "2026-01-27T01:42:30Z"});
    for (field, value) in [
        ("type", json!("video")),
        ("type", json!(null)),
        ("provider", json!(5)),
        ("title", json!([])),
        ("sessionCwd", json!(null)),
        ("createdAt", json!("soon")),
        ("createdAt", json!(null)),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        check_refused(OutputMetadata::decode, bad, Some(field));
    }
    check_refused(OutputMetadata::decode, json!("x"), None);
}

#[test]
fn the_metadata_of_a_session_survives_a_round_trip() {
    let read = check_exact(
        SessionMeta::decode,
        json!({
            "name": "Apollo", "envHint": "source .venv/bin/activate", "context": {"files": ["a.rs"]},
            "lastIdleAt": "2026-01-27T01:42:30.769Z", "lastObservedAt": "2026-01-27T01:42:31.000Z",
            "currentIntent": "Testing", "folder": "x",
        }),
    );
    assert_eq!((read.name.as_deref(), read.current_intent.as_deref()), (Some("Apollo"), Some("Testing")));
    assert_eq!(check_exact(SessionMeta::decode, json!({})), SessionMeta::default());
}

#[test]
fn invalid_metadata_of_a_session_is_refused() {
    for (field, value) in [
        ("name", json!(5)),
        ("envHint", json!({})),
        ("context", json!([])),
        ("lastIdleAt", json!("soon")),
        ("lastObservedAt", json!(5)),
        ("currentIntent", json!(true)),
    ] {
        check_refused(SessionMeta::decode, json!({field: value}), Some(field));
    }
    check_refused(SessionMeta::decode, json!(null), None);
}

#[test]
fn a_schedule_survives_a_round_trip() {
    for (timing, expected) in [
        (json!({"type": "interval", "intervalMinutes": 120}), Timing::IntervalMinutes(120)),
        (json!({"type": "cron", "expression": "0 9 * * 1-5"}), Timing::Cron("0 9 * * 1-5".into())),
    ] {
        let value = json!({
            "slug": "daily", "prompt": "Report", "enabled": true, "schedule": timing,
            "sessionConfig": {"persistSession": true}, "createdAt": "2026-06-20T04:01:31.683Z",
        });
        let read = Schedule::decode(value.clone()).expect("a schedule");
        assert_eq!((read.slug.as_str(), read.is_enabled, &read.timing), ("daily", true, &expected));
        assert_eq!(read.encode(), value);
    }
}

#[test]
fn an_invalid_schedule_is_refused() {
    let with = |timing: Value| json!({"slug": "s", "prompt": "p", "enabled": true, "schedule": timing});
    check_refused(Schedule::decode, with(json!(null)), Some("schedule"));
    check_refused(Schedule::decode, with(json!("daily")), Some("schedule"));
    check_refused(Schedule::decode, with(json!({})), Some("schedule.type"));
    check_refused(Schedule::decode, with(json!({"type": "moon"})), Some("schedule.type"));
    check_refused(Schedule::decode, with(json!({"type": "cron"})), Some("schedule.expression"));
    check_refused(Schedule::decode, with(json!({"type": "interval"})), Some("schedule.intervalMinutes"));
    let negative = json!({"type": "interval", "intervalMinutes": -5});
    check_refused(Schedule::decode, with(negative), Some("schedule.intervalMinutes"));
    check_refused(Schedule::decode, json!({"slug": "s", "prompt": "p"}), Some("enabled"));
    check_refused(Schedule::decode, json!({"slug": "s"}), Some("prompt"));
    check_refused(Schedule::decode, json!({}), Some("slug"));
}

#[test]
fn the_last_run_of_a_schedule_survives_a_round_trip() {
    let ran = json!({
        "lastRun": "2026-06-20T04:01:31.683Z", "lastResult": "error", "lastError": "busy", "sessionId": "s-1",
        "nextRun": "2026-06-20T05:01:31.683Z",
    });
    assert_eq!(check_exact(LastRun::decode, ran).last_result, Some(RunResult::Error));
    let never = json!({
        "lastRun": null, "lastResult": null, "lastError": null, "sessionId": null, "nextRun": "2026-06-20T05:01:31Z",
    });
    assert_eq!(check_exact(LastRun::decode, never).last_run, None);
    check_refused(
        LastRun::decode,
        json!({"lastResult": "maybe", "nextRun": "2026-06-20T05:01:31Z"}),
        Some("lastResult"),
    );
    check_refused(LastRun::decode, json!({"lastRun": null}), Some("nextRun"));
}
