//! Whose word on a request is believed. What a client says about itself in such headers is worth nothing.

use std::{net::IpAddr, str::FromStr, sync::Arc};

use axum::http::{HeaderMap, HeaderName};
use parlour_core::limits::PROXIES_MAX;

/// How the request came to the proxy.
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The addresses of proxies in front of the hub: single ones, or nets such as `10.0.0.0/8`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies(Arc<[Net]>);

/// A text that is no list of proxies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadProxy(String);

/// All addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Net {
    address: IpAddr,
    bits: u32,
}

impl FromStr for Proxies {
    type Err = BadProxy;

    /// Takes addresses and nets with commas or blanks between them.
    fn from_str(text: &str) -> Result<Self, BadProxy> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let nets: Vec<_> = parts.map(parse_net).collect::<Result<_, _>>()?;
        if nets.len() > PROXIES_MAX {
            return Err(BadProxy(format!("there are {} proxies; at most {PROXIES_MAX} are taken", nets.len())));
        }
        Ok(Self(nets.into()))
    }
}

fn parse_net(text: &str) -> Result<Net, BadProxy> {
    let refuse = || BadProxy(format!("{text:?} is no address or net such as 10.0.0.7 or 10.0.0.0/8"));
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().map_err(|_| refuse())?;
    let bits_max = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.map_or(Ok(bits_max), |bits| bits.parse().map_err(|_| refuse()))?;
    if bits <= bits_max { Ok(Net { address, bits }) } else { Err(refuse()) }
}

impl Net {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differing = u32::from(own) ^ u32::from(other);
                differing.leading_zeros() >= self.bits
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differing = u128::from(own) ^ u128::from(other);
                differing.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

impl Proxies {
    /// Whether this is the address of a proxy.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        // A listener for both families shows addresses of the old one in the form of the new.
        let address = address.to_canonical();
        self.0.iter().any(|net| net.contains(address))
    }
}

/// Whether the proxy says that the request came to it over TLS. Of several words the last is the own proxy's.
pub(super) fn says_https(headers: &HeaderMap) -> bool {
    let last = headers.get_all(FORWARDED_PROTO).iter().next_back().and_then(|value| value.to_str().ok());
    last.and_then(|list| list.rsplit(',').next()).is_some_and(|word| word.trim().eq_ignore_ascii_case("https"))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(listed: &str, address: &str, expected: bool) {
        let proxies: Proxies = listed.parse().expect("a list");
        assert_eq!(proxies.contains(address.parse().expect("an address")), expected, "{address} in {listed}");
    }

    #[test]
    fn single_addresses_and_nets_are_known() {
        check("10.0.0.7, fe80::/10", "10.0.0.7", true);
        check("10.0.0.7", "::ffff:10.0.0.7", true);
        check("10.0.0.0/8", "10.255.3.4", true);
        check("fe80::/10", "febf::1", true);
        check("0.0.0.0/0", "8.8.8.8", true);
    }

    #[test]
    fn all_others_are_not() {
        check("", "127.0.0.1", false);
        check("10.0.0.7", "10.0.0.8", false);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("10.0.0.0/30", "10.0.0.4", false);
        check("fe80::/10", "fec0::1", false);
        check("0.0.0.0/0", "2001:db8::1", false);
    }

    #[test]
    fn a_list_holds_nothing_but_addresses_and_nets() {
        for text in ["proxy", "10.0.0", "10.0.0.0/33", "10.0.0.0/-1", "::1/129", "::1/", "10.0.0.1:80", "*"] {
            assert!(text.parse::<Proxies>().is_err_and(|error| error.to_string().contains("such as")), "{text}");
        }
        assert!("::1 ".repeat(PROXIES_MAX + 1).parse::<Proxies>().is_err());
    }

    #[test]
    fn the_last_word_on_the_scheme_counts() {
        let says = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(FORWARDED_PROTO, HeaderValue::from_static(value));
            }
            says_https(&headers)
        };
        assert!(says(&["https"]) && says(&["HTTPS"]) && says(&["http, https"]) && says(&["http", "https"]));
        assert!(!says(&[]) && !says(&["http"]) && !says(&["https, http"]) && !says(&["https", "http"]));
    }
}
