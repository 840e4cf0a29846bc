//! Usage observations: the token usage that a provider reports corrects the estimate of later packs.

use parlour_context::tokens::{Encoding, Tokenizer};
use parlour_core::{delivery::DeliveryPath, engine::Usage, limits, member::Agent, paging::PageRequest, run::Run};

use super::{ContextService, list_text::without_list};
use crate::Failure;

/// Bytes of recorded texts that are counted.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

impl ContextService {
    /// Compares the recorded texts of a run with the usage that its provider reported. The request contained at least
    /// these texts, so their true count is no higher than the report. Failures are logged and do not affect the run.
    pub(crate) async fn observe_usage(&self, run: &Run) {
        if let Err(fault) = self.compare_usage(run).await {
            tracing::warn!(run = run.id.as_str(), error = %fault, "the usage of a run could not be evaluated");
        }
    }

    async fn compare_usage(&self, run: &Run) -> Result<(), Failure> {
        let Some(usage) = run.usage.clone() else { return Ok(()) };
        if Tokenizer::for_model(&usage.model).counting().is_exact || usage.input_tokens == 0 {
            return Ok(());
        }
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let recorded = self.store.injections(&run.id, &page).await?.items;
        let mut bytes = 0;
        let texts: Vec<String> = (recorded.into_iter())
            .filter(|injection| injection.delivered_via == DeliveryPath::Prompt)
            .filter_map(|injection| Some(without_list(&injection.text?, injection.format).to_owned()))
            .take_while(|text| {
                bytes += text.len();
                bytes <= TEXT_BYTES_MAX
            })
            .collect();
        let Some(agent) = self.store.agent(&run.agent_id).await?.filter(|_| !texts.is_empty()) else { return Ok(()) };
        let model = usage.model.clone();
        let counts = self.run_blocking(move |_| TokenCounts::of(&texts, &model)).await?;
        for name in model_names(&usage, &agent) {
            if counts.are_plausible(&usage) {
                self.caches.observe(&agent.id, &name, counts.bound, usage.input_tokens);
            }
        }
        Ok(())
    }
}

/// Two token counts of the same texts.
struct TokenCounts {
    /// By the uncorrected estimate for the model.
    bound: u64,
    /// By the `o200k` table: hardly any model needs fewer tokens.
    table: u64,
}

impl TokenCounts {
    fn of(texts: &[String], model: &str) -> Self {
        let sum = |tokenizer: Tokenizer| texts.iter().map(|text| tokenizer.count(text)).sum();
        Self { bound: sum(Tokenizer::for_model(model)), table: sum(Tokenizer::by(Encoding::O200k)) }
    }

    /// Whether the report can include these texts: a smaller number belongs to another request or is invented.
    fn are_plausible(&self, usage: &Usage) -> bool {
        usage.input_tokens >= self.table
    }
}

/// The model name of the provider, and the configured name if it is a prefix of it: providers append dates.
fn model_names(usage: &Usage, agent: &Agent) -> Vec<String> {
    let of_rules = agent.context.as_ref().and_then(|context| context.model.clone());
    let of_engine = agent.engine.as_ref().and_then(|engine| engine.model.clone());
    let rest = |name: &String| usage.model.strip_prefix(name.as_str()).map(str::to_owned);
    let is_same = |name: &String| rest(name).is_some_and(|rest| rest.starts_with(['-', '@']));
    let mut names = vec![usage.model.clone()];
    names.extend([of_rules, of_engine].into_iter().flatten().filter(is_same));
    names.dedup();
    names
}
