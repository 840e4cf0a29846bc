use std::{net::IpAddr, time::Duration};

use parlour_core::{
    Refusal,
    access::Principal,
    id::ProjectId,
    rate::{Bucket, Cost, Rates},
};

use super::{RateLimiter, RateExceeded};
use crate::Hub;

/// What is left to a caller of one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Which.
    pub bucket: Bucket,
    /// How many requests may follow at once.
    pub left: u32,
    /// Until the whole burst is there again.
    pub reset: Duration,
}

/// What is left to a caller of all rates that a request was taken from; empty when those are off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateCharges([Option<Allowance>; 2]);

impl RateCharges {
    /// Each rate in turn.
    pub fn allowances(&self) -> impl Iterator<Item = &Allowance> {
        self.0.iter().flatten()
    }
}

impl Hub {
    /// The same hub with other rates; by default all are on.
    #[must_use]
    pub fn with_rates(mut self, rates: Rates) -> Self {
        self.rates = RateLimiter::new(rates);
        self
    }

    /// The rates in force.
    pub fn rates(&self) -> &Rates {
        self.rates.rates()
    }

    /// Lets a member make one more request. Every surface asks for each, before it begins to do what is asked for. What is
    /// refused costs nothing, so that whoever changes too much can still read.
    pub fn charge(&self, caller: &Principal, cost: Cost) -> Result<RateCharges, RateExceeded> {
        let (key, now) = (self.rates.key(&caller.member), self.clock.now());
        let mut charged = RateCharges::default();
        for (index, bucket) in cost.buckets().iter().enumerate() {
            match self.rates.take(*bucket, key, now, cost.tenths()) {
                Ok(None) => {}
                Ok(Some(taken)) => {
                    charged.0[index] = Some(Allowance { bucket: *bucket, left: taken.left, reset: taken.reset });
                }
                Err(exceeded) => {
                    let before = charged.allowances().map(|allowance| allowance.bucket);
                    before.for_each(|bucket| self.rates.give_back(bucket, key, cost.tenths()));
                    return Err(exceeded);
                }
            }
        }
        Ok(charged)
    }

    /// Lets somebody from this address make one more request, of whom it is not yet known who it is.
    pub fn charge_address(&self, address: IpAddr) -> Result<(), RateExceeded> {
        let key = self.rates.address_key(address);
        self.rates.take(Bucket::Address, key, self.clock.now(), Cost::Read.tenths()).map(|_| ())
    }

    /// Gives an address back what it has taken: it was a member, who has a share of its own. So any number of members
    /// can work behind one address.
    pub fn release_address(&self, address: IpAddr) {
        self.rates.give_back(Bucket::Address, self.rates.address_key(address), Cost::Read.tenths());
    }

    /// Lets one more message into a project.
    pub(crate) fn charge_post(&self, project: &ProjectId) -> Result<(), Refusal> {
        let key = self.rates.key(project);
        Ok(self.rates.take(Bucket::Project, key, self.clock.now(), Cost::Change.tenths()).map(|_| ())?)
    }
}
