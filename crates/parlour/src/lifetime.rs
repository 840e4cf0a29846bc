//! Durations as command line arguments: `90d`, `24h`, `15m`, `30s`.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// A duration in whole seconds, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime(pub(crate) u64);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a duration; write for example 90d, 24h, 15m or 30s")]
pub(crate) struct BadLifetime;

/// Units in seconds, the largest first.
const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

impl FromStr for Lifetime {
    type Err = BadLifetime;

    fn from_str(text: &str) -> Result<Self, BadLifetime> {
        let unit = |(letter, seconds)| text.strip_suffix(letter).map(|count| (count, seconds));
        let (count, seconds) = UNITS.into_iter().find_map(unit).ok_or(BadLifetime)?;
        // `parse` would accept a sign.
        if !count.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BadLifetime);
        }
        let count: u64 = count.parse().map_err(|_| BadLifetime)?;
        count.checked_mul(seconds).filter(|seconds| *seconds > 0).map(Self).ok_or(BadLifetime)
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.into_iter().find(|(_, seconds)| self.0.is_multiple_of(*seconds));
        let (letter, seconds) = whole.expect("every number is a multiple of one");
        write!(out, "{}{letter}", self.0 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_is_a_number_and_a_unit_letter() {
        for (text, seconds) in [("90d", 7_776_000), ("24h", 86_400), ("15m", 900), ("30s", 30), ("007s", 7)] {
            assert_eq!(text.parse(), Ok(Lifetime(seconds)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "d", "90", "0d", "-1d", "+1d", "1.5h", " 1h", "1 h", "1w", "99999999999999999999d", "١d"] {
            assert_eq!(text.parse::<Lifetime>(), Err(BadLifetime), "{text}");
        }
        assert!(format!("{}d", u64::MAX).parse::<Lifetime>().is_err(), "it does not fit");
    }

    #[test]
    fn a_lifetime_is_shown_in_its_largest_whole_unit() {
        for text in ["90d", "25h", "61m", "3601s", "1d"] {
            assert_eq!(text.parse::<Lifetime>().expect(text).to_string(), text);
        }
        assert_eq!(Lifetime(86_400).to_string(), "1d");
    }
}
