//! Timestamps: milliseconds since 1970 in UTC, written as RFC 3339 with three decimals.

use std::{fmt, str::FromStr};

use crate::{Refusal, id::text_serde};

/// A time in milliseconds. The core never reads a clock; the hub passes the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime, example = "2026-11-15T09:12:00.000Z"))]
pub struct Timestamp(i64);

/// The end of the range: RFC 3339 ends with the year 9999.
const END_MS: i64 = 253_402_207_200_000;

impl Timestamp {
    /// Converts milliseconds since 1970; values before 1970 or after 9999 are clamped.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(0, END_MS - 1))
    }

    /// The time this many milliseconds later.
    #[must_use]
    pub fn plus_millis(self, millis: u64) -> Self {
        Self::from_millis(self.0.saturating_add_unsigned(millis))
    }

    /// Milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }
}

impl FromStr for Timestamp {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let moment: jiff::Timestamp = text.parse().map_err(|_| {
            // Shortened, so that the refusal stays small.
            let shown: String = text.chars().take(40).collect();
            Refusal::invalid(format!("{shown:?} is not an RFC 3339 time such as 2026-11-15T09:12:00Z"))
        })?;
        Ok(Self::from_millis(moment.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0).expect("in range: checked by from_millis");
        write!(out, "{moment:.3}")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

text_serde!(Timestamp);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_is_written_with_milliseconds_in_utc() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_millis(1_763_197_920_123).to_string(), "2025-11-15T09:12:00.123Z");
    }

    #[test]
    fn offsets_are_converted_to_utc() {
        let moment: Timestamp = "2025-11-15T10:12:00+01:00".parse().expect("RFC 3339");
        assert_eq!(moment.to_string(), "2025-11-15T09:12:00.000Z");
    }

    #[test]
    fn times_beyond_the_range_are_clamped() {
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9999-12-30T21:59:59.999Z");
        assert_eq!(Timestamp::from_millis(i64::MIN).as_millis(), 0);
    }

    #[test]
    fn invalid_texts_are_refused() {
        assert!("yesterday".parse::<Timestamp>().is_err());
        let refused = "x".repeat(1_000_000).parse::<Timestamp>().expect_err("no time");
        assert!(refused.detail.len() < 200, "a refusal does not repeat the input");
    }

    proptest! {
        #[test]
        fn text_round_trips(millis in 0..END_MS) {
            let moment = Timestamp::from_millis(millis);
            prop_assert_eq!(moment.to_string().parse::<Timestamp>().expect("own text"), moment);
        }
    }
}
