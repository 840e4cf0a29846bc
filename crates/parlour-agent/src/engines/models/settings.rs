//! Settings of a model engine: provider API, model, key, time limits and retries.

use std::{fmt, net::IpAddr, time::Duration};

use parlour_core::{limits, text};
use reqwest::{
    Url,
    header::{HeaderMap, HeaderValue},
};

use super::request;

/// The API of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
    /// Chat completions of OpenAI, also served by Ollama, vLLM, llama.cpp, LM Studio, OpenRouter and many more.
    OpenAi,
    /// The Messages API of Anthropic.
    Anthropic,
    /// `generateContent` of Google's Gemini.
    Gemini,
}

impl Interface {
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// The name in settings, commands and lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|interface| interface.as_str() == name)
    }

    /// The URL of the original provider.
    pub fn usual_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
        }
    }

    /// The environment variables of the key; the first one that is set is used.
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        }
    }
}

/// The settings of a model engine.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    pub interface: Interface,
    /// The base URL; see [`Interface::usual_url`].
    pub base_url: String,
    /// The API key; local servers often need none.
    pub key: Option<Secret>,
    /// The model name of the provider.
    pub model: String,
    /// The most tokens of one answer; by default the provider decides. Anthropic requires a number and then gets
    /// `OUTPUT_TOKENS_USUAL`.
    pub output_tokens_max: Option<u32>,
    pub request_limits: RequestLimits,
}

/// The default token limit for providers that require one: about the length of a message.
pub const OUTPUT_TOKENS_USUAL: u32 = 8_192;

/// Time limits and retries of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Until the first byte. Reasoning models, and servers that load a model first, need long.
    pub first_byte: Duration,
    /// Between two chunks; keep-alive comments count.
    pub between_pieces: Duration,
    /// For the whole answer, all attempts included.
    pub whole: Duration,
    /// Attempts while no text was shown, the first one included.
    pub tries_max: u32,
    /// The upper bound of the first pause; it doubles up to `pause_max`.
    pub pause_first: Duration,
    /// The upper bound of all pauses, unless the provider requests a longer one.
    pub pause_max: Duration,
}

impl Default for RequestLimits {
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

/// Why model settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelSettingsError {
    #[error("{url:?} is not a valid provider URL: {reason}")]
    Url {
        /// Without credentials.
        url: String,
        reason: &'static str,
    },
    #[error("a model name must be one line of 1 to {} characters", limits::MODEL_CHARS_MAX)]
    Model,
    #[error("the key contains an invalid character, perhaps a line break")]
    Key,
    #[error("the key would be sent to {host} unencrypted; use https://, a tunnel to a loopback address, or no key")]
    PlainKey { host: String },
    #[error("{0}")]
    Tls(String),
}

impl ModelSettings {
    /// The default settings of an API and a model.
    pub fn new(interface: Interface, model: &str) -> Self {
        Self {
            interface,
            base_url: interface.usual_url().to_owned(),
            key: None,
            model: model.to_owned(),
            output_tokens_max: None,
            request_limits: RequestLimits::default(),
        }
    }
}

impl ModelSettings {
    /// The token limit that is sent to the provider.
    pub(super) fn answer_tokens_max(&self) -> Option<u32> {
        let usual = (self.interface == Interface::Anthropic).then_some(OUTPUT_TOKENS_USUAL);
        self.output_tokens_max.or(usual)
    }
}

/// Valid settings with the URL and headers of requests.
#[derive(Clone, Debug)]
pub(super) struct CheckedSettings {
    pub(super) settings: ModelSettings,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) is_own_machine: bool,
}

impl CheckedSettings {
    pub(super) fn of(settings: ModelSettings) -> Result<Self, ModelSettingsError> {
        check_model(&settings.model)?;
        let base = parse_url(&settings.base_url)?;
        let is_own_machine = is_loopback(&base);
        check_key_transport(&base, settings.key.as_ref())?;
        let url = request::url(settings.interface, &base, &settings.model);
        let headers = request::headers(settings.interface, settings.key.as_ref()).ok_or(ModelSettingsError::Key)?;
        Ok(Self { settings, url, headers, is_own_machine })
    }

    /// Host and port of the provider, for people.
    pub(super) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

/// A header value with a key; excluded from debug output.
pub(super) fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

pub(super) fn check_model(model: &str) -> Result<(), ModelSettingsError> {
    let named = text::check_not_blank(model).and_then(|()| text::check_line(model, limits::MODEL_CHARS_MAX));
    named.map_err(|_| ModelSettingsError::Model)
}

/// A key is sent to other machines over TLS only.
pub(super) fn check_key_transport(url: &Url, key: Option<&Secret>) -> Result<(), ModelSettingsError> {
    if key.is_some() && url.scheme() == "http" && !is_loopback(url) {
        return Err(ModelSettingsError::PlainKey { host: url.host_str().unwrap_or_default().to_owned() });
    }
    Ok(())
}

pub(super) fn parse_url(text: &str) -> Result<Url, ModelSettingsError> {
    let refuse = |url: &str, reason| ModelSettingsError::Url { url: url.to_owned(), reason };
    let url: Url = text.trim().parse().map_err(|_| refuse("…", "use the form http://127.0.0.1:11434/v1"))?;
    // The URL may contain a password, so the error shows scheme and host only.
    let shown = format!("{}://{}…", url.scheme(), url.host_str().unwrap_or_default());
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse(&format!("{}:…", url.scheme()), "it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse(&shown, "it must not contain a user name or password; pass the key separately"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse(&shown, "it must not contain ? or #; pass the key separately"));
    }
    Ok(url)
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The API key of a provider. It is never printed: not by `Debug`, not in an error, not in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Trims blanks and line breaks, which files and variables often contain.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The key, for the request header.
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
        CheckedSettings::of(settings(base_url, key)).expect_err(base_url).to_string()
    }

    #[test]
    fn the_default_settings_of_every_api_are_valid() {
        for interface in Interface::ALL {
            let checked = CheckedSettings::of(ModelSettings::new(interface, "m")).expect("usual");
            assert!(!checked.is_own_machine && !checked.host().is_empty());
            assert_eq!(Interface::parse(interface.as_str()), Some(interface));
            assert!(!interface.key_variables().is_empty());
        }
        assert_eq!(Interface::parse("other"), None);
    }

    #[test]
    fn invalid_urls_are_refused_without_showing_secrets() {
        for (url, word) in [
            ("", "use the form"),
            ("localhost:11434", "start with http://"),
            ("file:///etc/passwd", "start with http://"),
            ("https://me:hidden@host.example", "user name"),
            ("https://host.example/?key=hidden", "? or #"),
        ] {
            let message = refused(url, None);
            assert!(message.contains(word) && !message.contains("hidden"), "{message}");
        }
    }

    #[test]
    fn a_key_leaves_the_machine_only_over_tls() {
        let message = refused("http://10.0.0.7:8000/v1", Some("sk-1"));
        assert!(message.contains("10.0.0.7 unencrypted") && !message.contains("sk-1"), "{message}");
        for url in ["http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1/v1", "https://10.0.0.7/v1"] {
            assert!(CheckedSettings::of(settings(url, Some("sk-1"))).is_ok(), "{url}");
        }
        assert!(CheckedSettings::of(settings("http://10.0.0.7:8000/v1", None)).is_ok());
    }

    #[test]
    fn a_key_and_a_model_are_single_lines() {
        assert_eq!(refused("http://localhost", Some("sk-1\nsk-2")), ModelSettingsError::Key.to_string());
        for model in ["", " ", "a\nb", &"x".repeat(limits::MODEL_CHARS_MAX + 1)] {
            let settings = ModelSettings { model: model.into(), ..settings("http://localhost", None) };
            assert_eq!(CheckedSettings::of(settings).expect_err(model), ModelSettingsError::Model);
        }
    }

    #[test]
    fn debug_output_of_settings_does_not_contain_the_key() {
        let checked = CheckedSettings::of(settings("http://localhost", Some("sk-1234567"))).expect("settings");
        assert!(!format!("{checked:?}").contains("sk-1234567"));
    }

    #[test]
    fn debug_output_of_a_secret_is_hidden() {
        assert_eq!(format!("{:?}", Some(Secret::new("sk-123"))), "Some(Secret(…))");
    }

    #[test]
    fn surrounding_white_space_is_not_part_of_a_key() {
        assert_eq!(Secret::new(" sk-123\r\n").reveal(), "sk-123");
    }
}
