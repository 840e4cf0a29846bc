//! The effective context rules of an agent: those of its project, overridden by its own, and the token budgets of a pack.

use parlour_context::tokens::Tokenizer;
use parlour_core::{
    Code, Refusal,
    context::{AgentContext, ContextFormat, ContextRequest, ContextRules},
    engine::BUILT_IN,
    member::Agent,
    policy::Policy,
};
use parlour_redact::{InvalidRule, RuleList};

use super::{ContextService, PackCaches};
use crate::Failure;

/// The effective rules for one pack.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) context: ContextRules,
    pub(crate) tokenizer: Tokenizer,
    /// Token limit of the whole prompt, including what the surface writes around text and list.
    pub(crate) ceiling: u64,
    /// Tokens that the surface writes around text and list.
    pub(crate) around: u64,
    /// `ceiling` minus `around`.
    pub(crate) budget: u64,
    /// The part of `budget` for the list; 0 for formats without a list.
    pub(crate) list_budget: u64,
    split: BudgetSplit,
}

/// How a budget is split between text and list.
#[derive(Clone, Copy)]
struct BudgetSplit {
    format: ContextFormat,
    /// Default budget of the text.
    pack: u64,
    /// Default budget of the list.
    history: u64,
}

impl Rules {
    /// The rules for an agent, with the tokenizer corrected by its reported usage.
    pub(crate) fn of(policy: &Policy, agent: &Agent, request: &ContextRequest, caches: &PackCaches) -> Self {
        let own = agent.context.clone().unwrap_or_default();
        let (ceiling, split) = budgets(policy, &own, request);
        let mut context = policy.context.clone();
        context.weights = own.weights.unwrap_or(context.weights);
        context.quotas = own.quotas.unwrap_or(context.quotas);
        let engine = agent.engine.as_ref().and_then(|engine| engine.model.as_deref());
        let model = request.model.as_deref().or(own.model.as_deref()).or(engine).unwrap_or_default();
        let tokenizer = caches.tokenizer(&agent.id, model);
        Self { context, tokenizer, ceiling: 0, around: 0, budget: 0, list_budget: 0, split }.within(ceiling, 0)
    }

    /// The same rules with another ceiling, of which the surface uses `around` tokens.
    #[must_use]
    pub(crate) fn within(self, ceiling: u64, around: u64) -> Self {
        let budget = ceiling.saturating_sub(around);
        let list_budget = budget * self.split.list_share(ceiling) / ceiling.max(1);
        Self { ceiling, around, budget, list_budget, ..self }
    }

    /// The smallest ceiling at which the text has this many tokens.
    pub(crate) fn ceiling_for(&self, text: u64) -> u64 {
        let share = self.budget - self.list_budget;
        let all = if share == 0 { text } else { text.saturating_mul(self.budget).div_ceil(share) };
        all.saturating_add(self.around)
    }

    /// The refusal for a budget that is too small; it proposes the needed number of tokens.
    pub(crate) fn refuse(&self, needed: u64) -> Refusal {
        let tokens = if self.ceiling == 1 { "1 token is".to_owned() } else { format!("{} tokens are", self.ceiling) };
        let detail = format!("{tokens} too few here: at least {needed} are needed");
        Refusal::new(Code::BudgetTooSmall, detail).at("budget").proposing(vec![needed.to_string()])
    }
}

fn budgets(policy: &Policy, own: &AgentContext, request: &ContextRequest) -> (u64, BudgetSplit) {
    let pack = own.pack_tokens_max.unwrap_or(policy.budgets.pack_tokens_max);
    let history = own.history_tokens_max.unwrap_or(policy.budgets.history_tokens_max);
    let injection = own.injection_tokens_max.unwrap_or(policy.budgets.injection_tokens_max);
    let usual = match request.format {
        ContextFormat::Injection => injection,
        ContextFormat::Last20 => history,
        format if format.is_list() => pack + history,
        _ => pack,
    };
    (request.budget.unwrap_or(usual), BudgetSplit { format: request.format, pack, history })
}

impl BudgetSplit {
    /// The list's part of a budget, in the proportion of the default budgets.
    fn list_share(self, budget: u64) -> u64 {
        match self.format {
            ContextFormat::Last20 => budget,
            format if format.is_list() => {
                let share = budget * self.history / (self.pack + self.history).max(1);
                // The text keeps its default budget, but never more than half.
                share.min(budget - self.pack.min(budget / 2))
            }
            _ => 0,
        }
    }
}

impl ContextService {
    /// Refuses project rules with invalid patterns, or with a model or reranker that the hub does not have.
    pub(crate) async fn check_rules(&self, rules: &ContextRules) -> Result<(), Failure> {
        if let Some(engine) = &rules.summariser {
            let is_none = engine.provider.is_empty() || engine.provider == BUILT_IN;
            let refusal = match engine.check(&self.engines) {
                Ok(()) if is_none => Refusal::invalid("name a provider whose model can write summaries").at("provider"),
                Ok(()) => return self.check_other_rules(rules).await,
                // The field starts with `engine.`; the built-in engine cannot write summaries.
                Err(mut refusal) => {
                    refusal.field = refusal.field.map(|field| field.trim_start_matches("engine.").to_owned());
                    refusal.candidates.retain(|provider| provider != BUILT_IN);
                    refusal
                }
            };
            return Err(refusal.at("summariser").into());
        }
        self.check_other_rules(rules).await
    }

    async fn check_other_rules(&self, rules: &ContextRules) -> Result<(), Failure> {
        if let Some(name) = &rules.reranker {
            let names = self.reranker.names();
            if !names.contains(name) {
                let detail = format!("there is no reranker {name:?} on this hub; its operator sets rerankers up");
                return Err(Refusal::out_of_bounds(detail).at("reranker").proposing(names).into());
            }
        }
        let redaction = rules.redaction.clone();
        let compiled = self.run_blocking(move |caches| caches.redactor(&redaction).map(drop)).await?;
        compiled.map_err(|invalid| refuse_rule(invalid).at("redaction").into())
    }
}

fn refuse_rule(invalid: InvalidRule) -> Refusal {
    let InvalidRule { list, index, reason } = invalid;
    let field = match list {
        RuleList::Custom => format!("add[{index}].pattern"),
        RuleList::Mute => format!("mute[{index}]"),
    };
    Refusal::invalid(reason).at(&field)
}
