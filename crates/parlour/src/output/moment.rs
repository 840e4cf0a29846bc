//! Moments in the time zone of whoever reads them.

use jiff::tz::TimeZone;
use parlour_core::Timestamp;

/// Writes moments for people: to the minute, in one time zone.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    zone: TimeZone,
}

impl Moments {
    /// In the time zone of this machine (`TZ` is heeded), or UTC where none is known.
    pub(crate) fn local() -> Self {
        Self { zone: TimeZone::try_system().unwrap_or(TimeZone::UTC) }
    }

    /// For example `2026-11-15 09:12`.
    pub(crate) fn show(&self, moment: Timestamp) -> String {
        match jiff::Timestamp::from_millisecond(moment.as_millis()) {
            Ok(moment) => moment.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
            Err(_) => moment.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(zone: TimeZone) -> String {
        Moments { zone }.show("2026-11-15T23:12:59.999Z".parse().expect("moment"))
    }

    #[test]
    fn a_moment_is_told_in_the_zone_of_the_reader() {
        assert_eq!(shown(TimeZone::UTC), "2026-11-15 23:12");
        assert_eq!(shown(TimeZone::fixed(jiff::tz::offset(2))), "2026-11-16 01:12");
    }
}
