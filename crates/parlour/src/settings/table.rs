//! The table of settings.

/// Who reads a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Every command.
    Everyone,
    /// The hub: `serve`, and `doctor`, which looks at the same things.
    Server,
    /// Commands that talk to a hub.
    Client,
}

/// Whether a value may be seen by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrecy {
    /// Anybody may see it.
    Open,
    /// It is never shown, and has no flag: every user of a machine can list the flags of its programs.
    Secret,
}

/// One setting. Its flag is `--name`, its variable `PARLOUR_NAME`, its key in the file `name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// What stands for the value in help texts.
    pub(crate) value: &'static str,
    pub(crate) default: Option<&'static str>,
    pub(crate) reader: Reader,
    pub(crate) secrecy: Secrecy,
    /// One sentence without a full stop.
    pub(crate) meaning: &'static str,
}

/// All settings, in the order in which they are explained.
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
    URL,
    TOKEN,
    PROJECT,
    CA,
    CLIENT_CERT,
    CLIENT_KEY,
];

/// The only setting that cannot stand in the file: it says where the file is.
pub(crate) const CONFIG: Setting = Setting {
    name: "config",
    value: "FILE",
    default: Some("parlour.toml"),
    reader: Reader::Everyone,
    secrecy: Secrecy::Open,
    meaning: "The file with further settings; the default one may be missing",
};

pub(crate) const LISTEN: Setting = Setting {
    name: "listen",
    value: "ADDRESS",
    default: Some("127.0.0.1:4870"),
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "Where the hub listens; port 0 takes any free one",
};

pub(crate) const DATA: Setting = Setting {
    name: "data",
    value: "FOLDER",
    default: Some("./parlour-data"),
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The folder that holds everything the hub keeps; it is made when it is missing",
};

pub(crate) const HOSTS: Setting = Setting {
    name: "hosts",
    value: "NAMES",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The names by which the hub is reached, such as `chat.example`, with commas between them; addresses and `localhost` need no mention",
};

pub(crate) const ORIGINS: Setting = Setting {
    name: "origins",
    value: "ORIGINS",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The origins of pages that may speak to the hub besides the hub's own, such as `https://chat.example`, with commas between them",
};

pub(crate) const PROXIES: Setting = Setting {
    name: "proxies",
    value: "ADDRESSES",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The addresses or nets of proxies in front of the hub, whose `X-Forwarded` headers are believed, with commas between them",
};

pub(crate) const TLS_CERT: Setting = Setting {
    name: "tls_cert",
    value: "FILE",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The hub's certificate in PEM, with those between it and an authority; the hub speaks TLS then, and reads the file again when it changes (`docs/tls.md`)",
};

pub(crate) const TLS_KEY: Setting = Setting {
    name: "tls_key",
    value: "FILE",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The private key of the certificate, in PEM",
};

pub(crate) const CLIENT_CA: Setting = Setting {
    name: "client_ca",
    value: "FILE",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The authorities, in PEM, whose client certificates may sign agents in",
};

pub(crate) const CONNECTIONS_PER_ADDRESS: Setting = Setting {
    name: "connections_per_address",
    value: "NUMBER",
    default: Some("1000"),
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "How many connections one address may have open at once; trusted proxies are not counted",
};

pub(crate) const ADMIN_TOKEN: Setting = Setting {
    name: "admin_token",
    value: "TOKEN",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Secret,
    meaning: "The first administrator's bearer token; without it one is made at the first start and shown once",
};

pub(crate) const RATES: Setting = Setting {
    name: "rates",
    value: "RATES",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "What differs from the usual rates, such as `member=100/1000, address=off` (`docs/limits.md`), or `off` for no rates at all",
};

pub(crate) const PROVIDERS: Setting = Setting {
    name: "providers",
    value: "PROVIDERS",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "Providers of models for agents that the hub runs, such as `local openai http://127.0.0.1:11434/v1 model=llama3.2, work anthropic key_file=/run/secrets/anthropic`, with commas between them (`docs/agents.md`); `openai`, `anthropic` and `gemini` need no mention when their key is in the environment",
};

pub(crate) const RERANKERS: Setting = Setting {
    name: "rerankers",
    value: "RERANKERS",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "Services that rank what a model will see where a project names one, such as `fast https://api.cohere.com/v2/rerank model=rerank-v3.5 key_env=COHERE_API_KEY`, with commas between them (`docs/reranking.md`)",
};

pub(crate) const FIXTURES: Setting = Setting {
    name: "fixtures",
    value: "SWITCH",
    default: Some("off"),
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "Whether the hub also serves what public test suites of protocols call (`on` or `off`), at addresses of its own; for tests only",
};

pub(crate) const ISSUER: Setting = Setting {
    name: "issuer",
    value: "NAME",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "Another issuer whose signed tokens are trusted, exactly as they name it, such as `https://id.example`; an administrator says which of its subjects is which member",
};

pub(crate) const ISSUER_AUDIENCE: Setting = Setting {
    name: "issuer_audience",
    value: "NAME",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "Whom the tokens of that issuer must be for, exactly as they name it",
};

pub(crate) const ISSUER_JWKS: Setting = Setting {
    name: "issuer_jwks",
    value: "PLACE",
    default: None,
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "The keys of that issuer: a file or an address with a JWK set; without it the issuer is asked where they are (OpenID Connect discovery)",
};

pub(crate) const LOG: Setting = Setting {
    name: "log",
    value: "FILTER",
    default: Some("info"),
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "What is logged to stderr: error, warn, info, debug, trace or off, also per part as in `info,parlour_server=debug`",
};

pub(crate) const LOG_FORMAT: Setting = Setting {
    name: "log_format",
    value: "FORMAT",
    default: Some("text"),
    reader: Reader::Server,
    secrecy: Secrecy::Open,
    meaning: "How it is logged: text for people, json for programs",
};

pub(crate) const URL: Setting = Setting {
    name: "url",
    value: "URL",
    default: Some("http://127.0.0.1:4870"),
    reader: Reader::Client,
    secrecy: Secrecy::Open,
    meaning: "Where the hub is",
};

pub(crate) const TOKEN: Setting = Setting {
    name: "token",
    value: "TOKEN",
    default: None,
    reader: Reader::Client,
    secrecy: Secrecy::Secret,
    meaning: "Your bearer token: it decides who you are",
};

pub(crate) const PROJECT: Setting = Setting {
    name: "project",
    value: "PROJECT",
    default: None,
    reader: Reader::Client,
    secrecy: Secrecy::Open,
    meaning: "The project to work in, by name or id; not needed when you see only one",
};

pub(crate) const CA: Setting = Setting {
    name: "ca",
    value: "FILE",
    default: None,
    reader: Reader::Client,
    secrecy: Secrecy::Open,
    meaning: "Authorities to trust besides those of this machine, in PEM",
};

pub(crate) const CLIENT_CERT: Setting = Setting {
    name: "client_cert",
    value: "FILE",
    default: None,
    reader: Reader::Client,
    secrecy: Secrecy::Open,
    meaning: "The client certificate to sign in with, in PEM",
};

pub(crate) const CLIENT_KEY: Setting = Setting {
    name: "client_key",
    value: "FILE",
    default: None,
    reader: Reader::Client,
    secrecy: Secrecy::Open,
    meaning: "Its private key, in PEM",
};

impl Setting {
    /// The flag with its dashes; secrets have none.
    pub(crate) fn flag(&self) -> Option<String> {
        (self.secrecy == Secrecy::Open).then(|| format!("--{}", self.name.replace('_', "-")))
    }

    /// The environment variable.
    pub(crate) fn variable(&self) -> String {
        format!("PARLOUR_{}", self.name.to_uppercase())
    }

    /// The key in the file, if it may stand there.
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
    fn the_place_of_the_file_cannot_stand_in_the_file() {
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
