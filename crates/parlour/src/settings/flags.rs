//! The flags that a command takes, made from the table.

use std::marker::PhantomData;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::table::{Reader, Setting, TABLE};

/// Which settings a command takes as flags.
pub(crate) trait Scope {
    /// Who is meant.
    const READERS: &'static [Reader];
}

/// Settings of the hub.
#[derive(Clone, Debug)]
pub(crate) struct ForServer;

/// Settings of commands that talk to a hub.
#[derive(Clone, Debug)]
pub(crate) struct ForClients;

/// All of them.
#[derive(Clone, Debug)]
pub(crate) struct Both;

impl Scope for ForServer {
    const READERS: &'static [Reader] = &[Reader::Everyone, Reader::Server];
}

impl Scope for ForClients {
    const READERS: &'static [Reader] = &[Reader::Everyone, Reader::Client];
}

impl Scope for Both {
    const READERS: &'static [Reader] = &[Reader::Everyone, Reader::Server, Reader::Client];
}

/// The settings that were given as flags.
#[derive(Clone, Debug)]
pub(crate) struct Flags<S> {
    given: Vec<(&'static str, String)>,
    scope: PhantomData<S>,
}

impl<S: Scope> Flags<S> {
    /// The value that was given for a setting.
    pub(crate) fn get(&self, setting: &Setting) -> Option<&str> {
        self.given.iter().find(|(name, _)| *name == setting.name).map(|(_, value)| value.as_str())
    }

    /// The settings of the scope that may be given as a flag.
    fn settings() -> impl Iterator<Item = &'static Setting> {
        TABLE.iter().filter(|setting| S::READERS.contains(&setting.reader) && setting.flag().is_some())
    }
}

impl<S: Scope> Args for Flags<S> {
    fn augment_args(command: Command) -> Command {
        Self::settings().fold(command, |command, setting| command.arg(arg(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> FromArgMatches for Flags<S> {
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

/// Environment and default are told in the help, but looked up later: clap would not say which of them it took.
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

    fn parsed<S: Scope>(words: &[&str]) -> Result<Flags<S>, clap::Error> {
        let command = Flags::<S>::augment_args(Command::new("parlour").no_binary_name(true));
        Flags::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn what_is_given_is_found_and_the_rest_is_left_open() {
        let flags = parsed::<ForServer>(&["--listen", "127.0.0.1:0"]).expect("flags");
        assert_eq!((flags.get(&LISTEN), flags.get(&DATA)), (Some("127.0.0.1:0"), None));
    }

    #[test]
    fn a_command_takes_only_the_flags_of_its_readers() {
        assert!(parsed::<ForServer>(&["--url", "http://x"]).is_err());
        assert!(parsed::<ForClients>(&["--listen", "x"]).is_err());
        let flags = parsed::<Both>(&["--url", "u", "--data", "d"]).expect("flags");
        assert_eq!((flags.get(&URL), flags.get(&DATA)), (Some("u"), Some("d")));
    }

    #[test]
    fn no_secret_is_taken_as_a_flag() {
        assert!(parsed::<ForClients>(&["--token", "x"]).is_err());
        assert_eq!(parsed::<ForClients>(&[]).expect("none").get(&TOKEN), None);
    }
}
