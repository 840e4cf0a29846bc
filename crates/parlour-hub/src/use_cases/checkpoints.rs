//! Checkpoints: between two steps a run asks whether to continue.

use std::cmp::Reverse;

use futures_util::future;
use parlour_core::{
    access::Principal,
    checkpoint::{Brief, Checkpoint, CheckpointDecision, CheckpointDelivery},
    delivery::DeliveryPath,
    id::{AgentId, MessageId, RunId},
    inbox::InboxCounts,
    limits,
    message::Message,
    question::Question,
    run::{Pause, PauseReason, Run, RunState},
    scope::Scope,
    write::Write,
};
use serde::Serialize;

use crate::{
    Failure,
    context::{CheckpointMessage, CheckpointReason, CheckpointTextRequest},
    failure::run_to_completion,
    runs::pause_by,
    use_cases::RunService,
};

/// Messages of others that pause one run at once; the rest of the limit is for its own questions.
const BLOCKS_MAX: usize = limits::RUN_PAUSES_MAX - limits::QUESTIONS_PER_ASKER_MAX;

/// The messages that block an agent, as a text beside the result of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockingNotice {
    /// The text for its model.
    pub text: String,
    /// The messages in the text, the most important first.
    pub messages: Vec<Brief>,
}

impl RunService {
    /// Decides whether a run continues, and renews its lease. For its own agent.
    ///
    /// The decision is to pause while an open question to the agent is not handled, except the question that caused the
    /// run, and while the run is paused. The text for the model is built by the context engine and recorded with the run,
    /// unless `delivery` says that this run does not get it. It does not count as delivered until the delivery path
    /// reports that.
    pub(crate) async fn checkpoint(
        &self,
        caller: &Principal,
        id: &RunId,
        delivery: CheckpointDelivery,
    ) -> Result<Checkpoint, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        let Some(agent) = caller.member.agent() else {
            return self.access.load_own_run(caller, id).await.map(resume_paused);
        };
        // Concurrently, so that a run that continues waits for one read only.
        let (run, blocks, unread) = future::try_join3(
            self.access.load_own_run(caller, id),
            self.blocks_of(agent),
            self.store.inbox_counts(agent),
        )
        .await?;
        run.check_open()?;
        let blocks: Vec<Message> = blocks.into_iter().filter(|one| Some(&one.id) != run.message_id.as_ref()).collect();
        if run.state == RunState::Running {
            self.run_supervisor.tracker.renew(&run, self.clock.now());
            if blocks.is_empty() {
                return Ok(Checkpoint { unread, ..resume_paused(run) });
            }
        }
        self.pause_at_checkpoint(caller, run, blocks, unread, delivery).await
    }

    /// Renews the lease of a run without a decision, within a step. For its own agent.
    pub(crate) async fn beat_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        let run = self.access.load_own_run(caller, id).await?;
        run.check_open()?;
        if run.state == RunState::Running {
            self.run_supervisor.tracker.renew(&run, self.clock.now());
        }
        self.access.hide_unreadable_pauses(caller, run).await
    }

    /// The messages that block the calling agent, without those in `except`, as a text beside the result of a tool. The
    /// text is recorded with the run. None if nothing blocks the agent.
    pub(crate) async fn pending_blocks(
        &self,
        caller: &Principal,
        run: Option<&RunId>,
        except: &[MessageId],
    ) -> Result<Option<BlockingNotice>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        // People are never blocked.
        let Some(agent) = caller.member.agent() else { return Ok(None) };
        let at = self.clock.now();
        let mut blocks = self.store.blocks_of(agent, BLOCKS_MAX).await?;
        blocks.retain(|message| !except.contains(&message.id));
        if blocks.is_empty() {
            return Ok(None);
        }
        let run = self.own_if_any(caller, run).await?;
        let news = in_order(
            blocks.into_iter().map(|message| CheckpointMessage { message, why: CheckpointReason::Blocks }).collect(),
        );
        let end = vec![match run {
            Some(_) => "Handle this before you go on, then call checkpoint {\"resume\":true}.".to_owned(),
            None => "Handle this before you go on.".to_owned(),
        }];
        let checkpoint_text = self
            .context
            .checkpoint_text(
                caller,
                CheckpointTextRequest { delivered_via: DeliveryPath::Tool, run, at, messages: news, lead: None, end },
            )
            .await;
        let messages = checkpoint_text
            .briefs
            .into_iter()
            .filter(|brief| checkpoint_text.named.contains(&brief.message_id))
            .collect();
        Ok((!checkpoint_text.text.is_empty()).then_some(BlockingNotice { text: checkpoint_text.text, messages }))
    }

    /// The run, if it is the caller's own.
    async fn own_if_any(&self, caller: &Principal, run: Option<&RunId>) -> Result<Option<Run>, Failure> {
        let Some(run) = run else { return Ok(None) };
        match self.access.load_own_run(caller, run).await {
            Ok(run) => Ok(Some(run)),
            Err(Failure::Refused(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// The messages that block an agent, and one more, because the message that caused a run does not block it.
    async fn blocks_of(&self, agent: &AgentId) -> Result<Vec<Message>, Failure> {
        self.store.blocks_of(agent, BLOCKS_MAX + 1).await
    }

    async fn pause_at_checkpoint(
        &self,
        caller: &Principal,
        run: Run,
        blocks: Vec<Message>,
        unread: InboxCounts,
        delivery: CheckpointDelivery,
    ) -> Result<Checkpoint, Failure> {
        let run = self.pause_for(caller, run, &blocks, delivery).await?;
        let at = self.clock.now();
        let (run, messages) = self.release_ended(run).await?;
        run.check_open()?;
        let run = self.access.hide_unreadable_pauses(caller, run).await?;
        if run.state == RunState::Running {
            return Ok(Checkpoint { unread, ..resume_paused(run) });
        }
        let why_of = |message: &Message| {
            let pause = run.pauses.iter().find(|pause| pause.message_id == message.id)?;
            Some(if pause.reason == PauseReason::Asked { CheckpointReason::Asked } else { CheckpointReason::Blocks })
        };
        let news =
            messages.into_iter().filter_map(|message| Some(CheckpointMessage { why: why_of(&message)?, message }));
        let news = in_order(news.collect());
        let end = vec![closing(&news, &run.id)];
        let is_given = delivery == CheckpointDelivery::Checkpoint;
        let request = CheckpointTextRequest {
            delivered_via: DeliveryPath::Checkpoint,
            // A text that the run is not given is not recorded with it.
            run: is_given.then(|| run.clone()),
            at,
            messages: news,
            lead: None,
            end: end.clone(),
        };
        let checkpoint_text = self.context.checkpoint_text(caller, request).await;
        let injection =
            is_given.then(|| if checkpoint_text.text.is_empty() { end.concat() } else { checkpoint_text.text });
        Ok(Checkpoint { verdict: CheckpointDecision::Pause, run, injection, messages: checkpoint_text.briefs, unread })
    }

    /// Pauses the run for messages that do not pause it yet, up to the limit.
    async fn pause_for(
        &self,
        caller: &Principal,
        run: Run,
        blocks: &[Message],
        delivery: CheckpointDelivery,
    ) -> Result<Run, Failure> {
        let answered_separately = delivery == CheckpointDelivery::SeparateRun;
        let room =
            BLOCKS_MAX.saturating_sub(run.pauses.iter().filter(|one| one.reason == PauseReason::Message).count());
        let now = self.clock.now();
        let is_known = |id: &MessageId| run.pauses.iter().any(|pause| pause.message_id == *id);
        let fresh: Vec<Pause> = blocks
            .iter()
            .filter(|message| !is_known(&message.id))
            .take(room)
            .map(|message| Pause { answered_separately, ..pause_by(message, PauseReason::Message, now) })
            .collect();
        if fresh.is_empty() {
            return Ok(run);
        }
        let (run_supervisor, attribution, project) =
            (self.run_supervisor.clone(), caller.attribution(now), run.project_id.clone());
        let write = Write::PauseRun(run.id.clone(), fresh);
        run_to_completion("pause a run", async move { run_supervisor.append(&project, attribution, write).await })
            .await?;
        Ok(self.store.run(&run.id).await?.unwrap_or(run))
    }

    /// Resumes runs whose question was closed meanwhile, and returns the run and the messages that still pause it.
    async fn release_ended(&self, run: Run) -> Result<(Run, Vec<Message>), Failure> {
        let (mut pausing, mut has_released) = (Vec::new(), false);
        for pause in &run.pauses {
            let message = self.store.message(&pause.message_id).await?;
            match message.filter(|message| message.question.as_ref().is_some_and(Question::is_open)) {
                Some(message) => pausing.push(message),
                None => {
                    self.run_supervisor.release(&pause.message_id).await;
                    has_released = true;
                }
            }
        }
        let run = if has_released { self.store.run(&run.id).await?.unwrap_or(run) } else { run };
        Ok((run, pausing))
    }
}

fn resume_paused(run: Run) -> Checkpoint {
    let unread = InboxCounts::default();
    Checkpoint { verdict: CheckpointDecision::Continue, run, injection: None, messages: Vec::new(), unread }
}

/// Orders by importance, then questions of others before those of the agent, then the oldest first.
fn in_order(mut news: Vec<CheckpointMessage>) -> Vec<CheckpointMessage> {
    news.sort_by_key(|CheckpointMessage { message, why }| {
        (Reverse(message.importance), *why == CheckpointReason::Asked, message.created_at, message.id.clone())
    });
    news
}

/// The last line of the text: how the run continues.
fn closing(news: &[CheckpointMessage], run: &RunId) -> String {
    match news.iter().all(|one| one.why == CheckpointReason::Asked) && !news.is_empty() {
        true => format!("Your run {run} waits for the answer and goes on by itself when it is there."),
        false => format!(
            "Your run {run} is paused. Handle this first; it goes on with your answer, or with checkpoint \
             {{\"resume\":true}}."
        ),
    }
}
