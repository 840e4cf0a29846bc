//! What steers one answer in the making: everybody who may stop, hold or pause it has a share of it.

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use parlour_core::id::{MessageId, RunId};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::engine::{Flow, Signals};

/// The controls of one answer, or of one task.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// Cancelled when nobody wants the answer any more.
    pub(super) ended: CancellationToken,
    flow: watch::Sender<Flow>,
    /// Steps that are open: nothing is asked and nothing is paused in the middle of one.
    steps: watch::Sender<usize>,
    /// Somebody wants the run to ask whether it may go on.
    wanted: Notify,
    is_wanted: AtomicBool,
    /// Whether there is a run that can ask. Without one nothing is ever held.
    can_ask: AtomicBool,
    /// Cancelled when the engine was given its prompt, and when it has gone on after that.
    given: CancellationToken,
    seen: CancellationToken,
    /// Why the run was stopped, once it was.
    stopped_for: OnceLock<String>,
    stopped: CancellationToken,
    run: OnceLock<RunId>,
    answer: OnceLock<MessageId>,
    paused_by: Mutex<Vec<MessageId>>,
}

impl Control {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Asks the run to ask at its next safe point. It counts also when nobody listens yet.
    pub(super) fn want_checkpoint(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
        self.hold_if_wanted();
        self.wanted.notify_one();
    }

    /// An engine that does not pause for breath must not slip past a safe point: what it writes next is held before the
    /// run has asked.
    fn hold_if_wanted(&self) {
        let is_safe = *self.steps.borrow() == 0;
        if is_safe && self.can_ask.load(Ordering::Relaxed) && self.is_wanted.load(Ordering::Relaxed) {
            self.flow.send_modify(|flow| flow.is_held = true);
        }
    }

    /// Waits until a checkpoint is wanted and no step is open.
    pub(super) async fn safe_point(&self) {
        self.wanted.notified().await;
        let mut steps = self.steps.subscribe();
        // The sender lives as long as this.
        let _ = steps.wait_for(|open| *open == 0).await;
        self.is_wanted.store(false, Ordering::Relaxed);
    }

    /// The run has ended without this process: nothing is asked any more, and nothing held.
    pub(super) fn stop_asking(&self) {
        self.can_ask.store(false, Ordering::Relaxed);
        self.flow.send_modify(|flow| flow.is_held = false);
    }

    pub(super) fn can_ask(&self) -> bool {
        self.can_ask.load(Ordering::Relaxed)
    }

    pub(super) fn begin_step(&self) {
        self.steps.send_modify(|open| *open += 1);
        self.see();
    }

    pub(super) fn end_step(&self) {
        self.steps.send_modify(|open| *open = open.saturating_sub(1));
        self.hold_if_wanted();
    }

    /// Takes nothing more from the engine until the hold is dropped.
    pub(super) fn hold(&self) -> Hold<'_> {
        self.flow.send_modify(|flow| flow.is_held = true);
        Hold(self)
    }

    /// Stops the time of the answer until what is returned is dropped.
    pub(super) fn begin_asking(&self) -> Asking<'_> {
        self.flow.send_modify(|flow| flow.is_asking = true);
        Asking(self)
    }

    /// Waits until what the engine writes is taken.
    pub(super) async fn goes_on(&self) {
        let mut flow = self.flow.subscribe();
        // The sender lives as long as this.
        let _ = flow.wait_for(|flow| flow.is_open()).await;
    }

    /// Waits until what the engine writes is taken; false when nobody wants it any more or the run was stopped.
    pub(super) async fn may_write(&self, ended: &CancellationToken) -> bool {
        tokio::select! {
            biased;
            () = ended.cancelled() => false,
            () = self.stopped.cancelled() => false,
            () = self.goes_on() => true,
        }
    }

    pub(super) fn signals(&self) -> Signals {
        Signals::new(self.flow.subscribe(), self.given.clone())
    }

    /// The engine goes on: it has been given its prompt, and has read it.
    pub(super) fn see(&self) {
        self.given.cancel();
        self.seen.cancel();
    }

    pub(super) fn given(&self) -> &CancellationToken {
        &self.given
    }

    pub(super) fn seen(&self) -> &CancellationToken {
        &self.seen
    }

    /// Somebody has stopped the run.
    pub(super) fn stop_run(&self, reason: String) {
        let _ = self.stopped_for.set(reason);
        self.stopped.cancel();
    }

    /// Waits until somebody has stopped the run, and says why.
    pub(super) async fn run_stopped(&self) -> String {
        self.stopped.cancelled().await;
        self.stopped_for.get().cloned().unwrap_or_default()
    }

    /// Whether the answer belongs to this run.
    pub(super) fn is_run(&self, id: &RunId) -> bool {
        self.run() == Some(id)
    }

    pub(super) fn run(&self) -> Option<&RunId> {
        self.run.get()
    }

    pub(super) fn set_run(&self, id: &RunId) {
        // A run is begun once for an answer.
        let _ = self.run.set(id.clone());
        self.can_ask.store(true, Ordering::Relaxed);
        self.hold_if_wanted();
    }

    /// Whether this message is the answer.
    pub(super) fn is_answer(&self, id: &MessageId) -> bool {
        self.answer.get() == Some(id)
    }

    pub(super) fn set_answer(&self, id: &MessageId) {
        // One that does not fit is followed by another, which is stopped with its run.
        let _ = self.answer.set(id.clone());
    }

    /// Whether this message keeps the run from going on.
    pub(super) fn is_paused_by(&self, message: &MessageId) -> bool {
        self.pauses().contains(message)
    }

    fn pauses(&self) -> std::sync::MutexGuard<'_, Vec<MessageId>> {
        self.paused_by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps what an engine writes from being taken.
pub(super) struct Hold<'a>(&'a Control);

impl Hold<'_> {
    /// The run is paused by these messages: the engine is to stand still.
    pub(super) fn pause(&self, by: Vec<MessageId>) {
        *self.0.pauses() = by;
        self.0.flow.send_modify(|flow| flow.is_paused = true);
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.pauses().clear();
        self.0.flow.send_modify(|flow| (flow.is_held, flow.is_paused) = (false, false));
        // Something may have come while it was asked.
        self.0.hold_if_wanted();
    }
}

/// Keeps the time of an answer from running.
pub(super) struct Asking<'a>(&'a Control);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.flow.send_modify(|flow| flow.is_asking = false);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_safe_point_is_never_in_the_middle_of_a_step() {
        let control = Control::new();
        assert!(control.safe_point().now_or_never().is_none(), "nobody has asked");
        control.begin_step();
        control.want_checkpoint();
        let mut point = Box::pin(control.safe_point());
        assert!((&mut point).now_or_never().is_none());
        control.end_step();
        assert!(point.now_or_never().is_some());
    }

    #[tokio::test]
    async fn an_engine_that_does_not_wait_cannot_slip_past_a_safe_point() {
        let control = Control::new();
        control.want_checkpoint();
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true), "there is no run that could ask");
        control.set_run(&RunId::from_bits(1));
        assert_eq!(control.may_write(&control.ended).now_or_never(), None);
        control.safe_point().await;
        drop(control.hold());
        control.begin_step();
        control.want_checkpoint();
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true), "a step goes on");
        control.end_step();
        assert_eq!(control.may_write(&control.ended).now_or_never(), None);
        control.stop_asking();
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true));
    }

    #[tokio::test]
    async fn what_is_held_is_taken_again_when_the_hold_is_dropped() {
        let control = Control::new();
        let hold = control.hold();
        hold.pause(vec![MessageId::from_bits(1)]);
        assert!(control.may_write(&control.ended).now_or_never().is_none());
        assert!(control.is_paused_by(&MessageId::from_bits(1)));
        drop(hold);
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(true));
        assert!(!control.is_paused_by(&MessageId::from_bits(1)));
    }

    #[tokio::test]
    async fn a_run_that_was_stopped_lets_nobody_wait() {
        let control = Control::new();
        let _hold = control.hold();
        control.stop_run("enough".into());
        assert_eq!(control.may_write(&control.ended).now_or_never(), Some(false));
        assert_eq!(control.run_stopped().now_or_never(), Some("enough".into()));
    }
}
