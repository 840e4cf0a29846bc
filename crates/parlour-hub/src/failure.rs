//! Failures of use cases and ports: expected refusals and faults.

use std::error::Error;

use parlour_core::{Refusal, event::Change};

/// Why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An expected refusal; the caller receives it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A fault; the caller receives no details, the log gets the causes.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// An operation that failed, with its cause.
#[derive(Debug, thiserror::Error)]
#[error("{operation}")]
pub struct Fault {
    operation: String,
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

impl Fault {
    /// Creates a fault of this operation.
    pub fn new(operation: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { operation: operation.into(), source: source.into() }
    }

    /// The operation and all its causes in one line, for the log.
    pub fn chain(&self) -> String {
        let mut text = self.operation.clone();
        let mut cause: Option<&(dyn Error + 'static)> = Some(self.source.as_ref());
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}

impl Failure {
    /// The refusal, if it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Fault(_) => None,
        }
    }
}

/// The fault of a store that returns another change than the write makes.
pub(crate) fn unexpected_change(change: &Change) -> Failure {
    Fault::new("read a store's answer", format!("{} does not answer this write", change.name())).into()
}

/// Completes work of several writes even if the caller goes away in the middle.
pub(crate) async fn run_to_completion<T: Send + 'static>(
    operation: &'static str,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    tokio::spawn(work).await.map_err(|error| Fault::new(operation, error))?
}

/// Replaces any refusal by this one; a fault stays as it is.
pub(crate) fn replace_refusal(refusal: Refusal) -> impl FnOnce(Failure) -> Failure {
    |failure| match failure {
        Failure::Refused(_) => refusal.into(),
        fault => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_gets_the_whole_chain() {
        let inner = Fault::new("sync the log", "disk full");
        let outer = Fault::new("append a message", inner);
        assert_eq!(outer.chain(), "append a message: sync the log: disk full");
    }

    #[test]
    fn the_short_form_holds_no_cause() {
        assert_eq!(Failure::from(Fault::new("append", "secret path")).to_string(), "append");
    }
}
