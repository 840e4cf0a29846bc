//! Handles one hook call: requests to the hub and the reply to the tool.

use futures_util::future::select_all;
use parlour_core::{
    Code,
    checkpoint::{Checkpoint, CheckpointDecision, CheckpointDelivery},
    context::{ContextFormat, ContextRequest, Level, Pack, Receipt, SubjectType},
    id::{AgentId, MemberId, MessageId, ProjectId, RunId},
    inbox::{InboxFilter, InboxOrder},
    limits,
    model_visibility::may_reach_model,
    run::{FinishRun, PauseReason, StartRun},
};

use super::{
    own_call,
    protocol::{HookInput, HookReply},
    session_memory::SessionMemory,
    tool::HookPoint,
};
use crate::{Client, ClientError, PageAt, QuestionFilter, answers::InboxPage};

/// The most unread messages, or open questions, of one hook call.
const PAGE_LEN: usize = 50;
/// The lease of a run: the longest tool call of a turn.
const LEASE_SECONDS: u64 = limits::RUN_LEASE_SECONDS_MAX as u64;

/// The end of a text for a run that waits for the answer to a question of its agent.
const WAITS_FOR_ANSWER: &str = "Your run waits for the answer to your question. End your turn; you get the answer when it \
                                is there.";
/// The reason of a denied tool of a subagent.
const PAUSED_SUBAGENT: &str = "This tool was not run: a message to the main agent has paused the run. Stop here and \
                               return; the main agent answers first.";
/// The reason of a denied tool while the hub cannot be reached.
const OFFLINE: &str = "This tool was not run: a message has paused your run, and the Parlour hub cannot be reached now. \
                       Try again.";

/// One hook call with its settings.
pub struct HookEvent<'a> {
    pub client: &'a Client,
    pub input: &'a HookInput,
    /// The shell prefix of commands that act as the agent.
    pub command: Option<&'a str>,
    /// The token budget of a text; by default that of the project.
    pub budget: Option<u64>,
    /// How long to wait for an answer to an own question at the end of a turn.
    pub wait_seconds: u64,
    /// The id of the run that this call may start.
    pub next_run: RunId,
}

/// Why a hook call failed.
#[derive(Debug, thiserror::Error)]
pub enum HookEventError {
    #[error(transparent)]
    Hub(#[from] ClientError),
    #[error("the token belongs to {0}, who is not an agent")]
    NoAgent(String),
}

/// The result of a hook call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookResult {
    pub reply: HookReply,
    /// The messages in the reply.
    pub named: Vec<MessageId>,
    /// The own questions whose outcome is in the reply.
    pub ended: Vec<MessageId>,
}

/// The agent of the session.
#[derive(Clone)]
struct AgentIdentity {
    agent: AgentId,
    project: ProjectId,
}

/// New messages and answers for the agent.
struct Updates {
    /// Messages that were not delivered in this session, most important first.
    fresh: Vec<MessageId>,
    /// Whether one of them blocks the agent.
    is_blocked: bool,
    /// Own questions that were closed.
    outcomes: Vec<MessageId>,
    /// Own questions that are still open.
    open: Vec<MessageId>,
}

/// A text for the model and the ids of its content.
#[derive(Default)]
struct InjectedText {
    text: String,
    named: Vec<MessageId>,
    ended: Vec<MessageId>,
}

impl HookResult {
    const NOTHING: Self = Self { reply: HookReply::Nothing, named: Vec::new(), ended: Vec::new() };

    /// A reply without a message.
    fn note(reply: HookReply) -> Self {
        Self { reply, ..Self::NOTHING }
    }

    fn of(injection: InjectedText, reply: impl FnOnce(String) -> HookReply) -> Self {
        let InjectedText { text, named, ended } = injection;
        if text.is_empty() { Self::NOTHING } else { Self { reply: reply(text), named, ended } }
    }
}

impl HookEvent<'_> {
    /// Handles the call.
    pub async fn handle(&self, memory: &mut SessionMemory) -> Result<HookResult, HookEventError> {
        if self.input.is_subagent {
            return self.handle_subagent(memory).await;
        }
        if self.input.is_complete {
            memory.mark_seen_by(self.input.at);
        }
        if self.is_reply_command() {
            return Ok(HookResult::NOTHING);
        }
        let me = self.identify(memory).await?;
        match self.input.at {
            // The hub stores a text with its run, and a run begins with a prompt.
            HookPoint::SessionStart if self.input.tool.can_tell(HookPoint::Prompt) => Ok(HookResult::NOTHING),
            HookPoint::SessionStart => {
                let updates = self.updates(memory, &me, None).await?;
                self.inject(memory, &me, &updates, None).await
            }
            HookPoint::Prompt | HookPoint::AfterTool => {
                let checkpoint = self.checkpoint(memory).await?;
                let updates = self.updates(memory, &me, Some(&checkpoint)).await?;
                self.inject(memory, &me, &updates, memory.run.clone()).await
            }
            HookPoint::BeforeTool => self.before_tool(memory, &me).await,
            HookPoint::TurnEnd if !self.input.is_complete => {
                let broken = FinishRun { failed: Some("the turn was stopped before its end".to_owned()), usage: None };
                self.finish(memory, &broken).await.map(|()| HookResult::NOTHING)
            }
            HookPoint::TurnEnd => self.end_turn(memory, &me).await,
            HookPoint::SessionEnd => self.finish(memory, &FinishRun::default()).await.map(|()| HookResult::NOTHING),
        }
    }

    /// Denies a tool when the hub could not be asked: of a run that was paused, and only for a few tools. Otherwise the
    /// tool runs.
    pub fn deny_without_hub(&self, memory: &mut SessionMemory) -> Option<HookResult> {
        let is_denied = self.input.at == HookPoint::BeforeTool && memory.may_deny_offline();
        is_denied.then(|| HookResult::note(HookReply::Deny(OFFLINE.to_owned())))
    }

    /// Whether the tool is a command with which the model answers.
    fn is_reply_command(&self) -> bool {
        let is_reply = |line: &String| self.command.is_some_and(|prefix| own_call::is_reply_command(line, prefix));
        self.input.at == HookPoint::BeforeTool && self.input.command.as_ref().is_some_and(is_reply)
    }

    /// Messages are for the main agent: a subagent could neither answer nor forward them. Its tools are tools of the run.
    async fn handle_subagent(&self, memory: &mut SessionMemory) -> Result<HookResult, HookEventError> {
        if self.input.at != HookPoint::BeforeTool || memory.run.is_none() {
            return Ok(HookResult::NOTHING);
        }
        match self.checkpoint(memory).await?.verdict {
            CheckpointDecision::Continue => Ok(HookResult::NOTHING),
            CheckpointDecision::Pause => Ok(HookResult::note(HookReply::Deny(PAUSED_SUBAGENT.to_owned()))),
        }
    }

    /// Denies the tool while the run is paused, with the text of the messages that pause it. The model answers and
    /// repeats the tool.
    async fn before_tool(&self, memory: &mut SessionMemory, me: &AgentIdentity) -> Result<HookResult, HookEventError> {
        let checkpoint = self.checkpoint(memory).await?;
        if checkpoint.verdict == CheckpointDecision::Continue {
            return Ok(HookResult::NOTHING);
        }
        let blocking = blocking(Some(&checkpoint));
        if blocking.is_empty() {
            return Ok(HookResult::note(HookReply::Deny(format!("This tool was not run. {WAITS_FOR_ANSWER}"))));
        }
        let delivered = memory.delivered(limits::CONTEXT_TOLD_MAX).filter(|id| !blocking.contains(id)).cloned();
        // The tool is denied also if the text cannot be built.
        match self.messages_text(me, delivered.collect(), memory.run.clone()).await {
            Ok(injection) if !injection.text.is_empty() => Ok(HookResult::of(injection, HookReply::Deny)),
            _ => Ok(HookResult::note(HookReply::Deny(self.names_of(&blocking)))),
        }
    }

    /// A text with ids and calls only.
    fn names_of(&self, blocking: &[MessageId]) -> String {
        let call = |id: &MessageId| match self.command {
            Some(command) => format!("Answer: {command} answer {id} 'your answer'"),
            None => format!(r#"Answer: reply_thread {{"thread_id":"{id}","body":"your answer"}}"#),
        };
        let calls: Vec<_> = blocking.iter().map(call).collect();
        format!("This tool was not run: your run is paused. Answer first.\n{}", calls.join("\n"))
    }

    /// Reports delivery states to the hub and records which were accepted.
    pub async fn report(&self, memory: &mut SessionMemory) -> Result<(), HookEventError> {
        for report in memory.reports() {
            let outcome = self.client.report_deliveries(None, &report.messages, &report.step).await;
            match outcome {
                // A report that the hub refuses permanently is not repeated.
                Err(error) if error.is_retryable() || error.problem().is_none() => return Err(error.into()),
                _ => memory.mark_reported(&report),
            }
        }
        Ok(())
    }

    async fn identify(&self, memory: &mut SessionMemory) -> Result<AgentIdentity, HookEventError> {
        if let (Some(agent), Some(project)) = (&memory.agent, &memory.project) {
            return Ok(AgentIdentity { agent: agent.clone(), project: project.clone() });
        }
        let me = self.client.me().await?;
        match (me.member_id, me.project_id) {
            (MemberId::Agent(agent), Some(project)) => {
                (memory.agent, memory.project) = (Some(agent.clone()), Some(project.clone()));
                Ok(AgentIdentity { agent, project })
            }
            _ => Err(HookEventError::NoAgent(me.name.to_string())),
        }
    }

    /// Asks whether the run may continue; starts a new one if there is none or it has ended.
    async fn checkpoint(&self, memory: &mut SessionMemory) -> Result<Checkpoint, HookEventError> {
        let checkpoint = self.checkpoint_of_run(memory).await?;
        memory.note_checkpoint(checkpoint.verdict == CheckpointDecision::Pause);
        Ok(checkpoint)
    }

    async fn checkpoint_of_run(&self, memory: &mut SessionMemory) -> Result<Checkpoint, HookEventError> {
        // The hook requests its text for the model separately, with the commands of its profile.
        let delivery = CheckpointDelivery::OtherText;
        if let Some(run) = &memory.run {
            match self.client.checkpoint(run, delivery).await {
                Err(error) if is_gone(&error) => {}
                outcome => return Ok(outcome?),
            }
        }
        // Recorded before the request: if the response is lost, the next call continues this run.
        memory.run = Some(self.next_run.clone());
        let request = StartRun {
            id: Some(self.next_run.clone()),
            label: Some(self.input.label()),
            lease_seconds: Some(LEASE_SECONDS),
            ..StartRun::default()
        };
        let run = self.client.start_run(&request).await?;
        Ok(self.client.checkpoint(&run.id, delivery).await?)
    }

    async fn updates(
        &self,
        memory: &mut SessionMemory,
        me: &AgentIdentity,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Updates, HookEventError> {
        let is_quiet = checkpoint.is_some_and(|it| it.unread.total == 0);
        let (inbox, open) = tokio::join!(self.inbox(&me.agent, is_quiet), self.own_questions(&me.agent, &me.project));
        let (inbox, open) = (inbox?, open?);
        let unread = inbox.items.iter().map(|entry| &entry.message).filter(|message| may_reach_model(message));
        let mut fresh: Vec<_> = unread.map(|message| message.id.clone()).collect();
        let blocking = blocking(checkpoint);
        fresh.extend(blocking.iter().cloned());
        fresh.retain(|id| !memory.has_delivered(id));
        let is_blocked = fresh.iter().any(|id| blocking.contains(id));
        let outcomes = self.outcomes(memory, &open).await?;
        memory.record_questions(open.iter().cloned());
        Ok(Updates { fresh, is_blocked, outcomes, open })
    }

    /// The most important unread messages; no request if the checkpoint reported none.
    async fn inbox(&self, agent: &AgentId, is_quiet: bool) -> Result<InboxPage, ClientError> {
        if is_quiet {
            return Ok(InboxPage { items: Vec::new(), next: None, unread: 0 });
        }
        let filter = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
        self.client.inbox(agent, &filter, &PageAt::first(PAGE_LEN)).await
    }

    /// The open questions that the agent asked.
    async fn own_questions(&self, agent: &AgentId, project: &ProjectId) -> Result<Vec<MessageId>, ClientError> {
        let me = Some(MemberId::from(agent.clone()));
        let asked = QuestionFilter::AnybodyIn(project.clone());
        let open = self.client.questions(&asked, &PageAt::first(PAGE_LEN)).await?.items;
        Ok(open.into_iter().map(|it| it.message).filter(|it| it.from.member_id() == me).map(|it| it.id).collect())
    }

    /// Own questions that were closed since the last hook call.
    async fn outcomes(&self, memory: &mut SessionMemory, open: &[MessageId]) -> Result<Vec<MessageId>, HookEventError> {
        let mut outcomes = Vec::new();
        for question in memory.asked.clone().iter().filter(|question| !open.contains(question)) {
            match self.client.await_answer(question, 0).await {
                Ok(message) if message.question.as_ref().is_some_and(|it| it.is_open()) => {}
                Ok(message) => outcomes.push(message.id),
                Err(error) if error.problem().is_some() => memory.asked.retain(|known| known != question),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(outcomes)
    }

    async fn inject(
        &self,
        memory: &SessionMemory,
        me: &AgentIdentity,
        updates: &Updates,
        run: Option<RunId>,
    ) -> Result<HookResult, HookEventError> {
        if !self.input.tool.can_tell(self.input.at) {
            return Ok(HookResult::NOTHING);
        }
        let delivered = memory.delivered(limits::CONTEXT_TOLD_MAX).cloned().collect();
        Ok(HookResult::of(self.injection(me, updates, delivered, run).await?, HookReply::Tell))
    }

    /// Holds the turn for blocking messages, answers to own questions or new messages; outcomes it otherwise.
    async fn end_turn(&self, memory: &mut SessionMemory, me: &AgentIdentity) -> Result<HookResult, HookEventError> {
        let checkpoint = self.checkpoint(memory).await?;
        let mut updates = self.updates(memory, me, Some(&checkpoint)).await?;
        // A message that held the turn often enough counts as delivered.
        let (held, spent): (Vec<_>, Vec<_>) =
            blocking(Some(&checkpoint)).into_iter().partition(|id| memory.may_hold(id));
        updates.fresh.retain(|id| !spent.contains(id) && !self.input.was_held);
        updates.fresh.extend(held.iter().cloned());
        updates.is_blocked = !held.is_empty();
        if updates.fresh.is_empty() && updates.outcomes.is_empty() {
            updates.outcomes = self.wait_for_answer(&updates.open).await?;
        }
        let delivered = memory.delivered(limits::CONTEXT_TOLD_MAX).filter(|id| !held.contains(id)).cloned();
        let delivered = spent.into_iter().chain(delivered).take(limits::CONTEXT_TOLD_MAX).collect();
        let injection = self.injection(me, &updates, delivered, memory.run.clone()).await?;
        if injection.text.is_empty() {
            self.finish(memory, &FinishRun::default()).await?;
        }
        Ok(HookResult::of(injection, HookReply::Hold))
    }

    /// The text with the updates: either messages or outcomes of own questions, so that it equals one stored injection.
    /// Blocking messages come first, then outcomes, then other messages; the rest follows with the next call.
    async fn injection(
        &self,
        me: &AgentIdentity,
        updates: &Updates,
        delivered: Vec<MessageId>,
        run_id: Option<RunId>,
    ) -> Result<InjectedText, HookEventError> {
        if !updates.outcomes.is_empty() && !updates.is_blocked {
            let outcomes = self.outcomes_text(me, &updates.outcomes, run_id.clone()).await?;
            if !outcomes.text.is_empty() {
                return Ok(outcomes);
            }
        }
        if updates.fresh.is_empty() {
            return Ok(InjectedText::default());
        }
        self.messages_text(me, delivered, run_id).await
    }

    /// The unread messages that were not delivered yet; empty if none is shown.
    async fn messages_text(
        &self,
        me: &AgentIdentity,
        delivered: Vec<MessageId>,
        run_id: Option<RunId>,
    ) -> Result<InjectedText, HookEventError> {
        let command = self.command.filter(|command| command.chars().count() <= limits::CONTEXT_COMMAND_CHARS_MAX);
        let request = ContextRequest {
            format: ContextFormat::Injection,
            budget: self.budget,
            run_id,
            told: delivered,
            command: command.map(str::to_owned),
            ..ContextRequest::default()
        };
        let Pack { text, receipt, .. } = self.client.context(&me.agent, &request).await?;
        let named = shown(&receipt);
        // A text without messages is not worth its tokens, and the hub has not stored it.
        Ok(if named.is_empty() { InjectedText::default() } else { InjectedText { text, named, ended: Vec::new() } })
    }

    /// The outcomes of own questions, as far as they fit.
    async fn outcomes_text(
        &self,
        me: &AgentIdentity,
        outcomes: &[MessageId],
        run_id: Option<RunId>,
    ) -> Result<InjectedText, HookEventError> {
        let request = ContextRequest {
            format: ContextFormat::Injection,
            budget: self.budget,
            run_id,
            outcomes: outcomes.to_vec(),
            ..ContextRequest::default()
        };
        let Pack { text, receipt, .. } = self.client.context(&me.agent, &request).await?;
        Ok(InjectedText { text, named: Vec::new(), ended: shown(&receipt) })
    }

    /// Waits for the first own question that is closed within the time limit.
    async fn wait_for_answer(&self, open: &[MessageId]) -> Result<Vec<MessageId>, HookEventError> {
        if open.is_empty() || self.wait_seconds == 0 {
            return Ok(Vec::new());
        }
        let waits = open.iter().map(|id| Box::pin(self.client.await_answer(id, self.wait_seconds)));
        let (first, ..) = select_all(waits).await;
        let first = first?;
        let is_open = first.question.as_ref().is_some_and(|question| question.is_open());
        Ok(if is_open { Vec::new() } else { vec![first.id] })
    }

    async fn finish(&self, memory: &mut SessionMemory, how: &FinishRun) -> Result<(), HookEventError> {
        let Some(run) = memory.run.clone() else { return Ok(()) };
        match self.client.finish_run(&run, how).await {
            Err(error) if !is_gone(&error) => return Err(error.into()),
            _ => memory.run = None,
        }
        Ok(())
    }
}

/// The messages of others that pause the run.
fn blocking(checkpoint: Option<&Checkpoint>) -> Vec<MessageId> {
    let briefs = checkpoint.map(|it| it.messages.as_slice()).unwrap_or_default();
    let blocks = briefs.iter().filter(|brief| brief.blocks == Some(PauseReason::Message));
    blocks.map(|brief| brief.message_id.clone()).collect()
}

/// The messages with at least one line in the pack; those listed only as a handle were not delivered.
fn shown(receipt: &Receipt) -> Vec<MessageId> {
    let items = receipt.items.iter().filter(|item| item.subject_type == SubjectType::Message);
    let shown = items.filter(|item| item.level.is_some_and(|level| level != Level::Handle));
    shown.filter_map(|item| item.id.parse().ok()).collect()
}

/// Whether a run has ended or does not exist.
fn is_gone(error: &ClientError) -> bool {
    error.problem().is_some_and(|problem| problem.is(Code::RunEnded) || problem.is(Code::NotFound))
}
