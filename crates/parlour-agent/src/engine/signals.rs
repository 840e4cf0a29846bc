//! What passes between an engine and whoever runs it beside the text: pauses one way, the fate of the prompt the other.

use std::{future::pending, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

/// Whether an answer goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Nothing is taken for the moment: it is being asked whether the answer may go on.
    pub is_held: bool,
    /// It is paused until something was handled.
    pub is_paused: bool,
    /// It waits for the answer to a question of its own.
    pub is_asking: bool,
}

impl Flow {
    /// Whether what is written is taken.
    pub fn is_open(self) -> bool {
        !self.is_held && !self.is_paused
    }

    /// Whether the time of the answer runs.
    pub fn is_timed(self) -> bool {
        !self.is_paused && !self.is_asking
    }
}

/// The signals of one answer. The default is that of an answer that is never paused.
#[derive(Clone, Debug)]
pub struct Signals {
    flow: watch::Receiver<Flow>,
    given: CancellationToken,
}

impl Default for Signals {
    fn default() -> Self {
        // Its sender is gone at once, so it never changes.
        Self { flow: watch::channel(Flow::default()).1, given: CancellationToken::new() }
    }
}

impl Signals {
    /// Signals that follow this flow; `given` is cancelled when the prompt was handed over.
    pub fn new(flow: watch::Receiver<Flow>, given: CancellationToken) -> Self {
        Self { flow, given }
    }

    /// Says that whatever makes the answer has been given the prompt. To write something says the same.
    pub fn tell_given(&self) {
        self.given.cancel();
    }

    /// Waits until the answer is paused. Cancelling the wait loses nothing.
    pub async fn paused(&mut self) {
        self.until(|flow| flow.is_paused).await;
    }

    /// Waits until it is not paused. Cancelling the wait loses nothing.
    pub async fn resumed(&mut self) {
        self.until(|flow| !flow.is_paused).await;
    }

    /// Waits until the answer has gone on for so long: pauses do not count.
    pub async fn worked_for(&mut self, time: Duration) {
        let mut left = time;
        loop {
            self.until(Flow::is_timed).await;
            let begun = Instant::now();
            tokio::select! {
                biased;
                () = sleep(left) => return,
                () = self.until(|flow| !flow.is_timed()) => left = left.saturating_sub(begun.elapsed()),
            }
        }
    }

    async fn until(&mut self, is_so: impl Fn(Flow) -> bool) {
        if self.flow.wait_for(|flow| is_so(*flow)).await.is_err() {
            // Nobody will ever change it.
            pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_stands_still_in_pauses() {
        let (flow, follow) = watch::channel(Flow::default());
        let mut signals = Signals::new(follow, CancellationToken::new());
        let begun = Instant::now();
        let pausing = async {
            sleep(Duration::from_secs(4)).await;
            flow.send_modify(|flow| flow.is_paused = true);
            sleep(Duration::from_secs(1_000)).await;
            flow.send_modify(|flow| (flow.is_paused, flow.is_asking) = (false, true));
            sleep(Duration::from_secs(1_000)).await;
            flow.send_modify(|flow| flow.is_asking = false);
            pending::<()>().await;
        };
        tokio::select! {
            () = signals.worked_for(Duration::from_secs(10)) => {}
            () = pausing => {}
        }
        assert_eq!(begun.elapsed().as_secs(), 2_010);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_pauses_is_never_paused() {
        let mut signals = Signals::default();
        signals.resumed().await;
        assert!(tokio::time::timeout(Duration::from_secs(9), signals.paused()).await.is_err());
        signals.worked_for(Duration::from_secs(9)).await;
    }
}
