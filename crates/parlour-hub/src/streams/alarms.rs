use parlour_core::Timestamp;
use tokio::sync::Notify;

use crate::ports::Clock;

/// The moments at which something is due next; nothing is due where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NextTimes {
    /// When a window is over.
    pub(super) window: Option<Timestamp>,
    /// When a lease may have run out.
    pub(super) lease: Option<Timestamp>,
    /// When changed texts are to be kept.
    pub(super) save: Option<Timestamp>,
}

/// One alarm for each of them: it rings when something is due earlier than its sleeper knows.
#[derive(Default)]
pub(super) struct Alarms {
    pub(super) window: Notify,
    pub(super) lease: Notify,
    pub(super) save: Notify,
}

impl Alarms {
    /// Wakes those whose next moment has come nearer.
    pub(super) fn ring_for(&self, before: NextTimes, after: NextTimes) {
        let pairs = [
            (&self.window, before.window, after.window),
            (&self.lease, before.lease, after.lease),
            (&self.save, before.save, after.save),
        ];
        for (alarm, before, after) in pairs {
            if after.is_some_and(|after| before.is_none_or(|before| after < before)) {
                // Kept for the sleeper if it is not asleep yet, so no ring is lost.
                alarm.notify_one();
            }
        }
    }
}

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

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn at(millis: i64) -> Option<Timestamp> {
        Some(Timestamp::from_millis(millis))
    }

    /// Whether the alarm for windows rings when their next moment changes like this.
    fn rings(before: Option<Timestamp>, after: Option<Timestamp>) -> bool {
        let alarms = Alarms::default();
        let times = |window| NextTimes { window, ..NextTimes::default() };
        alarms.ring_for(times(before), times(after));
        alarms.window.notified().now_or_never().is_some()
    }

    #[test]
    fn an_alarm_rings_only_when_something_is_due_earlier() {
        assert!(rings(None, at(5)) && rings(at(5), at(4)));
        assert!(!rings(at(4), at(5)) && !rings(at(5), at(5)) && !rings(at(5), None) && !rings(None, None));
    }

    #[test]
    fn each_alarm_rings_for_its_own_moment() {
        let alarms = Alarms::default();
        alarms.ring_for(NextTimes::default(), NextTimes { lease: at(1), ..NextTimes::default() });
        assert!(alarms.window.notified().now_or_never().is_none() && alarms.save.notified().now_or_never().is_none());
        assert!(alarms.lease.notified().now_or_never().is_some());
    }
}
