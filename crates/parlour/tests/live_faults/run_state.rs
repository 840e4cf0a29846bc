//! What all parts of a run share: where the hub is, whether the load goes on, and where the readers may stop.

use std::net::SocketAddr;

use tokio::sync::watch;

/// The state of a run, watched by everybody.
#[derive(Clone)]
pub(crate) struct FaultRunState {
    /// Where the hub listens; absent while there is none.
    pub(crate) hub: watch::Receiver<Option<SocketAddr>>,
    /// Whether the load begins anything new.
    pub(crate) goes_on: watch::Receiver<bool>,
    /// The offset of the last event that readers wait for, once it is known.
    pub(crate) finish: watch::Receiver<Option<u64>>,
    /// How many changes were acknowledged.
    pub(crate) acks: watch::Sender<u64>,
    /// The newest message that everybody sees.
    pub(crate) newest: watch::Sender<Option<String>>,
}

/// The other side of a course, for whoever conducts the run.
pub(crate) struct RunControl {
    pub(crate) hub: watch::Sender<Option<SocketAddr>>,
    pub(crate) goes_on: watch::Sender<bool>,
    pub(crate) finish: watch::Sender<Option<u64>>,
}

/// A run that has not begun.
pub(crate) fn run_state() -> (RunControl, FaultRunState) {
    let control = RunControl {
        hub: watch::Sender::new(None),
        goes_on: watch::Sender::new(true),
        finish: watch::Sender::new(None),
    };
    let run_state = FaultRunState {
        hub: control.hub.subscribe(),
        goes_on: control.goes_on.subscribe(),
        finish: control.finish.subscribe(),
        acks: watch::Sender::new(0),
        newest: watch::Sender::new(None),
    };
    (control, run_state)
}

impl FaultRunState {
    /// Waits until there is a hub.
    pub(crate) async fn hub_is_there(&mut self) {
        self.hub.wait_for(Option::is_some).await.expect("the control outlives everybody");
    }

    /// Counts a change that was acknowledged.
    pub(crate) fn count(&self) {
        self.acks.send_modify(|acks| *acks += 1);
    }

    /// Waits until so many more changes were acknowledged, or the load comes to an end.
    pub(crate) async fn acknowledged(&self, more: u64) {
        let (mut acks, mut goes_on) = (self.acks.subscribe(), self.goes_on.clone());
        let target = *acks.borrow() + more;
        // Either way there is nothing to wait for any more; the senders live as long as the run.
        tokio::select! {
            _ = acks.wait_for(|acks| *acks >= target) => {}
            _ = goes_on.wait_for(|goes_on| !goes_on) => {}
        }
    }

    /// Whether the load begins anything new.
    pub(crate) fn goes_on(&self) -> bool {
        *self.goes_on.borrow()
    }
}
