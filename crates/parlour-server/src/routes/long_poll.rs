//! Requests that wait for an event, up to a time limit.

use axum::Extension;
use parlour_core::{Code, Refusal, limits};

use crate::{middleware::LongPoll, serve::Connection};

/// Checks the parameter `seconds`: at most `WAIT_SECONDS_MAX`, which is below the time limit of a request.
pub(super) fn wait_seconds(requested: Option<u64>, default: u64) -> Result<u64, Refusal> {
    let seconds = requested.unwrap_or(default);
    if seconds <= limits::WAIT_SECONDS_MAX as u64 {
        return Ok(seconds);
    }
    let detail = format!("seconds is {seconds}; it must be 0 to {}", limits::WAIT_SECONDS_MAX);
    Err(Refusal::new(Code::BadQuery, detail).at("seconds"))
}

/// Marks the response of a request that waited, so that its duration is not logged as slow.
pub(super) fn long_poll_mark(seconds: u64) -> Option<Extension<LongPoll>> {
    (seconds > 0).then_some(Extension(LongPoll))
}

/// Waits for `waits`; when the hub stops first, returns the current state from `now`.
pub(super) async fn until_stop<T>(
    connection: &Connection,
    waits: impl Future<Output = T>,
    now: impl Future<Output = T>,
) -> T {
    match connection.stop.run_until_cancelled(waits).await {
        Some(found) => found,
        None => now.await,
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[test]
    fn waiting_is_limited_below_the_time_limit_of_a_request() {
        let most = limits::WAIT_SECONDS_MAX as u64;
        assert_eq!(
            (wait_seconds(None, 7), wait_seconds(Some(0), 7), wait_seconds(Some(most), 7)),
            (Ok(7), Ok(0), Ok(most))
        );
        let refusal = wait_seconds(Some(most + 1), 0).expect_err("too long");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("seconds")));
        const { assert!(limits::WAIT_SECONDS_MAX < limits::REQUEST_SECONDS_MAX) };
    }

    #[tokio::test]
    async fn stopping_the_hub_ends_the_wait() {
        let connection = Connection::default();
        assert_eq!(until_stop(&connection, ready("event"), ready("current state")).await, "event");
        connection.stop.cancel();
        assert_eq!(until_stop(&connection, pending(), ready("current state")).await, "current state");
    }
}
