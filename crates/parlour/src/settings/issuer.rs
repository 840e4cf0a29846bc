//! Another issuer of tokens that the hub is told to trust.

use parlour_adapters::KeySource;
use parlour_core::limits;

use super::{
    BadSetting,
    flags::Scope,
    sources::Sources,
    table::{ISSUER, ISSUER_AUDIENCE, ISSUER_JWKS, Setting},
};

/// Whom to trust, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IssuerSettings {
    /// The issuer, exactly as its tokens name it.
    pub(crate) name: String,
    /// Whom its tokens must be for.
    pub(crate) audience: String,
    /// Where its keys are.
    pub(crate) keys: KeySource,
}

impl IssuerSettings {
    /// Reads the three settings, which belong together: trust that is half said is a mistake.
    pub(super) fn read<S: Scope>(sources: &Sources<'_, S>) -> Result<Option<Self>, BadSetting> {
        let name = sources.read(&ISSUER, parse_name)?;
        let audience = sources.read(&ISSUER_AUDIENCE, parse_name)?;
        let keys = sources.read(&ISSUER_JWKS, |text| KeySource::parse(text).map_err(|error| error.to_string()))?;
        match (name, audience) {
            (Some(name), Some(audience)) => {
                let keys = keys.map_or_else(|| discover(&name), Ok)?;
                Ok(Some(Self { name, audience, keys }))
            }
            (Some(_), None) => Err(missing(&ISSUER_AUDIENCE, "tokens of another issuer count only for one audience")),
            (None, None) if keys.is_none() => Ok(None),
            (None, _) => Err(missing(&ISSUER, "the others are about it")),
        }
    }
}

fn missing(setting: &Setting, why: &str) -> BadSetting {
    let flag = setting.flag().unwrap_or_default();
    BadSetting { place: setting.name.to_owned(), reason: format!("{why}; give {flag} too") }
}

/// Without an address for its keys, the issuer itself is asked where they are.
fn discover(name: &str) -> Result<KeySource, BadSetting> {
    KeySource::discover(name).map_err(|_| missing(&ISSUER_JWKS, "the name of the issuer is no address to ask"))
}

/// Names are compared as they stand, so nothing is trimmed or turned into another form.
fn parse_name(text: &str) -> Result<String, String> {
    if text.is_empty()
        || text.len() > limits::URL_CHARS_MAX
        || text.chars().any(|one| one.is_whitespace() || one.is_control())
    {
        return Err(format!("a name of 1 to {} characters without blanks is needed", limits::URL_CHARS_MAX));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::settings::{Both, Flags};

    /// What comes of these variables.
    fn read(variables: &[(&str, &str)]) -> Result<Option<IssuerSettings>, String> {
        let command = Flags::<Both>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = Flags::<Both>::from_arg_matches(&command.get_matches_from([""; 0])).expect("flags");
        let environment = |name: &str| {
            let found = variables.iter().find(|(key, _)| name == format!("PARLOUR_{key}"));
            found.map(|(_, value)| OsString::from(value))
        };
        let sources = Sources::open(&flags, &environment).expect("sources");
        IssuerSettings::read(&sources).map_err(|error| error.to_string())
    }

    const NAME: (&str, &str) = ("ISSUER", "https://id.example/team");
    const AUDIENCE: (&str, &str) = ("ISSUER_AUDIENCE", "parlour");

    #[test]
    fn nobody_is_trusted_unless_somebody_says_so() {
        assert_eq!(read(&[]), Ok(None));
    }

    #[test]
    fn an_issuer_is_asked_where_its_keys_are_unless_that_is_said() {
        let keys = |more: &[(&str, &str)]| {
            read(&[&[NAME, AUDIENCE], more].concat()).expect("settings").expect("an issuer").keys
        };
        assert_eq!(keys(&[]), KeySource::discover("https://id.example/team").expect("address"));
        assert_eq!(keys(&[("ISSUER_JWKS", "keys.json")]), KeySource::File("keys.json".into()));
        assert!(matches!(keys(&[("ISSUER_JWKS", "https://id.example/keys")]), KeySource::Address(_)));
    }

    #[test]
    fn trust_that_is_half_said_is_refused_with_what_is_missing() {
        assert!(read(&[NAME]).is_err_and(|error| error.contains("give --issuer-audience too")));
        for lonely in [AUDIENCE, ("ISSUER_JWKS", "keys.json")] {
            assert!(read(&[lonely]).is_err_and(|error| error.contains("give --issuer too")), "{lonely:?}");
        }
        let urn = [("ISSUER", "urn:other"), AUDIENCE];
        assert!(read(&urn).is_err_and(|error| error.contains("give --issuer-jwks too")));
    }

    #[test]
    fn names_and_addresses_that_cannot_be_are_refused_where_they_were_written() {
        assert!(read(&[("ISSUER", "two words"), AUDIENCE]).is_err_and(|error| error.starts_with("PARLOUR_ISSUER: ")));
        let ftp = [NAME, AUDIENCE, ("ISSUER_JWKS", "ftp://id.example/keys")];
        assert!(read(&ftp).is_err_and(|error| error.starts_with("PARLOUR_ISSUER_JWKS: ")));
    }
}
