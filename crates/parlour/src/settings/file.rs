//! The file `parlour.toml`: one line for each setting, `key = "value"`.

use std::{fs, io, path::Path};

use super::{
    BadSetting,
    table::{Setting, TABLE},
};

/// A longer file is no file of settings.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The settings that a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSettings {
    /// Where they were read, for messages.
    name: String,
    values: Vec<(&'static str, String)>,
}

impl FileSettings {
    /// Reads a file; one that is not there is none.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, BadSetting> {
        let name = path.display().to_string();
        let refuse = |reason: String| BadSetting { place: name.clone(), reason };
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refuse(error.to_string())),
            Ok(about) if !about.is_file() => return Err(refuse("this is no file".into())),
            Ok(about) if about.len() > FILE_BYTES_MAX => {
                return Err(refuse(format!("a file of settings is no longer than {FILE_BYTES_MAX} bytes")));
            }
            Ok(_) => {}
        }
        let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        Self::parse(&name, &text).map(Some)
    }

    /// Takes the text of a file. A key that does not exist is refused, so that a typing error cannot be lost.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, BadSetting> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| BadSetting {
            place: name.to_owned(),
            reason: error.to_string().trim_end().to_owned(),
        })?;
        let values: Result<_, _> = table.iter().map(|(key, value)| take(name, key, value)).collect();
        Ok(Self { name: name.to_owned(), values: values? })
    }

    /// The value of a setting.
    pub(super) fn get(&self, setting: &Setting) -> Option<&str> {
        self.values.iter().find(|(key, _)| *key == setting.name).map(|(_, value)| value.as_str())
    }

    /// Where the settings were read.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// One line of the file, or why it cannot be taken.
fn take(file: &str, key: &str, value: &toml::Value) -> Result<(&'static str, String), BadSetting> {
    let known = TABLE.iter().filter_map(Setting::key);
    let Some(known_key) = known.clone().find(|known| *known == key) else {
        let reason = format!("there is no such key; the keys are {}", known.collect::<Vec<_>>().join(", "));
        return Err(BadSetting { place: format!("{file}: {key}"), reason });
    };
    match value {
        toml::Value::String(text) => Ok((known_key, text.clone())),
        other => {
            let reason = format!("this is of type {}; write a text in quotation marks", other.type_str());
            Err(BadSetting { place: format!("{file}: {key}"), reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::settings::table::{DATA, LISTEN};

    fn refused(text: &str) -> String {
        FileSettings::parse("parlour.toml", text).expect_err(text).to_string()
    }

    #[test]
    fn keys_are_read_and_the_rest_is_left_open() {
        let file = FileSettings::parse("parlour.toml", "# mine\nlisten = \"127.0.0.1:1\"\n").expect("file");
        assert_eq!((file.get(&LISTEN), file.get(&DATA)), (Some("127.0.0.1:1"), None));
    }

    #[test]
    fn an_unknown_key_is_refused_with_those_that_exist() {
        let message = refused("lisen = \"127.0.0.1:1\"");
        assert!(message.starts_with("parlour.toml: lisen: there is no such key"), "{message}");
        let keys: Vec<_> = TABLE.iter().filter_map(Setting::key).collect();
        assert!(message.ends_with(&keys.join(", ")), "{message}");
    }

    #[test]
    fn the_file_cannot_name_another_file() {
        assert!(refused("config = \"other.toml\"").contains("no such key"));
    }

    #[test]
    fn only_texts_are_taken() {
        assert!(refused("listen = 4870").contains("of type integer"));
        assert!(refused("[listen]\nport = \"1\"").contains("of type table"));
    }

    #[test]
    fn a_broken_file_is_refused_with_the_line() {
        assert!(refused("listen = \"a\"\nlisten = \"b\"").contains("duplicate key"));
        assert!(refused("listen").contains("line 1"));
    }

    proptest! {
        #[test]
        fn no_text_panics_the_reader(text in ".*|[a-z_= \"\n\\[\\]]*") {
            let _ = FileSettings::parse("parlour.toml", &text);
        }
    }

    #[test]
    fn a_missing_file_holds_nothing_and_a_folder_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(FileSettings::read(&folder.path().join("none.toml")), Ok(None));
        assert!(FileSettings::read(folder.path()).is_err());
    }
}
