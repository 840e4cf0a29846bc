//! Controls of one answer, shared by everything that may cancel, hold or pause it.

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use parlour_core::id::{MessageId, RunId};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::engine::{AnswerFlow, EngineProcesses, EngineSignals};

/// The controls of one answer or task.
#[derive(Debug, Default)]
pub(super) struct AnswerControl {
    /// Cancelled when the answer is no longer wanted.
    pub(super) ended: CancellationToken,
    flow: watch::Sender<AnswerFlow>,
    processes: watch::Sender<EngineProcesses>,
    /// Number of open steps: a run is not paused within a step.
    steps: watch::Sender<usize>,
    /// Wakes the run for a requested checkpoint.
    question: Notify,
    is_wanted: AtomicBool,
    /// Whether the answer has a run. Without one it is never held.
    has_run: AtomicBool,
    /// Cancelled when the engine got its prompt, and when it has produced output after that.
    given: CancellationToken,
    seen: CancellationToken,
    /// The reason of a cancelled run.
    stopped_for: OnceLock<String>,
    stopped: CancellationToken,
    run: OnceLock<RunId>,
    answer: OnceLock<MessageId>,
    paused_by: Mutex<Vec<MessageId>>,
}

impl AnswerControl {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Requests a checkpoint at the next safe point, also before the run exists.
    pub(super) fn request_checkpoint(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
        self.hold_if_wanted();
        self.question.notify_one();
    }

    /// Holds the engine's output as soon as a checkpoint is requested, so that a fast engine cannot pass the safe
    /// point.
    fn hold_if_wanted(&self) {
        let is_safe = *self.steps.borrow() == 0;
        if is_safe && self.has_run.load(Ordering::Relaxed) && self.is_wanted.load(Ordering::Relaxed) {
            self.flow.send_modify(|flow| flow.is_held = true);
        }
    }

    /// Waits until a checkpoint is requested and no step is open.
    pub(super) async fn wait_for_safe_point(&self) {
        self.question.notified().await;
        let mut steps = self.steps.subscribe();
        // The sender lives as long as this.
        let _ = steps.wait_for(|open| *open == 0).await;
        self.is_wanted.store(false, Ordering::Relaxed);
    }

    /// Detaches the run, which has ended without this process: no more checkpoints and holds.
    pub(super) fn detach_run(&self) {
        self.has_run.store(false, Ordering::Relaxed);
        self.flow.send_modify(|flow| flow.is_held = false);
    }

    pub(super) fn has_run(&self) -> bool {
        self.has_run.load(Ordering::Relaxed)
    }

    pub(super) fn begin_step(&self) {
        self.steps.send_modify(|open| *open += 1);
        self.mark_prompt_read();
    }

    pub(super) fn end_step(&self) {
        self.steps.send_modify(|open| *open = open.saturating_sub(1));
        self.hold_if_wanted();
    }

    /// Holds the engine's output until the guard is dropped.
    pub(super) fn hold(&self) -> WriteHold<'_> {
        self.flow.send_modify(|flow| flow.is_held = true);
        WriteHold(self)
    }

    /// Stops the time limit of the answer until the guard is dropped.
    pub(super) fn begin_asking(&self) -> AskingGuard<'_> {
        self.flow.send_modify(|flow| flow.is_asking = true);
        AskingGuard(self)
    }

    /// Waits until the engine's output is accepted.
    pub(super) async fn wait_until_open(&self) {
        let mut flow = self.flow.subscribe();
        // The sender lives as long as this.
        let _ = flow.wait_for(|flow| flow.is_open()).await;
    }

    /// Waits until the engine's output is accepted; `false` if the answer is no longer wanted or its run was
    /// cancelled.
    pub(super) async fn may_write(&self, ended: &CancellationToken) -> bool {
        tokio::select! {
            biased;
            () = ended.cancelled() => false,
            () = self.stopped.cancelled() => false,
            () = self.wait_until_open() => true,
        }
    }

    pub(super) fn signals(&self) -> EngineSignals {
        EngineSignals::new(self.flow.subscribe(), self.given.clone()).reporting_to(self.processes.clone())
    }

    /// Records that the engine has read its prompt.
    pub(super) fn mark_prompt_read(&self) {
        self.given.cancel();
        self.seen.cancel();
    }

    pub(super) fn given(&self) -> &CancellationToken {
        &self.given
    }

    pub(super) fn seen(&self) -> &CancellationToken {
        &self.seen
    }

    /// Records that the run was cancelled.
    pub(super) fn stop_run(&self, reason: String) {
        let _ = self.stopped_for.set(reason);
        self.stopped.cancel();
    }

    /// Waits until the run is cancelled and returns the reason.
    pub(super) async fn run_stopped(&self) -> String {
        self.stopped.cancelled().await;
        self.stopped_for.get().cloned().unwrap_or_default()
    }

    pub(super) fn is_run(&self, id: &RunId) -> bool {
        self.run() == Some(id)
    }

    pub(super) fn run(&self) -> Option<&RunId> {
        self.run.get()
    }

    pub(super) fn set_run(&self, id: &RunId) {
        // An answer has one run.
        let _ = self.run.set(id.clone());
        self.has_run.store(true, Ordering::Relaxed);
        self.hold_if_wanted();
    }

    pub(super) fn is_answer(&self, id: &MessageId) -> bool {
        self.answer.get() == Some(id)
    }

    pub(super) fn set_answer(&self, id: &MessageId) {
        // A rejected answer is followed by another message, which is stopped with the run.
        let _ = self.answer.set(id.clone());
    }

    /// Whether this message pauses the run.
    pub(super) fn is_paused_by(&self, message: &MessageId) -> bool {
        self.pauses().contains(message)
    }

    fn pauses(&self) -> std::sync::MutexGuard<'_, Vec<MessageId>> {
        self.paused_by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Holds the engine's output until dropped.
pub(super) struct WriteHold<'a>(&'a AnswerControl);

impl WriteHold<'_> {
    /// Waits until no process of the engine runs.
    pub(super) async fn until_stopped(&self) {
        let mut processes = self.0.processes.subscribe();
        // The sender lives as long as this.
        let _ = processes.wait_for(|state| *state != EngineProcesses::Running).await;
    }

    /// Marks the run as paused by these messages.
    pub(super) fn pause(&self, by: Vec<MessageId>) {
        *self.0.pauses() = by;
        self.0.flow.send_modify(|flow| flow.is_paused = true);
    }
}

impl Drop for WriteHold<'_> {
    fn drop(&mut self) {
        self.0.pauses().clear();
        self.0.flow.send_modify(|flow| (flow.is_held, flow.is_paused) = (false, false));
        // A checkpoint may have been requested meanwhile.
        self.0.hold_if_wanted();
    }
}

/// Stops the time limit of an answer until dropped.
pub(super) struct AskingGuard<'a>(&'a AnswerControl);

impl Drop for AskingGuard<'_> {
    fn drop(&mut self) {
        self.0.flow.send_modify(|flow| flow.is_asking = false);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_safe_point_is_never_within_a_step() {
        let control = AnswerControl::new();
        assert!(control.wait_for_safe_point().now_or_never().is_none(), "nobody has asked");
        control.begin_step();
        control.request_checkpoint();
        let mut point = Box::pin(control.wait_for_safe_point());
        assert!((&mut point).now_or_never().is_none());
        control.end_step();
        assert!(point.now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_hold_waits_for_the_processes_of_the_engine() {
        let control = AnswerControl::new();
        let hold = control.hold();
        assert!(hold.until_stopped().now_or_never().is_some(), "there are none");
        let signals = control.signals();
        signals.report_processes(EngineProcesses::Running);
        let mut waiting = Box::pin(hold.until_stopped());
        assert!((&mut waiting).now_or_never().is_none());
        signals.report_processes(EngineProcesses::Stopped);
        assert!(waiting.now_or_never().is_some());
    }

    #[tokio::test]
    async fn an_engine_cannot_pass_a_safe_point_without_waiting() {
        let control = AnswerControl::new();
        control.request_checkpoint();
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true), "there is no run that could ask");
        control.set_run(&RunId::from_bits(1));
        assert_eq!(control.may_write(&control.ended).now_or_never(), None);
        control.wait_for_safe_point().await;
        drop(control.hold());
        control.begin_step();
        control.request_checkpoint();
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true), "a step goes on");
        control.end_step();
        assert_eq!(control.may_write(&control.ended).now_or_never(), None);
        control.detach_run();
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true));
    }

    #[tokio::test]
    async fn a_dropped_hold_releases_the_answer() {
        let control = AnswerControl::new();
        let hold = control.hold();
        hold.pause(vec![MessageId::from_bits(1)]);
        assert!(control.may_write(&control.ended).now_or_never().is_none());
        assert!(control.is_paused_by(&MessageId::from_bits(1)));
        drop(hold);
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true));
        assert!(!control.is_paused_by(&MessageId::from_bits(1)));
    }

    #[tokio::test]
    async fn cancelling_a_run_ends_its_waits() {
        let control = AnswerControl::new();
        let _hold = control.hold();
        control.stop_run("enough".into());
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(false));
        assert_eq!(control.run_stopped().now_or_never(), Some("enough".into()));
    }
}
