//! Rates: nobody gets more than a share of the hub, on whichever surface, and nobody guesses secrets fast.

mod attempt;
mod book;
mod charge;

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, Hash, RandomState},
    net::IpAddr,
    time::Duration,
};

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal, Timestamp,
    rate::{Bucket, Meter, Rate, Rates, Taken},
};

pub use attempt::SignInAttempt;
use book::BucketTable;
pub use charge::{Allowance, RateCharges};

/// What was taken of each bucket, and by whom.
///
/// Keys are kept as hashes with a secret of this run: they are small whatever a client sends, and nobody can choose two
/// that meet.
pub(crate) struct RateLimiter {
    rates: Rates,
    books: Vec<Option<BucketTable>>,
    hashes: RandomState,
    /// Which tokens were shown from which address before: to show one again is no guess.
    seen_credentials: Mutex<HashSet<u64>>,
}

/// A rate that does not allow one more now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateExceeded {
    /// Which.
    pub bucket: Bucket,
    /// How much it allows.
    pub rate: Rate,
    /// How long to wait.
    pub wait: Duration,
}

impl From<RateExceeded> for Refusal {
    fn from(exceeded: RateExceeded) -> Self {
        let RateExceeded { bucket, rate, wait } = exceeded;
        let refusal = Self::new(Code::RateLimited, "").after(wait);
        let seconds = refusal.retry_after_seconds().unwrap_or_default();
        let (name, window) = (bucket.name(), bucket.window_seconds());
        let (count, burst) = (rate.count, rate.burst);
        let detail = format!("the rate {name} allows {count} in {window} s and {burst} at once; wait {seconds} s");
        Self { detail, ..refusal }
    }
}

impl RateLimiter {
    pub(crate) fn new(rates: Rates) -> Self {
        let book = |bucket: &Bucket| Some(BucketTable::new(Meter::new(*bucket, rates.get(*bucket)?)));
        let books = Bucket::ALL.iter().map(book).collect();
        Self { rates, books, hashes: RandomState::new(), seen_credentials: Mutex::default() }
    }

    /// The rates in force.
    pub(crate) fn rates(&self) -> &Rates {
        &self.rates
    }

    /// Takes from the share of this key; a bucket that is off gives without end.
    fn take(&self, bucket: Bucket, key: u64, now: Timestamp, tenths: u32) -> Result<Option<Taken>, RateExceeded> {
        let Some(book) = self.book(bucket) else { return Ok(None) };
        match book.take(key, now, tenths) {
            Ok(taken) => Ok(Some(taken)),
            Err(wait) => Err(RateExceeded { bucket, rate: book.rate(), wait }),
        }
    }

    fn give_back(&self, bucket: Bucket, key: u64, tenths: u32) {
        if let Some(book) = self.book(bucket) {
            book.give_back(key, tenths);
        }
    }

    fn book(&self, bucket: Bucket) -> Option<&BucketTable> {
        self.books[bucket as usize].as_ref()
    }

    fn key(&self, of: impl Hash) -> u64 {
        self.hashes.hash_one(of)
    }

    /// One key for all addresses that one customer of a network can choose from: an IPv6 network of 64 bits.
    fn address_key(&self, address: IpAddr) -> u64 {
        match address.to_canonical() {
            IpAddr::V4(v4) => self.key(v4),
            IpAddr::V6(v6) => self.key(&v6.octets()[..8]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let books = RateLimiter::new(Rates::default());
        let key = |text: &str| books.address_key(text.parse().expect("an address"));
        key(one) == key(other)
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    }

    #[test]
    fn an_address_of_ipv4_is_one_client_however_it_is_written() {
        assert!(same("192.0.2.1", "::ffff:192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
    }

    #[test]
    fn a_refusal_names_the_rate_and_the_wait() {
        let wait = Duration::from_millis(1_200);
        let refusal = Refusal::from(RateExceeded { bucket: Bucket::Member, rate: Rate { count: 5, burst: 9 }, wait });
        assert_eq!(refusal.detail, "the rate member allows 5 in 1 s and 9 at once; wait 2 s");
        assert_eq!((refusal.code, refusal.retry_after), (Code::RateLimited, Some(wait)));
    }
}
