//! One call of a hook: what it asks the hub, and what it answers the tool.

use futures_util::future::select_all;
use parlour_core::{
    Code,
    checkpoint::Checkpoint,
    context::{ContextFormat, ContextRequest, Level, Pack, Receipt, SubjectType},
    id::{AgentId, MemberId, MessageId, ProjectId, RunId},
    inbox::{InboxFilter, InboxOrder},
    limits,
    message::Message,
    model_visibility::may_reach_model,
    run::{FinishRun, PauseReason, StartRun},
};

use super::{
    input::HookInput,
    memory::Memory,
    reply::Reply,
    tool::Occasion,
    words::{Ends, Lens},
};
use crate::{Asked, Client, ClientError, PageAt, answers::InboxPage};

/// Unread messages, or open questions, that one call looks at.
const LOOKED_AT_MAX: usize = 50;
/// A turn may stand still in one tool for this long before its run counts as dead.
const LEASE_SECONDS: u64 = limits::RUN_LEASE_SECONDS_MAX as u64;

/// One call, and all that it needs.
pub struct HookEvent<'a> {
    /// The hub, as the agent sees it.
    pub client: &'a Client,
    /// What the tool said.
    pub input: &'a HookInput,
    /// What a command begins with that acts as the agent, as a shell takes it.
    pub command: Option<&'a str>,
    /// Tokens that a text may cost; the rules of the project say it otherwise.
    pub budget: Option<u64>,
    /// What a model may be shown of the answers to own questions.
    pub lens: &'a dyn Lens,
    /// How long the answer to an own question is waited for at the end of a turn.
    pub wait_seconds: u64,
    /// The id of the next run, should one begin.
    pub next_run: RunId,
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum HookEventError {
    /// The hub is away, or said no.
    #[error(transparent)]
    Hub(#[from] ClientError),
    /// The token is not an agent's.
    #[error("the token is of {0}, who is no agent")]
    NoAgent(String),
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the tool is answered.
    pub reply: Reply,
    /// The messages that the reply names.
    pub named: Vec<MessageId>,
    /// The own questions whose end it tells.
    pub ended: Vec<MessageId>,
}

/// Who the session is.
#[derive(Clone)]
struct Me {
    agent: AgentId,
    project: ProjectId,
}

/// What is new for the agent.
struct News {
    /// Messages that it was not told in this session, the most important first.
    fresh: Vec<MessageId>,
    /// Own questions that have ended.
    outcomes: Vec<Message>,
    /// Own questions that nobody has answered yet.
    open: Vec<MessageId>,
}

/// A text for a model, and what it really shows.
#[derive(Default)]
struct Telling {
    text: String,
    named: Vec<MessageId>,
    ended: Vec<MessageId>,
}

impl Outcome {
    const NOTHING: Self = Self { reply: Reply::Nothing, named: Vec::new(), ended: Vec::new() };

    fn of(telling: Telling, reply: impl FnOnce(String) -> Reply) -> Self {
        let Telling { text, named, ended } = telling;
        if text.is_empty() { Self::NOTHING } else { Self { reply: reply(text), named, ended } }
    }
}

impl HookEvent<'_> {
    /// Makes the call.
    pub async fn handle(&self, memory: &mut Memory) -> Result<Outcome, HookEventError> {
        if self.input.is_of_helper {
            // Messages are for the agent itself; a helper could neither answer them nor pass them on.
            return Ok(Outcome::NOTHING);
        }
        if self.input.is_whole {
            memory.prove(self.input.at);
        }
        let me = self.know_agent(memory).await?;
        match self.input.at {
            Occasion::SessionStart => {
                let news = self.news(memory, &me, None).await?;
                self.tell(memory, &me, &news, None).await
            }
            Occasion::Prompt | Occasion::AfterTool => {
                let checkpoint = self.checkpoint(memory).await?;
                let news = self.news(memory, &me, Some(&checkpoint)).await?;
                self.tell(memory, &me, &news, memory.run.clone()).await
            }
            Occasion::TurnEnd if !self.input.is_whole => {
                let broken = FinishRun { failed: Some("the turn was stopped before its end".to_owned()), usage: None };
                self.finish(memory, &broken).await.map(|()| Outcome::NOTHING)
            }
            Occasion::TurnEnd => self.end_turn(memory, &me).await,
            Occasion::SessionEnd => self.finish(memory, &FinishRun::default()).await.map(|()| Outcome::NOTHING),
        }
    }

    /// Reports to the hub what was told and seen, and remembers what it has heard.
    pub async fn report(&self, memory: &mut Memory) -> Result<(), HookEventError> {
        for report in memory.reports() {
            let outcome = self.client.report_deliveries(None, &report.messages, &report.step).await;
            match outcome {
                // Whatever the hub will never take is not offered again.
                Err(error) if error.is_retryable() || error.problem().is_none() => return Err(error.into()),
                _ => memory.mark_reported(&report),
            }
        }
        Ok(())
    }

    async fn know_agent(&self, memory: &mut Memory) -> Result<Me, HookEventError> {
        if let (Some(agent), Some(project)) = (&memory.agent, &memory.project) {
            return Ok(Me { agent: agent.clone(), project: project.clone() });
        }
        let me = self.client.me().await?;
        match (me.member_id, me.project_id) {
            (MemberId::Agent(agent), Some(project)) => {
                (memory.agent, memory.project) = (Some(agent.clone()), Some(project.clone()));
                Ok(Me { agent, project })
            }
            _ => Err(HookEventError::NoAgent(me.name.to_string())),
        }
    }

    /// Asks whether the run may go on; begins one when there is none, or the one before has ended.
    async fn checkpoint(&self, memory: &mut Memory) -> Result<Checkpoint, HookEventError> {
        if let Some(run) = &memory.run {
            match self.client.checkpoint(run).await {
                Err(error) if is_gone(&error) => {}
                outcome => return Ok(outcome?),
            }
        }
        // Remembered before it is there: if the answer is lost, the next call finds it all the same.
        memory.run = Some(self.next_run.clone());
        let request = StartRun {
            id: Some(self.next_run.clone()),
            label: Some(self.input.label()),
            lease_seconds: Some(LEASE_SECONDS),
            ..StartRun::default()
        };
        let run = self.client.start_run(&request).await?;
        Ok(self.client.checkpoint(&run.id).await?)
    }

    async fn news(
        &self,
        memory: &mut Memory,
        me: &Me,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<News, HookEventError> {
        let is_quiet = checkpoint.is_some_and(|it| it.unread.total == 0);
        let (inbox, open) = tokio::join!(self.inbox(&me.agent, is_quiet), self.own_questions(&me.agent, &me.project));
        let (inbox, open) = (inbox?, open?);
        let unread = inbox.items.iter().map(|entry| &entry.message).filter(|message| may_reach_model(message));
        let mut fresh: Vec<_> = unread.map(|message| message.id.clone()).collect();
        fresh.extend(blocking(checkpoint));
        fresh.retain(|id| !memory.has_told(id));
        let outcomes = self.outcomes(memory, &open).await?;
        memory.ask(open.iter().cloned());
        Ok(News { fresh, outcomes, open })
    }

    /// The most important of what is unread; nobody is asked when the hub has just said that there is nothing.
    async fn inbox(&self, agent: &AgentId, is_quiet: bool) -> Result<InboxPage, ClientError> {
        if is_quiet {
            return Ok(InboxPage { items: Vec::new(), next: None, unread: 0 });
        }
        let filter = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
        self.client.inbox(agent, &filter, &PageAt::first(LOOKED_AT_MAX)).await
    }

    /// The open questions of the agent itself.
    async fn own_questions(&self, agent: &AgentId, project: &ProjectId) -> Result<Vec<MessageId>, ClientError> {
        let me = Some(MemberId::from(agent.clone()));
        let asked = Asked::AnybodyIn(project.clone());
        let open = self.client.questions(&asked, &PageAt::first(LOOKED_AT_MAX)).await?.items;
        Ok(open.into_iter().map(|it| it.message).filter(|it| it.from.member_id() == me).map(|it| it.id).collect())
    }

    /// Own questions that were open when somebody last looked, and are not any more.
    async fn outcomes(&self, memory: &mut Memory, open: &[MessageId]) -> Result<Vec<Message>, HookEventError> {
        let mut outcomes = Vec::new();
        for question in memory.asked.clone().iter().filter(|question| !open.contains(question)) {
            match self.client.await_answer(question, 0).await {
                Ok(message) if message.question.as_ref().is_some_and(|it| it.is_open()) => {}
                Ok(message) => outcomes.push(message),
                Err(error) if error.problem().is_some() => memory.asked.retain(|known| known != question),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(outcomes)
    }

    async fn tell(&self, memory: &Memory, me: &Me, news: &News, run: Option<RunId>) -> Result<Outcome, HookEventError> {
        if !self.input.tool.can_tell(self.input.at) {
            return Ok(Outcome::NOTHING);
        }
        let told = memory.told(limits::CONTEXT_TOLD_MAX).cloned().collect();
        Ok(Outcome::of(self.telling(me, news, told, run).await?, Reply::Tell))
    }

    /// Holds the turn for what must not wait, for the answer to an own question, or for what is new; ends it otherwise.
    async fn end_turn(&self, memory: &mut Memory, me: &Me) -> Result<Outcome, HookEventError> {
        let checkpoint = self.checkpoint(memory).await?;
        let mut news = self.news(memory, me, Some(&checkpoint)).await?;
        // What has held the turn often enough counts as told.
        let (held, spent): (Vec<_>, Vec<_>) =
            blocking(Some(&checkpoint)).into_iter().partition(|id| memory.may_hold(id));
        news.fresh.retain(|id| !spent.contains(id) && !self.input.was_held);
        news.fresh.extend(held.iter().cloned());
        if news.fresh.is_empty() && news.outcomes.is_empty() {
            news.outcomes = self.wait_for_answer(&news.open).await?;
        }
        let told = memory.told(limits::CONTEXT_TOLD_MAX).filter(|id| !held.contains(id)).cloned();
        let told = spent.into_iter().chain(told).take(limits::CONTEXT_TOLD_MAX).collect();
        let telling = self.telling(me, &news, told, memory.run.clone()).await?;
        if telling.text.is_empty() {
            self.finish(memory, &FinishRun::default()).await?;
        }
        Ok(Outcome::of(telling, Reply::Hold))
    }

    /// The text for what is new. How own questions have ended comes off the budget first, and stands last.
    async fn telling(
        &self,
        me: &Me,
        news: &News,
        told: Vec<MessageId>,
        run_id: Option<RunId>,
    ) -> Result<Telling, HookEventError> {
        let (ends, budget) = self.ends(me, news).await?;
        let mut telling = Telling::default();
        if !news.fresh.is_empty() {
            let command = self.command.filter(|command| command.chars().count() <= limits::CONTEXT_COMMAND_CHARS_MAX);
            let ask = ContextRequest {
                format: ContextFormat::Injection,
                budget,
                run_id,
                told,
                command: command.map(str::to_owned),
                ..ContextRequest::default()
            };
            match self.client.context(&me.agent, &ask).await {
                Ok(Pack { text, receipt, .. }) => {
                    telling.named = shown(&receipt);
                    // A text that shows nothing is not worth its tokens.
                    telling.text = if telling.named.is_empty() { String::new() } else { text };
                }
                // What is new comes another time, when nothing else takes its room.
                Err(error) if is_too_little(&error) && !ends.questions.is_empty() => {}
                Err(error) => return Err(error.into()),
            }
        }
        telling.text = ends.below(&telling.text);
        telling.ended = ends.questions;
        Ok(telling)
    }

    /// How own questions have ended, and what is left of the budget then.
    async fn ends(&self, me: &Me, news: &News) -> Result<(Ends, Option<u64>), HookEventError> {
        if news.outcomes.is_empty() {
            return Ok((Ends::default(), self.budget));
        }
        let (project, agent) = tokio::join!(self.client.project(&me.project), self.client.agent(&me.agent));
        let (policy, agent) = (project?.policy, agent?);
        let own = agent.context.and_then(|own| own.injection_tokens_max);
        let budget = self.budget.or(own).unwrap_or(policy.budgets.injection_tokens_max);
        let ends = Ends::of(&news.outcomes, &policy.context.redaction, budget, self.lens);
        let left = if ends.questions.is_empty() { budget } else { budget.saturating_sub(ends.tokens) };
        Ok((ends, Some(left)))
    }

    /// The first of the own questions that ends within the time that there is.
    async fn wait_for_answer(&self, open: &[MessageId]) -> Result<Vec<Message>, HookEventError> {
        if open.is_empty() || self.wait_seconds == 0 {
            return Ok(Vec::new());
        }
        let waits = open.iter().map(|id| Box::pin(self.client.await_answer(id, self.wait_seconds)));
        let (first, ..) = select_all(waits).await;
        let first = first?;
        let is_open = first.question.as_ref().is_some_and(|question| question.is_open());
        Ok(if is_open { Vec::new() } else { vec![first] })
    }

    async fn finish(&self, memory: &mut Memory, how: &FinishRun) -> Result<(), HookEventError> {
        let Some(run) = memory.run.clone() else { return Ok(()) };
        match self.client.finish_run(&run, how).await {
            Err(error) if !is_gone(&error) => return Err(error.into()),
            _ => memory.run = None,
        }
        Ok(())
    }
}

/// What of others pauses the run.
fn blocking(checkpoint: Option<&Checkpoint>) -> Vec<MessageId> {
    let briefs = checkpoint.map(|it| it.messages.as_slice()).unwrap_or_default();
    let blocks = briefs.iter().filter(|brief| brief.blocks == Some(PauseReason::Message));
    blocks.map(|brief| brief.message_id.clone()).collect()
}

/// The messages of which at least a line is shown. What only stands there as a way to fetch it was not told.
fn shown(receipt: &Receipt) -> Vec<MessageId> {
    let items = receipt.items.iter().filter(|item| item.subject_type == SubjectType::Message);
    let shown = items.filter(|item| item.level.is_some_and(|level| level != Level::Handle));
    shown.filter_map(|item| item.id.parse().ok()).collect()
}

fn is_too_little(error: &ClientError) -> bool {
    error.problem().is_some_and(|problem| problem.is(Code::BudgetTooSmall))
}

/// Whether a run has ended, or was never there.
fn is_gone(error: &ClientError) -> bool {
    error.problem().is_some_and(|problem| problem.is(Code::RunEnded) || problem.is(Code::NotFound))
}
