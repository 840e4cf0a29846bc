//! Context rules: the settings of the context engine for a project and for an agent.

use serde::{Deserialize, Serialize};

use crate::{Refusal, engine::Engine, limits, text};

/// The rules of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ContextRules {
    /// The weights of the relevance signals.
    pub weights: Weights,
    /// The shares of a pack that one source may use.
    pub quotas: Quotas,
    /// The redaction rules.
    pub redaction: RedactionRules,
    /// The model that writes summaries; without one, summaries are verbatim lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summariser: Option<Engine>,
    /// The name of the reranker that the operator configured; without one, the hub's own ranking is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9-]+$"))]
    pub reranker: Option<String>,
}

/// The rules of an agent; absent values are those of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AgentContext {
    /// Tokens of messages injected into a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 100_000))]
    pub injection_tokens_max: Option<u64>,
    /// Tokens of a whole pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub pack_tokens_max: Option<u64>,
    /// Tokens of the conversation in a message list beside the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub history_tokens_max: Option<u64>,
    /// The weights of the relevance signals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// The shares of a pack that one source may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotas: Option<Quotas>,
    /// The model whose tokenizer counts the tokens, for an agent without an engine of the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub model: Option<String>,
}

/// The weights of the relevance signals, in percent of their default; 0 disables a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// Words in common with the query.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub words: u64,
    /// Words of the neighbours in the conversation.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub neighbours: u64,
    /// The sender is named in the query.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub sender: u64,
    /// It belongs to the task.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub task: u64,
    /// It is near in the project graph.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub graph: u64,
    /// It has high or critical importance, or mentions the agent.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub importance: u64,
    /// It is recent, by its number in the conversation.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub recency: u64,
}

/// The shares of a pack that one source may use, in percent. Mandatory items are not limited by them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Quotas {
    /// One sender.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub sender_percent: u64,
    /// One conversation other than the one in which the agent answers.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub thread_percent: u64,
    /// All agents, applets, schedules and tools together.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub machine_percent: u64,
    /// All imported messages together.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub foreign_percent: u64,
}

/// The redaction rules of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RedactionRules {
    /// Whether personal data is redacted too: card, account and phone numbers, addresses.
    pub personal: bool,
    /// Rules of the project, in addition to those of the hub.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 50))]
    pub add: Vec<RedactionRule>,
    /// Kinds of rules of the hub that are disabled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 100))]
    pub mute: Vec<String>,
}

/// A redaction rule of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RedactionRule {
    /// The kind in the marks, such as `badge-number`.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 40, pattern = "^[a-z0-9-]+$"))]
    pub kind: String,
    /// A regular expression. Its first group is redacted, or the whole match without a group.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 500))]
    pub pattern: String,
}

impl Default for Weights {
    fn default() -> Self {
        Self { words: 100, neighbours: 100, sender: 100, task: 100, graph: 100, importance: 100, recency: 100 }
    }
}

impl Default for Quotas {
    fn default() -> Self {
        Self { sender_percent: 60, thread_percent: 60, machine_percent: 80, foreign_percent: 40 }
    }
}

impl Default for RedactionRules {
    fn default() -> Self {
        Self { personal: true, add: Vec::new(), mute: Vec::new() }
    }
}

impl ContextRules {
    /// Refuses rules with a value out of range. The engine checks patterns; the hub checks that the provider and the
    /// reranker exist.
    pub fn check(&self) -> Result<(), Refusal> {
        self.weights.check().map_err(|refusal| refusal.at("weights"))?;
        self.quotas.check().map_err(|refusal| refusal.at("quotas"))?;
        self.redaction.check().map_err(|refusal| refusal.at("redaction"))?;
        if let Some(summariser) = &self.summariser {
            check_engine(summariser).map_err(|refusal| refusal.at("summariser"))?;
        }
        let Some(reranker) = &self.reranker else { return Ok(()) };
        check_kind(reranker, limits::NAME_CHARS_MAX).map_err(|refusal| refusal.at("reranker"))
    }
}

impl AgentContext {
    /// Refuses rules with a value out of range.
    pub fn check(&self) -> Result<(), Refusal> {
        let budgets = [
            ("injection_tokens_max", self.injection_tokens_max, 100_000),
            ("pack_tokens_max", self.pack_tokens_max, 1_000_000),
            ("history_tokens_max", self.history_tokens_max, 1_000_000),
        ];
        for (field, value, most) in budgets {
            check_range(field, value.unwrap_or(64), 64, most)?;
        }
        if let Some(weights) = &self.weights {
            weights.check().map_err(|refusal| refusal.at("weights"))?;
        }
        if let Some(quotas) = &self.quotas {
            quotas.check().map_err(|refusal| refusal.at("quotas"))?;
        }
        check_model(self.model.as_deref())
    }
}

impl Weights {
    fn check(&self) -> Result<(), Refusal> {
        let rows = [
            ("words", self.words),
            ("neighbours", self.neighbours),
            ("sender", self.sender),
            ("task", self.task),
            ("graph", self.graph),
            ("importance", self.importance),
            ("recency", self.recency),
        ];
        rows.into_iter().try_for_each(|(field, value)| check_range(field, value, 0, 1_000))
    }
}

impl Quotas {
    fn check(&self) -> Result<(), Refusal> {
        let rows = [
            ("sender_percent", self.sender_percent),
            ("thread_percent", self.thread_percent),
            ("machine_percent", self.machine_percent),
            ("foreign_percent", self.foreign_percent),
        ];
        rows.into_iter().try_for_each(|(field, value)| check_range(field, value, 1, 100))
    }
}

impl RedactionRules {
    fn check(&self) -> Result<(), Refusal> {
        if self.add.len() > limits::REDACTION_RULES_MAX {
            let detail = format!("at most {} rules can be added", limits::REDACTION_RULES_MAX);
            return Err(Refusal::out_of_bounds(detail).at("add"));
        }
        if self.mute.len() > limits::REDACTION_MUTED_MAX {
            let detail = format!("at most {} rules can be muted", limits::REDACTION_MUTED_MAX);
            return Err(Refusal::out_of_bounds(detail).at("mute"));
        }
        for (index, rule) in self.add.iter().enumerate() {
            check_kind(&rule.kind, limits::REDACTION_KIND_CHARS_MAX)
                .map_err(|refusal| refusal.at(&format!("add[{index}].kind")))?;
            text::check_not_blank(&rule.pattern)
                .and_then(|()| text::check_line(&rule.pattern, limits::REDACTION_PATTERN_CHARS_MAX))
                .map_err(|refusal| refusal.at(&format!("add[{index}].pattern")))?;
        }
        for (index, kind) in self.mute.iter().enumerate() {
            check_kind(kind, limits::REDACTION_KIND_CHARS_MAX)
                .map_err(|refusal| refusal.at(&format!("mute[{index}]")))?;
        }
        Ok(())
    }
}

fn check_range(field: &str, value: u64, least: u64, most: u64) -> Result<(), Refusal> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("{field} is {value}; the range is {least} to {most}")).at(field))
}

fn check_engine(engine: &Engine) -> Result<(), Refusal> {
    check_kind(&engine.provider, limits::NAME_CHARS_MAX).map_err(|refusal| refusal.at("provider"))?;
    check_model(engine.model.as_deref())
}

fn check_model(model: Option<&str>) -> Result<(), Refusal> {
    let Some(model) = model else { return Ok(()) };
    text::check_not_blank(model)
        .and_then(|()| text::check_line(model, limits::MODEL_CHARS_MAX))
        .map_err(|refusal| refusal.at("model"))
}

fn check_kind(kind: &str, chars_max: usize) -> Result<(), Refusal> {
    let is_kind = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !kind.is_empty() && kind.len() <= chars_max && kind.bytes().all(is_kind) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("the value must have 1 to {chars_max} lower-case letters, digits and dashes")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The rules of a project with these values.
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
    fn absent_rules_have_their_default() {
        let rules = rules(json!({ "weights": { "words": 0 }, "redaction": { "personal": false } }));
        assert_eq!(rules.weights, Weights { words: 0, ..Weights::default() });
        assert_eq!(rules.redaction, RedactionRules { personal: false, ..RedactionRules::default() });
        assert_eq!((rules.quotas, rules.reranker), (Quotas::default(), None));
    }

    #[test]
    fn every_weight_and_quota_has_a_limit() {
        let weights = ["words", "neighbours", "sender", "task", "graph", "importance", "recency"];
        let quotas = ["sender_percent", "thread_percent", "machine_percent", "foreign_percent"];
        let weights = weights.map(|field| ("weights", field, 0, 1_000));
        for (section, field, least, most) in
            weights.into_iter().chain(quotas.map(|field| ("quotas", field, 1_u64, 100)))
        {
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
    fn redaction_rules_have_limits_on_number_and_length() {
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
    fn names_of_models_and_rerankers_have_a_length_limit() {
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
    fn the_rules_of_an_agent_have_the_same_limits() {
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
        for value in
            [json!({ "weight": {} }), json!({ "weights": { "length": 1 } }), json!({ "redaction": { "all": 1 } })]
        {
            assert!(serde_json::from_value::<ContextRules>(value.clone()).is_err(), "{value}");
            assert!(serde_json::from_value::<AgentContext>(value.clone()).is_err(), "{value}");
        }
    }

    #[test]
    fn rules_survive_a_json_round_trip() {
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
        let agent =
            AgentContext { pack_tokens_max: Some(900), weights: Some(rules.weights), ..AgentContext::default() };
        let json = serde_json::to_string(&agent).expect("plain data");
        assert_eq!(serde_json::from_str::<AgentContext>(&json).expect("rules"), agent);
        assert_eq!(serde_json::to_value(AgentContext::default()).expect("plain data"), json!({}));
    }
}
