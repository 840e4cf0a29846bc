//! Methods of `Hub` that delegate to its services: the macro, and the methods of the rate limiter.

use std::net::IpAddr;

use parlour_core::{
    access::Principal,
    rate::{Cost, Rates},
};

use crate::{Failure, Hub, RateCharges, RateExceeded, SignInAttempt, live::SessionId};

/// Defines async methods of `Hub` that call the method of the same name of a service.
macro_rules! delegate {
    ($service:ident: $($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl $crate::Hub {
            $(
                #[doc = concat!("Calls `", stringify!($name), "` of the service `", stringify!($service), "`.")]
                pub async fn $name(&self, $($arg: $type),*) -> Result<$answer, $crate::Failure> {
                    self.$service.$name($($arg),*).await
                }
            )*
        }
    };
}

pub(crate) use delegate;

impl Hub {
    /// Removes the presence that a live session has announced.
    pub fn leave_presence(&self, session: SessionId) {
        self.presence.leave_presence(session);
    }

    /// The rates in force.
    pub fn rates(&self) -> &Rates {
        self.rates.rates()
    }

    /// Charges a member for one request. Every surface calls it before it begins the request.
    pub fn charge(&self, caller: &Principal, cost: Cost) -> Result<RateCharges, RateExceeded> {
        self.rates.charge(caller, cost)
    }

    /// Charges an address for one request whose caller is not known yet.
    pub fn charge_address(&self, address: IpAddr) -> Result<(), RateExceeded> {
        self.rates.charge_address(address)
    }

    /// Gives an address its charge back, because the caller is a member with a rate of its own.
    pub fn release_address(&self, address: IpAddr) {
        self.rates.release_address(address);
    }

    /// Runs a sign-in unless too many attempts from this address or under this name have failed.
    pub async fn attempt<T>(
        &self,
        from: IpAddr,
        attempt: SignInAttempt<'_>,
        sign_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.rates.attempt(from, attempt, sign_in).await
    }
}
