//! The pack of an agent: the prompt that its model would receive now.

use parlour_core::{
    Refusal, Timestamp,
    access::Principal,
    context::{ContextFormat, ContextRequest, Injection, Level, Pack, Receipt, ReceiptItem},
    id::{AgentId, InjectionId},
    member::Agent,
    message::Message,
    project::Project,
    run::{PauseReason, Run, RunState},
    scope::Scope,
};

use crate::{
    Failure,
    context::{
        BuildError, ContextService, PackBuilder, PackDraft, PackKey, PreviousPack, Rules, Viewer, day_of, gather,
        with_list,
    },
};

/// A pack, and its messages for formats that the surface writes itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltContext {
    /// The pack.
    pub pack: Pack,
    /// The shown messages of the conversation, oldest first, with redacted texts.
    pub messages: Vec<Message>,
}

/// A gathered request: packs of different sizes can be built from it.
pub(super) struct ContextPlan {
    pub(super) builder: PackBuilder,
    /// The run that the pack is recorded with.
    run: Option<Run>,
    /// The cache key of the pack; packs without a run are not cached.
    key: Option<PackKey>,
    /// When gathering began: messages edited later may be shown as they were before.
    at: Timestamp,
}

/// Attempts to find a sufficient budget, or to shrink a pack because of what a surface writes around it.
pub(super) const TRIES_MAX: usize = 8;

impl ContextService {
    /// Builds the pack of an agent, for the agent itself and for people of its project.
    ///
    /// A person sees only what both the agent and the person may read. A pack for a run is recorded; only the agent itself
    /// may request one.
    pub(crate) async fn context(
        &self,
        caller: &Principal,
        agent: &AgentId,
        request: &ContextRequest,
    ) -> Result<BuiltContext, Failure> {
        if !request.outcomes.is_empty() {
            return self.question_outcomes(caller, agent, request).await;
        }
        let request = &self.with_redacted_notices(caller, agent, request).await?;
        let plan = self.plan_context(caller, agent, request).await?;
        let draft = self.build_planned(&plan).await?;
        let text = without_notices(&draft.built.pack.text, request).to_owned();
        let text = with_list(text, &draft.built.pack, &draft.built.messages);
        self.record_pack(request, plan, draft, text).await
    }

    /// The request with redacted system notices. A model reads them like every other text.
    pub(super) async fn with_redacted_notices(
        &self,
        caller: &Principal,
        agent: &AgentId,
        request: &ContextRequest,
    ) -> Result<ContextRequest, Failure> {
        let mut request = request.clone();
        if !request.system_notices.is_empty() {
            let (_, project) = self.see_reader(caller, agent).await?;
            request.check()?;
            request.system_notices = self.lines(&project.id, request.system_notices).await?;
        }
        Ok(request)
    }

    /// Checks the request, loads what it names and gathers the candidates.
    pub(super) async fn plan_context(
        &self,
        caller: &Principal,
        agent: &AgentId,
        request: &ContextRequest,
    ) -> Result<ContextPlan, Failure> {
        let (agent, project) = self.see_reader(caller, agent).await?;
        request.check()?;
        let run = self.query_run(caller, &agent, request).await?;
        let rules = Rules::of(&project.policy, &agent, request, &self.caches);
        let agent_id = agent.id.clone();
        let mut viewer = Viewer::new(caller, &agent);
        let at = self.clock.now();
        let query = self.load_query(&viewer, agent, project, request, run.as_ref()).await?;
        let key = run.is_some().then(|| (agent_id, request.format, query.conversation_id()));
        let previous = key.as_ref().and_then(|key| self.caches.last_pack(key, &day_of(at)));
        let receipt = previous.as_ref().map(|previous| &previous.receipt);
        let gathered = gather(self, &query, &mut viewer, receipt).await?;
        let builder = PackBuilder::new(self, &query, &mut viewer, gathered, request, rules, at).await?;
        let builder = builder.after(previous).with_hub_line(run.as_ref().and_then(|run| pause_line(run, request)));
        Ok(ContextPlan { builder, run, key, at })
    }

    /// Builds the pack. A budget that is too small is refused with a proposal of one that suffices.
    async fn build_planned(&self, plan: &ContextPlan) -> Result<PackDraft, Failure> {
        match plan.builder.clone().build(self).await {
            Ok(draft) => Ok(draft),
            Err(BuildError::Failed(failure)) => Err(failure),
            Err(BuildError::BudgetTooSmall { needed }) => {
                Err(plan.builder.rules().refuse(self.sufficient_ceiling(plan, needed).await?).into())
            }
        }
    }

    /// Searches upwards from `needed` for a ceiling at which a pack can be built. The split of a budget depends on its
    /// size, so only an attempt shows whether it suffices.
    async fn sufficient_ceiling(&self, plan: &ContextPlan, needed: u64) -> Result<u64, Failure> {
        let mut ceiling = needed;
        for _ in 0..TRIES_MAX {
            match plan.builder.clone().within(ceiling, 0).build(self).await {
                Ok(_) => break,
                Err(BuildError::Failed(failure)) => return Err(failure),
                Err(BuildError::BudgetTooSmall { needed }) => ceiling = needed.max(ceiling + 1),
            }
        }
        Ok(ceiling)
    }

    /// The agent that the pack is for, and its project. Other agents are refused.
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

    /// Records a pack for a run with this text: the text of the pack without its notices, followed by its list.
    pub(super) async fn record_pack(
        &self,
        request: &ContextRequest,
        plan: ContextPlan,
        draft: PackDraft,
        text: String,
    ) -> Result<BuiltContext, Failure> {
        let (ContextPlan { run, key, at, .. }, PackDraft { mut built, summarized }) = (plan, draft);
        let Some(run) = run.filter(|_| is_given(request, &built.pack.receipt)) else { return Ok(built) };
        self.record_given(request, run, at, &mut built, text).await?;
        if let Some(key) = key {
            let previous = PreviousPack { receipt: built.pack.receipt.clone(), summarized };
            self.caches.keep_pack(key, day_of(at), previous);
        }
        Ok(built)
    }

    /// Records a text as given to a run, and sets the id of the record in the pack.
    pub(super) async fn record_given(
        &self,
        request: &ContextRequest,
        run: Run,
        at: Timestamp,
        built: &mut BuiltContext,
        text: String,
    ) -> Result<(), Failure> {
        let injection = Injection {
            id: InjectionId::from_bits(self.ids.next_bits()),
            project_id: run.project_id,
            run_id: run.id,
            agent_id: run.agent_id,
            delivered_via: request.delivered_via(),
            format: request.format,
            at,
            text: Some(text),
            receipt: built.pack.receipt.clone(),
        };
        built.pack.injection_id = Some(injection.id.clone());
        self.store.keep_injection(injection).await
    }
}

/// Whether a process gives this text to its model: an injection that shows no message is not used.
fn is_given(request: &ContextRequest, receipt: &Receipt) -> bool {
    let is_shown = |item: &ReceiptItem| item.level.is_some_and(|level| level != Level::Handle);
    request.format != ContextFormat::Injection || receipt.items.iter().any(is_shown)
}

/// The last line of an injection for a paused run: the model must know that its tools are refused, and how it goes on.
fn pause_line(run: &Run, request: &ContextRequest) -> Option<String> {
    if run.state != RunState::Paused || request.format != ContextFormat::Injection {
        return None;
    }
    let id = &run.id;
    if run.pauses.iter().all(|pause| pause.reason == PauseReason::Asked) {
        return Some(format!("Your run {id} waits for the answer to your question and goes on by itself."));
    }
    let resume = match &request.command {
        Some(command) => format!("{command} run resume {id}"),
        None => r#"checkpoint {"resume":true}"#.to_owned(),
    };
    Some(format!("Your run is paused: no other tool runs. It goes on with your answer, or without one: {resume}"))
}

/// The text of a pack without the system notices of the request, which are its last lines.
pub(super) fn without_notices<'a>(text: &'a str, request: &ContextRequest) -> &'a str {
    request.system_notices.iter().fold(text, |text, _| text.rsplit_once('\n').map_or("", |(before, _)| before))
}
