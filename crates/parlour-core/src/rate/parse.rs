//! The setting `rates`: `off`, or what differs from the defaults, such as `member=100/1000, address=off`.

use std::str::FromStr;

use super::{Bucket, Rate, Rates};
use crate::limits::RATE_MAX;

/// The error of an invalid setting `rates`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRates(String);

impl FromStr for Rates {
    type Err = InvalidRates;

    fn from_str(text: &str) -> Result<Self, InvalidRates> {
        if text.trim() == "off" {
            return Ok(Self::off());
        }
        let (mut rates, mut named) = (Self::default(), Vec::new());
        for part in text.split(',') {
            let (bucket, rate) = parse_part(part.trim())?;
            if named.contains(&bucket) {
                return Err(InvalidRates(format!("the rate {} is given twice", bucket.name())));
            }
            named.push(bucket);
            rates.set(bucket, rate);
        }
        Ok(rates)
    }
}

fn parse_part(part: &str) -> Result<(Bucket, Option<Rate>), InvalidRates> {
    let example = "write `off`, or a list such as `member=100/1000, address=off`";
    let (name, value) =
        part.split_once('=').ok_or_else(|| InvalidRates(format!("{part:?} is not a rate; {example}")))?;
    let bucket = Bucket::ALL.iter().copied().find(|bucket| bucket.name() == name.trim_end());
    let bucket = bucket.ok_or_else(|| {
        let names: Vec<_> = Bucket::ALL.iter().map(|bucket| bucket.name()).collect();
        InvalidRates(format!("unknown rate {:?}; the rates are {}", name.trim_end(), names.join(", ")))
    })?;
    let rate = parse_rate(value.trim_start()).ok_or_else(|| refuse_rate(bucket, value))?;
    Ok((bucket, rate))
}

fn refuse_rate(bucket: Bucket, value: &str) -> InvalidRates {
    let (name, rate, seconds) = (bucket.name(), bucket.default_rate(), bucket.window_seconds());
    InvalidRates(format!(
        "{value:?} is not a rate of {name}; write a count in {seconds} s and a burst, both from 1 to {RATE_MAX}, such as \
         `{name}={rate}`, or `{name}=off`"
    ))
}

/// A rate, or none for `off`; nothing when it is neither.
fn parse_rate(value: &str) -> Option<Option<Rate>> {
    if value == "off" {
        return Some(None);
    }
    let (count, burst) = value.split_once('/')?;
    Some(Some(Rate { count: parse_number(count)?, burst: parse_number(burst)? }))
}

fn parse_number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain)?;
    (1..=RATE_MAX).contains(&(number as usize)).then_some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<Rates>().expect_err(text).to_string()
    }

    #[test]
    fn off_disables_all_rates() {
        assert_eq!(" off ".parse(), Ok(Rates::off()));
    }

    #[test]
    fn rates_that_are_not_given_keep_their_default() {
        let expected =
            Rates::default().with(Bucket::Member, Some(Rate { count: 100, burst: 1_000 })).with(Bucket::Address, None);
        assert_eq!("member=100/1000, address=off".parse(), Ok(expected.clone()));
        assert_eq!("address = off,member = 100/1000".parse(), Ok(expected));
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_that_exist() {
        let message = refused("membr=1/2");
        assert!(message.contains("\"membr\"") && message.contains("member, change, project, address"), "{message}");
    }

    #[test]
    fn an_invalid_rate_is_refused_with_a_valid_example() {
        for text in [
            "member=",
            "member=5",
            "member=0/5",
            "member=5/0",
            "member=-1/5",
            "member=1/2/3",
            "member=9999999/1",
            "member=+1/2",
        ] {
            let message = refused(text);
            assert!(message.contains("in 1 s") && message.contains("`member=50/500`"), "{message}");
        }
        assert!(refused("failed_name=x").contains("in 60 s"));
    }

    #[test]
    fn a_malformed_list_is_refused_with_an_example() {
        for text in ["", "on", "off, member=1/2", "member=1/2,"] {
            assert!(refused(text).contains("address=off"), "{text}");
        }
    }

    #[test]
    fn a_rate_given_twice_is_refused() {
        assert_eq!(refused("member=1/2, member=off"), "the rate member is given twice");
    }

    proptest! {
        #[test]
        fn a_text_without_a_known_rate_is_refused(text in ".*|[a-z_=/0-9, ]*") {
            prop_assume!(text.trim() != "off");
            let is_known = Bucket::ALL.iter().any(|bucket| text.contains(bucket.name()));
            prop_assert!(is_known || text.parse::<Rates>().is_err());
        }
    }
}
