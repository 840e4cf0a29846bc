//! The rules in force for an agent: what its project says, and what it says differently itself.

use std::sync::Arc;

use parlour_context::tokens::Tokenizer;
use parlour_core::{
    Code, Refusal,
    context::{AgentContext, ContextFormat, ContextRequest, ContextRules},
    engine::BUILT_IN,
    member::Agent,
    policy::Policy,
};
use parlour_redact::{InvalidRule, RuleList};

use super::Workshop;
use crate::{Failure, Fault, Hub};

/// The rules in force for one pack.
#[derive(Clone)]
pub(crate) struct Rules {
    /// Weights, quotas, redaction, summaries, reranking.
    pub(crate) context: ContextRules,
    /// How tokens are counted.
    pub(crate) tokenizer: Tokenizer,
    /// Tokens that everything may cost, what a surface writes around text and list included.
    pub(crate) ceiling: u64,
    /// Those of them that a surface writes around text and list.
    pub(crate) around: u64,
    /// Those of them that are left for text and list together.
    pub(crate) budget: u64,
    /// Those of them that are for the list, where there is one.
    pub(crate) list_budget: u64,
    division: Division,
}

/// How a budget is divided between text and list.
#[derive(Clone, Copy)]
struct Division {
    format: ContextFormat,
    /// The usual budget of the text.
    pack: u64,
    /// The usual budget of the list.
    history: u64,
}

impl Rules {
    /// The rules for an agent, with what was learned from its usage about the model that will read.
    pub(crate) fn of(policy: &Policy, agent: &Agent, ask: &ContextRequest, workshop: &Workshop) -> Self {
        let own = agent.context.clone().unwrap_or_default();
        let (ceiling, division) = budgets(policy, &own, ask);
        let mut context = policy.context.clone();
        context.weights = own.weights.unwrap_or(context.weights);
        context.quotas = own.quotas.unwrap_or(context.quotas);
        let engine = agent.engine.as_ref().and_then(|engine| engine.model.as_deref());
        let model = ask.model.as_deref().or(own.model.as_deref()).or(engine).unwrap_or_default();
        let tokenizer = workshop.tokenizer(&agent.id, model);
        Self { context, tokenizer, ceiling: 0, around: 0, budget: 0, list_budget: 0, division }.within(ceiling, 0)
    }

    /// The same rules within another ceiling, when a surface writes this many tokens around text and list.
    #[must_use]
    pub(crate) fn within(self, ceiling: u64, around: u64) -> Self {
        let budget = ceiling.saturating_sub(around);
        let list_budget = budget * self.division.list_share(ceiling) / ceiling.max(1);
        Self { ceiling, around, budget, list_budget, ..self }
    }

    /// The ceiling at which the text alone has this many tokens, when so many are written around it; at least.
    pub(crate) fn ceiling_for(&self, text: u64) -> u64 {
        let share = self.budget - self.list_budget;
        let all = if share == 0 { text } else { text.saturating_mul(self.budget).div_ceil(share) };
        all.saturating_add(self.around)
    }

    /// Refuses a budget that is too small, and says what is needed at least.
    pub(crate) fn refuse(&self, needed: u64) -> Refusal {
        let tokens = if self.ceiling == 1 { "1 token is".to_owned() } else { format!("{} tokens are", self.ceiling) };
        let detail = format!("{tokens} too few here: at least {needed} are needed");
        Refusal::new(Code::BudgetTooSmall, detail).at("budget").proposing(vec![needed.to_string()])
    }
}

/// The budget of all, and how it is divided.
fn budgets(policy: &Policy, own: &AgentContext, ask: &ContextRequest) -> (u64, Division) {
    let pack = own.pack_tokens_max.unwrap_or(policy.budgets.pack_tokens_max);
    let history = own.history_tokens_max.unwrap_or(policy.budgets.history_tokens_max);
    let injection = own.injection_tokens_max.unwrap_or(policy.budgets.injection_tokens_max);
    let usual = match ask.format {
        ContextFormat::Injection => injection,
        ContextFormat::Last20 => history,
        format if format.is_list() => pack + history,
        _ => pack,
    };
    (ask.budget.unwrap_or(usual), Division { format: ask.format, pack, history })
}

impl Division {
    /// What of a budget is for the list. What was asked for is divided as the rules would divide theirs.
    fn list_share(self, budget: u64) -> u64 {
        match self.format {
            ContextFormat::Last20 => budget,
            format if format.is_list() => {
                let share = budget * self.history / (self.pack + self.history).max(1);
                // A small budget would leave no pack: it gets its usual tokens, but never more than half.
                share.min(budget - self.pack.min(budget / 2))
            }
            _ => 0,
        }
    }
}

impl Hub {
    /// Refuses rules of a project that cannot be used: patterns that cannot be read, kinds and models that there are not.
    pub(crate) async fn check_context_rules(&self, rules: &ContextRules) -> Result<(), Failure> {
        if let Some(engine) = &rules.summariser {
            let is_none = engine.provider.is_empty() || engine.provider == BUILT_IN;
            let refusal = match engine.check(&self.engines) {
                Ok(()) if is_none => Refusal::invalid("name a provider whose model can write summaries").at("provider"),
                Ok(()) => return self.check_other_rules(rules).await,
                // It says `engine.…`; here it is the summariser, which the built-in program cannot be.
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
        let (workshop, redaction) = (Arc::clone(&self.workshop), rules.redaction.clone());
        let made = tokio::task::spawn_blocking(move || workshop.redactor(&redaction).map(drop)).await;
        let made = made.map_err(|error| Fault::new("read rules of redaction", error))?;
        made.map_err(|invalid| refuse_rule(invalid).at("redaction").into())
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
