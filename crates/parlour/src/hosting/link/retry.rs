//! Calls of use cases with retries; failures become link errors.

use parlour_agent::{Retry, link::LinkError};
use parlour_core::{
    limits,
    paging::{Page, PageRequest},
};
use parlour_hub::Failure;

/// Maximum number of pages of a list.
const PAGES_MAX: usize = 100;

/// Calls a use case and retries retryable refusals. A refused use case had no effect, so the retry is safe; faults are
/// not retried.
pub(super) async fn with_retry<T, F>(mut call: impl FnMut() -> F) -> Result<T, LinkError>
where
    F: Future<Output = Result<T, Failure>>,
{
    let (patience, mut failures) = (Retry::default(), 0);
    loop {
        let failure = match call().await {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        failures += 1;
        let may_pass = failure.refusal().is_some_and(|refusal| refusal.code.is_retryable());
        match patience.pause_after(failures).filter(|_| may_pass) {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return Err(to_link_error(&failure)),
        }
    }
}

/// Reads all pages of a list.
pub(super) async fn all_pages<T, F>(mut read: impl FnMut(PageRequest) -> F) -> Result<Vec<T>, LinkError>
where
    F: Future<Output = Result<Page<T>, Failure>>,
{
    let (mut items, mut after) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = PageRequest::new(after, Some(limits::PAGE_ITEMS_MAX)).expect("the largest page is allowed");
        let found = with_retry(|| read(page.clone())).await?;
        items.extend(found.items);
        after = found.next;
        if after.is_none() {
            break;
        }
    }
    Ok(items)
}

/// Logs the cause of a fault; the link error is visible to all members.
fn to_link_error(failure: &Failure) -> LinkError {
    match failure {
        Failure::Refused(refusal) if refusal.code.is_retryable() => LinkError::Away(refusal.detail.clone()),
        Failure::Refused(refusal) => {
            LinkError::Refused { code: refusal.code.as_str().to_owned(), detail: refusal.detail.clone() }
        }
        Failure::Fault(fault) => {
            tracing::error!(cause = %fault.chain(), "a call of a hosted agent failed");
            LinkError::Away("internal error; see the log of the hub".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use parlour_core::{Code, Refusal};
    use parlour_hub::Fault;

    use super::*;

    /// How often a call is made that fails so, and what comes of it.
    async fn calls(failure: impl Fn() -> Failure) -> (u32, LinkError) {
        let made = Cell::new(0);
        let call = || {
            made.set(made.get() + 1);
            let failure = failure();
            async { Err::<(), _>(failure) }
        };
        let error = with_retry(call).await.expect_err("fails");
        (made.get(), error)
    }

    #[tokio::test(start_paused = true)]
    async fn transient_errors_are_retried() {
        let (made, error) = calls(|| Refusal::new(Code::Overloaded, "later").into()).await;
        assert_eq!((made, error), (Retry::default().tries_max, LinkError::Away("later".into())));
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_are_not_retried() {
        let (made, error) = calls(|| Refusal::not_found("message", "msg_1").into()).await;
        assert_eq!(made, 1);
        assert!(error.is(Code::NotFound), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_cause_of_a_fault_is_not_shown() {
        let (made, error) = calls(|| Fault::new("append", "disk /secret/path is full").into()).await;
        assert_eq!(made, 1);
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
