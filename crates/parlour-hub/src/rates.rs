//! Rate limits of members, addresses, projects and failed sign-ins.

mod bucket_table;

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, Hash, RandomState},
    net::IpAddr,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    id::ProjectId,
    limits::SEEN_TOKENS_MAX,
    name::Name,
    rate::{AdmittedRequest, Bucket, Cost, Meter, Rate, Rates},
};

use self::bucket_table::BucketTable;
use crate::{Failure, accounts::Credential, ports::Clock};

/// Charges of each bucket by key.
///
/// Keys are hashed with a random seed: they are small whatever a client sends, and nobody can choose two that
/// collide.
pub(crate) struct RateLimiter {
    clock: Arc<dyn Clock>,
    rates: Rates,
    tables: Vec<Option<BucketTable>>,
    hashes: RandomState,
    /// Credentials that were presented before, with their address: presenting one again is not a guess.
    seen_credentials: Mutex<HashSet<u64>>,
}

/// A rate limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateExceeded {
    pub bucket: Bucket,
    pub rate: Rate,
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
    pub(crate) fn new(rates: Rates, clock: &Arc<dyn Clock>) -> Self {
        let table = |bucket: &Bucket| Some(BucketTable::new(Meter::new(*bucket, rates.get(*bucket)?)));
        let tables = Bucket::ALL.iter().map(table).collect();
        Self { clock: Arc::clone(clock), rates, tables, hashes: RandomState::new(), seen_credentials: Mutex::default() }
    }

    /// The rates in force.
    pub(crate) fn rates(&self) -> &Rates {
        &self.rates
    }

    /// Charges this key; a disabled bucket never refuses.
    fn take(
        &self,
        bucket: Bucket,
        key: u64,
        now: Timestamp,
        tenths: u32,
    ) -> Result<Option<AdmittedRequest>, RateExceeded> {
        let Some(table) = self.table(bucket) else { return Ok(None) };
        match table.take(key, now, tenths) {
            Ok(taken) => Ok(Some(taken)),
            Err(wait) => Err(RateExceeded { bucket, rate: table.rate(), wait }),
        }
    }

    fn give_back(&self, bucket: Bucket, key: u64, tenths: u32) {
        if let Some(table) = self.table(bucket) {
            table.give_back(key, tenths);
        }
    }

    fn table(&self, bucket: Bucket) -> Option<&BucketTable> {
        self.tables[bucket as usize].as_ref()
    }

    fn key(&self, of: impl Hash) -> u64 {
        self.hashes.hash_one(of)
    }

    /// One key for all addresses of one customer: an IPv6 network of 64 bits.
    fn address_key(&self, address: IpAddr) -> u64 {
        match address.to_canonical() {
            IpAddr::V4(v4) => self.key(v4),
            IpAddr::V6(v6) => self.key(&v6.octets()[..8]),
        }
    }
}

/// The remaining allowance of one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub bucket: Bucket,
    /// Requests that may follow at once.
    pub left: u32,
    /// Until the whole burst is available again.
    pub reset: Duration,
}

/// The remaining allowances of the charged rates; empty if they are disabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateCharges([Option<Allowance>; 2]);

impl RateCharges {
    /// Each allowance in turn.
    pub fn allowances(&self) -> impl Iterator<Item = &Allowance> {
        self.0.iter().flatten()
    }
}

impl RateLimiter {
    /// Charges a member for one request. Every surface calls it before it begins the request. A refused request costs
    /// nothing, so that a member who writes too much can still read.
    pub(crate) fn charge(&self, caller: &Principal, cost: Cost) -> Result<RateCharges, RateExceeded> {
        let (key, now) = (self.key(&caller.member), self.clock.now());
        let mut charged = RateCharges::default();
        for (index, bucket) in cost.buckets().iter().enumerate() {
            match self.take(*bucket, key, now, cost.tenths()) {
                Ok(None) => {}
                Ok(Some(taken)) => {
                    charged.0[index] = Some(Allowance { bucket: *bucket, left: taken.left, reset: taken.reset });
                }
                Err(exceeded) => {
                    let before = charged.allowances().map(|allowance| allowance.bucket);
                    before.for_each(|bucket| self.give_back(bucket, key, cost.tenths()));
                    return Err(exceeded);
                }
            }
        }
        Ok(charged)
    }

    /// Charges an address for one request whose caller is not known yet.
    pub(crate) fn charge_address(&self, address: IpAddr) -> Result<(), RateExceeded> {
        let key = self.address_key(address);
        self.take(Bucket::Address, key, self.clock.now(), Cost::Read.tenths()).map(|_| ())
    }

    /// Returns the charge of an address, because the caller is a member with a rate of its own. So any number of
    /// members can share an address.
    pub(crate) fn release_address(&self, address: IpAddr) {
        self.give_back(Bucket::Address, self.address_key(address), Cost::Read.tenths());
    }

    /// Charges a project for one message.
    pub(crate) fn charge_post(&self, project: &ProjectId) -> Result<(), Refusal> {
        let key = self.key(project);
        Ok(self.take(Bucket::Project, key, self.clock.now(), Cost::Change.tenths()).map(|_| ())?)
    }
}

/// The way of a sign-in attempt.
#[derive(Clone, Copy, Debug)]
pub enum SignInAttempt<'a> {
    /// By a credential that is sent with each request. Presenting it again from the same address is not a new
    /// attempt, so that an agent with an expired token locks out nobody behind the same address.
    Credential(Credential<'a>),
    /// By the password of a person with this name.
    Password(&'a str),
    /// By the code of a link or an invite.
    Code,
}

/// The charges of an attempt until its outcome is known.
struct AttemptCharge {
    address: Option<u64>,
    name: Option<u64>,
    /// The key of the presented credential.
    seen_credentials: Option<u64>,
}

impl RateLimiter {
    /// Runs a sign-in unless too many attempts from this address or under this name have failed.
    ///
    /// The attempt is charged before it begins and refunded unless it fails: concurrent and abandoned attempts are
    /// counted too.
    pub(crate) async fn limit_sign_in<T>(
        &self,
        from: IpAddr,
        attempt: SignInAttempt<'_>,
        sign_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let attempt_charge =
            self.attempt_charge(from, attempt).map_err(|exceeded| Failure::Refused(exceeded.into()))?;
        let outcome = sign_in.await;
        self.settle(&attempt_charge, has_failed(&outcome));
        outcome
    }

    fn attempt_charge(&self, from: IpAddr, attempt: SignInAttempt<'_>) -> Result<AttemptCharge, RateExceeded> {
        let address = self.address_key(from);
        let (name, seen_credentials) = match attempt {
            SignInAttempt::Credential(seen_credentials) => (None, Some(self.key((address, seen_credentials)))),
            SignInAttempt::Password(name) => (Some(self.key(name_key(name))), None),
            SignInAttempt::Code => (None, None),
        };
        if seen_credentials.is_some_and(|key| self.seen_credentials.lock().contains(&key)) {
            return Ok(AttemptCharge { address: None, name: None, seen_credentials: None });
        }
        let attempt_charge = |bucket, key| self.take(bucket, key, self.clock.now(), Cost::Change.tenths());
        attempt_charge(Bucket::FailedAddress, address)?;
        name.map_or(Ok(None), |key| attempt_charge(Bucket::FailedName, key))?;
        Ok(AttemptCharge { address: Some(address), name, seen_credentials })
    }
}

impl RateLimiter {
    fn settle(&self, attempt_charge: &AttemptCharge, has_failed: bool) {
        if !has_failed {
            for (bucket, key) in
                [(Bucket::FailedAddress, attempt_charge.address), (Bucket::FailedName, attempt_charge.name)]
            {
                key.into_iter().for_each(|key| self.give_back(bucket, key, Cost::Change.tenths()));
            }
        }
        let Some(key) = attempt_charge.seen_credentials else { return };
        let mut seen_credentials = self.seen_credentials.lock();
        if seen_credentials.len() >= SEEN_TOKENS_MAX {
            // Rare, and cheaper than an order: clients present their credentials again.
            seen_credentials.clear();
        }
        seen_credentials.insert(key);
    }
}

/// Whether the credential was refused; a fault or an overload is not a guess.
fn has_failed<T>(outcome: &Result<T, Failure>) -> bool {
    let code = outcome.as_ref().err().and_then(Failure::refusal).map(|refusal| refusal.code);
    matches!(code, Some(Code::Unauthenticated | Code::SignInFailed | Code::InviteEnded))
}

/// Names that are equal for the store share a key.
fn name_key(text: &str) -> String {
    Name::parse(text).map_or_else(|_| text.to_lowercase(), |name| name.key().as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::StoppedClock;

    fn limiter() -> RateLimiter {
        let clock: Arc<dyn Clock> = Arc::new(StoppedClock(Timestamp::from_millis(0)));
        RateLimiter::new(Rates::default(), &clock)
    }

    fn same(one: &str, other: &str) -> bool {
        let tables = limiter();
        let key = |text: &str| tables.address_key(text.parse().expect("an address"));
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
