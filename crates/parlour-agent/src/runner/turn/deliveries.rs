//! What has become of the messages in a prompt: reported after it has happened, never before.

use std::{future::pending, time::Duration};

use parlour_core::delivery::{DeliveryState, DeliveryStep};
use tokio::time::timeout;

use super::Turn;

/// How long the end of an answer waits for what is left to report.
const REST_TIME_MAX: Duration = Duration::from_secs(5);

/// What was reported so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    injected: bool,
    seen: bool,
}

impl Turn {
    /// Reports as it happens, and has nothing to say of its own.
    pub(super) async fn report_for_ever(&self) -> String {
        self.control.given().cancelled().await;
        self.report_injected().await;
        self.control.seen().cancelled().await;
        self.report_seen().await;
        pending().await
    }

    /// Reports what has happened and was not told yet: it must stand before the answer does.
    pub(in crate::runner) async fn report_rest(&self) {
        let rest = async {
            if self.control.given().is_cancelled() {
                self.report_injected().await;
            }
            if self.control.seen().is_cancelled() {
                self.report_seen().await;
            }
        };
        // What could not be told is not claimed.
        let _ = timeout(REST_TIME_MAX, rest).await;
    }

    async fn report_injected(&self) {
        if self.told().injected {
            return;
        }
        self.report(DeliveryState::Injected).await;
        self.told().injected = true;
    }

    async fn report_seen(&self) {
        if self.told().seen {
            return;
        }
        self.report(DeliveryState::Seen).await;
        self.told().seen = true;
    }

    /// A report that the hub does not take is no reason to lose an answer.
    async fn report(&self, state: DeliveryState) {
        if self.shown.is_empty() {
            return;
        }
        let step = DeliveryStep {
            delivered_via: Some(self.delivered_via),
            run_id: self.run.clone(),
            ..DeliveryStep::to(state)
        };
        let _ = self.shared.link.report_deliveries(&self.shown, &step).await;
    }
}
