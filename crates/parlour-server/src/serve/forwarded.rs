//! Where a request really comes from, when a proxy stands before the hub.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName};
use parlour_core::limits::FORWARDED_HOPS_MAX;

use crate::{borders::Proxies, peer::ClientAddress};

/// The chain of addresses that a request came through, the client first.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The client of a request from this peer: the last hop that is no trusted proxy. What stands before it in the chain was
/// written by the client itself and proves nothing.
pub(super) fn client_address(proxies: &Proxies, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
    let values = headers.get_all(FORWARDED_FOR).into_iter().rev();
    let chain = values.flat_map(|value| value.to_str().unwrap_or("?").rsplit(','));
    let mut client = peer.to_canonical();
    for hop in chain.take(FORWARDED_HOPS_MAX) {
        if !proxies.contains(client) {
            break;
        }
        // Beyond something unreadable nothing is known: whoever passed it on is as far as it goes.
        let Some(before) = parse_hop(hop.trim()) else { break };
        client = before;
    }
    ClientAddress(client)
}

/// An address, as proxies write it: perhaps with a port, and in brackets when it is of IPv6.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(inside, _)| inside);
    let plain = bare.parse::<IpAddr>().ok();
    plain.or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip())).map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
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
    fn without_proxies_nobody_is_believed() {
        check("", "127.0.0.1", &["9.9.9.9"], "127.0.0.1");
        check("10.0.0.1", "10.0.0.2", &["9.9.9.9"], "10.0.0.2");
    }

    #[test]
    fn the_last_hop_that_is_no_proxy_is_the_client() {
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
    fn ports_brackets_and_mapped_addresses_are_understood() {
        check("10.0.0.1", "::ffff:10.0.0.1", &["9.9.9.9:4711"], "9.9.9.9");
        check("fd00::/8", "fd00::1", &["[2001:db8::7]:443"], "2001:db8::7");
        check("fd00::/8", "fd00::1", &["2001:db8::7"], "2001:db8::7");
        check("fd00::/8", "fd00::1", &["::ffff:9.9.9.9"], "9.9.9.9");
    }

    #[test]
    fn a_long_chain_is_not_followed_for_ever() {
        let hops: &'static str =
            Box::leak(format!("9.9.9.9{}", ",10.0.0.1".repeat(FORWARDED_HOPS_MAX)).into_boxed_str());
        check("10.0.0.1", "10.0.0.1", &[hops], "10.0.0.1");
    }
}
