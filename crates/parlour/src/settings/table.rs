/// The commands that read a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingReader {
    Everyone,
    /// `serve` and `doctor`.
    Server,
    /// Client commands.
    Client,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrecy {
    Open,
    /// Never shown, and without a flag, because every user of a machine can list command lines.
    Secret,
}

/// One setting. Its flag is `--name`, its variable `PARLOUR_NAME`, its key in the file `name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// The placeholder in help texts.
    pub(crate) value: &'static str,
    pub(crate) default: Option<&'static str>,
    pub(crate) reader: SettingReader,
    pub(crate) secrecy: Secrecy,
    /// One sentence without a full stop.
    pub(crate) meaning: &'static str,
}

/// All settings, in the order of the help.
pub(crate) const TABLE: &[Setting] = &[
    CONFIG,
    LISTEN,
    DATA,
    HOSTS,
    ORIGINS,
    PROXIES,
    TLS_CERT,
    TLS_KEY,
    CLIENT_CA,
    CONNECTIONS_PER_ADDRESS,
    ADMIN_TOKEN,
    ISSUER,
    ISSUER_AUDIENCE,
    ISSUER_JWKS,
    RATES,
    PROVIDERS,
    RERANKERS,
    FIXTURES,
    LOG,
    LOG_FORMAT,
    PROFILE,
    URL,
    TOKEN,
    PROJECT,
    CA,
    CLIENT_CERT,
    CLIENT_KEY,
];

/// The path of the file; the only setting that is not a key of it.
pub(crate) const CONFIG: Setting = Setting {
    name: "config",
    value: "FILE",
    default: Some("parlour.toml"),
    reader: SettingReader::Everyone,
    secrecy: Secrecy::Open,
    meaning: "Settings file; the default file is optional",
};

pub(crate) const LISTEN: Setting = Setting {
    name: "listen",
    value: "ADDRESS",
    default: Some("127.0.0.1:4870"),
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "IP address and port on which the hub listens; port 0 selects a free port",
};

pub(crate) const DATA: Setting = Setting {
    name: "data",
    value: "FOLDER",
    default: Some("./parlour-data"),
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Data folder of the hub; created if it does not exist",
};

pub(crate) const HOSTS: Setting = Setting {
    name: "hosts",
    value: "NAMES",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Allowed host names, such as `chat.example`, separated by commas; IP addresses and `localhost` are always allowed",
};

pub(crate) const ORIGINS: Setting = Setting {
    name: "origins",
    value: "ORIGINS",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Additional allowed origins of web pages (CORS), such as `https://chat.example`, separated by commas",
};

pub(crate) const PROXIES: Setting = Setting {
    name: "proxies",
    value: "ADDRESSES",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Trusted reverse proxies, as IP addresses or networks separated by commas; only their `X-Forwarded` headers are used",
};

pub(crate) const TLS_CERT: Setting = Setting {
    name: "tls_cert",
    value: "FILE",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "TLS certificate of the hub with its intermediate certificates, PEM; enables TLS; reloaded when the file changes (`docs/tls.md`)",
};

pub(crate) const TLS_KEY: Setting = Setting {
    name: "tls_key",
    value: "FILE",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Private key of the TLS certificate, PEM",
};

pub(crate) const CLIENT_CA: Setting = Setting {
    name: "client_ca",
    value: "FILE",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "CA certificates for client certificates of agents (mutual TLS), PEM",
};

pub(crate) const CONNECTIONS_PER_ADDRESS: Setting = Setting {
    name: "connections_per_address",
    value: "NUMBER",
    default: Some("1000"),
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Maximum number of open connections per IP address; connections of trusted proxies are not counted",
};

pub(crate) const ADMIN_TOKEN: Setting = Setting {
    name: "admin_token",
    value: "TOKEN",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Secret,
    meaning: "Bearer token of the first administrator; default: a random token, printed once at the first start",
};

pub(crate) const RATES: Setting = Setting {
    name: "rates",
    value: "RATES",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Rate limits that override the defaults, such as `member=100/1000, address=off` (`docs/limits.md`); `off` disables all rate limits",
};

pub(crate) const PROVIDERS: Setting = Setting {
    name: "providers",
    value: "PROVIDERS",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Model providers for hosted agents, such as `local openai http://127.0.0.1:11434/v1 model=llama3.2, work anthropic key_file=/run/secrets/anthropic`, separated by commas (`docs/agents.md`); `openai`, `anthropic` and `gemini` are configured automatically when their API key is in the environment",
};

pub(crate) const RERANKERS: Setting = Setting {
    name: "rerankers",
    value: "RERANKERS",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Rerankers that projects can select, such as `fast https://api.cohere.com/v2/rerank model=rerank-v3.5 key_env=COHERE_API_KEY`, separated by commas (`docs/reranking.md`)",
};

pub(crate) const FIXTURES: Setting = Setting {
    name: "fixtures",
    value: "SWITCH",
    default: Some("off"),
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Serve the fixtures of public protocol test suites on separate paths (`on` or `off`); for tests only",
};

pub(crate) const ISSUER: Setting = Setting {
    name: "issuer",
    value: "NAME",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Trusted issuer of JWTs, exactly as in the claim `iss`, such as `https://id.example`; an administrator maps its subjects to members",
};

pub(crate) const ISSUER_AUDIENCE: Setting = Setting {
    name: "issuer_audience",
    value: "NAME",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Required audience of the issuer's tokens, exactly as in the claim `aud`",
};

pub(crate) const ISSUER_JWKS: Setting = Setting {
    name: "issuer_jwks",
    value: "PLACE",
    default: None,
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "JWK set of the issuer: a file or a URL; default: OpenID Connect discovery",
};

pub(crate) const LOG: Setting = Setting {
    name: "log",
    value: "FILTER",
    default: Some("info"),
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Log filter for stderr: error, warn, info, debug, trace or off, also per module as in `info,parlour_server=debug`",
};

pub(crate) const LOG_FORMAT: Setting = Setting {
    name: "log_format",
    value: "FORMAT",
    default: Some("text"),
    reader: SettingReader::Server,
    secrecy: Secrecy::Open,
    meaning: "Log format: text or json",
};

pub(crate) const PROFILE: Setting = Setting {
    name: "profile",
    value: "NAME",
    default: None,
    reader: SettingReader::Client,
    secrecy: Secrecy::Open,
    meaning: "Profile of `parlour login`: hub, token and project; default: the profile of the hub, or the default profile",
};

pub(crate) const URL: Setting = Setting {
    name: "url",
    value: "URL",
    default: Some("http://127.0.0.1:4870"),
    reader: SettingReader::Client,
    secrecy: Secrecy::Open,
    meaning: "URL of the hub",
};

pub(crate) const TOKEN: Setting = Setting {
    name: "token",
    value: "TOKEN",
    default: None,
    reader: SettingReader::Client,
    secrecy: Secrecy::Secret,
    meaning: "Bearer token; it identifies the caller",
};

pub(crate) const PROJECT: Setting = Setting {
    name: "project",
    value: "PROJECT",
    default: None,
    reader: SettingReader::Client,
    secrecy: Secrecy::Open,
    meaning: "Project, by name or id; default: the project of the profile, or the only visible one",
};

pub(crate) const CA: Setting = Setting {
    name: "ca",
    value: "FILE",
    default: None,
    reader: SettingReader::Client,
    secrecy: Secrecy::Open,
    meaning: "Additional trusted CA certificates, PEM",
};

pub(crate) const CLIENT_CERT: Setting = Setting {
    name: "client_cert",
    value: "FILE",
    default: None,
    reader: SettingReader::Client,
    secrecy: Secrecy::Open,
    meaning: "Client certificate for sign-in (mutual TLS), PEM",
};

pub(crate) const CLIENT_KEY: Setting = Setting {
    name: "client_key",
    value: "FILE",
    default: None,
    reader: SettingReader::Client,
    secrecy: Secrecy::Open,
    meaning: "Private key of the client certificate, PEM; default: the file of the certificate",
};

impl Setting {
    /// The flag; none for secrets.
    pub(crate) fn flag(&self) -> Option<String> {
        (self.secrecy == Secrecy::Open).then(|| format!("--{}", self.name.replace('_', "-")))
    }

    pub(crate) fn variable(&self) -> String {
        format!("PARLOUR_{}", self.name.to_uppercase())
    }

    pub(crate) fn key(&self) -> Option<&'static str> {
        (self.name != CONFIG.name).then_some(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_variable_and_key_follow_from_the_name() {
        assert_eq!(LOG_FORMAT.flag().as_deref(), Some("--log-format"));
        assert_eq!(LOG_FORMAT.variable(), "PARLOUR_LOG_FORMAT");
        assert_eq!(LOG_FORMAT.key(), Some("log_format"));
    }

    #[test]
    fn secrets_have_no_flag_and_no_default() {
        let secrets: Vec<_> = TABLE.iter().filter(|one| one.secrecy == Secrecy::Secret).collect();
        assert_eq!(secrets.iter().map(|one| one.name).collect::<Vec<_>>(), ["admin_token", "token"]);
        assert!(secrets.iter().all(|one| one.flag().is_none() && one.default.is_none()));
    }

    #[test]
    fn the_path_of_the_settings_file_cannot_be_in_the_file() {
        assert_eq!(CONFIG.key(), None);
        assert_eq!(TABLE.iter().filter(|one| one.key().is_none()).count(), 1);
    }

    #[test]
    fn names_are_unique_and_every_setting_is_explained() {
        let mut names: Vec<_> = TABLE.iter().map(|one| one.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
        assert!(TABLE.iter().all(|one| one.meaning.len() > 10 && !one.meaning.ends_with('.')));
    }
}
