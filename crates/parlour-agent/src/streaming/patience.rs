//! How long a call is repeated while somebody watches the text grow.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, sleep};

use super::calls::StreamFault;
use crate::live::{Backoff, draw};

/// How long a call is repeated while the hub cannot be reached.
const PATIENCE: Duration = Duration::from_secs(120);
/// Pauses between tries are short, because somebody watches the text grow.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Repeats a call while the hub cannot be reached, up to `PATIENCE`. It must be harmless to repeat.
pub(crate) async fn patiently<T, E, F>(mut call: impl FnMut() -> F) -> Result<T, E>
where
    E: StreamFault,
    F: Future<Output = Result<T, E>>,
{
    let until = Instant::now() + PATIENCE;
    let mut backoff = Backoff::new(PAUSE_FIRST, PAUSE_MAX, PATIENCE);
    loop {
        match call().await {
            Err(error) if error.is_retryable() && Instant::now() < until => {
                sleep(backoff.pause_after_failure(draw())).await;
            }
            outcome => return outcome,
        }
    }
}
