//! Requests that wait for something to happen.

use axum::Extension;
use parlour_core::{Code, Refusal, limits};

use crate::{middleware::LongPoll, serve::Connection};

/// How long a request is to wait, in seconds: at most `WAIT_SECONDS_MAX`, which is less than a request may take.
pub(super) fn seconds(wanted: Option<u64>, otherwise: u64) -> Result<u64, Refusal> {
    let wanted = wanted.unwrap_or(otherwise);
    if wanted <= limits::WAIT_SECONDS_MAX as u64 {
        return Ok(wanted);
    }
    let detail = format!("seconds is {wanted}; it may be 0 to {}", limits::WAIT_SECONDS_MAX);
    Err(Refusal::new(Code::BadQuery, detail).at("seconds"))
}

/// The mark of an answer that was to take its time; none when nobody wanted to wait.
pub(super) fn mark(seconds: u64) -> Option<Extension<LongPoll>> {
    (seconds > 0).then_some(Extension(LongPoll))
}

/// What comes of waiting; when the hub stops, how things are then.
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
    fn nobody_waits_longer_than_a_request_may_take() {
        let most = limits::WAIT_SECONDS_MAX as u64;
        assert_eq!((seconds(None, 7), seconds(Some(0), 7), seconds(Some(most), 7)), (Ok(7), Ok(0), Ok(most)));
        let refusal = seconds(Some(most + 1), 0).expect_err("too long");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("seconds")));
        const { assert!(limits::WAIT_SECONDS_MAX < limits::REQUEST_SECONDS_MAX) };
    }

    #[tokio::test]
    async fn a_hub_that_stops_lets_nobody_wait() {
        let connection = Connection::default();
        assert_eq!(until_stop(&connection, ready("happened"), ready("as it is")).await, "happened");
        connection.stop.cancel();
        assert_eq!(until_stop(&connection, pending(), ready("as it is")).await, "as it is");
    }
}
