//! Trusted proxies, and the client address of a request. Forwarding headers of other peers are ignored: clients can forge
//! them.

use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    str::FromStr,
    sync::Arc,
};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderName, request::Parts},
};
use ipnet::IpNet;
use parlour_core::limits::{FORWARDED_HOPS_MAX, PROXIES_MAX};

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The addresses and networks of trusted proxies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies(Arc<[IpNet]>);

/// A text that is not a list of addresses and networks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidProxies(String);

impl FromStr for Proxies {
    type Err = InvalidProxies;

    /// Parses addresses and networks separated by commas or spaces.
    fn from_str(text: &str) -> Result<Self, InvalidProxies> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let nets: Vec<_> = parts.map(parse_net).collect::<Result<_, _>>()?;
        if nets.len() > PROXIES_MAX {
            return Err(InvalidProxies(format!(
                "{} proxies are listed; at most {PROXIES_MAX} are allowed",
                nets.len()
            )));
        }
        Ok(Self(nets.into()))
    }
}

fn parse_net(text: &str) -> Result<IpNet, InvalidProxies> {
    let parsed = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    parsed.map_err(|_| InvalidProxies(format!("{text:?} is not an address or network such as 10.0.0.7 or 10.0.0.0/8")))
}

impl Proxies {
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        // A dual-stack listener reports IPv4 peers as IPv4-mapped IPv6 addresses.
        let address = address.to_canonical();
        self.0.iter().any(|net| net.contains(&address))
    }
}

/// Whether the proxy received the request over TLS. The last value is that of the nearest proxy.
pub(super) fn says_https(headers: &HeaderMap) -> bool {
    let last = headers.get_all(FORWARDED_PROTO).iter().next_back().and_then(|value| value.to_str().ok());
    last.and_then(|list| list.rsplit(',').next()).is_some_and(|word| word.trim().eq_ignore_ascii_case("https"))
}

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The client address of a request: the last hop that is not a trusted proxy. Earlier hops are forgeable.
pub(crate) fn client_address(proxies: &Proxies, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
    let values = headers.get_all(FORWARDED_FOR).into_iter().rev();
    let chain = values.flat_map(|value| value.to_str().unwrap_or("?").rsplit(','));
    let mut client = peer.to_canonical();
    for hop in chain.take(FORWARDED_HOPS_MAX) {
        if !proxies.contains(client) {
            break;
        }
        // Hops before an unreadable one are unknown; the hop that forwarded it counts as the client.
        let Some(before) = parse_hop(hop.trim()) else { break };
        client = before;
    }
    ClientAddress(client)
}

/// Parses an address with an optional port; IPv6 addresses may be in brackets.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(inside, _)| inside);
    let plain = bare.parse::<IpAddr>().ok();
    plain.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip())).map(|ip| ip.to_canonical())
}

/// The SHA-256 of the connection's client certificate (DER), which a trusted authority has signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerCertificate(pub [u8; 32]);

/// The peer address of the connection; behind a proxy it is the proxy's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// The address of the client, resolved through trusted proxies. Rate limits use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl Default for ClientAddress {
    /// The loopback address, for requests without a connection as in tests.
    fn default() -> Self {
        Self(Ipv4Addr::LOCALHOST.into())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod proxies_tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(listed: &str, address: &str, expected: bool) {
        let proxies: Proxies = listed.parse().expect("a list");
        assert_eq!(proxies.contains(address.parse().expect("an address")), expected, "{address} in {listed}");
    }

    #[test]
    fn addresses_and_networks_are_matched() {
        check("10.0.0.7, fe80::/10", "10.0.0.7", true);
        check("10.0.0.7", "::ffff:10.0.0.7", true);
        check("10.0.0.0/8", "10.255.3.4", true);
        check("fe80::/10", "febf::1", true);
        check("0.0.0.0/0", "8.8.8.8", true);
    }

    #[test]
    fn other_addresses_are_not_matched() {
        check("", "127.0.0.1", false);
        check("10.0.0.7", "10.0.0.8", false);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("10.0.0.0/30", "10.0.0.4", false);
        check("fe80::/10", "fec0::1", false);
        check("0.0.0.0/0", "2001:db8::1", false);
    }

    #[test]
    fn other_texts_are_not_a_proxy_list() {
        for text in ["proxy", "10.0.0", "10.0.0.0/33", "10.0.0.0/-1", "::1/129", "::1/", "10.0.0.1:80", "*"] {
            assert!(text.parse::<Proxies>().is_err_and(|error| error.to_string().contains("such as")), "{text}");
        }
        assert!("::1 ".repeat(PROXIES_MAX + 1).parse::<Proxies>().is_err());
    }

    #[test]
    fn the_last_forwarded_scheme_counts() {
        let is_https = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(FORWARDED_PROTO, HeaderValue::from_static(value));
            }
            says_https(&headers)
        };
        assert!(
            is_https(&["https"]) && is_https(&["HTTPS"]) && is_https(&["http, https"]) && is_https(&["http", "https"])
        );
        assert!(!is_https(&[]) && !is_https(&["http"]) && !is_https(&["https, http"]) && !is_https(&["https", "http"]));
    }
}

#[cfg(test)]
mod forwarded_tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(trusted: &str, peer: &str, chain: &[&'static str], expected: &str) {
        let proxies: Proxies = trusted.parse().expect("a list");
        let mut headers = HeaderMap::new();
        for value in chain {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(value));
        }
        let found = client_address(&proxies, peer.parse().expect("an address"), &headers);
        assert_eq!(found.0.to_string(), expected, "{peer} {chain:?}");
    }

    #[test]
    fn without_trusted_proxies_the_header_is_ignored() {
        check("", "127.0.0.1", &["9.9.9.9"], "127.0.0.1");
        check("10.0.0.1", "10.0.0.2", &["9.9.9.9"], "10.0.0.2");
    }

    #[test]
    fn the_last_hop_that_is_not_a_proxy_is_the_client() {
        check("10.0.0.0/8", "10.0.0.2", &["9.9.9.9"], "9.9.9.9");
        check("10.0.0.0/8", "10.0.0.2", &["6.6.6.6, 9.9.9.9, 10.3.3.3"], "9.9.9.9");
        check("10.0.0.0/8", "10.0.0.2", &["6.6.6.6", "9.9.9.9"], "9.9.9.9");
        check("10.0.0.0/8", "10.0.0.2", &["10.1.1.1"], "10.1.1.1");
        check("10.0.0.0/8", "10.0.0.2", &[], "10.0.0.2");
    }

    #[test]
    fn a_forged_beginning_of_the_chain_changes_nothing() {
        for forged in ["1.1.1.1, 9.9.9.9", "10.0.0.1, 9.9.9.9", "x, 9.9.9.9", ",,,9.9.9.9"] {
            check("10.0.0.1", "10.0.0.1", &[forged], "9.9.9.9");
        }
    }

    #[test]
    fn an_unreadable_hop_ends_the_search_at_the_proxy() {
        for chain in ["unknown", "9.9.9.9, unknown", "", "_hidden", "999.1.1.1"] {
            check("10.0.0.1", "10.0.0.1", &[chain], "10.0.0.1");
        }
    }

    #[test]
    fn ports_brackets_and_mapped_addresses_are_parsed() {
        check("10.0.0.1", "::ffff:10.0.0.1", &["9.9.9.9:4711"], "9.9.9.9");
        check("fd00::/8", "fd00::1", &["[2001:db8::7]:443"], "2001:db8::7");
        check("fd00::/8", "fd00::1", &["2001:db8::7"], "2001:db8::7");
        check("fd00::/8", "fd00::1", &["::ffff:9.9.9.9"], "9.9.9.9");
    }

    #[test]
    fn a_long_chain_is_followed_up_to_the_limit() {
        let hops: &'static str =
            Box::leak(format!("9.9.9.9{}", ",10.0.0.1".repeat(FORWARDED_HOPS_MAX)).into_boxed_str());
        check("10.0.0.1", "10.0.0.1", &[hops], "10.0.0.1");
    }
}
