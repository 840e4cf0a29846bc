use async_trait::async_trait;
use parlour_core::Timestamp;

/// The time. Nothing else in the hub knows what time it is, or waits for a moment.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The present moment; it never goes back between two calls.
    fn now(&self) -> Timestamp;

    /// Waits until this moment has come; at once when it has already.
    async fn sleep_until(&self, at: Timestamp);
}

/// A clock that stands at this time.
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
