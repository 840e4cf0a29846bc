//! The setting `rates`: `off`, or what differs from the defaults, such as `member=100/1000, address=off`.

use std::str::FromStr;

use super::{Bucket, Rate, Rates};
use crate::limits::RATE_MAX;

/// Why a text is no setting of rates.
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
                return Err(InvalidRates(format!("{} stands twice", bucket.name())));
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
        part.split_once('=').ok_or_else(|| InvalidRates(format!("{part:?} names no rate; {example}")))?;
    let bucket = Bucket::ALL.iter().copied().find(|bucket| bucket.name() == name.trim_end());
    let bucket = bucket.ok_or_else(|| {
        let names: Vec<_> = Bucket::ALL.iter().map(|bucket| bucket.name()).collect();
        InvalidRates(format!("there is no rate {:?}; there are {}", name.trim_end(), names.join(", ")))
    })?;
    let rate = parse_rate(value.trim_start()).ok_or_else(|| refuse_rate(bucket, value))?;
    Ok((bucket, rate))
}

fn refuse_rate(bucket: Bucket, value: &str) -> InvalidRates {
    let (name, rate, seconds) = (bucket.name(), bucket.default_rate(), bucket.window_seconds());
    InvalidRates(format!(
        "{value:?} is no rate of {name}; write how many in {seconds} s and how many at once, both from 1 to {RATE_MAX}, \
         such as `{name}={rate}`, or `{name}=off`"
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
    fn off_switches_all_of_them_off() {
        assert_eq!(" off ".parse(), Ok(Rates::off()));
    }

    #[test]
    fn what_is_not_named_keeps_its_default() {
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
    fn a_wrong_rate_is_refused_with_one_that_would_do() {
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
    fn what_is_no_list_is_refused_with_an_example() {
        for text in ["", "on", "off, member=1/2", "member=1/2,"] {
            assert!(refused(text).contains("address=off"), "{text}");
        }
    }

    #[test]
    fn a_name_stands_once() {
        assert_eq!(refused("member=1/2, member=off"), "member stands twice");
    }

    proptest! {
        #[test]
        fn no_text_panics_the_reader(text in ".*|[a-z_=/0-9, ]*") {
            let _ = text.parse::<Rates>();
        }
    }
}
