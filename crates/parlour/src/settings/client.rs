//! Settings of client commands, and the choice of the credential.
//!
//! A token is sent only to the hub that it belongs to. A profile therefore supplies URL and token together, and is used
//! only if the URL is not set otherwise, or is that of the profile.

use parlour_agent::{ClientOptions, IdentityFiles, TlsOptions, normal_hub_url};

use super::{
    BadSetting,
    flags::SettingScope,
    server::{parse_file, parse_token},
    sources::{SettingOrigin, SettingSources},
    table::{CA, CLIENT_CERT, CLIENT_KEY, PROFILE, PROJECT, TOKEN, URL},
};
use crate::{
    failure::Failure,
    profiles::{Profile, ProfileName, Profiles},
};

/// The settings of a client command.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) tls: TlsOptions,
}

/// The settings of a client command with the profile that supplied the credential, if one did.
#[derive(Clone)]
pub(crate) struct ResolvedClient {
    pub(crate) settings: ClientSettings,
    pub(crate) profile: Option<ProfileName>,
}

impl ResolvedClient {
    /// Reads the settings and chooses the credential, in this order:
    ///
    /// 1. the profile of `--profile`;
    /// 2. a token or client certificate of the environment, or `--client-cert`;
    /// 3. the profile of `PARLOUR_PROFILE`;
    /// 4. a token or client certificate in `parlour.toml`, then `profile` in it;
    /// 5. the profile of the hub that is set by `--url`, `PARLOUR_URL` or `parlour.toml`; without any, the default profile.
    ///
    /// Step 5 is left out if `is_implicit_allowed` returns false.
    pub(crate) fn read<S: SettingScope>(
        sources: &SettingSources<'_, S>,
        profiles: impl FnOnce() -> Result<Profiles, Failure>,
        is_implicit_allowed: impl FnOnce() -> bool,
    ) -> Result<Self, Failure> {
        let settings = ClientSettings::read(sources)?;
        let url = sources.find(&URL)?.expect("this setting has a default").origin;
        let credential = credential_origin(sources)?;
        if let Some(named) = sources.find(&PROFILE)?
            && credential.as_ref().is_none_or(|credential| is_stronger(&named.origin, credential))
        {
            let name = sources.read(&PROFILE, str::parse::<ProfileName>)?.expect("found above");
            let profiles = profiles()?;
            let profile = profiles.get(&name)?;
            if url.is_at_least(&named.origin) {
                check_same_hub(&name, profile, &settings.url)?;
            }
            return Ok(settings.with_profile(&name, profile));
        }
        if credential.is_some() || !is_implicit_allowed() {
            return Ok(Self { settings, profile: None });
        }
        let profiles = profiles()?;
        let found = match url {
            SettingOrigin::Default => profiles.default_profile(),
            _ => profiles.of_hub(&normal_hub_url(&settings.url)?)?,
        };
        match found {
            Some((name, profile)) => Ok(settings.with_profile(name, profile)),
            None => Ok(Self { settings, profile: None }),
        }
    }
}

/// The source of the token or client certificate.
fn credential_origin<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Option<SettingOrigin>, BadSetting> {
    let origins = [sources.find(&TOKEN)?, sources.find(&CLIENT_CERT)?].into_iter().flatten().map(|found| found.origin);
    Ok(origins.reduce(|one, other| if one.is_at_least(&other) { one } else { other }))
}

/// Whether a named profile is used although a token or client certificate is set.
fn is_stronger(profile: &SettingOrigin, credential: &SettingOrigin) -> bool {
    *profile == SettingOrigin::Flag || !credential.is_at_least(profile)
}

fn check_same_hub(name: &ProfileName, profile: &Profile, url: &str) -> Result<(), Failure> {
    if normal_hub_url(url)? == profile.url {
        return Ok(());
    }
    Err(Failure::usage(format!("profile {name} belongs to {}, not to {url}", profile.url))
        .hint(format!("omit --url, or sign in to that hub with `parlour login {url}`")))
}

impl ClientSettings {
    /// The settings with the hub and token of a profile. A client certificate of another source is not sent to it.
    fn with_profile(self, name: &ProfileName, profile: &Profile) -> ResolvedClient {
        let settings = Self {
            url: profile.url.clone(),
            token: Some(profile.token.clone()),
            project: self.project.or_else(|| profile.project.clone()),
            tls: TlsOptions { ca: self.tls.ca.or_else(|| profile.ca.clone()), identity: None },
        };
        ResolvedClient { settings, profile: Some(name.clone()) }
    }

    /// Reads the settings without profiles. The client validates the URL.
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

    const WORK: &str = "https://work.example";
    const HOME: &str = "http://127.0.0.1:4870";

    /// The profiles `work` (the default one) and `home`.
    fn profiles() -> Profiles {
        let profile = |url: &str, token: &str| Profile {
            url: url.to_owned(),
            token: token.to_owned(),
            issued: None,
            member: "Mara".to_owned(),
            project: Some("Apollo".to_owned()),
            ca: None,
        };
        let mut profiles = Profiles::default();
        profiles.put("work".parse().expect("name"), profile(WORK, "work-token"), true).expect("stored");
        profiles.put("home".parse().expect("name"), profile(HOME, "home-token"), false).expect("stored");
        profiles
    }

    /// URL and token, given flags, variables and the lines of `parlour.toml`.
    fn resolved(words: &[&str], variables: &[(&str, &str)], file: &str) -> Result<(String, Option<String>), String> {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("parlour.toml");
        std::fs::write(&path, file).expect("file");
        let words = [&["--config", path.to_str().expect("path")], words].concat();
        let command = SettingFlags::<ForClients>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = SettingFlags::from_arg_matches(&command.get_matches_from(words)).expect("flags");
        let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        let sources = SettingSources::<ForClients>::open(&flags, &lookup).expect("sources");
        ResolvedClient::read(&sources, || Ok(profiles()), || true)
            .map(|client| (client.settings.url, client.settings.token))
            .map_err(|failure| failure.to_string())
    }

    #[track_caller]
    fn check_resolved(words: &[&str], variables: &[(&str, &str)], file: &str, expected: (&str, Option<&str>)) {
        let expected = (expected.0.to_owned(), expected.1.map(str::to_owned));
        assert_eq!(resolved(words, variables, file), Ok(expected), "{words:?} {variables:?} {file:?}");
    }

    #[test]
    fn flags_override_the_environment_the_file_and_the_default_profile() {
        check_resolved(&[], &[], "", (WORK, Some("work-token")));
        check_resolved(&[], &[], "token = \"t\"", (HOME, Some("t")));
        check_resolved(&[], &[], "profile = \"home\"", (HOME, Some("home-token")));
        check_resolved(&[], &[("PARLOUR_PROFILE", "home")], "token = \"t\"", (HOME, Some("home-token")));
        check_resolved(&[], &[("PARLOUR_TOKEN", "t"), ("PARLOUR_PROFILE", "work")], "", (HOME, Some("t")));
        check_resolved(
            &["--profile", "work"],
            &[("PARLOUR_TOKEN", "t"), ("PARLOUR_URL", HOME)],
            "",
            (WORK, Some("work-token")),
        );
    }

    #[test]
    fn a_profile_token_is_never_sent_to_another_hub() {
        let evil = "https://evil.example";
        check_resolved(&["--url", evil], &[], "", (evil, None));
        check_resolved(&[], &[("PARLOUR_URL", evil)], "", (evil, None));
        check_resolved(&[], &[], "url = \"https://evil.example\"", (evil, None));
        for (words, variables) in [
            (&["--profile", "work", "--url", evil][..], &[][..]),
            (&["--url", evil], &[("PARLOUR_PROFILE", "work")]),
            (&[], &[("PARLOUR_PROFILE", "work"), ("PARLOUR_URL", evil)]),
        ] {
            let refused = resolved(words, variables, "").expect_err("refused");
            assert!(refused.contains("profile work belongs to https://work.example"), "{refused}");
        }
        let both = resolved(&[], &[], "profile = \"work\"\nurl = \"https://evil.example\"");
        assert!(both.is_err_and(|text| text.contains("belongs to")));
    }

    #[test]
    fn a_token_of_the_environment_is_never_sent_to_the_hub_of_a_profile() {
        check_resolved(&[], &[("PARLOUR_TOKEN", "t")], "", (HOME, Some("t")));
        check_resolved(&["--url", WORK], &[("PARLOUR_TOKEN", "t")], "", (WORK, Some("t")));
    }

    #[test]
    fn the_url_selects_the_profile_of_its_hub() {
        check_resolved(&["--url", "http://127.0.0.1:4870/"], &[], "", (HOME, Some("home-token")));
        check_resolved(&["--profile", "home", "--url", "HTTP://127.0.0.1:4870"], &[], "", (HOME, Some("home-token")));
    }

    #[test]
    fn an_unknown_profile_is_refused_with_the_known_ones() {
        let refused = resolved(&["--profile", "wrok"], &[], "").expect_err("refused");
        assert!(refused.contains("\"wrok\"") && refused.contains("home, work"), "{refused}");
        assert!(resolved(&["--profile", "a b"], &[], "").is_err_and(|text| text.contains("--profile: a profile name")));
    }

    #[test]
    fn a_client_certificate_is_a_credential_like_a_token() {
        assert!(settings(&["--client-cert", "a"]).is_ok_and(|settings| settings.has_credential()));
        assert!(settings(&["--ca", "a"]).is_ok_and(|settings| !settings.has_credential()));
    }
}
