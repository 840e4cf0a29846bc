//! The file `parlour.toml`: one line per setting, `key = "value"`.

use std::{fs, io, path::Path};

use super::{
    BadSetting,
    table::{Setting, TABLE},
};

const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The settings of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSettings {
    /// The path, for messages.
    name: String,
    values: Vec<(&'static str, String)>,
}

impl FileSettings {
    /// Reads a file; none if it does not exist.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, BadSetting> {
        let name = path.display().to_string();
        let refuse = |reason: String| BadSetting { location: name.clone(), reason };
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refuse(error.to_string())),
            Ok(about) if !about.is_file() => return Err(refuse("not a regular file".into())),
            Ok(about) if about.len() > FILE_BYTES_MAX => {
                return Err(refuse(format!("the settings file is larger than {FILE_BYTES_MAX} bytes")));
            }
            Ok(_) => {}
        }
        let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        Self::parse(&name, &text).map(Some)
    }

    /// Parses the text of a file. An unknown key is an error.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, BadSetting> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| BadSetting {
            location: name.to_owned(),
            reason: error.to_string().trim_end().to_owned(),
        })?;
        let values: Result<_, _> = table.iter().map(|(key, value)| take(name, key, value)).collect();
        Ok(Self { name: name.to_owned(), values: values? })
    }

    /// The value of a setting.
    pub(super) fn get(&self, setting: &Setting) -> Option<&str> {
        self.values.iter().find(|(key, _)| *key == setting.name).map(|(_, value)| value.as_str())
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// Checks one key and value.
fn take(file: &str, key: &str, value: &toml::Value) -> Result<(&'static str, String), BadSetting> {
    let known = TABLE.iter().filter_map(Setting::key);
    let Some(known_key) = known.clone().find(|known| *known == key) else {
        let reason = format!("unknown key; valid keys: {}", known.collect::<Vec<_>>().join(", "));
        return Err(BadSetting { location: format!("{file}: {key}"), reason });
    };
    match value {
        toml::Value::String(text) => Ok((known_key, text.clone())),
        other => {
            let reason = format!("the value has type {}; write a string in quotation marks", other.type_str());
            Err(BadSetting { location: format!("{file}: {key}"), reason })
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
    fn present_keys_are_read_and_absent_ones_are_unset() {
        let file = FileSettings::parse("parlour.toml", "# mine\nlisten = \"127.0.0.1:1\"\n").expect("file");
        assert_eq!((file.get(&LISTEN), file.get(&DATA)), (Some("127.0.0.1:1"), None));
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_known_keys() {
        let message = refused("lisen = \"127.0.0.1:1\"");
        assert!(message.starts_with("parlour.toml: lisen: unknown key"), "{message}");
        let keys: Vec<_> = TABLE.iter().filter_map(Setting::key).collect();
        assert!(message.ends_with(&keys.join(", ")), "{message}");
    }

    #[test]
    fn the_file_cannot_name_another_file() {
        assert!(refused("config = \"other.toml\"").contains("unknown key"));
    }

    #[test]
    fn only_strings_are_accepted() {
        assert!(refused("listen = 4870").contains("type integer"));
        assert!(refused("[listen]\nport = \"1\"").contains("type table"));
    }

    #[test]
    fn a_broken_file_is_refused_with_the_line() {
        assert!(refused("listen = \"a\"\nlisten = \"b\"").contains("duplicate key"));
        assert!(refused("listen").contains("line 1"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in ".*|[a-z_= \"\n\\[\\]]*") {
            let _ = FileSettings::parse("parlour.toml", &text);
        }
    }

    #[test]
    fn a_missing_file_is_empty_and_a_folder_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(FileSettings::read(&folder.path().join("none.toml")), Ok(None));
        assert!(FileSettings::read(folder.path()).is_err());
    }
}
