//! Checkpoints: a run asks between two steps whether it may go on.

use std::cmp::Reverse;

use futures_util::future;
use parlour_core::{
    access::Principal,
    checkpoint::{Brief, Checkpoint, Verdict, injection},
    id::{AgentId, MessageId, RunId},
    inbox::InboxCounts,
    limits,
    message::Message,
    question::Question,
    run::{Pause, PauseReason, Run, RunState},
    scope::Scope,
    write::Write,
};

use crate::{Failure, Hub, hub::to_its_end, runs::pause_by};

/// Messages of others that pause one run at once: its own questions always find room beside them.
const BLOCKS_MAX: usize = limits::RUN_PAUSES_MAX - limits::QUESTIONS_PER_ASKER_MAX;

impl Hub {
    /// Asks for the run whether it may go on, and renews its lease. For its own agent.
    ///
    /// It is to pause when an open question addresses its agent that the agent has not handled (the question that led to
    /// this very run excepted), and as long as it is paused. What the agent is told is not claimed as delivered: whoever
    /// puts it before the model reports that.
    pub async fn checkpoint(&self, caller: &Principal, id: &RunId) -> Result<Checkpoint, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let Some(agent) = caller.member.agent() else {
            return self.own_run(caller, id).await.map(go_on);
        };
        // All at once, so that a run that may go on is told so after the time of one look.
        let (run, blocks, unread) =
            future::try_join3(self.own_run(caller, id), self.blocks_of(agent), self.store.inbox_counts(agent)).await?;
        run.check_open()?;
        let blocks: Vec<Message> = blocks.into_iter().filter(|one| Some(&one.id) != run.message_id.as_ref()).collect();
        if run.state == RunState::Running {
            self.keeper.book.renew(&run, self.clock.now());
            if blocks.is_empty() {
                return Ok(Checkpoint { unread, ..go_on(run) });
            }
        }
        self.pause_at_checkpoint(caller, run, blocks, unread).await
    }

    /// Renews the lease of a run without asking anything: from the middle of a step. For its own agent.
    pub async fn beat_run(&self, caller: &Principal, id: &RunId) -> Result<Run, Failure> {
        self.admit(caller, Scope::RunsWrite)?;
        let run = self.own_run(caller, id).await?;
        run.check_open()?;
        if run.state == RunState::Running {
            self.keeper.book.renew(&run, self.clock.now());
        }
        self.shown_run(caller, run).await
    }

    /// The messages that block the calling agent now, the most important first: what rides on results of tools.
    pub async fn pending_blocks(&self, caller: &Principal) -> Result<Vec<Brief>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        // People are never blocked.
        let Some(agent) = caller.member.agent() else { return Ok(Vec::new()) };
        let blocks = self.store.blocks_of(agent, BLOCKS_MAX).await?;
        Ok(in_order(blocks.iter().map(|message| (message, PauseReason::Message)).collect()))
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
        let (run, messages) = self.release_ended(run).await?;
        run.check_open()?;
        let run = self.shown_run(caller, run).await?;
        if run.state == RunState::Running {
            return Ok(Checkpoint { unread, ..go_on(run) });
        }
        let reason_of = |message: &Message| run.pauses.iter().find(|pause| pause.message_id == message.id);
        let paused = messages.iter().filter_map(|message| Some((message, reason_of(message)?.reason)));
        let briefs = in_order(paused.collect());
        let injection = Some(injection(&briefs, &run.id));
        Ok(Checkpoint { verdict: Verdict::Pause, run, injection, messages: briefs, unread })
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
        let (keeper, deed, project) = (self.keeper.clone(), caller.deed(now), run.project_id.clone());
        let write = Write::PauseRun(run.id.clone(), fresh);
        to_its_end("pause a run", async move { keeper.append(&project, deed, write).await }).await?;
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
                    self.keeper.release(&pause.message_id).await;
                    has_released = true;
                }
            }
        }
        let run = if has_released { self.store.run(&run.id).await?.unwrap_or(run) } else { run };
        Ok((run, pausing))
    }
}

fn go_on(run: Run) -> Checkpoint {
    let unread = InboxCounts::default();
    Checkpoint { verdict: Verdict::Continue, run, injection: None, messages: Vec::new(), unread }
}

/// The messages in short: critical before high before normal, what others want before what the agent itself asked, the
/// oldest first.
fn in_order(mut messages: Vec<(&Message, PauseReason)>) -> Vec<Brief> {
    messages.sort_by_key(|(message, reason)| {
        (Reverse(message.importance), *reason == PauseReason::Asked, message.created_at, message.id.clone())
    });
    messages.into_iter().map(|(message, reason)| Brief::of(message, Some(reason))).collect()
}
