use parlour_core::Timestamp;
use tokio::sync::Notify;

use crate::ports::Clock;

/// Waits for the moment, or for the alarm.
pub(super) async fn wait(clock: &dyn Clock, due: Option<Timestamp>, alarm: &Notify) {
    match due {
        None => alarm.notified().await,
        Some(due) => {
            tokio::select! {
                () = clock.sleep_until(due) => {}
                () = alarm.notified() => {}
            }
        }
    }
}
