use serde_json::{Value, json};

use super::*;

/// The rules of a project that set this.
fn rules(value: Value) -> ContextRules {
    serde_json::from_value(value).expect("known fields")
}

/// The field of the project's rules that is refused.
fn refused(value: Value) -> Option<String> {
    rules(value).check().err().and_then(|refusal| refusal.field)
}

#[test]
fn the_defaults_pass_their_own_check() {
    assert_eq!(ContextRules::default().check(), Ok(()));
    assert_eq!(AgentContext::default().check(), Ok(()));
    assert_eq!(rules(json!({})), ContextRules::default());
}

#[test]
fn what_is_not_set_has_its_default() {
    let rules = rules(json!({ "weights": { "words": 0 }, "redaction": { "personal": false } }));
    assert_eq!(rules.weights, Weights { words: 0, ..Weights::default() });
    assert_eq!(rules.redaction, RedactionRules { personal: false, ..RedactionRules::default() });
    assert_eq!((rules.quotas, rules.reranker), (Quotas::default(), None));
}

#[test]
fn every_weight_and_quota_is_bounded() {
    let weights = ["words", "neighbours", "sender", "task", "graph", "importance", "recency"];
    let quotas = ["sender_percent", "thread_percent", "machine_percent", "foreign_percent"];
    let weights = weights.map(|field| ("weights", field, 0, 1_000));
    for (section, field, least, most) in weights.into_iter().chain(quotas.map(|field| ("quotas", field, 1_u64, 100))) {
        let path = Some(format!("{section}.{field}"));
        assert_eq!(refused(json!({ section: { field: least } })), None, "{path:?}");
        assert_eq!(refused(json!({ section: { field: most } })), None, "{path:?}");
        assert_eq!(refused(json!({ section: { field: most + 1 } })), path);
        if let Some(less) = least.checked_sub(1) {
            assert_eq!(refused(json!({ section: { field: less } })), path);
        }
    }
}

#[test]
fn rules_of_redaction_are_bounded_in_number_and_length() {
    let rule = |kind: &str, pattern: &str| json!({ "kind": kind, "pattern": pattern });
    let (kind, pattern) =
        ("k".repeat(limits::REDACTION_KIND_CHARS_MAX), "p".repeat(limits::REDACTION_PATTERN_CHARS_MAX));
    let adding = |rules: Vec<Value>| refused(json!({ "redaction": { "add": rules } }));
    let muting = |kinds: Vec<&str>| refused(json!({ "redaction": { "mute": kinds } }));
    let field = |name: &str| Some(format!("redaction.{name}"));
    assert_eq!(adding(vec![rule(&kind, &pattern); limits::REDACTION_RULES_MAX]), None);
    assert_eq!(adding(vec![rule("k", "p"); limits::REDACTION_RULES_MAX + 1]), field("add"));
    assert_eq!(muting(vec!["k"; limits::REDACTION_MUTED_MAX]), None);
    assert_eq!(muting(vec!["k"; limits::REDACTION_MUTED_MAX + 1]), field("mute"));
    for bad in ["", "Key", "a b", "ä", "a_b", &format!("{kind}k")] {
        assert_eq!(adding(vec![rule("k", "p"), rule(bad, "p")]), field("add[1].kind"), "{bad}");
        assert_eq!(muting(vec!["k", bad]), field("mute[1]"), "{bad}");
    }
    for bad in ["", " ", "a\nb", &format!("{pattern}p")] {
        assert_eq!(adding(vec![rule("k", bad)]), field("add[0].pattern"), "{bad}");
    }
}

#[test]
fn the_names_of_models_and_rerankers_are_bounded() {
    let long = "x".repeat(limits::NAME_CHARS_MAX + 1);
    for name in ["", "A", "a b", "https://rank.example", &long] {
        assert_eq!(refused(json!({ "reranker": name })), Some("reranker".into()), "{name}");
        let summariser = json!({ "summariser": { "provider": name } });
        assert_eq!(refused(summariser), Some("summariser.provider".into()), "{name}");
    }
    for model in ["", "a\nb", &"m".repeat(limits::MODEL_CHARS_MAX + 1)] {
        let summariser = json!({ "summariser": { "provider": "fast", "model": model } });
        assert_eq!(refused(summariser), Some("summariser.model".into()), "{model}");
    }
    assert_eq!(refused(json!({ "reranker": "rank-1", "summariser": { "provider": "fast", "model": "m" } })), None);
}

#[test]
fn what_an_agent_says_is_bounded_alike() {
    let refused = |value: Value| {
        let rules: AgentContext = serde_json::from_value(value).expect("known fields");
        rules.check().err().and_then(|refusal| refusal.field)
    };
    let cases = [
        (json!({ "injection_tokens_max": 63 }), "injection_tokens_max"),
        (json!({ "injection_tokens_max": 100_001 }), "injection_tokens_max"),
        (json!({ "pack_tokens_max": 63 }), "pack_tokens_max"),
        (json!({ "pack_tokens_max": 1_000_001 }), "pack_tokens_max"),
        (json!({ "weights": { "words": 1_001 } }), "weights.words"),
        (json!({ "quotas": { "sender_percent": 0 } }), "quotas.sender_percent"),
        (json!({ "model": "" }), "model"),
        (json!({ "model": "a\nb" }), "model"),
    ];
    for (value, field) in cases {
        assert_eq!(refused(value).as_deref(), Some(field));
    }
    let most = json!({ "injection_tokens_max": 100_000, "pack_tokens_max": 1_000_000, "model": "gpt-4o" });
    assert_eq!(refused(most), None);
    assert_eq!(refused(json!({ "injection_tokens_max": 64, "pack_tokens_max": 64 })), None);
}

#[test]
fn an_unknown_field_is_refused() {
    for value in [json!({ "weight": {} }), json!({ "weights": { "length": 1 } }), json!({ "redaction": { "all": 1 } })]
    {
        assert!(serde_json::from_value::<ContextRules>(value.clone()).is_err(), "{value}");
        assert!(serde_json::from_value::<AgentContext>(value.clone()).is_err(), "{value}");
    }
}

#[test]
fn rules_come_back_as_they_were_written() {
    let written = json!({
        "weights": { "recency": 0 },
        "quotas": { "foreign_percent": 5 },
        "redaction": { "personal": false, "add": [{ "kind": "badge", "pattern": "B-\\d+" }], "mute": ["mail"] },
        "summariser": { "provider": "fast" },
        "reranker": "rank"
    });
    let rules = rules(written);
    let json = serde_json::to_string(&rules).expect("plain data");
    assert_eq!(serde_json::from_str::<ContextRules>(&json).expect("rules"), rules);
    let agent = AgentContext { pack_tokens_max: Some(900), weights: Some(rules.weights), ..AgentContext::default() };
    let json = serde_json::to_string(&agent).expect("plain data");
    assert_eq!(serde_json::from_str::<AgentContext>(&json).expect("rules"), agent);
    assert_eq!(serde_json::to_value(AgentContext::default()).expect("plain data"), json!({}));
}
