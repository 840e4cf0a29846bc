//! Host names of the hub. A foreign page can point its own name at this machine (DNS rebinding) and is then same-origin
//! to the browser; therefore requests to unknown names are refused.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    str::FromStr,
    sync::Arc,
};

use axum::http::{HeaderMap, Uri, header};
use parlour_core::{
    Code, Refusal,
    limits::{HOST_CHARS_MAX, HOSTS_MAX},
};

/// The host names of the hub. IP addresses and `localhost` are always accepted: no foreign page can own them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Arc<[String]>);

/// A text that is not a list of host names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidHosts(String);

impl FromStr for Hosts {
    type Err = InvalidHosts;

    /// Parses names such as `chat.example`, without scheme and port, separated by commas or spaces.
    fn from_str(text: &str) -> Result<Self, InvalidHosts> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let hosts: Vec<_> = parts.map(parse_name).collect::<Result<_, _>>()?;
        if hosts.len() > HOSTS_MAX {
            return Err(InvalidHosts(format!(
                "{} host names are listed; at most {HOSTS_MAX} are allowed",
                hosts.len()
            )));
        }
        Ok(Self(hosts.into()))
    }
}

fn parse_name(text: &str) -> Result<String, InvalidHosts> {
    let name = text.to_ascii_lowercase();
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !label.is_empty() && label.bytes().all(is_inner)
    };
    if name.len() <= HOST_CHARS_MAX && name.split('.').all(is_label) {
        return Ok(name);
    }
    Err(InvalidHosts(format!("{text:?} is not a host name such as chat.example")))
}

impl Hosts {
    /// Refuses a request to an unknown host name. A request without a host (HTTP/1.0) comes from a program, not
    /// a browser.
    pub(crate) fn check(&self, headers: &HeaderMap, address: &Uri) -> Result<(), Refusal> {
        let mut named = headers.get_all(header::HOST).iter();
        let (first, second) = (named.next(), named.next());
        let header = first.map(|host| host.to_str().unwrap_or_default());
        let authority = address.authority().map(|authority| authority.as_str());
        let is_known = second.is_none() && header.into_iter().chain(authority).all(|host| self.contains(host));
        if is_known {
            return Ok(());
        }
        let shown: String = authority.or(header).unwrap_or_default().chars().take(100).collect();
        Err(Refusal::new(
            Code::WrongHost,
            format!("{shown:?} is not a host name of this hub; add it to the setting hosts"),
        ))
    }

    fn contains(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        let name = name.to_ascii_lowercase();
        is_address(&name) || is_localhost(&name) || self.0.contains(&name)
    }
}

/// The name without port and trailing dot.
fn name_of(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, port) = host.split_at(end);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    is_whole.then_some(name.strip_suffix('.').unwrap_or(name))
}

fn is_address(name: &str) -> bool {
    let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok()) || name.parse::<Ipv4Addr>().is_ok()
}

/// These names always resolve to this machine (RFC 6761, 6.3).
fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.strip_suffix(".localhost").is_some_and(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(listed: &str, named: &[&str], address: &'static str) -> Option<Code> {
        let mut headers = HeaderMap::new();
        for host in named {
            headers.append(header::HOST, HeaderValue::from_str(host).expect("a value"));
        }
        let hosts: Hosts = listed.parse().expect("a list");
        hosts.check(&headers, &Uri::from_static(address)).err().map(|refusal| refusal.code)
    }

    #[test]
    fn addresses_and_localhost_are_always_accepted() {
        for host in [
            "127.0.0.1",
            "127.0.0.1:4870",
            "192.168.7.9:80",
            "[::1]",
            "[::1]:4870",
            "[fe80::1]:1",
            "localhost",
            "LocalHost:4870",
            "localhost.",
            "page.localhost:4870",
            "a.b.localhost",
        ] {
            assert_eq!(check("", &[host], "/"), None, "{host}");
        }
    }

    #[test]
    fn listed_names_are_accepted_on_every_port() {
        for host in ["chat.example", "Chat.Example:8443", "chat.example.", "other_host"] {
            assert_eq!(check("Chat.example, other_host", &[host], "/"), None, "{host}");
        }
    }

    #[test]
    fn every_other_name_is_refused() {
        for host in [
            "",
            "evil.example",
            "chat.example.evil",
            "sub.chat.example",
            "localhost.evil.example",
            "xlocalhost",
            ".localhost",
            "127.0.0.1.evil.example",
            "127.1",
            "0x7f000001",
            "2130706433",
            "[::1",
            "::1",
            "[::1]evil.example",
            "chat.example:80:80",
            "chat.example:http",
            "evil.example@chat.example",
            "chat.example/",
            "chat.example, evil.example",
        ] {
            assert_eq!(check("chat.example", &[host], "/"), Some(Code::WrongHost), "{host}");
        }
    }

    #[test]
    fn every_host_of_a_request_must_be_known() {
        assert_eq!(check("", &["localhost", "localhost"], "/"), Some(Code::WrongHost), "two headers");
        assert_eq!(
            check("", &["localhost"], "http://evil.example/"),
            Some(Code::WrongHost),
            "HTTP/2 and whole addresses"
        );
        assert_eq!(check("", &["evil.example"], "http://localhost/"), Some(Code::WrongHost));
        assert_eq!(check("", &[], "http://evil.example/"), Some(Code::WrongHost));
        assert_eq!(check("", &[], "http://localhost:4870/"), None);
    }

    #[test]
    fn a_request_without_a_host_is_accepted() {
        assert_eq!(check("", &[], "/"), None);
    }

    #[test]
    fn other_texts_are_not_a_host_list() {
        for text in ["https://chat.example", "chat.example:80", "*", "*.example", "a..b", ".a", "ü.example", "a/b"] {
            assert!(text.parse::<Hosts>().is_err_and(|error| error.to_string().contains("such as")), "{text}");
        }
        assert!("a ".repeat(HOSTS_MAX + 1).parse::<Hosts>().is_err());
        assert!("a".repeat(HOST_CHARS_MAX + 1).parse::<Hosts>().is_err());
        assert_eq!("".parse(), Ok(Hosts::default()));
    }
}
