use std::net::IpAddr;

use parlour_core::{
    Code,
    limits::SHOWN_TOKENS_MAX,
    name::Name,
    rate::{Bucket, Cost},
};

use super::{RateBooks, RateExceeded};
use crate::{Failure, Hub, use_cases::Shown};

/// By what somebody tries to be let in.
#[derive(Clone, Copy, Debug)]
pub enum Attempt<'a> {
    /// By what a program or a browser shows with each request. To show the same again from the same address is no new
    /// attempt, so that an agent whose token has ended locks nobody out who works beside it.
    Shown(Shown<'a>),
    /// By the password of somebody with this name.
    Password(&'a str),
    /// By the code of a link or of an invite.
    Code,
}

/// What an attempt has taken until it turns out to be none.
struct Stake {
    address: Option<u64>,
    name: Option<u64>,
    /// Under which key it is remembered that this was shown.
    shown: Option<u64>,
}

impl Hub {
    /// Lets somebody try to be let in, unless too many tries from this address or under this name have failed.
    ///
    /// It is counted before it begins, and given back when it does not fail: thousands at once are counted too, and so is
    /// one whose caller goes away before the answer.
    pub async fn attempt<T>(
        &self,
        from: IpAddr,
        attempt: Attempt<'_>,
        letting_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let stake = self.stake(from, attempt).map_err(|exceeded| Failure::Refused(exceeded.into()))?;
        let outcome = letting_in.await;
        self.rates.settle(&stake, has_failed(&outcome));
        outcome
    }

    fn stake(&self, from: IpAddr, attempt: Attempt<'_>) -> Result<Stake, RateExceeded> {
        let address = self.rates.address_key(from);
        let (name, shown) = match attempt {
            Attempt::Shown(shown) => (None, Some(self.rates.key((address, shown)))),
            Attempt::Password(name) => (Some(self.rates.key(name_key(name))), None),
            Attempt::Code => (None, None),
        };
        if shown.is_some_and(|key| self.rates.shown.lock().contains(&key)) {
            return Ok(Stake { address: None, name: None, shown: None });
        }
        let stake = |bucket, key| self.rates.take(bucket, key, self.clock.now(), Cost::Change.tenths());
        stake(Bucket::FailedAddress, address)?;
        name.map_or(Ok(None), |key| stake(Bucket::FailedName, key))?;
        Ok(Stake { address: Some(address), name, shown })
    }
}

impl RateBooks {
    fn settle(&self, stake: &Stake, has_failed: bool) {
        if !has_failed {
            for (bucket, key) in [(Bucket::FailedAddress, stake.address), (Bucket::FailedName, stake.name)] {
                key.into_iter().for_each(|key| self.give_back(bucket, key, Cost::Change.tenths()));
            }
        }
        let Some(key) = stake.shown else { return };
        let mut shown = self.shown.lock();
        if shown.len() >= SHOWN_TOKENS_MAX {
            // Rare, and cheaper than keeping an order: whoever is there shows its token again.
            shown.clear();
        }
        shown.insert(key);
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
