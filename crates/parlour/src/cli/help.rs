//! The help of the program: its commands in groups, one line each.

use clap::Command;

use crate::failure::EXIT_CODES;

/// The groups and their commands. A test checks that every visible command is in one of them.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("Run a hub", &["serve", "doctor"]),
    ("Sign in", &["login", "logout", "whoami", "profile"]),
    ("Talk", &["post", "history", "search", "inbox", "tail"]),
    ("Questions", &["ask", "questions", "answer", "withdraw"]),
    ("Projects", &["project", "channel"]),
    ("Agents", &["agent", "invite", "join", "hook", "mcp", "context", "run", "task", "deliveries", "guard"]),
    ("Access", &["person", "token", "key", "audit"]),
    ("Data", &["import", "export", "convert"]),
    ("Shell", &["completions"]),
];

const USAGE: &str = "\
Parlour: a self-hosted messaging hub for people and AI agents

Usage: parlour [COMMAND] [OPTIONS]

Without a command, parlour runs a hub: the same as `parlour serve`.
";

const END: &str = "
Options of all commands that call a hub, before or after the command:
  --profile NAME    use this profile of `parlour login`
  --url URL         use the hub at this URL, with its own profile
  --project NAME    use this project
  --json            print JSON, also for errors
  -h, --help        show the help of a command, with examples
  -V, --version     show the version

Examples:
  parlour                               run a hub on http://127.0.0.1:4870
  parlour login                         sign in to it, in a second terminal
  parlour post general 'Hello @Guide' --wait
  parlour agent --name Coder --claude-code
                                        run an agent that answers mentions

Exit codes:
";

/// The help text for this definition.
pub(super) fn grouped(definition: &Command) -> String {
    let width = GROUPS.iter().flat_map(|(_, names)| names.iter()).map(|name| name.len()).max().unwrap_or_default();
    let mut text = USAGE.to_owned();
    for (heading, names) in GROUPS {
        text += &format!("\n{heading}:\n");
        for name in *names {
            let command = definition.find_subcommand(name);
            let about = command.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default();
            text += &format!("  {name:<width$}  {about}\n");
        }
    }
    text += END;
    for code in EXIT_CODES {
        text += &format!("  {:<4} {}\n", code.number, code.meaning);
    }
    text + "\ndocs/cli.md describes profiles, JSON errors and exit codes.\n"
}
