//! The source of an issuer's keys.

use std::path::PathBuf;

use reqwest::Url;

/// The source of an issuer's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file with a JWK set, read again when it changes.
    File(PathBuf),
    /// The address of a JWK set.
    Address(Url),
    /// The discovery document of the issuer, which names the address.
    Discovery {
        /// The issuer claim of its tokens.
        issuer: String,
        /// The address of the discovery document.
        description: Url,
    },
}

/// An invalid key source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address that begins with https:// or http://")]
pub struct BadKeySource(String);

impl KeySource {
    /// Parses an address; any other text is the path of a file.
    pub fn parse(text: &str) -> Result<Self, BadKeySource> {
        if text.contains("://") { web_address(text).map(Self::Address) } else { Ok(Self::File(text.into())) }
    }

    /// The OIDC discovery document of the issuer, at its well-known path.
    pub fn discover(issuer: &str) -> Result<Self, BadKeySource> {
        let base = issuer.strip_suffix('/').unwrap_or(issuer);
        let description =
            web_address(base).and_then(|_| web_address(&format!("{base}/.well-known/openid-configuration")))?;
        Ok(Self::Discovery { issuer: issuer.to_owned(), description })
    }

    /// Whether keys are fetched over plain HTTP from another machine, so that an attacker could replace them.
    pub fn is_unprotected(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Address(url) | Self::Discovery { description: url, .. } => {
                url.scheme() == "http" && !is_loopback(url)
            }
        }
    }
}

/// Parses an HTTP or HTTPS address.
pub(super) fn web_address(text: &str) -> Result<Url, BadKeySource> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.filter(|url| url.query().is_none() && url.fragment().is_none()).ok_or_else(|| BadKeySource(text.to_owned()))
}

/// Whether an address is a loopback address.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_an_http_address_or_a_file() {
        assert!(matches!(KeySource::parse("https://id.example/keys"), Ok(KeySource::Address(_))));
        assert_eq!(KeySource::parse("keys/issuer.json"), Ok(KeySource::File("keys/issuer.json".into())));
        for wrong in ["ftp://id.example/keys", "file:///etc/keys", "https://"] {
            assert!(KeySource::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_discovery_document_has_the_well_known_path() {
        for issuer in ["https://id.example/team", "https://id.example/team/"] {
            let Ok(KeySource::Discovery { issuer: name, description }) = KeySource::discover(issuer) else { panic!() };
            assert_eq!(description.as_str(), "https://id.example/team/.well-known/openid-configuration");
            assert_eq!(name, issuer, "the name stays as it is");
        }
        for wrong in ["urn:other:hub", "id.example", "https://id.example?x=1", "https://id.example#x"] {
            assert!(KeySource::discover(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn plain_http_to_another_machine_is_unprotected() {
        let is_unprotected = |text: &str| KeySource::parse(text).expect(text).is_unprotected();
        assert!(is_unprotected("http://id.example/keys") && is_unprotected("http://10.0.0.1/keys"));
        for fine in ["https://id.example/keys", "http://127.0.0.1:8080/keys", "http://[::1]/keys", "keys.json"] {
            assert!(!is_unprotected(fine), "{fine}");
        }
    }
}
