//! The rules in force for an agent: what its project says, and what it says differently itself.

use std::sync::Arc;

use parlour_context::{redact::BadRule, tokens::Tokenizer};
use parlour_core::{
    Code, Refusal,
    context::{AgentContext, AskContext, ContextFormat, ContextRules},
    engine::BUILT_IN,
    member::Agent,
    policy::Policy,
};

use crate::{Failure, Fault, Hub};

/// The rules in force for one pack.
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
}

impl Rules {
    /// The rules for an agent, when a surface writes this many tokens around text and list.
    pub(crate) fn of(policy: &Policy, agent: &Agent, ask: &AskContext, around: u64) -> Self {
        let own = agent.context.clone().unwrap_or_default();
        let (ceiling, list_share) = budgets(policy, &own, ask);
        let budget = ceiling.saturating_sub(around);
        let list_budget = budget * list_share / ceiling.max(1);
        let mut context = policy.context.clone();
        context.weights = own.weights.unwrap_or(context.weights);
        context.quotas = own.quotas.unwrap_or(context.quotas);
        let engine = agent.engine.as_ref().and_then(|engine| engine.model.as_deref());
        let model = ask.model.as_deref().or(own.model.as_deref()).or(engine).unwrap_or_default();
        // Providers report the tokens of a whole request, tools and instructions of the agent included, which the hub
        // does not know: nothing of that can be compared with a pack, so nothing is tightened here.
        Self { context, tokenizer: Tokenizer::for_model(model), ceiling, around, budget, list_budget }
    }

    /// Refuses a budget that is too small, and says what is needed at least.
    pub(crate) fn refuse(&self, needed: u64) -> Refusal {
        let detail = format!("{} tokens are too few here: {needed} are needed at least", self.ceiling);
        Refusal::new(Code::BudgetTooSmall, detail).at("budget").proposing(vec![needed.to_string()])
    }
}

/// The budget of all, and that of the list. What was asked for is divided as the rules would divide theirs.
fn budgets(policy: &Policy, own: &AgentContext, ask: &AskContext) -> (u64, u64) {
    let pack = own.pack_tokens_max.unwrap_or(policy.budgets.pack_tokens_max);
    let history = own.history_tokens_max.unwrap_or(policy.budgets.history_tokens_max);
    let injection = own.injection_tokens_max.unwrap_or(policy.budgets.injection_tokens_max);
    match ask.format {
        ContextFormat::Injection => (ask.budget.unwrap_or(injection), 0),
        ContextFormat::Last20 => {
            let budget = ask.budget.unwrap_or(history);
            (budget, budget)
        }
        format if format.is_list() => {
            let budget = ask.budget.unwrap_or(pack + history);
            // A small budget would leave no pack: it gets its usual tokens, but never more than half.
            let share = budget * history / (pack + history).max(1);
            (budget, share.min(budget - pack.min(budget / 2)))
        }
        _ => (ask.budget.unwrap_or(pack), 0),
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
                // It says `engine.…`; here it is the summariser.
                Err(mut refusal) => {
                    refusal.field = refusal.field.map(|field| field.trim_start_matches("engine.").to_owned());
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
        made.map_err(|bad| refuse_rule(bad, rules).at("redaction").into())
    }
}

fn refuse_rule(bad: BadRule, rules: &ContextRules) -> Refusal {
    let field = match bad.index {
        Some(index) => format!("add[{index}].pattern"),
        None => {
            let known = rules.redaction.mute.iter().position(|kind| bad.why.contains(kind.as_str()));
            known.map_or_else(|| "mute".to_owned(), |index| format!("mute[{index}]"))
        }
    };
    Refusal::invalid(bad.why).at(&field)
}
