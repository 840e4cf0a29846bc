//! Timestamps in the local time zone.

use jiff::tz::TimeZone;
use parlour_core::Timestamp;

/// Formats timestamps to the minute.
#[derive(Clone, Debug)]
pub(crate) struct LocalTime {
    zone: TimeZone,
}

impl LocalTime {
    /// The time zone of `TZ` or the system, or UTC.
    pub(crate) fn local() -> Self {
        Self { zone: TimeZone::try_system().unwrap_or(TimeZone::UTC) }
    }

    /// For example `2026-11-15 09:12`.
    pub(crate) fn show(&self, time: Timestamp) -> String {
        match jiff::Timestamp::from_millisecond(time.as_millis()) {
            Ok(time) => time.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
            Err(_) => time.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(zone: TimeZone) -> String {
        LocalTime { zone }.show("2026-11-15T23:12:59.999Z".parse().expect("time"))
    }

    #[test]
    fn a_time_is_shown_in_the_time_zone_of_the_reader() {
        assert_eq!(shown(TimeZone::UTC), "2026-11-15 23:12");
        assert_eq!(shown(TimeZone::fixed(jiff::tz::offset(2))), "2026-11-16 01:12");
    }
}
