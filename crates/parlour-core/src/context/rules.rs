//! The rules of the context engine: what a project, and an agent, may say about what models see.

use serde::{Deserialize, Serialize};

use crate::{Refusal, engine::Engine, limits, text};

/// The rules of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ContextRules {
    /// How much each sign of importance counts.
    pub weights: Weights,
    /// How much of a pack one source may fill.
    pub quotas: Quotas,
    /// What is taken out before a model sees it.
    pub redaction: RedactionRules,
    /// The model that writes summaries; without one they are made of verbatim lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summariser: Option<Engine>,
    /// The reranker that the operator has set up under this name; without one the hub ranks by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9-]+$"))]
    pub reranker: Option<String>,
}

/// What an agent says differently from its project; what is absent is as there.
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
    /// Tokens of the conversation itself, where a model is given it as a list beside the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub history_tokens_max: Option<u64>,
    /// How much each sign of importance counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// How much of a pack one source may fill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotas: Option<Quotas>,
    /// The model whose way of counting tokens is used, where the agent has no engine of the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub model: Option<String>,
}

/// How much each sign of importance counts, in percent of its usual weight; 0 switches it off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// Words in common with what is asked.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub words: u64,
    /// Words of the neighbours in the conversation.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub neighbours: u64,
    /// The sender is named in what is asked.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub sender: u64,
    /// It belongs to the task.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub task: u64,
    /// It is near in the project graph.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub graph: u64,
    /// It is high or critical, or mentions the agent.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub importance: u64,
    /// It is new, by its number in the conversation.
    #[cfg_attr(feature = "schema", schema(maximum = 1_000))]
    pub recency: u64,
}

/// How much of a pack one source may fill, in percent. What must be shown is not held back by them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Quotas {
    /// One sender.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub sender_percent: u64,
    /// One conversation other than the one in which the agent is to answer.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub thread_percent: u64,
    /// All agents, applets, schedules and tools together: what no person wrote.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub machine_percent: u64,
    /// Everything that was taken over from another system.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub foreign_percent: u64,
}

/// What is taken out before a model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RedactionRules {
    /// Whether personal data is taken out too: cards, accounts, addresses, numbers.
    pub personal: bool,
    /// Rules of the project, besides those of the hub.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 50))]
    pub add: Vec<RedactionRule>,
    /// Rules of the hub that do not count here, by their kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 100))]
    pub mute: Vec<String>,
}

/// A rule of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RedactionRule {
    /// What stands in the marks, such as `badge-number`.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 40, pattern = "^[a-z0-9-]+$"))]
    pub kind: String,
    /// A regular expression; its first group is taken out, or all of it where it has none.
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
    /// Refuses rules with a value out of bounds. Whether a pattern can be read is the engine's to say, and whether there
    /// is such a provider or reranker, the hub's.
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
    /// Refuses rules with a value out of bounds.
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
    Err(Refusal::out_of_bounds(format!("{field} is {value}; it may be {least} to {most}")).at(field))
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
    Err(Refusal::invalid(format!("1 to {chars_max} lower-case letters, digits and dashes are taken here")))
}

#[cfg(test)]
mod tests;
