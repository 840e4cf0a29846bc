//! Which model answers, where it is asked, and with how much patience.

use std::{fmt, net::IpAddr, time::Duration};

use parlour_core::{limits, text};
use reqwest::{
    Url,
    header::{HeaderMap, HeaderValue},
};

use super::request;

/// The form in which a provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
    /// Chat completions, as OpenAI serves them and with it Ollama, vLLM, llama.cpp, LM Studio, OpenRouter and many more.
    OpenAi,
    /// The messages of Anthropic.
    Anthropic,
    /// `generateContent` of Google's Gemini.
    Gemini,
}

impl Interface {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// Its name in settings, commands and lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The interface of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|interface| interface.as_str() == name)
    }

    /// Where the provider that has given it its name serves it.
    pub fn usual_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
        }
    }

    /// The environment variables in which its users keep their key, the first that is set counts.
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        }
    }
}

/// Which model answers, and how it is asked.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// The form of requests and answers.
    pub interface: Interface,
    /// Where it is served: `http://` or `https://`, a host, perhaps a folder. See [`Interface::usual_url`].
    pub base_url: String,
    /// The key; servers on the own machine often need none.
    pub key: Option<Secret>,
    /// The model, as the provider names it.
    pub model: String,
    /// The most tokens of one answer. Absent means that the provider decides; Anthropic, which wants a number, is then
    /// told `OUTPUT_TOKENS_USUAL`.
    pub output_tokens_max: Option<u32>,
    /// How long is waited for what.
    pub patience: Patience,
}

/// The tokens of one answer where a provider wants a number: about as many as fit into a message.
pub const OUTPUT_TOKENS_USUAL: u32 = 8_192;

/// How long a provider is waited for, and how often it is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until the first byte of an answer. Models that think at length, and servers that load a model first, need it.
    pub first_byte: Duration,
    /// From one piece to the next; signs of life count.
    pub between_pieces: Duration,
    /// For the whole answer, all tries included.
    pub whole: Duration,
    /// How often it is asked as long as nothing has been written, the first time included.
    pub tries_max: u32,
    /// The longest first pause between two tries; each further one may be twice as long, up to `pause_max`.
    pub pause_first: Duration,
    /// No pause is longer, unless the provider asks for it.
    pub pause_max: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(120),
            between_pieces: Duration::from_secs(120),
            whole: Duration::from_secs(600),
            tries_max: 4,
            pause_first: Duration::from_millis(500),
            pause_max: Duration::from_secs(8),
        }
    }
}

/// Why there can be no engine with these settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSettings {
    /// The address is none.
    #[error("{url:?} is no address of a provider: {reason}")]
    Url {
        /// What was given, without a password.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The name of the model is none.
    #[error("the name of a model is one line of 1 to {} characters", limits::MODEL_CHARS_MAX)]
    Model,
    /// A key that no header can carry.
    #[error("the key holds a character that no key has, perhaps a line break")]
    Key,
    /// A key would be sent in the clear to another machine.
    #[error("the key would go to {host} in the clear: use https://, a tunnel to the own machine, or no key")]
    PlainKey {
        /// The other machine.
        host: String,
    },
    /// TLS cannot be spoken at all.
    #[error("{0}")]
    Tls(String),
}

impl ModelSettings {
    /// The usual settings of an interface for a model.
    pub fn new(interface: Interface, model: &str) -> Self {
        Self {
            interface,
            base_url: interface.usual_url().to_owned(),
            key: None,
            model: model.to_owned(),
            output_tokens_max: None,
            patience: Patience::default(),
        }
    }
}

impl ModelSettings {
    /// The most tokens of one answer, as far as it is known here.
    pub(super) fn limit_of_answer(&self) -> Option<u32> {
        let usual = (self.interface == Interface::Anthropic).then_some(OUTPUT_TOKENS_USUAL);
        self.output_tokens_max.or(usual)
    }
}

/// Settings that can be used: where requests go, and with which headers.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    pub(super) settings: ModelSettings,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) is_own_machine: bool,
}

impl Checked {
    pub(super) fn of(settings: ModelSettings) -> Result<Self, BadSettings> {
        check_model(&settings.model)?;
        let base = parse_url(&settings.base_url)?;
        let is_own_machine = is_loopback(&base);
        check_key_way(&base, settings.key.as_ref())?;
        let url = request::url(settings.interface, &base, &settings.model);
        let headers = request::headers(settings.interface, settings.key.as_ref()).ok_or(BadSettings::Key)?;
        Ok(Self { settings, url, headers, is_own_machine })
    }

    /// Who is asked, as people know it.
    pub(super) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

/// A header that holds a key: kept out of debug output.
pub(super) fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A model has a name of one line.
pub(super) fn check_model(model: &str) -> Result<(), BadSettings> {
    let named = text::check_not_blank(model).and_then(|()| text::check_line(model, limits::MODEL_CHARS_MAX));
    named.map_err(|_| BadSettings::Model)
}

/// A key leaves the own machine over TLS only.
pub(super) fn check_key_way(url: &Url, key: Option<&Secret>) -> Result<(), BadSettings> {
    if key.is_some() && url.scheme() == "http" && !is_loopback(url) {
        return Err(BadSettings::PlainKey { host: url.host_str().unwrap_or_default().to_owned() });
    }
    Ok(())
}

pub(super) fn parse_url(text: &str) -> Result<Url, BadSettings> {
    let refuse = |url: &str, reason| BadSettings::Url { url: url.to_owned(), reason };
    let url: Url = text.trim().parse().map_err(|_| refuse("…", "an address looks like http://127.0.0.1:11434/v1"))?;
    // A password in an address is a secret too, so what is shown ends before it could begin.
    let shown = format!("{}://{}…", url.scheme(), url.host_str().unwrap_or_default());
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse(&format!("{}:…", url.scheme()), "an address starts with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse(&shown, "an address holds no user name or password; the key is given apart"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse(&shown, "an address ends before any ? or #; the key is given apart"));
    }
    Ok(url)
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The key of a provider. It has no way to be printed: not by `Debug`, not in an error, not in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key, without the blanks and line breaks around it that files and variables tend to have.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The key itself, for the one header that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str, key: Option<&str>) -> ModelSettings {
        let key = key.map(Secret::new);
        ModelSettings { base_url: base_url.into(), key, ..ModelSettings::new(Interface::OpenAi, "small") }
    }

    fn refused(base_url: &str, key: Option<&str>) -> String {
        Checked::of(settings(base_url, key)).expect_err(base_url).to_string()
    }

    #[test]
    fn the_usual_settings_of_every_interface_can_be_used() {
        for interface in Interface::ALL {
            let checked = Checked::of(ModelSettings::new(interface, "m")).expect("usual");
            assert!(!checked.is_own_machine && !checked.host().is_empty());
            assert_eq!(Interface::parse(interface.as_str()), Some(interface));
            assert!(!interface.key_variables().is_empty());
        }
        assert_eq!(Interface::parse("other"), None);
    }

    #[test]
    fn what_is_no_address_is_refused_and_no_secret_is_shown() {
        for (url, word) in [
            ("", "looks like"),
            ("localhost:11434", "starts with http://"),
            ("file:///etc/passwd", "starts with http://"),
            ("https://me:hidden@host.example", "user name"),
            ("https://host.example/?key=hidden", "before any ?"),
        ] {
            let message = refused(url, None);
            assert!(message.contains(word) && !message.contains("hidden"), "{message}");
        }
    }

    #[test]
    fn a_key_leaves_the_machine_only_over_tls() {
        let message = refused("http://10.0.0.7:8000/v1", Some("sk-1"));
        assert!(message.contains("10.0.0.7 in the clear") && !message.contains("sk-1"), "{message}");
        for url in ["http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1/v1", "https://10.0.0.7/v1"] {
            assert!(Checked::of(settings(url, Some("sk-1"))).is_ok(), "{url}");
        }
        assert!(Checked::of(settings("http://10.0.0.7:8000/v1", None)).is_ok());
    }

    #[test]
    fn a_key_and_a_model_are_single_lines() {
        assert_eq!(refused("http://localhost", Some("sk-1\nsk-2")), BadSettings::Key.to_string());
        for model in ["", " ", "a\nb", &"x".repeat(limits::MODEL_CHARS_MAX + 1)] {
            let settings = ModelSettings { model: model.into(), ..settings("http://localhost", None) };
            assert_eq!(Checked::of(settings).expect_err(model), BadSettings::Model);
        }
    }

    #[test]
    fn nothing_prints_the_key() {
        let checked = Checked::of(settings("http://localhost", Some("sk-1234567"))).expect("settings");
        assert!(!format!("{checked:?}").contains("sk-1234567"));
    }

    #[test]
    fn a_secret_is_never_printed() {
        assert_eq!(format!("{:?}", Some(Secret::new("sk-123"))), "Some(Secret(…))");
    }

    #[test]
    fn the_line_break_of_a_file_is_no_part_of_a_key() {
        assert_eq!(Secret::new(" sk-123\r\n").reveal(), "sk-123");
    }
}
