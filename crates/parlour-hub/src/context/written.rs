//! Packs in the format of a provider, as a surface writes them, within the same token limit.

use parlour_context::tokens::Tokenizer;
use parlour_core::{
    access::Principal,
    context::{ContextRequest, Level, Pack, Receipt},
    id::AgentId,
    member::Agent,
};
use serde_json::Value;

use super::{
    BuildError, BuiltContext, ContextService, PackDraft, Rules, empty_receipt,
    requests::{ContextPlan, TRIES_MAX, without_notices},
    with_list,
};
use crate::Failure;

/// The most tokens that a provider adds to each piece of a list, for its role, begin and end.
const PIECE_TOKENS: u64 = 2;
/// The most tokens that it adds to a list.
const LIST_TOKENS: u64 = 3;
/// Below this many tokens a text says nothing.
const TEXT_TOKENS_MIN: u64 = 16;

/// A pack as a surface has written it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenPack {
    /// The text; for lists, the system part and the context before the conversation.
    pub text: String,
    /// The list, in the form of the provider.
    pub request: Option<Value>,
    /// Every text that the model will read, the names of sides included.
    pub pieces: Vec<String>,
}

/// Writes a built pack in the requested format.
pub type ContextWriter<'a> = &'a (dyn Fn(&ContextRequest, &Agent, &BuiltContext) -> WrittenPack + Send + Sync);

impl ContextService {
    /// Builds the pack of an agent in the format of a provider, for the agent itself and for people of its project.
    ///
    /// Everything that is written is counted and stays within the budget, including the agent's instructions and the
    /// provider's format. A pack for a run is recorded as it was written, without the system notices of the request.
    pub(crate) async fn context_written(
        &self,
        caller: &Principal,
        agent: &AgentId,
        request: &ContextRequest,
        write: ContextWriter<'_>,
    ) -> Result<Pack, Failure> {
        let (agent, _) = self.see_reader(caller, agent).await?;
        let request = &self.with_redacted_notices(caller, &agent.id, request).await?;
        let plan = self.plan_context(caller, &agent.id, request).await?;
        let job = WriteJob { request, agent: &agent, write, plan: &plan };
        match self.write_within(&job, plan.builder.rules().ceiling).await {
            Ok((mut draft, written, used)) => {
                let without_notices = without_request_notices(request);
                let text = write(&without_notices, &agent, &without_built_notices(request, &draft.built)).text;
                let text = with_list(text, &draft.built.pack, &draft.built.messages);
                finish(&mut draft.built.pack, written, used);
                Ok(self.record_pack(request, plan, draft, text).await?.pack)
            }
            Err(BuildError::Failed(failure)) => Err(failure),
            Err(BuildError::BudgetTooSmall { needed }) => {
                let needed = self.sufficient_written_ceiling(&job, needed).await?;
                Err(plan.builder.rules().refuse(needed).into())
            }
        }
    }

    /// Writes a pack within this ceiling and returns its cost. When the surface writes more than expected, the pack is
    /// built again with less room.
    async fn write_within(
        &self,
        job: &WriteJob<'_>,
        ceiling: u64,
    ) -> Result<(PackDraft, WrittenPack, u64), BuildError> {
        let builder = &job.plan.builder;
        let tokenizer = builder.rules().tokenizer;
        let empty = empty_context(job.request, job.agent, builder.rules());
        let mut around = cost(&(job.write)(job.request, job.agent, &empty), &tokenizer);
        let mut needed = around + TEXT_TOKENS_MIN;
        for attempt in 0..TRIES_MAX {
            if around + TEXT_TOKENS_MIN > ceiling {
                break;
            }
            let mut draft = builder.clone().within(ceiling, around).build(self).await?;
            if is_without_text(&draft.built) {
                return Err(BuildError::BudgetTooSmall { needed: ceiling + TEXT_TOKENS_MIN });
            }
            if job.request.format.is_list() {
                let rules = builder.rules().clone().within(ceiling, around);
                let messages = std::mem::take(&mut draft.built.messages);
                draft.built.messages = self.append_answer_formats(messages, &job.agent.id, &rules).await?;
            }
            let written = (job.write)(job.request, job.agent, &draft.built);
            let used = cost(&written, &tokenizer);
            if used <= ceiling {
                return Ok((draft, written, used));
            }
            needed = used;
            // A smaller pack fills its room again, so each attempt reserves more than the measured excess.
            around += (used - ceiling) << attempt;
        }
        Err(BuildError::BudgetTooSmall { needed: needed.max(ceiling + 1) })
    }

    /// Searches upwards from `needed` for a ceiling at which the pack can be written.
    async fn sufficient_written_ceiling(&self, job: &WriteJob<'_>, needed: u64) -> Result<u64, Failure> {
        let mut ceiling = needed;
        for _ in 0..TRIES_MAX {
            match self.write_within(job, ceiling).await {
                Ok(_) => break,
                Err(BuildError::Failed(failure)) => return Err(failure),
                Err(BuildError::BudgetTooSmall { needed }) => ceiling = needed.max(ceiling + 1),
            }
        }
        Ok(ceiling)
    }
}

/// Whether messages had to be cut until no text was left.
fn is_without_text(built: &BuiltContext) -> bool {
    let is_empty = built.pack.text.is_empty() && built.messages.iter().all(|message| message.body.is_empty());
    is_empty && built.pack.receipt.items.iter().any(|item| item.level == Some(Level::HeadTail))
}

struct WriteJob<'a> {
    request: &'a ContextRequest,
    agent: &'a Agent,
    write: ContextWriter<'a>,
    plan: &'a ContextPlan,
}

/// A pack without content, to measure what the surface writes around it.
fn empty_context(request: &ContextRequest, agent: &Agent, rules: &Rules) -> BuiltContext {
    let receipt = empty_receipt(rules.ceiling, 0, rules.tokenizer.counting());
    let pack = Pack {
        agent_id: agent.id.clone(),
        format: request.format,
        text: String::new(),
        messages: Vec::new(),
        task: None,
        request: None,
        receipt,
        injection_id: None,
    };
    BuiltContext { pack, messages: Vec::new() }
}

fn without_request_notices(request: &ContextRequest) -> ContextRequest {
    ContextRequest { system_notices: Vec::new(), ..request.clone() }
}

fn without_built_notices(request: &ContextRequest, built: &BuiltContext) -> BuiltContext {
    let mut built = built.clone();
    built.pack.text = without_notices(&built.pack.text, request).to_owned();
    built
}

/// Tokens of everything that the model will read.
fn cost(written: &WrittenPack, tokenizer: &Tokenizer) -> u64 {
    let texts: u64 = written.pieces.iter().map(|piece| tokenizer.count(piece)).sum();
    let signs = written.request.is_some().then(|| written.pieces.len() as u64 * PIECE_TOKENS + LIST_TOKENS);
    texts + signs.unwrap_or_default()
}

/// Stores the written texts in the pack and their cost in the receipt. The conversation is then in `request` only.
fn finish(pack: &mut Pack, written: WrittenPack, used: u64) {
    pack.text = written.text;
    pack.request = written.request;
    pack.messages.clear();
    settle(&mut pack.receipt, used);
}

/// Makes the receipt add up: tokens that belong to no item are the frame.
fn settle(receipt: &mut Receipt, used: u64) {
    let shown: u64 = receipt.sections.iter().map(|total| total.tokens).sum();
    // If the whole costs less than the sum of its parts, the last parts are reduced.
    let mut over = shown.saturating_sub(used);
    for item in receipt.items.iter_mut().rev() {
        let less = item.tokens.min(over);
        item.tokens -= less;
        over -= less;
        let total = receipt.sections.iter_mut().find(|total| total.section == item.section);
        if let Some(total) = total {
            total.tokens = total.tokens.saturating_sub(less);
        }
    }
    receipt.used = used;
    receipt.frame = used.saturating_sub(shown);
}
