//! What the usage of a run says about how a model counts.

use parlour_context::tokens::{Encoding, Tokenizer};
use parlour_core::{delivery::DeliveryPath, limits, member::Agent, paging::PageRequest, run::Run, usage::Usage};

use super::kept;
use crate::{Failure, Hub};

/// Bytes of what a run was given that are counted again.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

impl Hub {
    /// Compares what a run was given in its prompts with what its provider counted. The request held at least that text,
    /// so the true count is no higher than the report. A fault here is no fault of the run, and is only told to the log.
    pub(crate) async fn learn_usage(&self, run: &Run) {
        if let Err(fault) = self.compare_usage(run).await {
            tracing::warn!(run = run.id.as_str(), error = %fault, "what a run was given could not be compared with its usage");
        }
    }

    async fn compare_usage(&self, run: &Run) -> Result<(), Failure> {
        let Some(usage) = run.usage.clone() else { return Ok(()) };
        if Tokenizer::for_model(&usage.model).counting().is_exact || usage.input_tokens == 0 {
            return Ok(());
        }
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let given = self.store.injections(&run.id, &page).await?.items;
        let mut bytes = 0;
        let texts: Vec<String> = (given.into_iter())
            .filter(|injection| injection.delivered_via == DeliveryPath::Prompt)
            .filter_map(|injection| Some(kept::without_list(&injection.text?, injection.format).to_owned()))
            .take_while(|text| {
                bytes += text.len();
                bytes <= TEXT_BYTES_MAX
            })
            .collect();
        let Some(agent) = self.store.agent(&run.agent_id).await?.filter(|_| !texts.is_empty()) else { return Ok(()) };
        let model = usage.model.clone();
        let counts = self.at_bench(move |_| Counts::of(&texts, &model)).await?;
        for name in names(&usage, &agent) {
            if counts.are_plausible(&usage) {
                self.workshop.observe(&agent.id, &name, counts.bound, usage.input_tokens);
            }
        }
        Ok(())
    }
}

/// What texts cost, counted twice.
struct Counts {
    /// By the plain bound of the model, with nothing learned.
    bound: u64,
    /// By a table with more tokens than most: hardly any model has less for the same text.
    table: u64,
}

impl Counts {
    fn of(texts: &[String], model: &str) -> Self {
        let sum = |tokenizer: Tokenizer| texts.iter().map(|text| tokenizer.count(text)).sum();
        Self { bound: sum(Tokenizer::for_model(model)), table: sum(Tokenizer::by(Encoding::O200k)) }
    }

    /// Whether the report can be about this text: less than the table says was counted for something else, or is made up.
    fn are_plausible(&self, usage: &Usage) -> bool {
        usage.input_tokens >= self.table
    }
}

/// The model as the provider names it, and as the agent's rules name it, if that is the same: providers add dates.
fn names(usage: &Usage, agent: &Agent) -> Vec<String> {
    let of_rules = agent.context.as_ref().and_then(|context| context.model.clone());
    let of_engine = agent.engine.as_ref().and_then(|engine| engine.model.clone());
    let rest = |name: &String| usage.model.strip_prefix(name.as_str()).map(str::to_owned);
    let is_same = |name: &String| rest(name).is_some_and(|rest| rest.starts_with(['-', '@']));
    let mut names = vec![usage.model.clone()];
    names.extend([of_rules, of_engine].into_iter().flatten().filter(is_same));
    names.dedup();
    names
}
