//! Guards every HTTP request: host names, origins of pages, cookies, and headers of trusted proxies.
//!
//! A browser attaches cookies and client certificates to requests of foreign pages too, and a foreign page can point its
//! own host name at this machine (DNS rebinding). Therefore neither counts before the request has passed these checks.

mod hosts;
mod origins;
mod proxies;
mod session_cookie;

use std::sync::{Arc, OnceLock};

use axum::{
    extract::Request,
    http::{Extensions, HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use parlour_core::{Code, Refusal, access::Principal};

use crate::http_error::HttpError;

pub use hosts::{Hosts, InvalidHosts};
pub(crate) use origins::AllowedOrigin;
pub use origins::{InvalidOrigins, Origins};
pub(crate) use proxies::client_address;
pub use proxies::{ClientAddress, InvalidProxies, PeerAddress, PeerCertificate, Proxies};
pub(crate) use session_cookie::SessionCookie;

/// The hosts, origins and proxies that the operator has configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpGuard {
    /// Origins of pages that may send requests, besides the hub's own.
    pub origins: Origins,
    /// Host names of the hub, besides IP addresses and `localhost`.
    pub hosts: Hosts,
    /// Proxies whose `X-Forwarded-*` headers are trusted.
    pub proxies: Proxies,
    /// Whether the hub terminates TLS itself.
    pub is_tls: bool,
}

impl HttpGuard {
    /// Whether the browser sent the request over TLS.
    pub(crate) fn is_secure(&self, headers: &HeaderMap, extensions: &Extensions) -> bool {
        let peer = extensions.get::<PeerAddress>();
        self.is_tls || peer.is_some_and(|peer| self.proxies.contains(peer.0)) && proxies::says_https(headers)
    }

    /// The session cookie of this kind of connection.
    pub(crate) fn session_cookie(&self, headers: &HeaderMap, extensions: &Extensions) -> SessionCookie {
        SessionCookie::new(self.is_secure(headers, extensions))
    }
}

/// The caller of a request, set by authentication. Request and response carry it for the log and the audit log.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuthenticatedCaller(Arc<OnceLock<Principal>>);

impl AuthenticatedCaller {
    /// Sets the caller; a second call has no effect.
    pub(crate) fn set(&self, caller: &Principal) {
        let _ = self.0.set(caller.clone());
    }

    /// The caller, once it is authenticated.
    pub(crate) fn get(&self) -> Option<&Principal> {
        self.0.get()
    }
}

/// A rule of HTTP that a request breaks; the transport sets it as an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MalformedRequest {
    /// Programs disagree on where such a request ends (RFC 9112, 6.3).
    TwoLengths,
    /// Required since HTTP/1.1 (RFC 9112, 3.2).
    NoHost,
}

impl MalformedRequest {
    fn refusal(self) -> Refusal {
        let detail = match self {
            Self::TwoLengths => "send either Content-Length or Transfer-Encoding, not both",
            Self::NoHost => "an HTTP/1.1 request needs the header Host",
        };
        Refusal::new(Code::MalformedHttp, detail)
    }
}

/// Refuses malformed requests and requests to unknown hosts, and clears a session cookie that was rejected.
///
/// Checks that hold for every caller belong before `next`; only the extractor `Caller` authenticates.
pub(crate) async fn guard(
    http_guard: &HttpGuard,
    mut request: Request,
    next: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    if let Some(malformed) = request.extensions().get::<MalformedRequest>() {
        return HttpError::from(malformed.refusal()).into_response();
    }
    if let Err(refusal) = http_guard.hosts.check(request.headers(), request.uri()) {
        return HttpError::from(refusal).into_response();
    }
    let cookie = http_guard.session_cookie(request.headers(), request.extensions());
    let is_cookie_sent = !request.headers().contains_key(header::AUTHORIZATION) && cookie.is_in(request.headers());
    let caller = AuthenticatedCaller::default();
    request.extensions_mut().insert(caller.clone());
    let mut response = next(request).await;
    if is_cookie_sent && is_unauthenticated(&response) {
        response.headers_mut().append(header::SET_COOKIE, cookie.clear());
    }
    response.extensions_mut().insert(caller);
    response
}

/// Whether the credential was rejected. A cross-site request does not clear the cookie.
fn is_unauthenticated(response: &Response) -> bool {
    response.extensions().get::<HttpError>().is_some_and(|http_error| http_error.code() == Code::Unauthenticated)
}
