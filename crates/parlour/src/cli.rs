//! The command line: subcommands and their dispatch.
//!
//! Connection options may be anywhere: `cli/arguments.rs` moves them behind the last subcommand before clap parses the line.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};

use crate::{
    commands::{
        agent, answer, ask, audit, channel, completions, context, convert, deliveries, doctor, export, guard, history,
        hook, import, inbox, invite, join, key, login, logout, mcp, person, post, profile, project, questions,
        reference, run, search, serve, tail, task, token, whoami,
    },
    failure::Failure,
    output::Output,
};

mod arguments;
mod help;
#[cfg(test)]
mod tests;

pub(crate) use arguments::{first_command, has_json_flag};

/// Parlour: a self-hosted messaging hub for people and AI agents
#[derive(Debug, Parser)]
#[command(name = "parlour", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The definition of the command line, with the grouped help.
fn definition() -> clap::Command {
    let command = Cli::command();
    let help = help::grouped(&command);
    command.override_help(help)
}

/// An invalid command line as an error in one line.
pub(crate) fn parse_failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let lines = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    let reason = lines.collect::<Vec<_>>().join(" ");
    let reason = reason.strip_prefix("error: ").unwrap_or(&reason);
    Failure::usage(reason).hint("run the command with --help")
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::ServeCommand>),
    Login(Box<login::LoginCommand>),
    Logout(logout::LogoutCommand),
    Whoami(whoami::WhoamiCommand),
    /// List profiles and select the default one
    #[command(subcommand, after_help = "Examples:\n  parlour profile list\n  parlour profile use work")]
    Profile(profile::ProfileCommand),
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
    /// Create, list and select projects
    #[command(subcommand, after_help = "Examples:\n  parlour project create Apollo\n  parlour project use Apollo")]
    Project(project::ProjectCommand),
    /// Create, list and manage channels
    #[command(subcommand, after_help = "Examples:\n  parlour channel list\n  parlour channel create design")]
    Channel(channel::ChannelCommand),
    Agent(Box<agent::AgentCommand>),
    Context(Box<context::ContextCommand>),
    Mcp(mcp::McpCommand),
    /// List and control runs of agents, or drive a run from a script
    #[command(
        subcommand,
        after_help = "Examples:\n  parlour run list --open\n  parlour run cancel run_01KA3V8Q2N7W4T9Y6B5C0D1E2F"
    )]
    Run(run::RunCommand),
    /// Show the timeline of a task
    #[command(subcommand, after_help = "Example:\n  parlour task timeline tsk_01KA3V8Q2N7W4T9Y6B5C0D1E2F")]
    Task(task::TaskCommand),
    /// Show and reset the loop guard
    #[command(subcommand, after_help = "Examples:\n  parlour guard show general\n  parlour guard reset general")]
    Guard(guard::GuardCommand),
    /// Add and list people, and set up their sign-in
    #[command(subcommand, after_help = "Examples:\n  parlour person create Mara\n  parlour person link Mara")]
    Person(person::PersonCommand),
    Invite(invite::InviteCommand),
    Join(join::JoinCommand),
    /// Issue, list, renew and revoke tokens
    #[command(
        subcommand,
        after_help = "Examples:\n  parlour token list\n  parlour token create --role read-only --expires 30d"
    )]
    Token(token::TokenCommand),
    /// Rotate the key that signs tokens
    #[command(subcommand, after_help = "Example:\n  parlour key rotate")]
    Key(key::KeyCommand),
    /// List, export and verify the audit log
    #[command(subcommand, after_help = "Examples:\n  parlour audit list --actor Mara\n  parlour audit verify")]
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
    /// Parses a command line, the name of the program first. Without a command it is `serve`.
    pub(crate) fn parse_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let definition = definition();
        let words = arguments::normalised(words, &definition);
        Self::from_arg_matches(&definition.try_get_matches_from(words)?)
    }

    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self.command {
            Command::Serve(command) => command.run().await,
            Command::Login(command) => command.run().await,
            Command::Logout(command) => command.run().await,
            Command::Whoami(command) => command.run().await,
            Command::Profile(command) => command.run(),
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
            Command::Completions(command) => command.run(&mut definition()),
            Command::Reference(command) => command.run(),
        }
    }
}
