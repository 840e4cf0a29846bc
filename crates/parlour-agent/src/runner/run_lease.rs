//! The run of one answer or task: starts it at the hub, renews its lease, pauses at checkpoints and ends it.
//!
//! The id of a run is the id of the message it writes with another prefix. A later process can therefore tell from
//! the message whether a run is abandoned, and starting a run twice is idempotent.
//!
//! An answer does not depend on its run: if the hub rejects the run, the answer is written without one.

use std::{
    future::pending,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use parlour_core::{
    Code,
    checkpoint::{Brief, Checkpoint, CheckpointDecision},
    delivery::{DeliveryPath, DeliveryState, DeliveryStep},
    engine::Usage,
    id::{ConversationId, MemberId, MessageId, RunId, TaskId},
    limits,
    message::{Importance, State},
    run::{FinishRun, Pause, PauseReason, Run, RunState, StartRun},
};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use uuid::Uuid;

use super::{
    RunnerEvent,
    answer::AnswerEnd,
    answer_control::{AnswerControl, WriteHold},
    prompt::BuiltPrompt,
    shared::{self, BlockingQuestion, SharedState},
};
use crate::{engine::Prompt, link::LinkError, streaming::retry_while_away};

/// Interval of heartbeats, several per lease.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(limits::RUN_LEASE_SECONDS_DEFAULT as u64 / 6);

/// The properties of a new run.
#[derive(Clone, Debug, Default)]
pub(super) struct NewRun {
    /// The message that the run writes.
    pub(super) answer: Option<MessageId>,
    pub(super) label: String,
    pub(super) conversation: Option<ConversationId>,
    /// The message that caused the run.
    pub(super) message: Option<MessageId>,
    pub(super) task: Option<TaskId>,
}

/// The run of one answer. Without a run at the hub it only reports deliveries.
pub(super) struct RunLease {
    shared: Arc<SharedState>,
    control: Arc<AnswerControl>,
    run: Option<RunId>,
    /// Unread messages that the prompt contains.
    shown: Vec<MessageId>,
    reported: Mutex<ReportedDeliveries>,
}

impl RunLease {
    /// Starts the run; continues without one if the hub rejects it.
    pub(super) async fn begin(shared: &Arc<SharedState>, control: &Arc<AnswerControl>, request: NewRun) -> Self {
        let run = match start(shared, request).await {
            Ok(run) => Some(run),
            Err(error) => {
                shared.emit_without_runs(&error);
                None
            }
        };
        if let Some(run) = &run {
            control.set_run(run);
        }
        let (shown, reported) = (Vec::new(), Mutex::default());
        Self { shared: shared.clone(), control: control.clone(), run, shown, reported }
    }

    /// Records which unread messages the prompt contains and returns the prompt.
    pub(super) fn use_prompt(&mut self, built: BuiltPrompt) -> Prompt {
        self.shown = built.shown;
        built.prompt
    }

    pub(super) fn run(&self) -> Option<&RunId> {
        self.run.as_ref()
    }

    /// Renews the lease, asks at checkpoints and reports deliveries while the engine works. Returns the reason when
    /// somebody cancels the run.
    pub(super) async fn drive(&self) -> String {
        tokio::select! {
            biased;
            why = self.control.run_stopped() => why,
            why = self.run_checkpoints() => why,
            why = self.keep_alive() => why,
            why = self.report_deliveries() => why,
        }
    }

    async fn keep_alive(&self) -> String {
        let Some(run) = &self.run else { return std::future::pending().await };
        loop {
            sleep(HEARTBEAT_INTERVAL).await;
            if !self.control.has_run() {
                return std::future::pending().await;
            }
            match self.shared.link.beat_run(run).await {
                Err(error) if error.is(Code::RunEnded) => {
                    if let Some(why) = self.why_ended(run).await {
                        return why;
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the reason if the run was cancelled. A run that ended in another way is detached, and the answer
    /// continues without it.
    async fn why_ended(&self, id: &RunId) -> Option<String> {
        let ended = retry_while_away(|| self.shared.link.await_run(id)).await;
        match ended {
            Ok(run) if run.state == RunState::Cancelled => Some(stopped_for(run.reason)),
            Ok(run) if run.state.is_open() => None,
            _ => {
                self.control.detach_run();
                None
            }
        }
    }

    /// Reports the remaining deliveries and ends the run.
    pub(super) async fn end(self, end: AnswerEnd, usage: Option<Usage>) {
        self.report_rest().await;
        let Some(run) = self.run.as_ref().filter(|_| self.control.has_run()) else { return };
        let failed = match end {
            AnswerEnd::Complete => None,
            AnswerEnd::Failed(reason) => Some(shared::clean_reason(&reason)),
            AnswerEnd::Cancelled(reason) => {
                let reason = reason.map(|reason| shared::clean_reason(&reason));
                // The hub refuses this if the run itself was cancelled, which is fine.
                let _ = retry_while_away(|| self.shared.link.cancel_run(run, reason.clone())).await;
                return;
            }
        };
        let request = FinishRun { failed, usage };
        // A run that cannot be ended now ends when its lease expires.
        if let Ok(finished) = retry_while_away(|| self.shared.link.finish_run(run, &request)).await
            && let Some(nudge) = finished.nudge
        {
            self.shared.emit(RunnerEvent::Nudge(nudge));
        }
    }

    fn reported(&self) -> std::sync::MutexGuard<'_, ReportedDeliveries> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stopped_for(reason: Option<String>) -> String {
    reason.unwrap_or_else(|| "its run was stopped".to_owned())
}

/// Starts a run. If a run with this id has already ended, an earlier attempt used it: the new run gets a new id.
async fn start(shared: &SharedState, request: NewRun) -> Result<RunId, LinkError> {
    let id = request.answer.as_ref().and_then(run_of).unwrap_or_else(fresh_run);
    let mut start = StartRun {
        id: Some(id),
        label: Some(shared::clean_label(&request.label)),
        message_id: request.message,
        task_id: request.task,
        ..StartRun::default()
    };
    match request.conversation {
        Some(ConversationId::Channel(id)) => start.channel_id = Some(id),
        Some(ConversationId::Thread(id)) => start.thread_id = Some(id),
        Some(ConversationId::Dm(id)) => start.dm_id = Some(id),
        None => {}
    }
    let run = match shared.link.start_run(&start).await {
        Ok(run) if run.state.is_open() => run,
        Ok(_) => {
            start.id = Some(fresh_run());
            shared.link.start_run(&start).await?
        }
        Err(error) => return Err(error),
    };
    shared.emit(RunnerEvent::Running { run_id: run.id.clone(), label: start.label.unwrap_or_default() });
    Ok(run.id)
}

fn fresh_run() -> RunId {
    RunId::from_bits(Uuid::now_v7().as_u128())
}

/// The id of the run that writes this message.
pub(super) fn run_of(answer: &MessageId) -> Option<RunId> {
    let bits = answer.as_str().strip_prefix(MessageId::PREFIX)?;
    format!("{}{bits}", RunId::PREFIX).parse().ok()
}

/// The id of the message that a run writes, if a runner started the run.
pub(super) fn answer_of(run: &RunId) -> Option<MessageId> {
    let bits = run.as_str().strip_prefix(RunId::PREFIX)?;
    format!("{}{bits}", MessageId::PREFIX).parse().ok()
}

/// Minimum interval between two requests of a long poll.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Result of a checkpoint.
enum RunCheck {
    /// The run may continue.
    Continue,
    /// The run was cancelled, with the reason.
    Stopped(String),
    /// The run ended in another way: the answer continues without it.
    Lost,
    /// The hub could not be reached.
    Unknown,
}

impl RunLease {
    /// Asks the hub at each requested checkpoint whether the run may continue. Returns when the run is cancelled.
    pub(super) async fn run_checkpoints(&self) -> String {
        let Some(run) = &self.run else { return pending().await };
        loop {
            self.control.wait_for_safe_point().await;
            if !self.control.has_run() {
                return pending().await;
            }
            match self.checkpoint(run).await {
                RunCheck::Continue => {}
                RunCheck::Stopped(why) => return why,
                RunCheck::Lost => self.control.detach_run(),
                RunCheck::Unknown => {
                    sleep_until(Instant::now() + POLL_INTERVAL).await;
                    self.control.request_checkpoint();
                }
            }
        }
    }

    /// Asks once. The engine's output is held and its processes are stopped until the hub has replied, so no step can
    /// start meanwhile.
    async fn checkpoint(&self, run: &RunId) -> RunCheck {
        let hold = self.control.hold();
        hold.until_stopped().await;
        match self.shared.link.checkpoint(run).await {
            Ok(checkpoint) if checkpoint.verdict == CheckpointDecision::Continue => RunCheck::Continue,
            Ok(checkpoint) => self.wait_while_paused(run, checkpoint, &hold).await,
            Err(error) if error.is(Code::RunEnded) => match self.why_ended(run).await {
                Some(why) => RunCheck::Stopped(why),
                None => RunCheck::Lost,
            },
            Err(error) if error.is_retryable() => RunCheck::Unknown,
            Err(_) => RunCheck::Lost,
        }
    }

    /// Waits until the paused run continues or ends. The supervisor answers the questions that paused it meanwhile.
    async fn wait_while_paused(&self, run: &RunId, checkpoint: Checkpoint, hold: &WriteHold<'_>) -> RunCheck {
        hold.pause(checkpoint.messages.iter().map(|brief| brief.message_id.clone()).collect());
        self.shared.emit(paused(run, &checkpoint.messages));
        for brief in checkpoint.messages.iter().filter(|brief| brief.blocks == Some(PauseReason::Message)) {
            let (message_id, importance) = (brief.message_id.clone(), brief.importance);
            self.shared.request_answer(BlockingQuestion { message_id, importance, is_begun: false });
        }
        loop {
            let again = Instant::now() + POLL_INTERVAL;
            match self.shared.link.await_run(run).await {
                Ok(run) if run.state == RunState::Paused => self.request_answers(run.pauses),
                Err(error) if error.is_retryable() => {}
                ended => return self.check_resumed(ended),
            }
            sleep_until(again).await;
        }
    }

    /// Requests answers again for messages that still pause the run; the supervisor resumes the run if one was
    /// already handled.
    fn request_answers(&self, pauses: Vec<Pause>) {
        for pause in pauses.into_iter().filter(|pause| pause.reason == PauseReason::Message) {
            let (message_id, importance) = (pause.message_id, Importance::Normal);
            self.shared.request_answer(BlockingQuestion { message_id, importance, is_begun: false });
        }
    }

    fn check_resumed(&self, run: Result<Run, LinkError>) -> RunCheck {
        match run {
            Ok(run) if run.state == RunState::Running => {
                self.shared.emit(RunnerEvent::Resumed { run_id: run.id });
                RunCheck::Continue
            }
            Ok(run) if run.state == RunState::Cancelled => RunCheck::Stopped(stopped_for(run.reason)),
            _ => RunCheck::Lost,
        }
    }
}

fn paused(run: &RunId, by: &[Brief]) -> RunnerEvent {
    let first = by.first();
    let why = first.map(|brief| brief.summary.clone()).unwrap_or_default();
    RunnerEvent::Paused { run_id: run.clone(), by: first.map(|brief| brief.from.name.clone()).unwrap_or_default(), why }
}

/// Time limit of the last delivery reports before an answer ends.
const LAST_REPORTS_TIME_MAX: Duration = Duration::from_secs(5);

/// Deliveries that were already reported.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReportedDeliveries {
    injected: bool,
    seen: bool,
}

impl RunLease {
    /// Reports deliveries as they happen. Never returns.
    pub(super) async fn report_deliveries(&self) -> String {
        self.control.given().cancelled().await;
        self.report_injected().await;
        self.control.seen().cancelled().await;
        self.report_seen().await;
        pending().await
    }

    /// Reports what has happened and was not reported yet. Called before the answer ends, so that the reports precede
    /// it.
    pub(in crate::runner) async fn report_rest(&self) {
        let rest = async {
            if self.control.given().is_cancelled() {
                self.report_injected().await;
            }
            if self.control.seen().is_cancelled() {
                self.report_seen().await;
            }
        };
        // A delivery that could not be reported is not claimed.
        let _ = timeout(LAST_REPORTS_TIME_MAX, rest).await;
    }

    async fn report_injected(&self) {
        if self.reported().injected {
            return;
        }
        self.report(DeliveryState::Injected).await;
        self.reported().injected = true;
    }

    async fn report_seen(&self) {
        if self.reported().seen {
            return;
        }
        self.report(DeliveryState::Seen).await;
        self.reported().seen = true;
    }

    /// A rejected report does not fail the answer.
    async fn report(&self, state: DeliveryState) {
        if self.shown.is_empty() {
            return;
        }
        let step = DeliveryStep {
            delivered_via: Some(DeliveryPath::Prompt),
            run_id: self.run.clone(),
            ..DeliveryStep::to(state)
        };
        let _ = self.shared.link.report_deliveries(&self.shown, &step).await;
    }
}

const RESTARTED: &str = "its process was restarted";

/// Ends this run if the message that it writes has ended.
///
/// A running run has a lease and expires when its process dies. A paused run has none: it would resume without a
/// process. The message of a run is kept open only by a living process, so a run whose message has ended is
/// abandoned. Runs without such a message were started by tools, hooks or tasks without a thread; they are left
/// alone.
pub(super) async fn end_abandoned_run(shared: &SharedState, run: &RunId) {
    let Some(answer) = answer_of(run) else { return };
    let Ok(message) = retry_while_away(|| shared.link.message(&answer)).await else { return };
    if message.from.member_id() != Some(MemberId::from(shared.agent().id)) {
        return;
    }
    let failed = match message.state {
        State::Streaming => return,
        State::Complete => None,
        State::Failed | State::Cancelled | State::Interrupted => Some(RESTARTED.to_owned()),
    };
    let end = FinishRun { failed, usage: None };
    // The run may have ended meanwhile, which is fine.
    let _ = retry_while_away(|| shared.link.finish_run(run, &end)).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_id_and_message_id_are_derived_from_each_other() {
        let answer = MessageId::from_bits(0xCAFE);
        let run = run_of(&answer).expect("a run");
        assert_eq!((run.clone(), answer_of(&run)), (RunId::from_bits(0xCAFE), Some(answer)));
    }

    #[test]
    fn a_run_sends_several_heartbeats_per_lease() {
        assert!(HEARTBEAT_INTERVAL * 3 < Duration::from_secs(limits::RUN_LEASE_SECONDS_DEFAULT as u64));
        assert!(!HEARTBEAT_INTERVAL.is_zero());
    }
}
