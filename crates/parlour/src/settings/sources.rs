//! Where a value comes from: a flag before the environment, the environment before the file, then the default.

use std::{ffi::OsString, path::PathBuf};

use super::{
    BadSetting, Flags,
    file::FileSettings,
    flags::Scope,
    table::{CONFIG, Secrecy, Setting, TABLE},
};

/// The place that a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A flag of the command.
    Flag,
    /// The environment.
    Environment,
    /// This file.
    File(String),
    /// Nobody has said anything.
    Default,
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) origin: Origin,
}

/// Looks a variable of the environment up. RawAnswer, so that tests need not touch the real one.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// All sources of one command.
pub(crate) struct Sources<'a, S> {
    flags: &'a Flags<S>,
    environment: Lookup<'a>,
    file: Option<FileSettings>,
}

impl<'a, S: Scope> Sources<'a, S> {
    /// Reads the file, if there is one. A file that somebody has named must be there.
    pub(crate) fn open(flags: &'a Flags<S>, environment: Lookup<'a>) -> Result<Self, BadSetting> {
        let mut sources = Self { flags, environment, file: None };
        let Some(config) = sources.find(&CONFIG)? else { return Ok(sources) };
        sources.file = FileSettings::read(&PathBuf::from(&config.text))?;
        if sources.file.is_none() && config.origin != Origin::Default {
            return Err(sources.refuse(&CONFIG, &config, format!("there is no file {:?}", config.text)));
        }
        Ok(sources)
    }

    /// A variable of the environment that is no setting of this program. An empty one counts as none.
    pub(crate) fn variable(&self, name: &str) -> Result<Option<String>, BadSetting> {
        let Some(value) = (self.environment)(name).filter(|value| !value.is_empty()) else { return Ok(None) };
        let refuse = |_| BadSetting { place: name.to_owned(), reason: "this is no UTF-8".into() };
        value.into_string().map(Some).map_err(refuse)
    }

    /// The name of the file that was read.
    pub(crate) fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(FileSettings::name)
    }

    /// Whether the file holds a token.
    pub(crate) fn has_secret_in_file(&self) -> bool {
        let secrets = TABLE.iter().filter(|setting| setting.secrecy == Secrecy::Secret);
        self.file.as_ref().is_some_and(|file| secrets.into_iter().any(|secret| file.get(secret).is_some()))
    }

    /// The value of a setting. An empty variable counts as none, as in a list of variables that are to be filled in.
    pub(crate) fn find(&self, setting: &Setting) -> Result<Option<Found>, BadSetting> {
        if let Some(text) = self.flags.get(setting) {
            return Ok(Some(Found { text: text.to_owned(), origin: Origin::Flag }));
        }
        if let Some(text) = self.variable(&setting.variable())? {
            return Ok(Some(Found { text, origin: Origin::Environment }));
        }
        if let Some(file) = &self.file
            && let Some(text) = file.get(setting)
        {
            return Ok(Some(Found { text: text.to_owned(), origin: Origin::File(file.name().to_owned()) }));
        }
        Ok(setting.default.map(|text| Found { text: text.to_owned(), origin: Origin::Default }))
    }

    /// The value of a setting after `parse`; a refusal names the place where the value was written.
    pub(crate) fn read<T>(
        &self,
        setting: &Setting,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, BadSetting> {
        let Some(found) = self.find(setting)? else { return Ok(None) };
        parse(&found.text).map(Some).map_err(|reason| self.refuse(setting, &found, reason))
    }

    /// Names the place where a value can be corrected, never the value of a secret.
    fn refuse(&self, setting: &Setting, found: &Found, reason: String) -> BadSetting {
        let place = match &found.origin {
            Origin::Flag => setting.flag().unwrap_or_default(),
            Origin::Environment => setting.variable(),
            Origin::File(file) => format!("{file}: {}", setting.name),
            Origin::Default => setting.name.to_owned(),
        };
        BadSetting { place, reason }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::settings::{Both, table::LISTEN};

    fn flags(words: &[&str]) -> Flags<Both> {
        let command = Flags::<Both>::augment_args(Command::new("parlour").no_binary_name(true));
        Flags::from_arg_matches(&command.get_matches_from(words)).expect("flags")
    }

    /// Where `listen` is taken from, given a flag, a variable and a file.
    fn listen(flag: Option<&str>, variable: Option<&str>, file: Option<&str>) -> Found {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("some.toml");
        fs::write(&path, file.map(|value| format!("listen = {value:?}")).unwrap_or_default()).expect("file");
        let mut words = vec!["--config", path.to_str().expect("path")];
        words.extend(flag.iter().flat_map(|value| ["--listen", value]));
        let flags = flags(&words);
        let environment = |name: &str| variable.filter(|_| name == "PARLOUR_LISTEN").map(OsString::from);
        let sources = Sources::open(&flags, &environment).expect("sources");
        sources.find(&LISTEN).expect("readable").expect("has a default")
    }

    #[test]
    fn a_flag_goes_before_the_environment_before_the_file_before_the_default() {
        assert_eq!(listen(Some("a"), Some("b"), Some("c")).text, "a");
        assert_eq!(listen(None, Some("b"), Some("c")).text, "b");
        assert_eq!(listen(None, None, Some("c")).text, "c");
        assert_eq!(listen(None, None, None).text, "127.0.0.1:4870");
    }

    #[test]
    fn an_empty_variable_counts_as_none() {
        assert_eq!(listen(None, Some(""), Some("c")).text, "c");
        assert_eq!(listen(None, Some(""), None).origin, Origin::Default);
    }

    #[test]
    fn a_file_that_somebody_named_must_be_there() {
        let flags = flags(&["--config", "no-such-file.toml"]);
        let error = Sources::open(&flags, &|_| None).err().expect("missing");
        assert_eq!(error.to_string(), "--config: there is no file \"no-such-file.toml\"");
    }

    #[test]
    fn a_refusal_names_the_place_that_was_written() {
        let place = |words: &[&str], variable: Option<&str>| {
            let flags = flags(words);
            let environment = |name: &str| variable.filter(|_| name == "PARLOUR_LISTEN").map(OsString::from);
            let sources = Sources::open(&flags, &environment).expect("sources");
            sources.read(&LISTEN, |_| Err::<(), _>("no".into())).expect_err("refused").place
        };
        assert_eq!(place(&["--listen", "x"], Some("y")), "--listen");
        assert_eq!(place(&[], Some("y")), "PARLOUR_LISTEN");
    }
}
