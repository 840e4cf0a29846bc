//! The words of a command line before clap parses them.
//!
//! clap accepts an option only behind the command that declares it. Connection options belong to every command that calls
//! a hub, so `parlour --project Apollo post …` and `parlour channel --project Apollo list` are accepted too: the options
//! are moved behind the last subcommand.

use std::ffi::OsString;

use clap::Command;

use crate::settings::{ForClients, SettingFlags};

const JSON: &str = "--json";
/// The command that a command line without one means.
const DEFAULT_COMMAND: &str = "serve";

/// Moves connection options behind the last subcommand, and adds the default command if there is none. All other words
/// keep their order; the rest is left to clap.
pub(super) fn normalised(words: Vec<OsString>, definition: &Command) -> Vec<OsString> {
    let mut words = words.into_iter();
    let mut line: Vec<_> = words.next().into_iter().collect();
    let mut rest: Vec<_> = words.collect();
    let (mut command, mut options) = (definition, Vec::new());
    while command.has_subcommands() && !rest.is_empty() {
        let length = option_length(&rest);
        if length > 0 {
            options.extend(rest.drain(..length.min(rest.len())));
            continue;
        }
        let Some(next) = rest[0].to_str().and_then(|word| command.find_subcommand(word)) else { break };
        command = next;
        line.push(rest.remove(0));
    }
    if line.len() == 1 {
        match rest.first().map(|word| word.to_string_lossy().into_owned()).as_deref() {
            Some("-h" | "--help" | "-V" | "--version") => options.clear(),
            Some(word) if !word.starts_with('-') => line.push(rest.remove(0)),
            _ => line.push(DEFAULT_COMMAND.into()),
        }
    }
    line.extend(options);
    line.extend(rest);
    line
}

/// The first command of a command line, the name of the program first.
pub(crate) fn first_command(words: &[String]) -> Option<&str> {
    let mut rest = words.get(1..)?;
    loop {
        match option_length(rest) {
            0 => return rest.first().map(String::as_str),
            length => rest = rest.get(length..)?,
        }
    }
}

/// Whether a command line asks for JSON. Words behind `--` are texts.
pub(crate) fn has_json_flag(words: &[OsString]) -> bool {
    words.iter().skip(1).take_while(|word| *word != "--").any(|word| word == JSON)
}

/// The number of words of the connection option at the start: 0 if there is none.
fn option_length(words: &[impl AsRef<std::ffi::OsStr>]) -> usize {
    let Some(word) = words.first().and_then(|word| word.as_ref().to_str()) else { return 0 };
    if word == JSON {
        return 1;
    }
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    match SettingFlags::<ForClients>::settings().any(|setting| setting.flag().as_deref() == Some(name)) {
        true => 1 + usize::from(value.is_none()),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let words = ["parlour"].into_iter().chain(text.split_whitespace()).map(OsString::from).collect();
        let line = normalised(words, &crate::cli::definition());
        line.iter().skip(1).map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn connection_options_move_behind_the_last_subcommand() {
        assert_eq!(line("--project Apollo post general hi"), "post --project Apollo general hi");
        assert_eq!(line("--json channel --url=http://x list"), "channel list --json --url=http://x");
        assert_eq!(line("agent --project Apollo --name Coder"), "agent --project Apollo --name Coder");
        assert_eq!(line("agent --project Apollo list"), "agent list --project Apollo");
        assert_eq!(line("post general --project Apollo"), "post general --project Apollo");
    }

    #[test]
    fn texts_and_options_of_commands_stay_where_they_are() {
        assert_eq!(line("post general --importance high channel"), "post general --importance high channel");
        assert_eq!(line("--project channel list"), "list --project channel", "the value of an option is no command");
        assert_eq!(line("hook as --config x --project y post"), "hook as --config x --project y post");
    }

    #[test]
    fn a_line_without_a_command_starts_the_hub() {
        assert_eq!(line(""), "serve");
        assert_eq!(line("--config x --data y"), "serve --config x --data y");
        assert_eq!(line("--project"), "serve --project");
        assert_eq!(line("pots --json"), "pots --json");
        assert_eq!(line("--json pots"), "pots --json");
        assert_eq!(line("--json --version"), "--version");
    }

    #[test]
    fn the_first_command_is_found_behind_connection_options() {
        let first = |text: &str| {
            let words: Vec<_> = text.split(' ').map(str::to_owned).collect();
            first_command(&words).map(str::to_owned)
        };
        assert_eq!(first("parlour agent --name x").as_deref(), Some("agent"));
        assert_eq!(first("parlour --profile work --json agent").as_deref(), Some("agent"));
        assert_eq!(first("parlour --profile=work agent").as_deref(), Some("agent"));
        assert_eq!((first("parlour"), first("parlour --profile")), (None, None));
    }
}
