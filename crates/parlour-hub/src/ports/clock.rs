use parlour_core::Timestamp;

/// The time. Nothing else in the hub knows what time it is.
pub trait Clock: Send + Sync {
    /// The present moment; it never goes back between two calls.
    fn now(&self) -> Timestamp;
}
