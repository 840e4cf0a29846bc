//! Settings of a trusted issuer.

use parlour_adapters::KeySource;
use parlour_core::limits;

use super::{
    BadSetting,
    flags::SettingScope,
    sources::SettingSources,
    table::{ISSUER, ISSUER_AUDIENCE, ISSUER_JWKS, Setting},
};

/// A trusted issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IssuerSettings {
    /// The claim `iss` of its tokens.
    pub(crate) name: String,
    /// The required claim `aud`.
    pub(crate) audience: String,
    pub(crate) keys: KeySource,
}

impl IssuerSettings {
    /// Reads the three settings; an incomplete set is an error.
    pub(super) fn read<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Option<Self>, BadSetting> {
        let name = sources.read(&ISSUER, parse_name)?;
        let audience = sources.read(&ISSUER_AUDIENCE, parse_name)?;
        let keys = sources.read(&ISSUER_JWKS, |text| KeySource::parse(text).map_err(|error| error.to_string()))?;
        match (name, audience) {
            (Some(name), Some(audience)) => {
                let keys = keys.map_or_else(|| discover(&name), Ok)?;
                Ok(Some(Self { name, audience, keys }))
            }
            (Some(_), None) => Err(missing(&ISSUER_AUDIENCE, "a trusted issuer needs an audience")),
            (None, None) if keys.is_none() => Ok(None),
            (None, _) => Err(missing(&ISSUER, "the other issuer settings need the name of the issuer")),
        }
    }
}

fn missing(setting: &Setting, why: &str) -> BadSetting {
    let flag = setting.flag().unwrap_or_default();
    BadSetting { location: setting.name.to_owned(), reason: format!("{why}; set {flag} too") }
}

/// The keys by OpenID Connect discovery.
fn discover(name: &str) -> Result<KeySource, BadSetting> {
    KeySource::discover(name)
        .map_err(|_| missing(&ISSUER_JWKS, "the issuer is not a URL, so its keys cannot be discovered"))
}

/// Names are compared exactly, so the value is not trimmed.
fn parse_name(text: &str) -> Result<String, String> {
    if text.is_empty()
        || text.len() > limits::URL_CHARS_MAX
        || text.chars().any(|one| one.is_whitespace() || one.is_control())
    {
        return Err(format!("a name has 1 to {} characters without blanks", limits::URL_CHARS_MAX));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::settings::{Both, SettingFlags};

    /// Reads the settings from these variables.
    fn read(variables: &[(&str, &str)]) -> Result<Option<IssuerSettings>, String> {
        let command = SettingFlags::<Both>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = SettingFlags::<Both>::from_arg_matches(&command.get_matches_from([""; 0])).expect("flags");
        let environment = |name: &str| {
            let found = variables.iter().find(|(key, _)| name == format!("PARLOUR_{key}"));
            found.map(|(_, value)| OsString::from(value))
        };
        let sources = SettingSources::open(&flags, &environment).expect("sources");
        IssuerSettings::read(&sources).map_err(|error| error.to_string())
    }

    const NAME: (&str, &str) = ("ISSUER", "https://id.example/team");
    const AUDIENCE: (&str, &str) = ("ISSUER_AUDIENCE", "parlour");

    #[test]
    fn no_issuer_is_trusted_by_default() {
        assert_eq!(read(&[]), Ok(None));
    }

    #[test]
    fn the_key_url_is_discovered_unless_it_is_set() {
        let keys = |more: &[(&str, &str)]| {
            read(&[&[NAME, AUDIENCE], more].concat()).expect("settings").expect("an issuer").keys
        };
        assert_eq!(keys(&[]), KeySource::discover("https://id.example/team").expect("address"));
        assert_eq!(keys(&[("ISSUER_JWKS", "keys.json")]), KeySource::File("keys.json".into()));
        assert!(matches!(keys(&[("ISSUER_JWKS", "https://id.example/keys")]), KeySource::Address(_)));
    }

    #[test]
    fn incomplete_issuer_settings_are_refused_with_the_missing_name() {
        assert!(read(&[NAME]).is_err_and(|error| error.contains("set --issuer-audience too")));
        for lonely in [AUDIENCE, ("ISSUER_JWKS", "keys.json")] {
            assert!(read(&[lonely]).is_err_and(|error| error.contains("set --issuer too")), "{lonely:?}");
        }
        let urn = [("ISSUER", "urn:other"), AUDIENCE];
        assert!(read(&urn).is_err_and(|error| error.contains("set --issuer-jwks too")));
    }

    #[test]
    fn invalid_issuer_values_are_refused_with_their_source() {
        assert!(read(&[("ISSUER", "two words"), AUDIENCE]).is_err_and(|error| error.starts_with("PARLOUR_ISSUER: ")));
        let ftp = [NAME, AUDIENCE, ("ISSUER_JWKS", "ftp://id.example/keys")];
        assert!(read(&ftp).is_err_and(|error| error.starts_with("PARLOUR_ISSUER_JWKS: ")));
    }
}
