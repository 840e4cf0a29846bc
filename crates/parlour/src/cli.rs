//! The command line: subcommands and their dispatch.

use clap::{CommandFactory, Parser, Subcommand};

use crate::{
    commands::{
        agent, answer, ask, audit, channel, completions, context, convert, deliveries, doctor, export, guard, history,
        hook, import, inbox, invite, join, key, mcp, person, post, project, questions, reference, run, search, serve,
        tail, task, token,
    },
    failure::Failure,
    output::Output,
};

const EXAMPLES: &str = "\
Examples:
  parlour                                 run a hub on http://127.0.0.1:4870, data in ./parlour-data
  parlour post general 'Hello @Coder'     post a message to a channel
  parlour history general                 read the channel
  parlour tail                            follow new events
  parlour agent --name Coder --exec 'claude -p'
                                          run an agent that answers when it is mentioned
  parlour invite                          invite an agent on another machine
  parlour doctor                          check the installation

Client commands need a token in PARLOUR_TOKEN. The hub prints the first token at its first start.";

/// Parlour: a self-hosted messaging hub for people and AI agents
#[derive(Debug, Parser)]
#[command(name = "parlour", version, about, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::ServeCommand,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::ServeCommand),
    Post(post::PostCommand),
    History(history::HistoryCommand),
    Search(search::SearchCommand),
    Inbox(Box<inbox::InboxCommand>),
    Tail(tail::TailCommand),
    Ask(Box<ask::AskCommand>),
    Questions(questions::QuestionsCommand),
    Answer(answer::AnswerCommand),
    Withdraw(answer::WithdrawCommand),
    Deliveries(deliveries::DeliveriesCommand),
    /// Create and list projects
    #[command(subcommand)]
    Project(project::ProjectCommand),
    /// Create, list and manage channels
    #[command(subcommand)]
    Channel(channel::ChannelCommand),
    Agent(Box<agent::AgentCommand>),
    Context(Box<context::ContextCommand>),
    Mcp(mcp::McpCommand),
    /// List and control runs of agents, or drive a run from a script
    #[command(subcommand)]
    Run(run::RunCommand),
    /// Show the timeline of a task
    #[command(subcommand)]
    Task(task::TaskCommand),
    /// Show and reset the loop guard
    #[command(subcommand)]
    Guard(guard::GuardCommand),
    /// Add and list people, and set up their sign-in
    #[command(subcommand)]
    Person(person::PersonCommand),
    Invite(invite::InviteCommand),
    Join(join::JoinCommand),
    /// Issue, list, renew and revoke tokens
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Rotate the key that signs tokens
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// List, export and verify the audit log
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    Import(Box<import::ImportCommand>),
    Export(export::ExportCommand),
    Convert(convert::ConvertCommand),
    Hook(hook::HookCommand),
    Doctor(doctor::DoctorCommand),
    Completions(completions::CompletionsCommand),
    /// Print documents that are generated from the code
    #[command(subcommand, hide = true)]
    Reference(reference::ReferenceCommand),
}

impl Cli {
    /// Runs the subcommand; without one, the hub.
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
            Command::Completions(command) => command.run(&mut Self::command()),
            Command::Reference(command) => command.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from([&["parlour"], words].concat())
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_default_command_is_serve() {
        assert!(parsed(&[]).expect("nothing").command.is_none());
        assert!(parsed(&["--data", "x"]).expect("a flag of serve").command.is_none());
    }

    /// One command line for each client command, with its own flags.
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
    fn every_client_command_accepts_json_and_the_client_settings() {
        for words in LINES {
            let line = format!("{words} --json --url http://127.0.0.1:1 --project Tour");
            let words: Vec<_> = line.split(' ').collect();
            assert!(parsed(&words).is_ok(), "{line}");
        }
    }

    #[test]
    fn completion_scripts_of_all_shells_name_every_visible_subcommand() {
        let cli = Cli::command();
        let visible: Vec<_> =
            cli.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name()).collect();
        assert!(visible.contains(&"post") && visible.contains(&"completions"), "{visible:?}");
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let Some(Command::Completions(command)) = parsed(&["completions", shell]).expect(shell).command else {
                panic!("{shell}: another command was parsed");
            };
            let script = command.run(&mut Cli::command()).expect(shell).text;
            let missing: Vec<_> = visible.iter().filter(|name| !script.contains(**name)).collect();
            assert!(missing.is_empty(), "{shell}: {missing:?}");
            assert!(script.contains("confirm-wide"), "{shell}: a flag of post is missing");
        }
        assert_eq!(parsed(&["completions", "cmd"]).expect_err("no such shell").exit_code(), 2);
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
    fn help_texts_contain_no_manual_line_breaks() {
        /// Longer lines are wrapped by the terminal, so each of them must be a whole paragraph.
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
    fn contradicting_history_options_are_a_usage_error() {
        assert!(parsed(&["history", "general", "--before", "7"]).is_ok());
        for words in [&["--before", "7", "--since", "3"][..], &["--all", "--limit", "3"], &["--limit", "many"]] {
            assert!(parsed(&[&["history", "general"], words].concat()).is_err(), "{words:?}");
        }
    }

    #[test]
    fn an_answer_has_exactly_one_form() {
        for words in ["msg_1", "msg_1 yes --ignore", "msg_1 yes --value 7", "msg_1 --value 7 --ignore", "yes"] {
            let words: Vec<_> = ["answer"].into_iter().chain(words.split(' ')).collect();
            assert_eq!(parsed(&words).expect_err("wrong").exit_code(), 2, "{words:?}");
        }
    }

    #[test]
    fn invalid_names_and_ids_are_refused_before_sending() {
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
    fn invalid_arguments_are_a_usage_error() {
        for words in
            [&["pots"][..], &["post"], &["post", "general", "x", "--importance", "huge"], &["history", "a", "--id"]]
        {
            assert_eq!(parsed(words).expect_err("wrong").exit_code(), 2, "{words:?}");
        }
    }
}
