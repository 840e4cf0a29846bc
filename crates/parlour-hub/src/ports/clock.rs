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
