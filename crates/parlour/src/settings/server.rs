//! Settings of the hub.

use std::{fmt::Display, net::SocketAddr, path::PathBuf, str::FromStr};

use parlour_core::{limits, rate::Rates};
use parlour_server::{Hosts, Origins, Proxies, TlsFiles};
use tracing_subscriber::EnvFilter;

use super::{
    BadSetting, IssuerSettings, ProviderSettings, RerankerSettings,
    flags::SettingScope,
    sources::SettingSources,
    table::{
        ADMIN_TOKEN, CLIENT_CA, CONNECTIONS_PER_ADDRESS, DATA, FIXTURES, HOSTS, LISTEN, LOG, LOG_FORMAT, ORIGINS,
        PROXIES, RATES, Setting, TLS_CERT, TLS_KEY,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ServerSettings {
    pub(crate) listen: SocketAddr,
    pub(crate) data: PathBuf,
    pub(crate) hosts: Hosts,
    pub(crate) origins: Origins,
    pub(crate) proxies: Proxies,
    /// The TLS files; none for plain HTTP.
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) connections_per_address: usize,
    pub(crate) admin_token: Option<String>,
    pub(crate) issuer: Option<IssuerSettings>,
    /// Rate limits.
    pub(crate) rates: Rates,
    pub(crate) providers: Vec<ProviderSettings>,
    pub(crate) rerankers: Vec<RerankerSettings>,
    pub(crate) has_fixtures: bool,
    /// A valid log filter.
    pub(crate) log: String,
    pub(crate) log_format: LogFormat,
}

impl ServerSettings {
    pub(crate) fn read<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Self, BadSetting> {
        let has_default = "this setting has a default";
        Ok(Self {
            listen: sources.read(&LISTEN, parse_listen)?.expect(has_default),
            data: sources.read(&DATA, parse_folder)?.expect(has_default),
            hosts: sources.read(&HOSTS, parse_list)?.unwrap_or_default(),
            origins: sources.read(&ORIGINS, parse_list)?.unwrap_or_default(),
            proxies: sources.read(&PROXIES, parse_list)?.unwrap_or_default(),
            tls: read_tls(sources)?,
            connections_per_address: sources.read(&CONNECTIONS_PER_ADDRESS, parse_connections)?.expect(has_default),
            admin_token: sources.read(&ADMIN_TOKEN, parse_token)?,
            issuer: IssuerSettings::read(sources)?,
            rates: sources.read(&RATES, parse_list)?.unwrap_or_default(),
            providers: ProviderSettings::read_all(sources)?,
            rerankers: RerankerSettings::read_all(sources)?,
            has_fixtures: sources.read(&FIXTURES, parse_switch)?.expect(has_default),
            log: sources.read(&LOG, parse_filter)?.expect(has_default),
            log_format: sources.read(&LOG_FORMAT, parse_format)?.expect(has_default),
        })
    }
}

/// Reads the TLS files; an incomplete set is an error, because the hub would use plain HTTP.
fn read_tls<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Option<TlsFiles>, BadSetting> {
    let read = |setting| sources.read(setting, parse_file);
    let (certificate, key, client_authorities) = (read(&TLS_CERT)?, read(&TLS_KEY)?, read(&CLIENT_CA)?);
    let needs =
        |setting: &Setting, reason: &str| BadSetting { location: setting.name.to_owned(), reason: reason.to_owned() };
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(TlsFiles { certificate, key, client_authorities })),
        (Some(_), None) => Err(needs(&TLS_KEY, "a certificate needs its key; set --tls-key too")),
        (None, Some(_)) => Err(needs(&TLS_CERT, "a key needs its certificate; set --tls-cert too")),
        (None, None) if client_authorities.is_some() => {
            Err(needs(&CLIENT_CA, "client certificates need TLS; set --tls-cert and --tls-key too"))
        }
        (None, None) => Ok(None),
    }
}

/// The content is checked when the file is read.
pub(super) fn parse_file(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("the file name is empty".into()) } else { Ok(text.into()) }
}

fn parse_connections(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=limits::CONNECTIONS_MAX).contains(number));
    number.ok_or_else(|| format!("{text:?} is not a number from 1 to {}", limits::CONNECTIONS_MAX))
}

fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("{text:?} is invalid; use on or off")),
    }
}

/// `localhost` is 127.0.0.1 without a lookup, so that a resolver cannot choose the address.
fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    let literal = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    literal.as_deref().unwrap_or(text).parse().map_err(|_| {
        format!("{text:?} is not an IP address with a port; write for example 127.0.0.1:4870 or [::1]:4870")
    })
}

fn parse_folder(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("the folder name is empty".into()) } else { Ok(text.into()) }
}

fn parse_list<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// Parses a bearer token; the error does not repeat it.
pub(crate) fn parse_token(text: &str) -> Result<String, String> {
    let is_token = text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_token || text.is_empty() {
        return Err("a token consists of visible ASCII characters, without blanks or line breaks".into());
    }
    if text.len() > limits::TOKEN_CHARS_MAX {
        return Err(format!("a token has at most {} characters", limits::TOKEN_CHARS_MAX));
    }
    Ok(text.to_owned())
}

/// Validates the log filter before the start.
fn parse_filter(text: &str) -> Result<String, String> {
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!(
            "{text:?} is not a log filter; write for example `info` or `info,parlour_server=debug`: {error}"
        )),
    }
}

fn parse_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("{text:?} is invalid; use text or json")),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;
    use crate::settings::{ForServer, SettingFlags};

    #[test]
    fn addresses_need_a_port_and_no_resolver() {
        for (text, expected) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("localhost:80", "127.0.0.1:80"),
            ("[::1]:4870", "[::1]:4870"),
            ("0.0.0.0:1", "0.0.0.0:1"),
        ] {
            assert_eq!(parse_listen(text).map(|address| address.to_string()), Ok(expected.to_owned()));
        }
        for text in ["", "4870", ":4870", "127.0.0.1", "hub.example:80", "127.0.0.1:99999"] {
            assert!(parse_listen(text).is_err_and(|reason| reason.contains("127.0.0.1:4870")), "{text}");
        }
    }

    #[test]
    fn hosts_origins_and_proxies_are_lists_with_commas() {
        assert!(parse_list::<Origins>("https://chat.example, http://127.0.0.1:5173").is_ok());
        assert!(parse_list::<Origins>("chat.example").is_err_and(|reason| reason.contains("https://chat.example")));
        assert!(parse_list::<Hosts>("chat.example, hub").is_ok());
        assert!(parse_list::<Hosts>("https://hub").is_err_and(|reason| reason.contains("chat.example")));
        assert!(parse_list::<Proxies>("10.0.0.7, ::1").is_ok() && parse_list::<Proxies>("proxy").is_err());
    }

    /// Reads the settings from these flags.
    fn tls(words: &[&str]) -> Result<Option<TlsFiles>, String> {
        let command = SettingFlags::<ForServer>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = SettingFlags::from_arg_matches(&command.get_matches_from(words)).expect("flags");
        let nothing = |_: &str| None;
        let sources = SettingSources::<ForServer>::open(&flags, &nothing).expect("sources");
        read_tls(&sources).map_err(|error| error.to_string())
    }

    #[test]
    fn certificate_and_key_come_together() {
        assert_eq!(tls(&[]), Ok(None));
        let files = tls(&["--tls-cert", "a", "--tls-key", "b", "--client-ca", "c"]).expect("all").expect("some");
        assert_eq!((files.certificate, files.key), ("a".into(), "b".into()));
        assert_eq!(files.client_authorities, Some("c".into()));
        for (words, missing) in
            [(["--tls-cert", "a"], "tls_key"), (["--tls-key", "b"], "tls_cert"), (["--client-ca", "c"], "client_ca")]
        {
            assert!(tls(&words).is_err_and(|text| text.starts_with(missing) && text.contains("--tls-")), "{missing}");
        }
    }

    #[test]
    fn the_connection_limit_per_address_is_at_least_one() {
        assert_eq!(parse_connections("1"), Ok(1));
        for text in ["0", "-1", "many", "", "20001"] {
            assert!(parse_connections(text).is_err_and(|reason| reason.contains("from 1 to 20000")), "{text}");
        }
        assert_eq!(CONNECTIONS_PER_ADDRESS.default, Some(limits::CONNECTIONS_PER_ADDRESS_MAX.to_string().as_str()));
    }

    #[test]
    fn a_wrong_token_is_not_repeated_in_the_refusal() {
        for text in ["", "my secret", "secret\n", "sécret"] {
            let reason = parse_token(text).expect_err("refused");
            assert!(!reason.contains("secret") && !reason.contains("sécret"), "{reason}");
        }
        assert_eq!(parse_token("parlour_0123"), Ok("parlour_0123".to_owned()));
        assert!(parse_token(&"x".repeat(limits::TOKEN_CHARS_MAX + 1)).is_err());
    }

    #[test]
    fn invalid_log_filters_and_formats_are_refused() {
        assert!(parse_filter("info,parlour_server=debug").is_ok());
        assert!(parse_filter("info,=,x=loud").is_err());
        assert_eq!(parse_format("json"), Ok(LogFormat::Json));
        assert!(parse_format("JSON").is_err());
    }
}
