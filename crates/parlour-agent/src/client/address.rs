//! Where a hub is, and the addresses of what it holds.

use std::net::IpAddr;

use reqwest::Url;

use crate::ClientError;

/// Takes a text as the address of a hub: http or https, a host, perhaps a port and a folder, nothing more.
pub(super) fn parse(text: &str) -> Result<Url, ClientError> {
    let url: Url = text.parse().map_err(|_| refuse(text, "an address looks like http://127.0.0.1:4870"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse(text, "an address starts with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse(text, "an address holds no user name or password; the token is given apart"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse(text, "an address ends before any ? or #"));
    }
    Ok(url)
}

pub(super) fn refuse(url: &str, reason: &str) -> ClientError {
    ClientError::BadUrl { url: url.to_owned(), reason: reason.to_owned() }
}

/// Whether TLS is spoken there.
pub(super) fn is_encrypted(url: &Url) -> bool {
    url.scheme() == "https"
}

/// Whether this is the own machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The address of `path` on the hub. Ids are safe in a path as they are; query values are escaped.
pub(super) fn join(base: &Url, path: &str, query: &[(&str, &str)]) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_addresses_are_taken() {
        for text in ["http://127.0.0.1:4870", "http://localhost", "http://[::1]:1/", "http://hub.example/parlour"] {
            assert!(parse(text).is_ok_and(|url| !is_encrypted(&url)), "{text}");
        }
        for text in ["https://hub.example", "HTTPS://[::1]:4870"] {
            assert!(parse(text).is_ok_and(|url| is_encrypted(&url)), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason() {
        for (text, word) in [
            ("", "looks like"),
            ("127.0.0.1:4870", "looks like"),
            ("localhost:4870", "starts with http://"),
            ("ftp://x", "starts with http://"),
            ("http://me:secret@hub.example", "token"),
            ("http://hub.example/?a=1", "before any ?"),
        ] {
            let message = parse(text).expect_err(text).to_string();
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn the_own_machine_is_known_by_all_its_names() {
        let is_own = |text| is_loopback(&parse(text).expect(text));
        assert!(is_own("http://127.0.0.1:1") && is_own("http://localhost:1") && is_own("http://[::1]:1"));
        assert!(!is_own("http://10.0.0.1:1") && !is_own("http://localhost.example"));
    }

    #[test]
    fn paths_stand_below_the_folder_and_values_are_escaped() {
        let at = |base| join(&parse(base).expect(base), "/search", &[("q", "a b&c")]).to_string();
        assert_eq!(at("http://hub.example"), "http://hub.example/search?q=a+b%26c");
        assert_eq!(at("http://hub.example/parlour/"), "http://hub.example/parlour/search?q=a+b%26c");
    }
}
