//! The command line: what can be typed, and what it calls.

use clap::{Parser, Subcommand};

use crate::{
    commands::{
        agent, answer, ask, audit, channel, context, convert, deliveries, doctor, export, guard, history, hook, import,
        inbox, invite, join, key, mcp, person, post, project, questions, reference, run, search, serve, tail, task,
        token,
    },
    failure::Failure,
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  parlour                                 run a hub on http://127.0.0.1:4870, data in ./parlour-data
  parlour post general 'Hello @Coder'     say something in a channel
  parlour history general                 read it
  parlour tail                            watch what happens
  parlour agent --name Coder --exec 'claude -p'
                                          bring in an agent that answers when it is mentioned
  parlour invite                          let an agent on another machine join
  parlour doctor                          look whether everything is in order

Commands that talk to a hub need PARLOUR_TOKEN; the hub shows a first one at its first start.";

/// Parlour: a hub where people and AI agents work together.
#[derive(Debug, Parser)]
#[command(name = "parlour", version, about, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Serve,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Post(post::Post),
    History(history::History),
    Search(search::Search),
    Inbox(Box<inbox::Inbox>),
    Tail(tail::Tail),
    Ask(Box<ask::Ask>),
    Questions(questions::Questions),
    Answer(answer::Answer),
    Withdraw(answer::Withdraw),
    Deliveries(deliveries::Deliveries),
    /// Make and show projects
    #[command(subcommand)]
    Project(project::Project),
    /// Make, show and change channels
    #[command(subcommand)]
    Channel(channel::Channel),
    Agent(Box<agent::Agent>),
    Context(Box<context::Context>),
    Mcp(mcp::Mcp),
    /// Show and steer the turns of agents, or be one from a script
    #[command(subcommand)]
    Run(run::Run),
    /// Show what happened to tasks
    #[command(subcommand)]
    Task(task::Task),
    /// Show and lift the loop guard
    #[command(subcommand)]
    Guard(guard::Guard),
    /// Add and show people
    #[command(subcommand)]
    Person(person::Person),
    Invite(invite::Invite),
    Join(join::Join),
    /// Issue, show and end tokens
    #[command(subcommand)]
    Token(token::Token),
    /// Change the key that tokens are signed with
    #[command(subcommand)]
    Key(key::Key),
    /// Show, export and verify the audit log
    #[command(subcommand)]
    Audit(audit::Audit),
    Import(Box<import::Import>),
    Export(export::Export),
    Convert(convert::Convert),
    Hook(hook::Hook),
    Doctor(doctor::Doctor),
    /// Print what is generated from the code
    #[command(subcommand, hide = true)]
    Reference(reference::Reference),
}

impl Cli {
    /// Does what was typed.
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command.unwrap_or(Command::Serve(self.serve)) {
            Command::Serve(command) => command.run().await,
            Command::Post(command) => command.run().await,
            Command::History(command) => command.run().await,
            Command::Search(command) => command.run().await,
            Command::Inbox(command) => command.run().await,
            Command::Tail(command) => command.run().await,
            Command::Ask(command) => command.run().await,
            Command::Questions(command) => command.run().await,
            Command::Answer(command) => command.run().await,
            Command::Withdraw(command) => command.run().await,
            Command::Deliveries(command) => command.run().await,
            Command::Project(command) => command.run().await,
            Command::Channel(command) => command.run().await,
            Command::Agent(command) => command.run().await,
            Command::Context(command) => command.run().await,
            Command::Mcp(command) => command.run().await,
            Command::Run(command) => command.run().await,
            Command::Task(command) => command.run().await,
            Command::Guard(command) => command.run().await,
            Command::Person(command) => command.run().await,
            Command::Invite(command) => command.run().await,
            Command::Join(command) => command.run().await,
            Command::Token(command) => command.run().await,
            Command::Key(command) => command.run().await,
            Command::Audit(command) => command.run().await,
            Command::Import(command) => command.run().await,
            Command::Export(command) => command.run().await,
            Command::Convert(command) => command.run(),
            Command::Hook(command) => command.run().await,
            Command::Doctor(command) => command.run().await,
            Command::Reference(command) => command.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from([&["parlour"], words].concat())
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn without_a_command_it_serves() {
        assert!(parsed(&[]).expect("nothing").command.is_none());
        assert!(parsed(&["--data", "x"]).expect("a flag of serve").command.is_none());
    }

    /// One line for each command that talks to a hub, with its own flags.
    const LINES: &[&str] = &[
        "post general hello",
        "history general",
        "search hello",
        "inbox",
        "inbox --importance high --mentions --blocking --in general --by-importance",
        "inbox counts",
        "inbox digest --agent Coder",
        "inbox read msg_1 msg_2",
        "inbox read --in general --up-to msg_1",
        "ask @Mara Ship? --option yes=Ship --option no --default no --expires 10m --wait",
        "questions --all",
        "answer msg_1 yes",
        "answer msg_1 --ignore",
        "answer msg_1 --value 7",
        "withdraw msg_1",
        "deliveries msg_1 --wait seen --for Coder --timeout 5m",
        "run list --open --agent Coder",
        "run show run_1",
        "run start --label Build --in general --lease 10m",
        "run checkpoint run_1",
        "run beat run_1",
        "run resume run_1 msg_1",
        "run finish run_1 --failed broken",
        "run cancel run_1 --reason enough",
        "run timeline run_1",
        "run injections run_1 --texts",
        "run injections run_1 --with run_2",
        "context --agent Coder --budget 512 --format openai-chat --model gpt-4o --in general --task tsk_1 --explain",
        "context --message msg_1 --query why --notice frozen --told msg_2 --run run_1",
        "task timeline tsk_1",
        "tail",
        "tail --since start --channel general",
        "post general --stream",
        "project create Apollo",
        "project list",
        "project show",
        "project invite Mara",
        "channel create general",
        "channel list",
        "channel archive general",
        "channel unarchive general",
        "channel members general",
        "channel subscribers general",
        "channel subscribe general Coder",
        "channel unsubscribe general Coder",
        "agent create Coder",
        "agent list",
        "agent token Coder",
        "agent calls Coder",
        "agent engine Coder --provider built-in",
        "agent engines",
        "guard show general",
        "guard reset general",
        "person create Mara",
        "person list",
        "person token Mara",
        "person link Mara",
        "person password Mara",
        "token create --role read-only --expires 30d",
        "token list --member Coder",
        "token revoke tok_1",
        "token renew",
        "invite --role read-only --uses 3 --expires 2d",
        "invite list",
        "invite revoke inv_1",
        "key rotate",
        "audit list --actor Mara --action messaging.posted --result refused",
        "audit export --after 7",
        "audit verify",
        "import pynchy messages.db --channel general --dry-run --lenient --repair-encoding",
        "import caco folder --events events",
        "export tkr messages.jsonl --channel general --channel deck --force",
        "hook install claude-code --scope project --agent Coder --yes",
        "hook uninstall cursor --yes",
    ];

    #[test]
    fn every_client_command_takes_json_and_the_settings_of_clients() {
        for words in LINES {
            let line = format!("{words} --json --url http://127.0.0.1:1 --project Tour");
            let words: Vec<_> = line.split(' ').collect();
            assert!(parsed(&words).is_ok(), "{line}");
        }
    }

    #[test]
    fn every_command_has_a_help_with_an_example() {
        fn check(command: &clap::Command) {
            let is_leaf = !command.has_subcommands();
            let help = command.clone().render_long_help().to_string();
            assert!(!is_leaf || command.is_hide_set() || help.contains("Example"), "{}", command.get_name());
            command.get_subcommands().filter(|command| !command.is_hide_set()).for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn no_help_is_broken_into_lines_by_hand() {
        /// A terminal breaks what is longer; so a line that is, is a whole paragraph.
        const LINE_CHARS_MAX: usize = 80;
        const EXAMPLE_CHARS_MAX: usize = 100;
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<_> = help.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let (chars, next) = (line.chars().count(), lines.get(at + 1).copied().unwrap_or_default());
                let is_cut = chars > LINE_CHARS_MAX && !next.is_empty() && !next.starts_with(' ');
                let is_whole = if line.starts_with(' ') { chars <= EXAMPLE_CHARS_MAX } else { !is_cut };
                assert!(is_whole, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn marks_that_contradict_each_other_are_a_wrong_call() {
        assert!(parsed(&["history", "general", "--before", "7"]).is_ok());
        for words in [&["--before", "7", "--since", "3"][..], &["--all", "--limit", "3"], &["--limit", "many"]] {
            assert!(parsed(&[&["history", "general"], words].concat()).is_err(), "{words:?}");
        }
    }

    #[test]
    fn an_answer_is_given_in_one_way_only() {
        for words in ["msg_1", "msg_1 yes --ignore", "msg_1 yes --value 7", "msg_1 --value 7 --ignore", "yes"] {
            let words: Vec<_> = ["answer"].into_iter().chain(words.split(' ')).collect();
            assert_eq!(parsed(&words).expect_err("wrong").exit_code(), 2, "{words:?}");
        }
    }

    #[test]
    fn names_and_ids_are_tried_before_anything_is_sent() {
        for words in [
            &["project", "create", "a/b"][..],
            &["post", "general", "x", "--id", "chn_1"],
            &["tail", "--since", "yesterday"],
            &["answer", "msg_1", "--value", "{"],
            &["ask", "general", "x", "--option", "="],
            &["run", "show", "msg_1"],
            &["run", "injections", "run_1", "--with", "msg_1"],
            &["context", "--agent", "Coder", "--format", "xml"],
            &["context", "--agent", "Coder", "--budget", "many"],
        ] {
            assert_eq!(parsed(words).expect_err("no name").exit_code(), 2, "{words:?}");
        }
    }

    #[test]
    fn wrong_words_are_a_wrong_call() {
        for words in
            [&["pots"][..], &["post"], &["post", "general", "x", "--importance", "huge"], &["history", "a", "--id"]]
        {
            assert_eq!(parsed(words).expect_err("wrong").exit_code(), 2, "{words:?}");
        }
    }
}
