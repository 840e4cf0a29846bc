//! Packs as a surface writes them in the words of a provider, under the same ceiling.

use parlour_context::tokens::Tokenizer;
use parlour_core::{
    access::Principal,
    context::{ContextRequest, Level, Pack, Receipt},
    id::AgentId,
    member::Agent,
};
use serde_json::Value;

use super::context::{ContextDraft, ContextPlan, TRIES_MAX, without_notices};
use crate::{
    Failure, Hub,
    context::{Rules, Unmade, with_list},
    use_cases::BuiltContext,
};

/// Tokens that a provider adds to each piece of a list, at most: where an entry begins and ends, and whose it is.
const PIECE_TOKENS: u64 = 2;
/// Tokens that it adds to a list, at most.
const LIST_TOKENS: u64 = 3;
/// Tokens in which something can be said.
const TEXT_TOKENS_MIN: u64 = 16;

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

/// How a surface writes what was made for an agent, in the form that is asked for.
pub type ContextWriter<'a> = &'a (dyn Fn(&ContextRequest, &Agent, &BuiltContext) -> Written + Send + Sync);

impl Hub {
    /// What an agent would see now, in the words of a provider: for the agent itself, and for people of its project.
    ///
    /// Everything that is written is counted, and never costs more than the budget: what is chosen makes room for the
    /// agent's instructions and for the words around it. What is given to a run is kept as it was written, without the
    /// notices of the moment.
    pub async fn context_written(
        &self,
        caller: &Principal,
        agent: &AgentId,
        ask: &ContextRequest,
        write: ContextWriter<'_>,
    ) -> Result<Pack, Failure> {
        let (agent, _) = self.see_reader(caller, agent).await?;
        let plan = self.plan_context(caller, &agent.id, ask).await?;
        let desk = Desk { ask, agent: &agent, write, plan: &plan };
        match self.write_within(&desk, plan.making.rules().ceiling).await {
            Ok((mut draft, written, used)) => {
                let kept = write(&unnoticed(ask), &agent, &unnoticed_made(ask, &draft.made)).text;
                let kept = with_list(kept, &draft.made.pack, &draft.made.messages);
                finish(&mut draft.made.pack, written, used);
                Ok(self.keep_context(ask, draft, kept).await?.pack)
            }
            Err(Unmade::Failed(failure)) => Err(failure),
            Err(Unmade::TooSmall { needed }) => {
                let needed = self.enough_written(&desk, needed).await?;
                Err(plan.making.rules().refuse(needed).into())
            }
        }
    }

    /// Writes a pack that costs no more than this, with what it costs. What was gathered is chosen from again, with less
    /// room, when what is written around it was more than expected.
    async fn write_within(&self, desk: &Desk<'_>, ceiling: u64) -> Result<(ContextDraft, Written, u64), Unmade> {
        let tokenizer = desk.plan.making.rules().tokenizer;
        let nothing = nothing(desk.ask, desk.agent, desk.plan.making.rules());
        let mut around = cost(&(desk.write)(desk.ask, desk.agent, &nothing), &tokenizer);
        let mut needed = around + TEXT_TOKENS_MIN;
        for tried in 0..TRIES_MAX {
            if around + TEXT_TOKENS_MIN > ceiling {
                break;
            }
            let outcome = desk.plan.making.clone().within(ceiling, around).make(self).await?;
            let mut draft = desk.plan.draft(outcome);
            if says_nothing(&draft.made) {
                return Err(Unmade::TooSmall { needed: ceiling + TEXT_TOKENS_MIN });
            }
            if desk.ask.format.is_list() {
                let rules = desk.plan.making.rules().clone().within(ceiling, around);
                draft.made.messages = self.tell_wanted(draft.made.messages, &desk.agent.id, &rules).await?;
            }
            let written = (desk.write)(desk.ask, desk.agent, &draft.made);
            let used = cost(&written, &tokenizer);
            if used <= ceiling {
                return Ok((draft, written, used));
            }
            needed = used;
            // What is chosen uses the room that it has, so that less of it is given up than is taken away: more each time.
            around += (used - ceiling) << tried;
        }
        Err(Unmade::TooSmall { needed: needed.max(ceiling + 1) })
    }

    /// A ceiling that will do, from one that was said to be needed on.
    async fn enough_written(&self, desk: &Desk<'_>, needed: u64) -> Result<u64, Failure> {
        let mut ceiling = needed;
        for _ in 0..TRIES_MAX {
            match self.write_within(desk, ceiling).await {
                Ok(_) => break,
                Err(Unmade::Failed(failure)) => return Err(failure),
                Err(Unmade::TooSmall { needed }) => ceiling = needed.max(ceiling + 1),
            }
        }
        Ok(ceiling)
    }
}

/// Whether something is to be said, and not a word of it is left.
fn says_nothing(made: &BuiltContext) -> bool {
    let is_empty = made.pack.text.is_empty() && made.messages.iter().all(|message| message.body.is_empty());
    is_empty && made.pack.receipt.items.iter().any(|item| item.level == Some(Level::HeadTail))
}

/// What is to be written, by whom and for whom.
struct Desk<'a> {
    ask: &'a ContextRequest,
    agent: &'a Agent,
    write: ContextWriter<'a>,
    plan: &'a ContextPlan,
}

/// What is written around nothing.
fn nothing(ask: &ContextRequest, agent: &Agent, rules: &Rules) -> BuiltContext {
    let receipt = Receipt {
        budget: rules.ceiling,
        used: 0,
        frame: 0,
        counting: rules.tokenizer.counting(),
        sections: Vec::new(),
        items: Vec::new(),
        unlisted: 0,
        redactions: Vec::new(),
        invisible: 0,
    };
    let pack = Pack {
        agent_id: agent.id.clone(),
        format: ask.format,
        text: String::new(),
        messages: Vec::new(),
        task: None,
        request: None,
        receipt,
        injection_id: None,
    };
    BuiltContext { pack, messages: Vec::new() }
}

fn unnoticed(ask: &ContextRequest) -> ContextRequest {
    ContextRequest { system_notices: Vec::new(), ..ask.clone() }
}

fn unnoticed_made(ask: &ContextRequest, made: &BuiltContext) -> BuiltContext {
    let mut made = made.clone();
    made.pack.text = without_notices(&made.pack.text, ask).to_owned();
    made
}

/// What the model will pay for all of it.
fn cost(written: &Written, tokenizer: &Tokenizer) -> u64 {
    let texts: u64 = written.pieces.iter().map(|piece| tokenizer.count(piece)).sum();
    let signs = written.request.is_some().then(|| written.pieces.len() as u64 * PIECE_TOKENS + LIST_TOKENS);
    texts + signs.unwrap_or_default()
}

/// Puts what was written into the pack, and into the receipt what all of it costs. The conversation stands in the list
/// then, and nowhere else.
fn finish(pack: &mut Pack, written: Written, used: u64) {
    pack.text = written.text;
    pack.request = written.request;
    pack.messages.clear();
    settle(&mut pack.receipt, used);
}

/// Lets a receipt add up: what is no text of somebody else is the frame.
fn settle(receipt: &mut Receipt, used: u64) {
    let shown: u64 = receipt.sections.iter().map(|total| total.tokens).sum();
    // Where the whole costs less than its parts by themselves, the last parts have less.
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
