//! Sources of settings: flag, environment, file, default, in this order.

use std::{ffi::OsString, path::PathBuf};

use super::{
    BadSetting, SettingFlags,
    file::FileSettings,
    flags::SettingScope,
    table::{CONFIG, Secrecy, Setting, TABLE},
};

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    Flag,
    Environment,
    File(String),
    Default,
}

impl SettingOrigin {
    /// Whether a value of this source overrides one of the other source, or has the same source.
    pub(crate) fn is_at_least(&self, other: &Self) -> bool {
        self.rank() <= other.rank()
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Flag => 0,
            Self::Environment => 1,
            Self::File(_) => 2,
            Self::Default => 3,
        }
    }
}

/// A value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingValue {
    pub(crate) text: String,
    pub(crate) origin: SettingOrigin,
}

/// Reads an environment variable; tests pass their own function.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

pub(crate) struct SettingSources<'a, S> {
    flags: &'a SettingFlags<S>,
    environment: Lookup<'a>,
    file: Option<FileSettings>,
}

impl<'a, S: SettingScope> SettingSources<'a, S> {
    /// Reads the settings file; a file that was given must exist.
    pub(crate) fn open(flags: &'a SettingFlags<S>, environment: Lookup<'a>) -> Result<Self, BadSetting> {
        let mut sources = Self { flags, environment, file: None };
        let Some(config) = sources.find(&CONFIG)? else { return Ok(sources) };
        sources.file = FileSettings::read(&PathBuf::from(&config.text))?;
        if sources.file.is_none() && config.origin != SettingOrigin::Default {
            return Err(sources.refuse(&CONFIG, &config, format!("file {:?} does not exist", config.text)));
        }
        Ok(sources)
    }

    /// An environment variable; an empty one counts as unset.
    pub(crate) fn variable(&self, name: &str) -> Result<Option<String>, BadSetting> {
        let Some(value) = (self.environment)(name).filter(|value| !value.is_empty()) else { return Ok(None) };
        let refuse = |_| BadSetting { location: name.to_owned(), reason: "the value is not valid UTF-8".into() };
        value.into_string().map(Some).map_err(refuse)
    }

    pub(crate) fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(FileSettings::name)
    }

    pub(crate) fn has_secret_in_file(&self) -> bool {
        let secrets = TABLE.iter().filter(|setting| setting.secrecy == Secrecy::Secret);
        self.file.as_ref().is_some_and(|file| secrets.into_iter().any(|secret| file.get(secret).is_some()))
    }

    /// The value of a setting from the first source that has it.
    pub(crate) fn find(&self, setting: &Setting) -> Result<Option<SettingValue>, BadSetting> {
        if let Some(text) = self.flags.get(setting) {
            return Ok(Some(SettingValue { text: text.to_owned(), origin: SettingOrigin::Flag }));
        }
        if let Some(text) = self.variable(&setting.variable())? {
            return Ok(Some(SettingValue { text, origin: SettingOrigin::Environment }));
        }
        if let Some(file) = &self.file
            && let Some(text) = file.get(setting)
        {
            return Ok(Some(SettingValue {
                text: text.to_owned(),
                origin: SettingOrigin::File(file.name().to_owned()),
            }));
        }
        Ok(setting.default.map(|text| SettingValue { text: text.to_owned(), origin: SettingOrigin::Default }))
    }

    /// The parsed value of a setting; the error contains its source.
    pub(crate) fn read<T>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, BadSetting> {
        let Some(found) = self.find(setting)? else { return Ok(None) };
        parse(&found.text).map(Some).map_err(|reason| self.refuse(setting, &found, reason))
    }

    /// The error with the source of a value, without the value.
    fn refuse(&self, setting: &Setting, found: &SettingValue, reason: String) -> BadSetting {
        let location = match &found.origin {
            SettingOrigin::Flag => setting.flag().unwrap_or_default(),
            SettingOrigin::Environment => setting.variable(),
            SettingOrigin::File(file) => format!("{file}: {}", setting.name),
            SettingOrigin::Default => setting.name.to_owned(),
        };
        BadSetting { location, reason }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::settings::{Both, table::LISTEN};

    fn flags(words: &[&str]) -> SettingFlags<Both> {
        let command = SettingFlags::<Both>::augment_args(Command::new("parlour").no_binary_name(true));
        SettingFlags::from_arg_matches(&command.get_matches_from(words)).expect("flags")
    }

    /// Where `listen` is taken from, given a flag, a variable and a file.
    fn listen(flag: Option<&str>, variable: Option<&str>, file: Option<&str>) -> SettingValue {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("some.toml");
        fs::write(&path, file.map(|value| format!("listen = {value:?}")).unwrap_or_default()).expect("file");
        let mut words = vec!["--config", path.to_str().expect("path")];
        words.extend(flag.iter().flat_map(|value| ["--listen", value]));
        let flags = flags(&words);
        let environment = |name: &str| variable.filter(|_| name == "PARLOUR_LISTEN").map(OsString::from);
        let sources = SettingSources::open(&flags, &environment).expect("sources");
        sources.find(&LISTEN).expect("readable").expect("has a default")
    }

    #[test]
    fn flags_override_the_environment_the_file_and_the_defaults() {
        assert_eq!(listen(Some("a"), Some("b"), Some("c")).text, "a");
        assert_eq!(listen(None, Some("b"), Some("c")).text, "b");
        assert_eq!(listen(None, None, Some("c")).text, "c");
        assert_eq!(listen(None, None, None).text, "127.0.0.1:4870");
    }

    #[test]
    fn an_empty_variable_is_unset() {
        assert_eq!(listen(None, Some(""), Some("c")).text, "c");
        assert_eq!(listen(None, Some(""), None).origin, SettingOrigin::Default);
    }

    #[test]
    fn a_named_settings_file_must_exist() {
        let flags = flags(&["--config", "no-such-file.toml"]);
        let error = SettingSources::open(&flags, &|_| None).err().expect("missing");
        assert_eq!(error.to_string(), "--config: file \"no-such-file.toml\" does not exist");
    }

    #[test]
    fn a_refusal_names_the_source_of_the_value() {
        let location = |words: &[&str], variable: Option<&str>| {
            let flags = flags(words);
            let environment = |name: &str| variable.filter(|_| name == "PARLOUR_LISTEN").map(OsString::from);
            let sources = SettingSources::open(&flags, &environment).expect("sources");
            sources.read(&LISTEN, |_| Err::<(), _>("no".into())).expect_err("refused").location
        };
        assert_eq!(location(&["--listen", "x"], Some("y")), "--listen");
        assert_eq!(location(&[], Some("y")), "PARLOUR_LISTEN");
    }
}
