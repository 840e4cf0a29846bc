//! Model providers with their API keys.

use std::{fs, path::Path};

use parlour_agent::engines::models::{Interface, ModelClient, ModelEngine, ModelSettings, ModelSettingsError, Secret};
use parlour_core::engine::EngineOffer;

use crate::{
    data_folder::{Privacy, privacy},
    settings::{KeyPlace, ProviderSettings},
};

/// Maximum size of a key file.
const KEY_BYTES_MAX: u64 = 16 * 1024;
/// The model name for checking a provider without a default model.
const ANY_MODEL: &str = "any";

/// A provider with its API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Provider {
    pub(crate) name: String,
    interface: Interface,
    base_url: String,
    /// The default model.
    model: Option<String>,
    key: Option<Secret>,
    /// A warning for the operator.
    pub(crate) weakness: Option<String>,
}

impl Provider {
    /// Reads the API key and checks the settings, without network requests. Errors contain the source of the key, never
    /// the key.
    pub(crate) fn open(settings: &ProviderSettings, client: &ModelClient) -> Result<Self, String> {
        let refuse = |reason| format!("the provider {}: {reason}", settings.name);
        let provider = Self {
            name: settings.name.clone(),
            interface: settings.interface,
            base_url: settings.base_url.clone().unwrap_or_else(|| settings.interface.usual_url().to_owned()),
            model: settings.model.clone(),
            key: find_key(&settings.key).map_err(refuse)?,
            weakness: weakness(&format!("the provider {}", settings.name), &settings.key),
        };
        provider.engine(Some(ANY_MODEL), client).map_err(|error| refuse(error.to_string()))?;
        Ok(provider)
    }

    pub(crate) fn offer(&self) -> EngineOffer {
        let interface = self.interface.as_str().to_owned();
        EngineOffer { provider: self.name.clone(), interface, model: self.model.clone() }
    }

    /// Creates an engine with this model or the default one.
    pub(crate) fn engine(&self, model: Option<&str>, client: &ModelClient) -> Result<ModelEngine, ModelSettingsError> {
        let model = model.or(self.model.as_deref()).unwrap_or_default();
        let settings = ModelSettings {
            base_url: self.base_url.clone(),
            key: self.key.clone(),
            ..ModelSettings::new(self.interface, model)
        };
        ModelEngine::with_client(settings, client)
    }

    /// For example `local (openai at http://127.0.0.1:11434/v1, model llama3.2)`.
    pub(crate) fn about(&self) -> String {
        let model =
            self.model.as_deref().map_or_else(|| "model set per agent".to_owned(), |name| format!("model {name}"));
        let key = if self.key.is_some() { "" } else { ", without a key" };
        format!("{} ({} at {}, {model}{key})", self.name, self.interface.as_str(), self.base_url)
    }
}

/// Reads the API key. Errors contain its source, never the key.
pub(super) fn find_key(source: &KeyPlace) -> Result<Option<Secret>, String> {
    match source {
        KeyPlace::Nowhere => Ok(None),
        KeyPlace::Variable(_, Some(key)) => Ok(Some(key.clone())),
        KeyPlace::Variable(name, None) => Err(format!("the environment variable {name} for its API key is not set")),
        KeyPlace::File(path) => read_key(path).map(Some),
    }
}

fn read_key(path: &Path) -> Result<Secret, String> {
    let refuse = |reason: &dyn std::fmt::Display| format!("cannot read its API key from {}: {reason}", path.display());
    let about = fs::metadata(path).map_err(|error| refuse(&error))?;
    if !about.is_file() || about.len() > KEY_BYTES_MAX {
        return Err(refuse(&"not a file with an API key"));
    }
    let text = fs::read(path).map_err(|error| refuse(&error))?;
    let text = String::from_utf8(text).map_err(|_| refuse(&"invalid UTF-8"))?;
    if text.trim().is_empty() { Err(refuse(&"it is empty")) } else { Ok(Secret::new(&text)) }
}

/// A warning about a key file that others can read.
pub(super) fn weakness(whose: &str, key: &KeyPlace) -> Option<String> {
    let KeyPlace::File(path) = key else { return None };
    let is_open = privacy(path).is_ok_and(|privacy| privacy == Privacy::OpenToOthers);
    is_open.then(|| format!("other users can read the API key of {whose}; run: chmod 600 '{}'", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use parlour_agent::TlsOptions;

    use super::*;

    fn settings(key: KeyPlace) -> ProviderSettings {
        let (name, interface) = ("work".to_owned(), Interface::Anthropic);
        ProviderSettings { name, interface, base_url: None, model: None, key }
    }

    fn variable(value: &str) -> KeyPlace {
        KeyPlace::Variable("K".into(), Some(Secret::new(value)))
    }

    fn open(settings: &ProviderSettings) -> Result<Provider, String> {
        Provider::open(settings, &ModelClient::new(&TlsOptions::default()).expect("a client"))
    }

    fn key_file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), text).expect("written");
        file
    }

    #[test]
    fn a_key_comes_from_a_variable_or_a_file() {
        assert_eq!(open(&settings(variable("sk-1"))).expect("open").key, Some(Secret::new("sk-1")));
        let file = key_file("sk-2\n");
        let provider = open(&settings(KeyPlace::File(file.path().into()))).expect("open");
        assert_eq!((provider.key, provider.weakness), (Some(Secret::new("sk-2")), None));
        assert_eq!(open(&settings(KeyPlace::Nowhere)).expect("open").key, None);
    }

    #[test]
    fn a_missing_key_is_refused_with_its_source() {
        assert_eq!(
            open(&settings(KeyPlace::Variable("MY_KEY".into(), None))),
            Err("the provider work: the environment variable MY_KEY for its API key is not set".to_owned())
        );
        let (folder, empty) = (tempfile::tempdir().expect("a folder"), key_file("\n"));
        for (path, word) in [
            (folder.path().join("none"), "No such file"),
            (folder.path().into(), "not a file with an API key"),
            (empty.path().into(), "it is empty"),
        ] {
            let reason = open(&settings(KeyPlace::File(path))).expect_err(word);
            assert!(reason.starts_with("the provider work: cannot read its API key from /"), "{reason}");
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn an_invalid_key_is_refused_without_showing_it() {
        for (key, url) in [("sk-\u{7}x", None), ("sk-x", Some("http://models.example/v1"))] {
            let wrong = ProviderSettings { base_url: url.map(ToOwned::to_owned), ..settings(variable(key)) };
            let reason = open(&wrong).expect_err("refused");
            assert!(reason.starts_with("the provider work: the key ") && !reason.contains("sk-"), "{reason}");
        }
    }

    #[test]
    fn a_key_file_readable_by_others_is_a_warning() {
        let file = key_file("sk-2");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).expect("set");
        let weakness = open(&settings(KeyPlace::File(file.path().into()))).expect("open").weakness;
        assert!(weakness.is_some_and(|text| text.contains("chmod 600")));
    }

    #[test]
    fn debug_output_contains_no_key() {
        let provider = open(&settings(variable("sk-1"))).expect("open");
        assert_eq!(provider.about(), "work (anthropic at https://api.anthropic.com, model set per agent)");
        assert!(!format!("{provider:?}{:?}", settings(variable("sk-1"))).contains("sk-1"));
    }
}
