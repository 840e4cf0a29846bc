//! One call of a hook: what it asks the hub, and what it answers the tool.

use futures_util::future::select_all;
use parlour_core::{
    Code,
    audience::may_reach_model,
    checkpoint::Checkpoint,
    id::{AgentId, MemberId, MessageId, ProjectId, RunId},
    inbox::{InboxEntry, InboxFilter, InboxOrder},
    limits,
    message::Message,
    run::{FinishRun, PauseReason, StartRun},
};

use super::{
    input::HookInput,
    memory::Memory,
    reply::Reply,
    tool::Occasion,
    words::{self, Handles, Item, Telling},
};
use crate::{Asked, Client, ClientError, PageAt, answers::InboxPage};

/// Unread messages, or open questions, that one call looks at.
const LOOKED_AT_MAX: usize = 50;
/// A turn may stand still in one tool for this long before its run counts as dead.
const LEASE_SECONDS: u64 = limits::RUN_LEASE_SECONDS_MAX as u64;

/// One call, and all that it needs.
pub struct Visit<'a> {
    /// The hub, as the agent sees it.
    pub client: &'a Client,
    /// What the tool said.
    pub input: &'a HookInput,
    /// How the model can answer.
    pub handles: &'a Handles,
    /// How long the answer to an own question is waited for at the end of a turn.
    pub wait_seconds: u64,
    /// The id of the next run, should one begin.
    pub next_run: RunId,
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum VisitError {
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

/// What is new for the agent.
struct News {
    items: Vec<Item>,
    outcomes: Vec<Message>,
    unread: u64,
    /// Own questions that nobody has answered yet.
    open: Vec<MessageId>,
}

impl Outcome {
    const NOTHING: Self = Self { reply: Reply::Nothing, named: Vec::new(), ended: Vec::new() };

    fn of(telling: Telling, reply: impl FnOnce(String) -> Reply) -> Self {
        let Telling { text, named, ended } = telling;
        if text.is_empty() { Self::NOTHING } else { Self { reply: reply(text), named, ended } }
    }
}

impl Visit<'_> {
    /// Makes the call. `takes` says of each part of a text whether it still fits into the budget.
    pub async fn make(
        &self,
        memory: &mut Memory,
        takes: &mut (dyn FnMut(&str) -> bool + Send),
    ) -> Result<Outcome, VisitError> {
        if self.input.is_of_helper {
            // Messages are for the agent itself; a helper could neither answer them nor pass them on.
            return Ok(Outcome::NOTHING);
        }
        if self.input.is_whole {
            memory.prove(self.input.at);
        }
        let (agent, project) = self.know_agent(memory).await?;
        match self.input.at {
            Occasion::SessionStart => {
                let news = self.news(memory, &agent, &project, None).await?;
                Ok(self.tell(&news, takes))
            }
            Occasion::Prompt | Occasion::AfterTool => {
                let checkpoint = self.checkpoint(memory).await?;
                let news = self.news(memory, &agent, &project, Some(&checkpoint)).await?;
                Ok(self.tell(&news, takes))
            }
            Occasion::TurnEnd if !self.input.is_whole => {
                let broken = FinishRun { failed: Some("the turn was stopped before its end".to_owned()), usage: None };
                self.finish(memory, &broken).await.map(|()| Outcome::NOTHING)
            }
            Occasion::TurnEnd => self.end_turn(memory, &agent, &project, takes).await,
            Occasion::SessionEnd => self.finish(memory, &FinishRun::default()).await.map(|()| Outcome::NOTHING),
        }
    }

    /// Reports to the hub what was told and seen, and remembers what it has heard.
    pub async fn report(&self, memory: &mut Memory) -> Result<(), VisitError> {
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

    async fn know_agent(&self, memory: &mut Memory) -> Result<(AgentId, ProjectId), VisitError> {
        if let (Some(agent), Some(project)) = (&memory.agent, &memory.project) {
            return Ok((agent.clone(), project.clone()));
        }
        let me = self.client.me().await?;
        match (me.member_id, me.project_id) {
            (MemberId::Agent(agent), Some(project)) => {
                (memory.agent, memory.project) = (Some(agent.clone()), Some(project.clone()));
                Ok((agent, project))
            }
            _ => Err(VisitError::NoAgent(me.name.to_string())),
        }
    }

    /// Asks whether the run may go on; begins one when there is none, or the one before has ended.
    async fn checkpoint(&self, memory: &mut Memory) -> Result<Checkpoint, VisitError> {
        if let Some(run) = &memory.run {
            match self.client.checkpoint(run).await {
                Err(error) if is_gone(&error) => {}
                outcome => return Ok(outcome?),
            }
        }
        // Remembered before it is there: if the answer is lost, the next call finds it all the same.
        memory.run = Some(self.next_run.clone());
        let wish = StartRun {
            id: Some(self.next_run.clone()),
            label: Some(self.input.label()),
            lease_seconds: Some(LEASE_SECONDS),
            ..StartRun::default()
        };
        let run = self.client.start_run(&wish).await?;
        Ok(self.client.checkpoint(&run.id).await?)
    }

    async fn news(
        &self,
        memory: &mut Memory,
        agent: &AgentId,
        project: &ProjectId,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<News, VisitError> {
        let is_quiet = checkpoint.is_some_and(|it| it.unread.total == 0);
        let (inbox, open) = tokio::join!(self.inbox(agent, is_quiet), self.own_questions(agent, project));
        let (inbox, open) = (inbox?, open?);
        let mut items = unread_items(memory, agent, &inbox.items);
        for item in blocking(checkpoint) {
            if !memory.has_told(&item.id) && items.iter().all(|known| known.id != item.id) {
                items.push(item);
            }
        }
        let outcomes = self.outcomes(memory, &open).await?;
        memory.ask(open.iter().cloned());
        Ok(News { items, outcomes, unread: inbox.unread, open })
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
    async fn outcomes(&self, memory: &mut Memory, open: &[MessageId]) -> Result<Vec<Message>, VisitError> {
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

    fn tell(&self, news: &News, takes: &mut (dyn FnMut(&str) -> bool + Send)) -> Outcome {
        if !self.input.tool.can_tell(self.input.at) {
            return Outcome::NOTHING;
        }
        let telling = words::tell(&news.items, &news.outcomes, news.unread, self.handles, takes);
        Outcome::of(telling, Reply::Tell)
    }

    /// Holds the turn for what must not wait, for the answer to an own question, or for what is new; ends it otherwise.
    async fn end_turn(
        &self,
        memory: &mut Memory,
        agent: &AgentId,
        project: &ProjectId,
        takes: &mut (dyn FnMut(&str) -> bool + Send),
    ) -> Result<Outcome, VisitError> {
        let checkpoint = self.checkpoint(memory).await?;
        let mut news = self.news(memory, agent, project, Some(&checkpoint)).await?;
        let mut held = blocking(Some(&checkpoint));
        held.retain(|item| memory.may_hold(&item.id));
        if held.is_empty() {
            news.items.retain(|item| !item.is_blocking && !self.input.was_held);
        } else {
            let whole = |item: Item| news.items.iter().find(|it| it.id == item.id).cloned().unwrap_or(item);
            news.items = held.into_iter().map(whole).collect();
        }
        if news.items.is_empty() && news.outcomes.is_empty() {
            news.outcomes = self.wait_for_answer(&news.open).await?;
        }
        let telling = words::tell(&news.items, &news.outcomes, news.unread, self.handles, takes);
        if telling.text.is_empty() {
            self.finish(memory, &FinishRun::default()).await?;
        }
        Ok(Outcome::of(telling, Reply::Hold))
    }

    /// The first of the own questions that ends within the time that there is.
    async fn wait_for_answer(&self, open: &[MessageId]) -> Result<Vec<Message>, VisitError> {
        if open.is_empty() || self.wait_seconds == 0 {
            return Ok(Vec::new());
        }
        let waits = open.iter().map(|id| Box::pin(self.client.await_answer(id, self.wait_seconds)));
        let (first, ..) = select_all(waits).await;
        let first = first?;
        let is_open = first.question.as_ref().is_some_and(|question| question.is_open());
        Ok(if is_open { Vec::new() } else { vec![first] })
    }

    async fn finish(&self, memory: &mut Memory, how: &FinishRun) -> Result<(), VisitError> {
        let Some(run) = memory.run.clone() else { return Ok(()) };
        match self.client.finish_run(&run, how).await {
            Err(error) if !is_gone(&error) => return Err(error.into()),
            _ => memory.run = None,
        }
        Ok(())
    }
}

/// What is unread, may be told to a model, and was not told in this session.
fn unread_items(memory: &Memory, agent: &AgentId, entries: &[InboxEntry]) -> Vec<Item> {
    let me = MemberId::from(agent.clone());
    let is_blocking = |message: &Message| {
        message.question.as_ref().is_some_and(|it| it.is_open() && it.awaited().any(|member| *member == me))
    };
    let messages = entries.iter().map(|entry| &entry.message);
    let new = messages.filter(|message| may_reach_model(message) && !memory.has_told(&message.id));
    new.map(|message| Item::of_message(message, is_blocking(message))).collect()
}

/// What of others pauses the run.
fn blocking(checkpoint: Option<&Checkpoint>) -> Vec<Item> {
    let briefs = checkpoint.map(|it| it.messages.as_slice()).unwrap_or_default();
    briefs.iter().filter(|brief| brief.blocks == Some(PauseReason::Message)).map(Item::of_brief).collect()
}

/// Whether a run has ended, or was never there.
fn is_gone(error: &ClientError) -> bool {
    error.problem().is_some_and(|problem| problem.is(Code::RunEnded) || problem.is(Code::NotFound))
}
