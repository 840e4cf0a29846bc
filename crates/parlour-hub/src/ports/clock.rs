use async_trait::async_trait;
use parlour_core::Timestamp;

/// The only source of time and of timers in the hub.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The current time. It never goes backwards and never stands still: between two calls it advances at least by the
    /// time that has really passed, also if the clock of the system is set back.
    fn now(&self) -> Timestamp;

    /// Waits until this time; returns at once if it has passed. Setting back the clock of the system does not prolong
    /// the wait.
    async fn sleep_until(&self, at: Timestamp);
}

/// A clock that always returns this time.
#[cfg(test)]
pub(crate) struct StoppedClock(pub(crate) Timestamp);

#[cfg(test)]
#[async_trait]
impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    async fn sleep_until(&self, at: Timestamp) {
        if at > self.0 {
            std::future::pending::<()>().await;
        }
    }
}
