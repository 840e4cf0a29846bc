//! Checkpoints: a run asks between two steps whether it may go on.

use std::cmp::Reverse;

use futures_util::future;
use parlour_core::{
    access::Principal,
    checkpoint::{Brief, Checkpoint, Verdict},
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
    Failure, Hub,
    context::{CheckpointMessage, CheckpointReason, CheckpointTextRequest},
    failure::run_to_completion,
    runs::pause_by,
};

/// Messages of others that pause one run at once: its own questions always find room beside them.
const BLOCKS_MAX: usize = limits::RUN_PAUSES_MAX - limits::QUESTIONS_PER_ASKER_MAX;

/// What blocks an agent, as it rides on the result of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockingNotice {
    /// The text for its model.
    pub text: String,
    /// The messages that the text names, the most important first.
    pub messages: Vec<Brief>,
}

impl Hub {
    /// Asks for the run whether it may go on, and renews its lease. For its own agent.
    ///
    /// It is to pause when an open question addresses its agent that the agent has not handled (the question that led to
    /// this very run excepted), and as long as it is paused. What its model is told then is made by the context engine and
    /// kept with the run. It is not claimed as delivered: whoever puts it before the model reports that.
    pub async fn checkpoint(&self, caller: &Principal, id: &RunId) -> Result<Checkpoint, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        let Some(agent) = caller.member.agent() else {
            return self.access.load_own_run(caller, id).await.map(resume_paused);
        };
        // All at once, so that a run that may go on is told so after the time of one look.
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
        self.pause_at_checkpoint(caller, run, blocks, unread).await
    }

    /// Renews the lease of a run without asking anything: from the middle of a step. For its own agent.
    pub async fn beat_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.access.require_scope(caller, Scope::RunsWrite)?;
        let run = self.access.load_own_run(caller, id).await?;
        run.check_open()?;
        if run.state == RunState::Running {
            self.run_supervisor.tracker.renew(&run, self.clock.now());
        }
        self.access.hide_unreadable_pauses(caller, run).await
    }

    /// What blocks the calling agent now, save what its client was just told, as a text that rides on the result of a tool;
    /// it is kept with the run. Nothing when nothing blocks it.
    pub async fn pending_blocks(
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
        let told = self
            .checkpoint_text(
                caller,
                CheckpointTextRequest { delivered_via: DeliveryPath::Tool, run, at, messages: news, lead: None, end },
            )
            .await;
        let messages = told.briefs.into_iter().filter(|brief| told.named.contains(&brief.message_id)).collect();
        Ok((!told.text.is_empty()).then_some(BlockingNotice { text: told.text, messages }))
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

    /// What blocks an agent, and one more, because the message that led to a run does not block it.
    async fn blocks_of(&self, agent: &AgentId) -> Result<Vec<Message>, Failure> {
        self.store.blocks_of(agent, BLOCKS_MAX + 1).await
    }

    async fn pause_at_checkpoint(
        &self,
        caller: &Principal,
        run: Run,
        blocks: Vec<Message>,
        unread: InboxCounts,
    ) -> Result<Checkpoint, Failure> {
        let run = self.pause_for(caller, run, &blocks).await?;
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
        let request = CheckpointTextRequest {
            delivered_via: DeliveryPath::Checkpoint,
            run: Some(run.clone()),
            at,
            messages: news,
            lead: None,
            end: end.clone(),
        };
        let told = self.checkpoint_text(caller, request).await;
        let injection = Some(if told.text.is_empty() { end.concat() } else { told.text });
        Ok(Checkpoint { verdict: Verdict::Pause, run, injection, messages: told.briefs, unread })
    }

    /// Pauses the run for those messages that do not pause it yet, as far as there is room.
    async fn pause_for(&self, caller: &Principal, run: Run, blocks: &[Message]) -> Result<Run, Failure> {
        let room =
            BLOCKS_MAX.saturating_sub(run.pauses.iter().filter(|one| one.reason == PauseReason::Message).count());
        let now = self.clock.now();
        let is_known = |id: &MessageId| run.pauses.iter().any(|pause| pause.message_id == *id);
        let fresh: Vec<Pause> = blocks
            .iter()
            .filter(|message| !is_known(&message.id))
            .take(room)
            .map(|message| pause_by(message, PauseReason::Message, now))
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

    /// The run and what pauses it, after all went on that waited for questions which have ended: perhaps just now, while
    /// the run was being paused.
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
    Checkpoint { verdict: Verdict::Continue, run, injection: None, messages: Vec::new(), unread }
}

/// Critical before high before normal, what others want before what the agent itself asked, the oldest first.
fn in_order(mut news: Vec<CheckpointMessage>) -> Vec<CheckpointMessage> {
    news.sort_by_key(|CheckpointMessage { message, why }| {
        (Reverse(message.importance), *why == CheckpointReason::Asked, message.created_at, message.id.clone())
    });
    news
}

/// What becomes of the run, for its model.
fn closing(news: &[CheckpointMessage], run: &RunId) -> String {
    match news.iter().all(|one| one.why == CheckpointReason::Asked) && !news.is_empty() {
        true => format!("Your run {run} waits for the answer and goes on by itself when it is there."),
        false => format!(
            "Your run {run} is paused. Handle this first; it goes on with your answer, or with checkpoint \
             {{\"resume\":true}}."
        ),
    }
}
