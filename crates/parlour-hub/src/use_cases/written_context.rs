//! Packs as a surface writes them in the words of a provider, under the same ceiling.

use parlour_context::tokens::Tokenizer;
use parlour_core::{
    Refusal,
    access::Principal,
    context::{AskContext, Pack},
    id::AgentId,
    member::Agent,
    scope::Scope,
};
use serde_json::Value;

use crate::{Failure, Hub, use_cases::MadeContext};

/// Tokens that a provider adds to each piece of a list, at most: where an entry begins and ends, and whose it is.
const PIECE_TOKENS: u64 = 2;
/// Tokens that it adds to a list, at most.
const LIST_TOKENS: u64 = 3;
/// How often a pack is made smaller because of what is written around it.
const TRIES_MAX: usize = 8;

/// A pack as a surface has written it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The text; for lists, that of the system part.
    pub text: String,
    /// The list, in the form of the provider.
    pub request: Option<Value>,
    /// Every text that the model will read, the names of sides included.
    pub pieces: Vec<String>,
}

/// How a surface writes a pack for an agent.
pub type WriteContext<'a> = &'a (dyn Fn(&Agent, &MadeContext) -> Written + Send + Sync);

impl Hub {
    /// What an agent would see now, in the words of a provider: for the agent itself, and for people of its project.
    ///
    /// Everything that is written is counted, and never costs more than the budget: what is chosen makes room for the
    /// agent's instructions and for the words around it.
    pub async fn context_written(
        &self,
        caller: &Principal,
        agent: &AgentId,
        ask: &AskContext,
        write: WriteContext<'_>,
    ) -> Result<Pack, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let (agent, _) = self.see_agent(caller, agent).await?;
        let tokenizer = Tokenizer::for_model(model_of(&agent, ask).unwrap_or_default());
        let mut ask = ask.clone();
        let mut budget = None;
        for _ in 0..TRIES_MAX {
            let made = self.context(caller, &agent.id, &ask).await?;
            let written = write(&agent, &made);
            let ceiling = *budget.get_or_insert(made.pack.receipt.budget);
            let cost = cost(&written, &tokenizer);
            if cost <= ceiling {
                return Ok(finished(made.pack, written, ceiling, cost));
            }
            ask.budget = Some(made.pack.receipt.used.min(made.pack.receipt.budget).saturating_sub(cost - ceiling));
        }
        Err(too_small(budget.unwrap_or_default()).into())
    }
}

/// The model that will read it, as far as it is known.
fn model_of<'a>(agent: &'a Agent, ask: &'a AskContext) -> Option<&'a str> {
    let own = || agent.context.as_ref().and_then(|context| context.model.as_deref());
    let engine = || agent.engine.as_ref().and_then(|engine| engine.model.as_deref());
    ask.model.as_deref().or_else(own).or_else(engine)
}

/// What the model will pay for all of it.
fn cost(written: &Written, tokenizer: &Tokenizer) -> u64 {
    let texts: u64 = written.pieces.iter().map(|piece| tokenizer.count(piece)).sum();
    let signs = written.request.is_some().then(|| written.pieces.len() as u64 * PIECE_TOKENS + LIST_TOKENS);
    texts + signs.unwrap_or_default()
}

/// The pack with what was written, and a receipt that says what all of it costs.
fn finished(mut pack: Pack, written: Written, budget: u64, used: u64) -> Pack {
    let shown: u64 = pack.receipt.items.iter().map(|item| item.tokens).sum();
    pack.text = written.text;
    pack.request = written.request;
    pack.receipt.budget = budget;
    pack.receipt.used = used;
    pack.receipt.frame = used.saturating_sub(shown);
    pack
}

fn too_small(budget: u64) -> Refusal {
    let detail = format!("{budget} tokens are too few for this agent's instructions and what stands around a list");
    Refusal::out_of_bounds(detail).at("budget")
}
