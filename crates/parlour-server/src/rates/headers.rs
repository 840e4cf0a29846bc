//! The fields `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), which are structured fields.

use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use parlour_core::rate::{Bucket, Meter, Rates};
use parlour_hub::{RateCharges, RateExceeded};

/// What is left to the caller.
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// What the caller may ask for at all.
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Tells a caller what is left to it of each rate that its request was taken from.
pub(super) fn tell(headers: &mut HeaderMap, rates: &Rates, tally: &Result<RateCharges, RateExceeded>) {
    let mut told = Told::default();
    match tally {
        Ok(charged) => {
            let seconds = |reset: std::time::Duration| reset.as_secs() + u64::from(reset.subsec_nanos() > 0);
            charged.allowances().for_each(|one| told.add(rates, one.bucket, one.left, seconds(one.reset)));
        }
        Err(exceeded) => {
            let wait = exceeded.wait;
            told.add(rates, exceeded.bucket, 0, wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        }
    }
    if !told.limit.is_empty() {
        headers.insert(LIMIT, plain(told.limit));
        headers.insert(POLICY, plain(told.policy));
    }
}

#[derive(Default)]
struct Told {
    limit: String,
    policy: String,
}

impl Told {
    fn add(&mut self, rates: &Rates, bucket: Bucket, left: u32, seconds: u64) {
        let Some(rate) = rates.get(bucket) else { return };
        let (name, burst, window) = (bucket.name(), rate.burst, Meter::new(bucket, rate).window_seconds());
        let comma = if self.limit.is_empty() { "" } else { ", " };
        let written = write!(self.limit, "{comma}\"{name}\";r={left};t={seconds}")
            .and_then(|()| write!(self.policy, "{comma}\"{name}\";q={burst};w={window}"));
        written.expect("a text takes everything");
    }
}

fn plain(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("names and numbers are visible ASCII")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use parlour_core::rate::Rate;

    use super::*;

    fn told(tally: &Result<RateCharges, RateExceeded>) -> Option<(String, String)> {
        let mut headers = HeaderMap::new();
        tell(&mut headers, &Rates::default(), tally);
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().expect("ASCII").to_owned());
        text(LIMIT).zip(text(POLICY))
    }

    #[test]
    fn a_refusal_tells_of_the_rate_that_was_met() {
        let exceeded = RateExceeded {
            bucket: Bucket::Change,
            rate: Rate { count: 20, burst: 200 },
            wait: Duration::from_millis(1_001),
        };
        let expected = ("\"change\";r=0;t=2".to_owned(), "\"change\";q=200;w=10".to_owned());
        assert_eq!(told(&Err(exceeded)), Some(expected));
    }

    #[test]
    fn where_nothing_was_taken_nothing_is_told() {
        assert_eq!(told(&Ok(RateCharges::default())), None);
    }
}
