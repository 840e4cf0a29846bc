//! What an agent would see.

use std::sync::Arc;

use parlour_core::{
    Refusal, Timestamp,
    access::Principal,
    context::{ContextFormat, ContextRequest, Injection, Pack},
    id::{AgentId, InjectionId},
    member::Agent,
    message::Message,
    project::Project,
    run::Run,
    scope::Scope,
    task::Task,
};

use crate::{
    Failure, Hub,
    context::{Eyes, Making, Outcome, PackKey, Previous, Rules, Stand, Unmade, day_of, gather, guard, with_list},
};

/// A pack, and the messages for formats that the surface writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltContext {
    /// The pack.
    pub pack: Pack,
    /// The messages of the conversation that are shown, oldest first, each with the text that may be shown.
    pub messages: Vec<Message>,
}

/// Everything that a pack is chosen from, gathered once.
pub(super) struct ContextPlan {
    agent_id: AgentId,
    format: ContextFormat,
    pub(super) making: Making,
    run: Option<Run>,
    key: Option<PackKey>,
    day: String,
    at: Timestamp,
}

impl ContextPlan {
    /// What was made of it, as a pack.
    pub(super) fn draft(&self, outcome: Outcome) -> ContextDraft {
        let Outcome { text, receipt, messages, task, stands } = outcome;
        let (agent_id, format) = (self.agent_id.clone(), self.format);
        let listed = if format.is_list() { messages.clone() } else { Vec::new() };
        let task = task.filter(|_| format == ContextFormat::Native).map(guarded);
        let pack = Pack { agent_id, format, text, messages: listed, task, request: None, receipt, injection_id: None };
        let (run, key, day, at) = (self.run.clone(), self.key.clone(), self.day.clone(), self.at);
        ContextDraft { made: BuiltContext { pack, messages }, stands, run, key, day, at }
    }
}

/// How often a budget that would do is looked for, and a pack is made smaller because of what is written around it.
pub(super) const TRIES_MAX: usize = 8;

/// A pack that nobody was given yet.
pub(crate) struct ContextDraft {
    pub(crate) made: BuiltContext,
    /// What stands for conversations in it.
    stands: Vec<Arc<Stand>>,
    /// The run that it is for.
    run: Option<Run>,
    /// Under which its receipt is remembered for the next one.
    key: Option<PackKey>,
    /// The day by which it is marked.
    day: String,
    /// When gathering began: what was edited or removed later may be in it as it was before.
    at: Timestamp,
}

impl Hub {
    /// What an agent would see now: for the agent itself, and for people of its project.
    ///
    /// A person is shown only what both the agent and the person may read. What is given to a run is kept; that is for
    /// the agent itself.
    pub async fn context(
        &self,
        caller: &Principal,
        agent: &AgentId,
        ask: &ContextRequest,
    ) -> Result<BuiltContext, Failure> {
        let plan = self.plan_context(caller, agent, ask).await?;
        let draft = self.make_planned(plan).await?;
        let kept = without_notices(&draft.made.pack.text, ask).to_owned();
        let kept = with_list(kept, &draft.made.pack, &draft.made.messages);
        self.keep_context(ask, draft, kept).await
    }

    /// Looks up and gathers everything that a pack is chosen from.
    pub(super) async fn plan_context(
        &self,
        caller: &Principal,
        agent: &AgentId,
        ask: &ContextRequest,
    ) -> Result<ContextPlan, Failure> {
        let (agent, project) = self.see_reader(caller, agent).await?;
        ask.check()?;
        let run = self.aim_run(caller, &agent, ask).await?;
        let rules = Rules::of(&project.policy, &agent, ask, &self.workshop);
        let (agent_id, format) = (agent.id.clone(), ask.format);
        let mut eyes = Eyes::new(caller, &agent);
        let at = self.clock.now();
        let aim = self.aim(&eyes, agent, project, ask, run.as_ref()).await?;
        let (day, key) = (day_of(at), run.is_some().then(|| (agent_id.clone(), format, aim.place())));
        let previous = key.as_ref().and_then(|key| self.workshop.last_pack(key, &day));
        let harvest = gather(self, &aim, &mut eyes, previous.as_ref().map(|previous| &previous.receipt)).await?;
        let making = Making::new(self, &aim, &mut eyes, harvest, ask, rules, at).await?;
        Ok(ContextPlan { agent_id, format, making: making.after(previous), run, key, day, at })
    }

    /// Makes a pack of what was gathered. One for which the budget is too small is refused with a budget that will do.
    async fn make_planned(&self, plan: ContextPlan) -> Result<ContextDraft, Failure> {
        let rules = plan.making.rules().clone();
        let making = plan.making.clone();
        match making.make(self).await {
            Ok(outcome) => Ok(plan.draft(outcome)),
            Err(Unmade::Failed(failure)) => Err(failure),
            Err(Unmade::TooSmall { needed }) => Err(rules.refuse(self.enough(&plan, needed).await?).into()),
        }
    }

    /// A ceiling at which something can be made, from one that was said to be needed on: how a budget is divided depends
    /// on its size, so that what is needed is seen only when it is tried.
    async fn enough(&self, plan: &ContextPlan, needed: u64) -> Result<u64, Failure> {
        let mut ceiling = needed;
        for _ in 0..TRIES_MAX {
            match plan.making.clone().within(ceiling, 0).make(self).await {
                Ok(_) => break,
                Err(Unmade::Failed(failure)) => return Err(failure),
                Err(Unmade::TooSmall { needed }) => ceiling = needed.max(ceiling + 1),
            }
        }
        Ok(ceiling)
    }

    /// The agent whose model will read, and its project: for the agent itself, and for people.
    pub(super) async fn see_reader(&self, caller: &Principal, agent: &AgentId) -> Result<(Agent, Project), Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (agent, project) = self.access.load_visible_agent(caller, agent).await?;
        match caller.member.agent() {
            Some(other) if *other != agent.id => {
                Err(Refusal::forbidden("only the agent itself and people may ask what its model would see").into())
            }
            _ => Ok((agent, project)),
        }
    }

    /// Keeps what is given to a run, if it is for one, with this text: that of the pack without its notices, and with the
    /// messages that were given beside it.
    pub(crate) async fn keep_context(
        &self,
        ask: &ContextRequest,
        draft: ContextDraft,
        text: String,
    ) -> Result<BuiltContext, Failure> {
        let ContextDraft { mut made, stands, run, key, day, at } = draft;
        let Some(run) = run else { return Ok(made) };
        let injection = Injection {
            id: InjectionId::from_bits(self.ids.next_bits()),
            project_id: run.project_id,
            run_id: run.id,
            agent_id: run.agent_id,
            delivered_via: ask.delivered_via(),
            format: ask.format,
            at,
            text: Some(text),
            receipt: made.pack.receipt.clone(),
        };
        made.pack.injection_id = Some(injection.id.clone());
        self.store.keep_injection(injection).await?;
        if let Some(key) = key {
            self.workshop.keep_pack(key, day, Previous { receipt: made.pack.receipt.clone(), stands });
        }
        Ok(made)
    }
}

/// The task without what a model could take for a border between speakers: others have written it.
fn guarded(task: Task) -> Task {
    Task { title: guard(&task.title), description: task.description.map(|text| guard(&text)), ..task }
}

/// The text of a pack without the notices of the moment, which stand at its end, one line each.
pub(super) fn without_notices<'a>(text: &'a str, ask: &ContextRequest) -> &'a str {
    ask.system_notices.iter().fold(text, |text, _| text.rsplit_once('\n').map_or("", |(before, _)| before))
}
