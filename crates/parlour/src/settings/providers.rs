//! Settings of model providers.
//!
//! Known providers are configured automatically if their API key is in the environment; others are entries of the setting
//! `providers`. Errors do not repeat values, because a value could be an API key.

use std::path::PathBuf;

use parlour_agent::engines::models::{Interface, Secret};
use parlour_core::{engine::BUILT_IN, limits, text};

use super::{BadSetting, flags::SettingScope, sources::SettingSources, table::PROVIDERS};

pub(super) mod entry;

const EXAMPLE: &str = "local openai http://127.0.0.1:11434/v1 model=llama3.2";

/// A configured provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProviderSettings {
    /// The name for agents.
    pub(crate) name: String,
    pub(crate) interface: Interface,
    /// Its URL; default: the URL of its interface.
    pub(crate) base_url: Option<String>,
    /// The default model.
    pub(crate) model: Option<String>,
    pub(crate) key: KeyPlace,
}

/// The source of an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    Nowhere,
    /// An environment variable, which may be unset.
    Variable(String, Option<Secret>),
    /// A file, read at the start of the hub.
    File(PathBuf),
}

impl ProviderSettings {
    /// Reads the providers of the setting and of the environment. The setting overrides a provider of the same name.
    pub(super) fn read_all<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Vec<Self>, BadSetting> {
        let mut known = Vec::new();
        for interface in Interface::ALL {
            known.extend(known_provider(sources, interface)?);
        }
        let named = sources.read(&PROVIDERS, |text| entry::parse_all(text, &|name| sources.variable(name)))?;
        let named = named.unwrap_or_default();
        known.retain(|provider: &Self| named.iter().all(|other| other.name != provider.name));
        Ok(known.into_iter().chain(named).collect())
    }
}

/// A known provider if its API key is in the environment.
fn known_provider<S: SettingScope>(
    sources: &SettingSources<'_, S>,
    interface: Interface,
) -> Result<Option<ProviderSettings>, BadSetting> {
    let Some(key) = usual_key(interface, &|name| sources.variable(name))? else { return Ok(None) };
    let base_url = match address_variable(interface) {
        Some(name) => sources.variable(name)?.map(|text| check_known_address(name, text)).transpose()?,
        None => None,
    };
    let name = interface.as_str().to_owned();
    Ok(Some(ProviderSettings { name, interface, base_url, model: None, key }))
}

/// The usual environment variable of the URL.
fn address_variable(interface: Interface) -> Option<&'static str> {
    match interface {
        Interface::OpenAi => Some("OPENAI_BASE_URL"),
        Interface::Anthropic => Some("ANTHROPIC_BASE_URL"),
        Interface::Gemini => None,
    }
}

/// Reads an environment variable; an empty one counts as unset.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Result<Option<String>, BadSetting>;

/// The API key of an interface in the environment.
fn usual_key(interface: Interface, variables: Variables<'_>) -> Result<Option<KeyPlace>, BadSetting> {
    for name in interface.key_variables() {
        if let Some(value) = variables(name)? {
            return Ok(Some(KeyPlace::Variable((*name).to_owned(), Some(Secret::new(&value)))));
        }
    }
    Ok(None)
}

fn check_known_address(variable: &str, text: String) -> Result<String, BadSetting> {
    match check_address(&text) {
        Ok(()) => Ok(text),
        Err(reason) => Err(BadSetting { location: variable.to_owned(), reason }),
    }
}

/// URLs are logged and shown by `doctor`, so they must not contain secrets.
fn check_address(text: &str) -> Result<(), String> {
    text::check_web_address(text).map_err(|refusal| format!("invalid URL: {}", refusal.detail))?;
    if text.contains(['@', '?', '#']) {
        return Err("the URL must not contain user info, a query or a fragment; pass the API key with key_env or \
                    key_file"
            .to_owned());
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= limits::NAME_CHARS_MAX && text.bytes().all(is_sign) && text != BUILT_IN
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::settings::{Both, SettingFlags};

    /// Reads the settings from these variables.
    fn read(variables: &[(&str, &str)]) -> Result<Vec<ProviderSettings>, String> {
        let command = SettingFlags::<Both>::augment_args(Command::new("parlour").no_binary_name(true));
        let flags = SettingFlags::<Both>::from_arg_matches(&command.get_matches_from([""; 0])).expect("flags");
        let environment = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let sources = SettingSources::open(&flags, &environment).expect("sources");
        ProviderSettings::read_all(&sources).map_err(|error| error.to_string())
    }

    fn names(variables: &[(&str, &str)]) -> Vec<String> {
        read(variables).expect("settings").into_iter().map(|provider| provider.name).collect()
    }

    #[test]
    fn a_key_in_the_environment_is_enough() {
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(names(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]), ["openai", "anthropic"]);
        assert_eq!(names(&[("GOOGLE_API_KEY", "k"), ("OPENAI_API_KEY", "")]), ["gemini"]);
        let gemini = read(&[("GOOGLE_API_KEY", "old"), ("GEMINI_API_KEY", "new")]).expect("settings").remove(0);
        assert_eq!(gemini.key, KeyPlace::Variable("GEMINI_API_KEY".into(), Some(Secret::new("new"))));
    }

    #[test]
    fn an_address_in_the_environment_is_used_with_its_key() {
        let both = [("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")];
        assert_eq!(read(&both).expect("settings")[0].base_url.as_deref(), Some("http://127.0.0.1:1/v1"));
        assert_eq!(names(&both[1..]), [""; 0]);
        let wrong = read(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://user:word@x/")]).expect_err("refused");
        assert!(wrong.starts_with("OPENAI_BASE_URL: ") && !wrong.contains("word"), "{wrong}");
    }

    #[test]
    fn a_named_provider_overrides_the_environment() {
        let found = read(&[
            ("OPENAI_API_KEY", "k"),
            ("GEMINI_API_KEY", "k"),
            ("PARLOUR_PROVIDERS", "openai openai model=small, local openai http://127.0.0.1:11434/v1"),
        ]);
        let found = found.expect("settings");
        let short: Vec<_> = found.iter().map(|provider| (provider.name.as_str(), provider.model.as_deref())).collect();
        assert_eq!(short, [("gemini", None), ("openai", Some("small")), ("local", None)]);
    }

    #[test]
    fn debug_output_contains_no_key() {
        let found = read(&[("OPENAI_API_KEY", "sk-secret")]).expect("settings");
        assert!(!format!("{found:?}").contains("sk-secret"));
    }

    #[test]
    fn an_invalid_entry_is_refused_with_its_source() {
        let error = read(&[("PARLOUR_PROVIDERS", "local")]).expect_err("refused");
        assert!(error.starts_with("PARLOUR_PROVIDERS: local: ") && error.contains(EXAMPLE), "{error}");
    }
}
