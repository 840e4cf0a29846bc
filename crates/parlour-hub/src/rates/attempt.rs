use std::net::IpAddr;

use parlour_core::{
    Code,
    limits::SHOWN_TOKENS_MAX,
    name::Name,
    rate::{Bucket, Cost},
};

use super::{RateLimiter, RateExceeded};
use crate::{Failure, Hub, use_cases::Credential};

/// By what somebody tries to be let in.
#[derive(Clone, Copy, Debug)]
pub enum SignInAttempt<'a> {
    /// By what a program or a browser shows with each request. To show the same again from the same address is no new
    /// attempt, so that an agent whose token has ended locks nobody out who works beside it.
    Credential(Credential<'a>),
    /// By the password of somebody with this name.
    Password(&'a str),
    /// By the code of a link or of an invite.
    Code,
}

/// What an attempt has taken until it turns out to be none.
struct AttemptCharge {
    address: Option<u64>,
    name: Option<u64>,
    /// Under which key it is remembered that this was shown.
    seen_credentials: Option<u64>,
}

impl Hub {
    /// Lets somebody try to be let in, unless too many tries from this address or under this name have failed.
    ///
    /// It is counted before it begins, and given back when it does not fail: thousands at once are counted too, and so is
    /// one whose caller goes away before the answer.
    pub async fn attempt<T>(
        &self,
        from: IpAddr,
        attempt: SignInAttempt<'_>,
        letting_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let attempt_charge = self.attempt_charge(from, attempt).map_err(|exceeded| Failure::Refused(exceeded.into()))?;
        let outcome = letting_in.await;
        self.rates.settle(&attempt_charge, has_failed(&outcome));
        outcome
    }

    fn attempt_charge(&self, from: IpAddr, attempt: SignInAttempt<'_>) -> Result<AttemptCharge, RateExceeded> {
        let address = self.rates.address_key(from);
        let (name, seen_credentials) = match attempt {
            SignInAttempt::Credential(seen_credentials) => (None, Some(self.rates.key((address, seen_credentials)))),
            SignInAttempt::Password(name) => (Some(self.rates.key(name_key(name))), None),
            SignInAttempt::Code => (None, None),
        };
        if seen_credentials.is_some_and(|key| self.rates.seen_credentials.lock().contains(&key)) {
            return Ok(AttemptCharge { address: None, name: None, seen_credentials: None });
        }
        let attempt_charge = |bucket, key| self.rates.take(bucket, key, self.clock.now(), Cost::Change.tenths());
        attempt_charge(Bucket::FailedAddress, address)?;
        name.map_or(Ok(None), |key| attempt_charge(Bucket::FailedName, key))?;
        Ok(AttemptCharge { address: Some(address), name, seen_credentials })
    }
}

impl RateLimiter {
    fn settle(&self, attempt_charge: &AttemptCharge, has_failed: bool) {
        if !has_failed {
            for (bucket, key) in [(Bucket::FailedAddress, attempt_charge.address), (Bucket::FailedName, attempt_charge.name)] {
                key.into_iter().for_each(|key| self.give_back(bucket, key, Cost::Change.tenths()));
            }
        }
        let Some(key) = attempt_charge.seen_credentials else { return };
        let mut seen_credentials = self.seen_credentials.lock();
        if seen_credentials.len() >= SHOWN_TOKENS_MAX {
            // Rare, and cheaper than keeping an order: whoever is there shows its token again.
            seen_credentials.clear();
        }
        seen_credentials.insert(key);
    }
}

/// Whether somebody was not let in for what it tried with; a fault of the hub or a full one is nobody's guess.
fn has_failed<T>(outcome: &Result<T, Failure>) -> bool {
    let code = outcome.as_ref().err().and_then(Failure::refusal).map(|refusal| refusal.code);
    matches!(code, Some(Code::Unauthenticated | Code::SignInFailed | Code::InviteEnded))
}

/// Names that are the same for the store count together.
fn name_key(text: &str) -> String {
    Name::parse(text).map_or_else(|_| text.to_lowercase(), |name| name.key().as_str().to_owned())
}
