//! The developer commands of Parlour, for people and for build machines.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these commands talk to the person who typed them")]

mod agents;
mod api;
mod bench;
mod clients;
mod codegen;
mod command;
mod diff;
mod doc_tests;
mod e2e;
mod eval;
mod hub;
mod mcp;
mod models;
mod npm;
mod one_crypto;
mod python;
mod reference;
mod step;
mod steps;
mod tidy;
mod tools;
mod web;
mod workspace;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::steps::STEPS;
use crate::workspace::Workspace;

/// Developer commands of Parlour.
///
/// `cargo xtask test` is the whole check of a change: it installs what is missing, and is all that a
/// build machine runs.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run the whole check, or only the steps that are named.
    ///
    /// Every step runs, also after a failed one; the summary at the end names what failed and how to repeat it.
    Test {
        /// Steps to run, in the order of the table; without any: all.
        steps: Vec<String>,
        /// Show the steps and what each promises, and run nothing.
        #[arg(long)]
        list: bool,
    },
    /// Format all sources.
    Fmt {
        /// Change nothing; fail when something would change.
        #[arg(long)]
        check: bool,
    },
    /// Run clippy with warnings denied, and the rules of this repository.
    Lint,
    /// Renew the references that are generated from the code: OpenAPI, settings, pages of refusals.
    Docs {
        /// Change nothing; fail with a short difference when a file is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Renew the page's types of the API from `docs/openapi.json`.
    Codegen {
        /// Change nothing; fail with a short difference when they are out of date.
        #[arg(long)]
        check: bool,
    },
    /// Drive the coding agents and renew `docs/coding-agents.md` with the results.
    Agents {
        /// Change nothing; fail when the page shows other results.
        #[arg(long)]
        check: bool,
    },
    /// Build for release and measure the hub against its yardstick.
    Bench {
        /// What to measure; without it: everything.
        #[arg(value_parser = clap::builder::PossibleValuesParser::new(bench::SUBJECTS))]
        subject: Option<String>,
        /// Further arguments for `parlour-bench`, after `--`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Build for release and evaluate the context engine: recall, summaries, redaction, budget, frame, cache, speed.
    Eval {
        /// Measure packs as a hub ships them instead: evidence in their text, fresh and after other packs.
        #[arg(long)]
        shipped: bool,
        /// The folder of the data; tables whose data is not there are skipped.
        #[arg(long)]
        data: Option<PathBuf>,
        /// Further arguments for the evaluation, after `--`: `--json FILE`, `--only NAME`, `--packs N`; of shipped packs:
        /// `--json FILE`, `--only PART`, `--conversations N`, `--every N`, `--budgets N,N`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

/// A failure is one line and an exit code, without a backtrace: the output of the command is above.
fn main() -> ExitCode {
    match run(Cli::parse().task, Workspace::find()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Calls the module of each command.
fn run(task: Task, workspace: Workspace) -> Result<()> {
    let is_whole_check = matches!(&task, Task::Test { steps, .. } if steps.is_empty());
    let workspace = &if is_whole_check { workspace.built_once() } else { workspace };
    match task {
        Task::Test { list: true, .. } => {
            print!("{}", step::list(STEPS));
            Ok(())
        }
        Task::Test { steps, list: false } => step::run_all(&step::select(STEPS, &steps)?, workspace, &mut io::stdout()),
        Task::Fmt { check: true } => steps::check_format(workspace),
        Task::Fmt { check: false } => steps::format(workspace),
        Task::Lint => steps::lint(workspace),
        Task::Docs { check: true } => reference::check(workspace),
        Task::Docs { check: false } => reference::write(workspace),
        Task::Codegen { check: true } => codegen::check(workspace),
        Task::Codegen { check: false } => codegen::write(workspace),
        Task::Agents { check: true } => agents::check(workspace),
        Task::Agents { check: false } => agents::write(workspace),
        Task::Bench { subject, arguments } => bench::measure(workspace, subject.as_deref(), &arguments),
        Task::Eval { shipped, data, arguments } => eval::measure(workspace, shipped, data.as_deref(), &arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parsed(line: &str) -> Option<Task> {
        Cli::try_parse_from(line.split(' ')).ok().map(|cli| cli.task)
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn steps_are_named_after_the_command() {
        let Some(Task::Test { steps, list }) = parsed("xtask test fmt lint") else { panic!("not a test command") };
        assert_eq!((steps, list), (vec!["fmt".to_owned(), "lint".to_owned()], false));
    }

    #[test]
    fn an_unknown_subject_cannot_be_measured() {
        assert!(parsed("xtask bench nothing").is_none());
        assert!(parsed("xtask bench history").is_some());
    }

    #[test]
    fn arguments_after_two_dashes_go_to_the_benchmark() {
        let Some(Task::Bench { subject, arguments }) = parsed("xtask bench -- --senders 8") else {
            panic!("not a bench command")
        };
        assert_eq!((subject, arguments), (None, vec!["--senders".to_owned(), "8".to_owned()]));
    }

    #[test]
    fn every_command_has_a_help_text() {
        assert!(Cli::command().get_subcommands().all(|command| command.get_about().is_some()));
    }
}
