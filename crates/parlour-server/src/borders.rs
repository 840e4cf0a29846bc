//! The borders of the hub: by which names it is reached, which pages may speak to it, and what it believes of a browser.
//!
//! A browser sends cookies and client certificates by itself, also when another page asks it to, and any page can give
//! its own name an address of this machine. So neither counts before the request was looked at here.

mod cross_site;
mod guard;
mod hosts;
mod origins;
mod proxies;
mod session_cookie;

use axum::http::{Extensions, HeaderMap};

use crate::peer::PeerAddress;

pub(crate) use guard::{KnownCaller, guard};
pub use hosts::{BadHost, Hosts};
pub(crate) use origins::KnownOrigin;
pub use origins::{BadOrigin, Origins};
pub use proxies::{BadProxy, Proxies};
pub(crate) use session_cookie::SessionCookie;

/// What the hub was told about the world around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Borders {
    /// The pages that may speak to the hub besides its own.
    pub origins: Origins,
    /// The names by which the hub is reached, besides addresses and `localhost`.
    pub hosts: Hosts,
    /// The proxies whose word on a request is believed.
    pub proxies: Proxies,
    /// Whether the hub itself speaks TLS.
    pub is_tls: bool,
}

impl Borders {
    /// Whether the request was encrypted on its way from the browser.
    pub(crate) fn is_secure(&self, headers: &HeaderMap, extensions: &Extensions) -> bool {
        let peer = extensions.get::<PeerAddress>();
        self.is_tls || peer.is_some_and(|peer| self.proxies.contains(peer.0)) && proxies::says_https(headers)
    }

    /// The cookie that the request may carry a session in.
    pub(crate) fn session_cookie(&self, headers: &HeaderMap, extensions: &Extensions) -> SessionCookie {
        SessionCookie::new(self.is_secure(headers, extensions))
    }
}
