//! Providers with their keys, as the hub uses them.

use std::{fs, path::Path};

use parlour_agent::engines::models::{BadSettings, Interface, ModelClient, ModelEngine, ModelSettings, Secret};
use parlour_core::engine::EngineOffer;

use crate::{
    data_folder::{Privacy, privacy},
    settings::{KeyPlace, ProviderSettings},
};

/// A file with more is no file with a key.
const KEY_BYTES_MAX: u64 = 16 * 1024;
/// Stands for a model when a provider is tried that has none of its own.
const ANY_MODEL: &str = "any";

/// A provider that is ready to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Provider {
    pub(crate) name: String,
    interface: Interface,
    base_url: String,
    /// The model of agents that name none.
    model: Option<String>,
    key: Option<Secret>,
    /// What its operator should look at.
    pub(crate) weakness: Option<String>,
}

impl Provider {
    /// Finds the key and tries whether an engine can be made; nobody is asked over the net. The reason of a refusal
    /// names the provider and the place of the key, never what stands there.
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

    /// What agents can choose.
    pub(crate) fn offer(&self) -> EngineOffer {
        let interface = self.interface.as_str().to_owned();
        EngineOffer { provider: self.name.clone(), interface, model: self.model.clone() }
    }

    /// The engine of an agent that wants this model, or the one that is set up.
    pub(crate) fn engine(&self, model: Option<&str>, client: &ModelClient) -> Result<ModelEngine, BadSettings> {
        let model = model.or(self.model.as_deref()).unwrap_or_default();
        let settings = ModelSettings {
            base_url: self.base_url.clone(),
            key: self.key.clone(),
            ..ModelSettings::new(self.interface, model)
        };
        ModelEngine::with_client(settings, client)
    }

    /// What it is, for people: `openai at http://127.0.0.1:11434/v1, model llama3.2`.
    pub(crate) fn about(&self) -> String {
        let model =
            self.model.as_deref().map_or_else(|| "agents name a model".to_owned(), |name| format!("model {name}"));
        let key = if self.key.is_some() { "" } else { ", without a key" };
        format!("{} ({} at {}, {model}{key})", self.name, self.interface.as_str(), self.base_url)
    }
}

/// The key, or why it cannot be had. The reason names its place, never what stands there.
pub(super) fn find_key(place: &KeyPlace) -> Result<Option<Secret>, String> {
    match place {
        KeyPlace::Nowhere => Ok(None),
        KeyPlace::Variable(_, Some(key)) => Ok(Some(key.clone())),
        KeyPlace::Variable(name, None) => Err(format!("its key is to be in {name}, which is not set")),
        KeyPlace::File(path) => read_key(path).map(Some),
    }
}

fn read_key(path: &Path) -> Result<Secret, String> {
    let refuse = |reason: &dyn std::fmt::Display| format!("its key cannot be read from {}: {reason}", path.display());
    let about = fs::metadata(path).map_err(|error| refuse(&error))?;
    if !about.is_file() || about.len() > KEY_BYTES_MAX {
        return Err(refuse(&"this is no file with a key"));
    }
    let text = fs::read(path).map_err(|error| refuse(&error))?;
    let text = String::from_utf8(text).map_err(|_| refuse(&"this is no UTF-8"))?;
    if text.trim().is_empty() { Err(refuse(&"it is empty")) } else { Ok(Secret::new(&text)) }
}

/// What an operator should look at about a key.
pub(super) fn weakness(whose: &str, key: &KeyPlace) -> Option<String> {
    let KeyPlace::File(path) = key else { return None };
    let is_open = privacy(path).is_ok_and(|privacy| privacy == Privacy::OpenToOthers);
    is_open.then(|| format!("others can read the key of {whose}: chmod 600 '{}'", path.display()))
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
    fn a_key_that_is_not_there_is_refused_with_its_place() {
        assert_eq!(
            open(&settings(KeyPlace::Variable("MY_KEY".into(), None))),
            Err("the provider work: its key is to be in MY_KEY, which is not set".to_owned())
        );
        let (folder, empty) = (tempfile::tempdir().expect("a folder"), key_file("\n"));
        for (path, word) in [
            (folder.path().join("none"), "No such file"),
            (folder.path().into(), "no file with a key"),
            (empty.path().into(), "it is empty"),
        ] {
            let reason = open(&settings(KeyPlace::File(path))).expect_err(word);
            assert!(reason.starts_with("the provider work: its key cannot be read from /"), "{reason}");
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_refused_without_showing_it() {
        for (key, url) in [("sk-\u{7}x", None), ("sk-x", Some("http://models.example/v1"))] {
            let wrong = ProviderSettings { base_url: url.map(ToOwned::to_owned), ..settings(variable(key)) };
            let reason = open(&wrong).expect_err("refused");
            assert!(reason.starts_with("the provider work: the key ") && !reason.contains("sk-"), "{reason}");
        }
    }

    #[test]
    fn a_key_that_others_can_read_is_a_weakness() {
        let file = key_file("sk-2");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).expect("set");
        let weakness = open(&settings(KeyPlace::File(file.path().into()))).expect("open").weakness;
        assert!(weakness.is_some_and(|text| text.contains("chmod 600")));
    }

    #[test]
    fn nothing_that_is_shown_of_it_holds_the_key() {
        let provider = open(&settings(variable("sk-1"))).expect("open");
        assert_eq!(provider.about(), "work (anthropic at https://api.anthropic.com, agents name a model)");
        assert!(!format!("{provider:?}{:?}", settings(variable("sk-1"))).contains("sk-1"));
    }
}
