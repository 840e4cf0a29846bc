use serde_json::{Value, json};

use super::*;

/// A policy that sets one field.
fn with(section: &str, field: &str, value: u64) -> Policy {
    let fields: Value = json!({ section: { field: value } });
    serde_json::from_value(fields).expect("a known field")
}

#[test]
fn the_defaults_pass_their_own_check() {
    assert_eq!(Policy::default().check(), Ok(()));
    assert_eq!(Policy::default().loop_limits.response_depth_max, 3);
}

#[test]
fn a_partial_policy_takes_the_other_defaults() {
    let policy = with("loop_limits", "response_depth_max", 5);
    assert_eq!(policy.loop_limits.response_depth_max, 5);
    assert_eq!(policy.loop_limits.pair_messages_max, 20);
    assert_eq!((policy.budgets, policy.calls), (Budgets::default(), CallRules::default()));
}

#[test]
fn a_policy_from_before_there_were_calls_is_still_read() {
    let old = r#"{"loop_limits":{"response_depth_max":4,"pair_messages_max":9,"pair_window_seconds":5,
                  "pair_silence_seconds":6}}"#;
    let policy: Policy = serde_json::from_str(old).expect("policy");
    assert_eq!((policy.loop_limits.pair_messages_max, policy.loop_limits.conversation_answers_max), (9, 30));
    assert_eq!(policy.check(), Ok(()));
}

#[test]
fn every_bound_is_kept_and_named_with_its_path() {
    let bounds = [
        ("budgets", "injection_tokens_max", 64, 100_000),
        ("budgets", "pack_tokens_max", 64, 1_000_000),
        ("budgets", "history_tokens_max", 64, 1_000_000),
        ("retention", "message_days_max", 1, 36_500),
        ("loop_limits", "response_depth_max", 1, 50),
        ("loop_limits", "pair_messages_max", 1, 10_000),
        ("loop_limits", "pair_window_seconds", 1, 86_400),
        ("loop_limits", "pair_silence_seconds", 1, 86_400),
        ("loop_limits", "chain_repeats_max", 0, 50),
        ("loop_limits", "conversation_answers_max", 1, 10_000),
        ("loop_limits", "similar_answers_max", 1, 100),
        ("loop_limits", "correlation_depth_max", 1, 50),
        ("loop_limits", "correlation_age_seconds", 1, 31_536_000),
        ("loop_limits", "correlation_calls_max", 1, 200),
        ("loop_limits", "correlation_window_seconds", 1, 86_400),
        ("calls", "follow_idle_seconds", 1, 604_800),
        ("calls", "follow_messages_max", 0, 50),
        ("calls", "wide_agents_max", 0, 50),
        ("calls", "waiting_max", 1, 1_000),
        ("calls", "expire_seconds", 1, 31_536_000),
        ("streams", "window_ms", 20, 10_000),
        ("streams", "lease_seconds", 1, 3_600),
    ];
    for (section, field, least, most) in bounds {
        let path = format!("{section}.{field}");
        for inside in [least, most] {
            assert_eq!(with(section, field, inside).check(), Ok(()), "{path} {inside}");
        }
        let outside = [Some(most + 1), least.checked_sub(1), Some(u64::MAX)];
        for outside in outside.into_iter().flatten() {
            let refusal = with(section, field, outside).check().expect_err(&path);
            assert_eq!(refusal.field.as_deref(), Some(path.as_str()), "{outside}");
        }
    }
}

#[test]
fn every_field_of_the_rules_for_agents_has_bounds() {
    let json = serde_json::to_value(Policy::default()).expect("json");
    for section in ["loop_limits", "calls", "streams", "budgets"] {
        for field in json[section].as_object().expect("a section").keys() {
            assert!(with(section, field, u64::MAX).check().is_err(), "{section}.{field}");
        }
    }
}

#[test]
fn the_default_budgets_are_those_of_the_manual() {
    assert_eq!(
        Budgets::default(),
        Budgets { injection_tokens_max: 512, pack_tokens_max: 1_024, history_tokens_max: 8_192 }
    );
}

#[test]
fn rules_of_the_context_are_refused_by_their_path() {
    let policy: Policy = serde_json::from_str(r#"{"context":{"quotas":{"sender_percent":0}}}"#).expect("a policy");
    assert_eq!(policy.check().expect_err("zero").field.as_deref(), Some("context.quotas.sender_percent"));
}

#[test]
fn unknown_rules_are_refused() {
    for json in [r#"{"retentoin":{}}"#, r#"{"calls":{"folow":1}}"#, r#"{"loop_limits":{"depth":1}}"#] {
        assert!(serde_json::from_str::<Policy>(json).is_err(), "{json}");
    }
}

#[test]
fn a_log_is_pruned_up_to_its_last_old_event_before_a_newer_one_and_never_to_its_end() {
    const DAY: i64 = 86_400_000;
    let at = |day: i64| Timestamp::from_millis(day * DAY);
    let retention = Retention { event_days_max: Some(2), ..Retention::default() };
    let log = [(1, at(0)), (2, at(1)), (3, at(9)), (4, at(1)), (5, at(10))];
    assert_eq!(retention.prune_up_to(&log, at(10)), Some(2), "event 4 is old, and stays behind the newer event 3");
    assert_eq!(retention.prune_up_to(&log[..1], at(10)), None, "the last event stays");
    assert_eq!(retention.prune_up_to(&[], at(10)), None);
    assert_eq!(retention.prune_up_to(&log, at(2)), None, "an event is kept for its whole time");
    assert_eq!(Retention::default().prune_up_to(&log, at(10)), None);
}
