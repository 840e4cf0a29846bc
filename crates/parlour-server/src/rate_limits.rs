//! Rate limits of the HTTP surfaces: charges requests, and writes the fields `RateLimit` and `RateLimit-Policy`
//! (draft-ietf-httpapi-ratelimit-headers).

use std::{
    convert::Infallible,
    fmt::Write as _,
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use axum::{
    extract::{FromRequestParts, MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, request::Parts},
    response::{IntoResponse as _, Response},
};
use parlour_core::{
    Refusal,
    access::Principal,
    attribution::Surface,
    rate::{Bucket, Cost, Meter, Rates},
};
use parlour_hub::{Failure, Hub, RateCharges, RateExceeded, SignInAttempt, live::Session, use_cases::Credential};

use crate::{
    http_error::HttpError,
    http_guard::{AuthenticatedCaller, ClientAddress},
};

/// Charges the client address of every request before authentication, and reports the remaining rates in the response.
pub(crate) async fn charge_address(
    hub: &Hub,
    mut request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    let ClientAddress(address) = request.extensions().get().copied().unwrap_or_default();
    let tally = ChargeOutcome::default();
    let mut response = match hub.charge_address(address) {
        Ok(()) => {
            request.extensions_mut().insert(Arc::clone(&tally));
            next(request).await
        }
        Err(exceeded) => {
            let _ = tally.set(Err(exceeded));
            HttpError::from(Refusal::from(exceeded)).into_response()
        }
    };
    if let Some(tally) = tally.get() {
        add_rate_headers(response.headers_mut(), hub.rates(), tally);
    }
    response
}

/// The outcome of charging a request, shared with the middleware that writes the headers.
type ChargeOutcome = Arc<OnceLock<Result<RateCharges, RateExceeded>>>;

/// Charges one request: client address, cost and outcome.
#[derive(Clone, Debug)]
pub(crate) struct RequestMeter {
    address: IpAddr,
    cost: Cost,
    tally: ChargeOutcome,
    caller: AuthenticatedCaller,
}

impl RequestMeter {
    /// Authenticates a credential. An authenticated member is charged itself, so its address gets the charge back.
    pub(crate) async fn authenticate<T>(
        &self,
        hub: &Hub,
        shown: Credential<'_>,
        sign_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let authenticate = self.attempt(hub, SignInAttempt::Credential(shown), sign_in).await?;
        hub.release_address(self.address);
        Ok(authenticate)
    }

    /// Opens a live session with a credential, and charges its member.
    pub(crate) async fn open_session(
        &self,
        hub: &Arc<Hub>,
        shown: Credential<'_>,
        surface: Surface,
    ) -> Result<Session, Failure> {
        let session = self.authenticate(hub, shown, hub.open_session(shown)).await?.over(surface);
        self.charge(hub, session.caller())?;
        Ok(session)
    }

    /// Runs a sign-in attempt under the limits of failed attempts per address.
    pub(crate) async fn attempt<T>(
        &self,
        hub: &Hub,
        attempt: SignInAttempt<'_>,
        sign_in: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        hub.limit_sign_in(self.address, attempt, sign_in).await
    }

    /// Sets the cost of a request whose path does not determine it.
    #[must_use]
    pub(crate) fn at_cost(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }

    /// Charges the member.
    pub(crate) fn charge(&self, hub: &Hub, caller: &Principal) -> Result<(), Failure> {
        self.caller.set(caller);
        let outcome = hub.charge(caller, self.cost);
        let _ = self.tally.set(outcome);
        outcome.map(|_| ()).map_err(|exceeded| Failure::Refused(exceeded.into()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RequestMeter {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let ClientAddress(address) = ClientAddress::from_request_parts(parts, state).await?;
        let tally = parts.extensions.get::<ChargeOutcome>().cloned().unwrap_or_default();
        let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let caller = parts.extensions.get::<AuthenticatedCaller>().cloned().unwrap_or_default();
        Ok(Self { address, cost: cost_of(&parts.method, path), tally, caller })
    }
}

/// The cost of a request by method and path.
fn cost_of(method: &Method, path: &str) -> Cost {
    let is_piece = path.ends_with("/chunks") || path.ends_with("/beat");
    match method {
        &Method::GET | &Method::HEAD | &Method::OPTIONS => Cost::Read,
        _ if is_piece => Cost::Piece,
        _ => Cost::Change,
    }
}

const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Writes the remaining quota of each charged rate.
fn add_rate_headers(headers: &mut HeaderMap, rates: &Rates, tally: &Result<RateCharges, RateExceeded>) {
    let mut written = RateHeaders::default();
    match tally {
        Ok(charged) => {
            let seconds = |reset: std::time::Duration| reset.as_secs() + u64::from(reset.subsec_nanos() > 0);
            charged.allowances().for_each(|one| written.add(rates, one.bucket, one.left, seconds(one.reset)));
        }
        Err(exceeded) => {
            let wait = exceeded.wait;
            written.add(rates, exceeded.bucket, 0, wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        }
    }
    if !written.limit.is_empty() {
        headers.insert(LIMIT, plain(written.limit));
        headers.insert(POLICY, plain(written.policy));
    }
}

#[derive(Default)]
struct RateHeaders {
    limit: String,
    policy: String,
}

impl RateHeaders {
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
mod cost_tests {
    use super::*;

    #[test]
    fn the_cost_of_a_request_depends_on_method_and_path() {
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

#[cfg(test)]
mod headers_tests {
    use std::time::Duration;

    use parlour_core::rate::Rate;

    use super::*;

    fn headers_of(tally: &Result<RateCharges, RateExceeded>) -> Option<(String, String)> {
        let mut headers = HeaderMap::new();
        add_rate_headers(&mut headers, &Rates::default(), tally);
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().expect("ASCII").to_owned());
        text(LIMIT).zip(text(POLICY))
    }

    #[test]
    fn a_refusal_reports_the_exceeded_rate() {
        let exceeded = RateExceeded {
            bucket: Bucket::Change,
            rate: Rate { count: 20, burst: 200 },
            wait: Duration::from_millis(1_001),
        };
        let expected = ("\"change\";r=0;t=2".to_owned(), "\"change\";q=200;w=10".to_owned());
        assert_eq!(headers_of(&Err(exceeded)), Some(expected));
    }

    #[test]
    fn without_a_charge_no_header_is_written() {
        assert_eq!(headers_of(&Ok(RateCharges::default())), None);
    }
}
