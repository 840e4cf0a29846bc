//! Settings of client commands.

use parlour_agent::{ClientOptions, IdentityFiles, TlsOptions};

use super::{
    BadSetting,
    flags::SettingScope,
    server::{parse_file, parse_token},
    sources::SettingSources,
    table::{CA, CLIENT_CERT, CLIENT_KEY, PROJECT, TOKEN, URL},
};

/// The settings of a client command.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) tls: TlsOptions,
}

impl ClientSettings {
    /// Reads the settings. The client validates the URL.
    pub(crate) fn read<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Self, BadSetting> {
        Ok(Self {
            url: sources.find(&URL)?.expect("this setting has a default").text,
            token: sources.read(&TOKEN, parse_token)?,
            project: sources.find(&PROJECT)?.map(|found| found.text),
            tls: TlsOptions { ca: sources.read(&CA, parse_file)?, identity: read_identity(sources)? },
        })
    }

    pub(crate) fn options(&self) -> ClientOptions {
        ClientOptions { token: self.token.clone(), tls: self.tls.clone() }
    }

    /// Whether a token or client certificate is set.
    pub(crate) fn has_credential(&self) -> bool {
        self.token.is_some() || self.tls.identity.is_some()
    }
}

/// The client certificate and its key; the default for the key is the file of the certificate.
fn read_identity<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Option<IdentityFiles>, BadSetting> {
    let (certificate, key) = (sources.read(&CLIENT_CERT, parse_file)?, sources.read(&CLIENT_KEY, parse_file)?);
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), key) => {
            let key = key.unwrap_or_else(|| certificate.clone());
            Ok(Some(IdentityFiles { certificate, key }))
        }
        (None, Some(_)) => Err(BadSetting {
            location: CLIENT_CERT.name.to_owned(),
            reason: "a key needs its certificate; set --client-cert too".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;
    use crate::settings::{ForClients, SettingFlags};

    fn settings(words: &[&str]) -> Result<ClientSettings, BadSetting> {
        let command = SettingFlags::<ForClients>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = SettingFlags::from_arg_matches(&command.get_matches_from(words)).expect("flags");
        let nothing = |_: &str| None;
        ClientSettings::read(&SettingSources::<ForClients>::open(&flags, &nothing).expect("sources"))
    }

    #[test]
    fn a_certificate_file_may_contain_its_key() {
        let own = settings(&["--client-cert", "a"]).ok().and_then(|settings| settings.tls.identity).expect("one");
        assert_eq!((own.certificate, own.key), ("a".into(), "a".into()));
        let own = settings(&["--client-cert", "a", "--client-key", "b"]).ok().and_then(|it| it.tls.identity);
        assert_eq!(own.expect("one").key, std::path::PathBuf::from("b"));
        assert!(settings(&["--client-key", "b"]).is_err_and(|error| error.location == "client_cert"));
    }

    #[test]
    fn a_client_certificate_is_a_credential_like_a_token() {
        assert!(settings(&["--client-cert", "a"]).is_ok_and(|settings| settings.has_credential()));
        assert!(settings(&["--ca", "a"]).is_ok_and(|settings| !settings.has_credential()));
    }
}
