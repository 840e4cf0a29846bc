//! What a command needs to know before it calls a hub.

use parlour_agent::{ClientOptions, IdentityFiles, TlsOptions};

use super::{
    BadSetting,
    flags::Scope,
    server::{parse_file, parse_token},
    sources::Sources,
    table::{CA, CLIENT_CERT, CLIENT_KEY, PROJECT, TOKEN, URL},
};

/// The settings of a command that talks to a hub.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    /// A name or an id.
    pub(crate) project: Option<String>,
    /// Whom to trust and what to show.
    pub(crate) tls: TlsOptions,
}

impl ClientSettings {
    /// Reads them. Whether the address is one is for the client to say.
    pub(crate) fn read<S: Scope>(sources: &Sources<'_, S>) -> Result<Self, BadSetting> {
        Ok(Self {
            url: sources.find(&URL)?.expect("this setting has a default").text,
            token: sources.read(&TOKEN, parse_token)?,
            project: sources.find(&PROJECT)?.map(|found| found.text),
            tls: TlsOptions { ca: sources.read(&CA, parse_file)?, identity: read_identity(sources)? },
        })
    }

    /// How a client of these settings calls its hub.
    pub(crate) fn options(&self) -> ClientOptions {
        ClientOptions { token: self.token.clone(), tls: self.tls.clone() }
    }

    /// Whether the hub can know who calls.
    pub(crate) fn shows_somebody(&self) -> bool {
        self.token.is_some() || self.tls.identity.is_some()
    }
}

/// A certificate and its key; both may stand in one file, which is then named once.
fn read_identity<S: Scope>(sources: &Sources<'_, S>) -> Result<Option<IdentityFiles>, BadSetting> {
    let (certificate, key) = (sources.read(&CLIENT_CERT, parse_file)?, sources.read(&CLIENT_KEY, parse_file)?);
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), key) => {
            let key = key.unwrap_or_else(|| certificate.clone());
            Ok(Some(IdentityFiles { certificate, key }))
        }
        (None, Some(_)) => Err(BadSetting {
            place: CLIENT_CERT.name.to_owned(),
            reason: "a key needs its certificate; give --client-cert too".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;
    use crate::settings::{Flags, ForClients};

    fn settings(words: &[&str]) -> Result<ClientSettings, BadSetting> {
        let command = Flags::<ForClients>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = Flags::from_arg_matches(&command.get_matches_from(words)).expect("flags");
        let nothing = |_: &str| None;
        ClientSettings::read(&Sources::<ForClients>::open(&flags, &nothing).expect("sources"))
    }

    #[test]
    fn a_certificate_may_hold_its_key() {
        let own = settings(&["--client-cert", "a"]).ok().and_then(|settings| settings.tls.identity).expect("one");
        assert_eq!((own.certificate, own.key), ("a".into(), "a".into()));
        let own = settings(&["--client-cert", "a", "--client-key", "b"]).ok().and_then(|it| it.tls.identity);
        assert_eq!(own.expect("one").key, std::path::PathBuf::from("b"));
        assert!(settings(&["--client-key", "b"]).is_err_and(|error| error.place == "client_cert"));
    }

    #[test]
    fn a_certificate_shows_somebody_as_a_token_does() {
        assert!(settings(&["--client-cert", "a"]).is_ok_and(|settings| settings.shows_somebody()));
        assert!(settings(&["--ca", "a"]).is_ok_and(|settings| !settings.shows_somebody()));
    }
}
