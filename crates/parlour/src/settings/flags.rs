//! The flags of settings, generated from the table.

use std::marker::PhantomData;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::table::{Setting, SettingReader, TABLE};

/// The settings that a command has as flags.
pub(crate) trait SettingScope {
    const READERS: &'static [SettingReader];
}

#[derive(Clone, Debug)]
pub(crate) struct ForServer;

#[derive(Clone, Debug)]
pub(crate) struct ForClients;

#[derive(Clone, Debug)]
pub(crate) struct Both;

impl SettingScope for ForServer {
    const READERS: &'static [SettingReader] = &[SettingReader::Everyone, SettingReader::Server];
}

impl SettingScope for ForClients {
    const READERS: &'static [SettingReader] = &[SettingReader::Everyone, SettingReader::Client];
}

impl SettingScope for Both {
    const READERS: &'static [SettingReader] = &[SettingReader::Everyone, SettingReader::Server, SettingReader::Client];
}

#[derive(Clone, Debug)]
pub(crate) struct SettingFlags<S> {
    given: Vec<(&'static str, String)>,
    scope: PhantomData<S>,
}

impl<S: SettingScope> SettingFlags<S> {
    pub(crate) fn get(&self, setting: &Setting) -> Option<&str> {
        self.given.iter().find(|(name, _)| *name == setting.name).map(|(_, value)| value.as_str())
    }

    /// The settings that have a flag, in the order of the help.
    pub(crate) fn settings() -> impl Iterator<Item = &'static Setting> {
        TABLE.iter().filter(|setting| S::READERS.contains(&setting.reader) && setting.flag().is_some())
    }
}

impl<S: SettingScope> Args for SettingFlags<S> {
    fn augment_args(command: Command) -> Command {
        Self::settings().fold(command, |command, setting| command.arg(arg(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: SettingScope> FromArgMatches for SettingFlags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Self::settings()
            .filter_map(|setting| Some((setting.name, matches.get_one::<String>(setting.name)?.clone())));
        Ok(Self { given: given.collect(), scope: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Environment and default are only shown in the help; they are read later, because clap does not report the source.
fn arg(setting: &'static Setting) -> Arg {
    let default = setting.default.map(|default| format!(" [default: {default}]")).unwrap_or_default();
    Arg::new(setting.name)
        .long(setting.name.replace('_', "-"))
        .value_name(setting.value)
        .help(format!("{} [env: {}]{default}", setting.meaning, setting.variable()))
        .help_heading("Settings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::table::{DATA, LISTEN, TOKEN, URL};

    fn parsed<S: SettingScope>(words: &[&str]) -> Result<SettingFlags<S>, clap::Error> {
        let command = SettingFlags::<S>::augment_args(Command::new("parlour").no_binary_name(true));
        SettingFlags::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn given_flags_are_read_and_absent_ones_are_unset() {
        let flags = parsed::<ForServer>(&["--listen", "127.0.0.1:0"]).expect("flags");
        assert_eq!((flags.get(&LISTEN), flags.get(&DATA)), (Some("127.0.0.1:0"), None));
    }

    #[test]
    fn a_command_accepts_only_the_flags_of_its_audience() {
        assert!(parsed::<ForServer>(&["--url", "http://x"]).is_err());
        assert!(parsed::<ForClients>(&["--listen", "x"]).is_err());
        let flags = parsed::<Both>(&["--url", "u", "--data", "d"]).expect("flags");
        assert_eq!((flags.get(&URL), flags.get(&DATA)), (Some("u"), Some("d")));
    }

    #[test]
    fn no_secret_can_be_given_as_a_flag() {
        assert!(parsed::<ForClients>(&["--token", "x"]).is_err());
        assert_eq!(parsed::<ForClients>(&[]).expect("none").get(&TOKEN), None);
    }
}
