use std::{
    convert::Infallible,
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use axum::{
    extract::{FromRequestParts, MatchedPath},
    http::{Method, request::Parts},
};
use parlour_core::{access::Principal, origin::Surface, rate::Cost};
use parlour_hub::{Failure, Hub, RateCharges, RateExceeded, SignInAttempt, live::Session, use_cases::Credential};

use crate::{borders::KnownCaller, peer::ClientAddress};

/// What became of the charge for a request. It goes along with it, so that the answer can tell.
pub(super) type Tally = Arc<OnceLock<Result<RateCharges, RateExceeded>>>;

/// A request as the rates see it: from where it comes and what it costs.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    address: IpAddr,
    cost: Cost,
    tally: Tally,
    known: KnownCaller,
}

impl Visit {
    /// Tries to let somebody in by what the request shows. A member pays for itself: its address gets back what the
    /// request has taken.
    pub(crate) async fn let_in<T>(
        &self,
        hub: &Hub,
        shown: Credential<'_>,
        letting_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let let_in = self.attempt(hub, SignInAttempt::Credential(shown), letting_in).await?;
        hub.release_address(self.address);
        Ok(let_in)
    }

    /// Opens a live session for whoever shows this, as a request of its member.
    pub(crate) async fn open_session(
        &self,
        hub: &Arc<Hub>,
        shown: Credential<'_>,
        surface: Surface,
    ) -> Result<Session, Failure> {
        let session = self.let_in(hub, shown, hub.open_session(shown)).await?.over(surface);
        self.charge(hub, session.caller())?;
        Ok(session)
    }

    /// Tries to let somebody in who shows nothing yet.
    pub(crate) async fn attempt<T>(
        &self,
        hub: &Hub,
        attempt: SignInAttempt<'_>,
        letting_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        hub.attempt(self.address, attempt, letting_in).await
    }

    /// The same request at another cost, where its address does not tell what it asks for.
    #[must_use]
    pub(crate) fn at_cost(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }

    /// Charges the member for the request.
    pub(crate) fn charge(&self, hub: &Hub, caller: &Principal) -> Result<(), Failure> {
        self.known.remember(caller);
        let outcome = hub.charge(caller, self.cost);
        let _ = self.tally.set(outcome);
        outcome.map(|_| ()).map_err(|exceeded| Failure::Refused(exceeded.into()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let ClientAddress(address) = ClientAddress::from_request_parts(parts, state).await?;
        let tally = parts.extensions.get::<Tally>().cloned().unwrap_or_default();
        let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let known = parts.extensions.get::<KnownCaller>().cloned().unwrap_or_default();
        Ok(Self { address, cost: cost_of(&parts.method, path), tally, known })
    }
}

/// What a request costs, by what it asks for.
fn cost_of(method: &Method, path: &str) -> Cost {
    let is_piece = path.ends_with("/chunks") || path.ends_with("/beat");
    match method {
        &Method::GET | &Method::HEAD | &Method::OPTIONS => Cost::Read,
        _ if is_piece => Cost::Piece,
        _ => Cost::Change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_costs_by_what_it_asks_for() {
        for (method, path, cost) in [
            (Method::GET, "/messages/{id}", Cost::Read),
            (Method::HEAD, "/me", Cost::Read),
            (Method::POST, "/messages", Cost::Change),
            (Method::DELETE, "/messages/{id}", Cost::Change),
            (Method::POST, "/messages/{id}/chunks", Cost::Piece),
            (Method::POST, "/messages/{id}/beat", Cost::Piece),
            (Method::POST, "", Cost::Change),
        ] {
            assert_eq!(cost_of(&method, path), cost, "{method} {path}");
        }
    }
}
