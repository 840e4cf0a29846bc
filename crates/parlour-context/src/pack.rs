//! A pack: all steps, one after the other.

use std::sync::LazyLock;

use parlour_core::{
    context::{ContextFormat, ContextRules, Receipt},
    id::AgentId,
    policy::Budgets,
};

use self::desk::Desk;
use crate::{candidate::Candidate, frame, rank::RankQuery, tokens::Tokenizer};

mod cards;
mod choose;
mod decisions;
mod desk;
mod fill;
mod groups;
mod handles;
mod kept;
mod layout;
mod receipt;
mod renewal;
mod senders;
mod sheet;
mod text;
mod writer;

pub use desk::sort;

/// What a pack is made of.
pub struct PackOptions<'a> {
    /// The agent that will read it, and its name.
    pub reader: (&'a AgentId, &'a str),
    /// In which form; lists and the last 20 are chosen like a pack.
    pub format: ContextFormat,
    /// Tokens that it may cost.
    pub budget: u64,
    /// How they are counted.
    pub tokenizer: &'a Tokenizer,
    /// What is asked.
    pub query: &'a RankQuery,
    /// What may be shown, in any order.
    pub candidates: &'a [Candidate],
    /// What a reranker said of some of them.
    pub reranked: &'a [(usize, f32)],
    /// Weights and quotas.
    pub rules: &'a ContextRules,
    /// The day, such as `2026-11-16`: the marks change with it.
    pub day: &'a str,
    /// Notices of the moment.
    pub notices: &'a [String],
    /// What a command begins with that acts as the agent, where it has no tools.
    pub command: Option<&'a str>,
    /// The receipt of the pack before this one, for the same reader, day and conversation: as much of its beginning as
    /// does no harm stays as it was, so that the cache of a provider holds. What in it is no candidate is not looked at.
    pub previous: Option<&'a Receipt>,
}

/// The rules of a request that names none.
static USUAL_RULES: LazyLock<ContextRules> = LazyLock::new(ContextRules::default);

impl<'a> PackOptions<'a> {
    /// A pack of the usual size for this reader on this day, by the usual rules: what is asked, and what may be shown.
    pub fn new(
        reader: (&'a AgentId, &'a str),
        day: &'a str,
        tokenizer: &'a Tokenizer,
        query: &'a RankQuery,
        candidates: &'a [Candidate],
    ) -> Self {
        Self {
            reader,
            format: ContextFormat::Pack,
            budget: Budgets::default().pack_tokens_max,
            tokenizer,
            query,
            candidates,
            reranked: &[],
            rules: &USUAL_RULES,
            day,
            notices: &[],
            command: None,
            previous: None,
        }
    }
}

/// A pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltPack {
    /// The text.
    pub text: String,
    /// What is in it, and what is not.
    pub receipt: Receipt,
    /// What is shown, in the order of the text: which candidate, with its text as it is shown.
    pub shown: Vec<(usize, String)>,
    /// Whether it goes on after the pack before: otherwise that one has become stale, or there was none.
    pub extends_previous: bool,
}

/// The budget is smaller than the frame together with what must be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a budget of {budget} is too small here: at least {needed} are needed")]
pub struct BudgetTooSmall {
    /// Tokens of the request.
    pub budget: u64,
    /// Tokens that are needed at least.
    pub needed: u64,
}

/// Makes a pack. It never costs more than its budget.
pub fn build(request: &PackOptions<'_>) -> Result<BuiltPack, BudgetTooSmall> {
    let (candidates, origins) = desk::sorted(request);
    let mut desk = Desk::new(request, &candidates, &origins);
    choose::spare(&mut desk, request.budget);
    let mut ceiling = request.budget;
    loop {
        let choice = choose::choose(&desk, ceiling)?;
        let text = frame::render(&choice.sheet.framed());
        let used = request.tokenizer.count(&text);
        if used <= request.budget {
            return Ok(receipt::made(&desk, &choice, text, used));
        }
        // The parts of a text can cost less than the whole by tables that join over the ends of lines.
        let over = used - request.budget;
        ceiling = ceiling
            .min(choice.sheet.total)
            .checked_sub(over)
            .ok_or(BudgetTooSmall { budget: request.budget, needed: used })?;
    }
}
