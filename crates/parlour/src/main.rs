//! Parlour: the hub and its command line in one binary.
//!
//! The binary contains no logic: it reads settings, connects the adapters to the hub, and calls the client. See
//! `parlour-hub` for the services, `parlour-server` for the protocols and `parlour-agent` for the client.

mod choices;
mod cli;
mod commands;
mod data_folder;
mod failure;
mod folder_lock;
mod hosting;
mod lifetime;
mod output;
mod profiles;
mod resolve;
mod session;
mod settings;

use std::{env, io::Write, process::ExitCode};

use crate::{cli::Cli, failure::Failure, output::Output};

/// Writes the output of the command to stdout or its error to stderr, and returns its exit code.
fn main() -> ExitCode {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let words: Vec<_> = env::args_os().collect();
    let is_json = cli::has_json_flag(&words);
    match Cli::parse_words(words).map_or_else(|error| report_parse_error(&error, is_json), run) {
        Ok(output) => {
            output.write();
            ExitCode::from(output.exit)
        }
        Err(failure) => {
            let text = if is_json { failure.json() } else { failure.to_string() };
            // stderr may be closed; the exit code is still set.
            let _ = writeln!(std::io::stderr(), "{text}");
            ExitCode::from(failure.exit)
        }
    }
}

fn run(cli: Cli) -> Result<Output, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::broken("start the async runtime", &error))?.block_on(cli.run())
}

/// Help and version are output; an invalid command line is a failure, which clap formats unless JSON is wanted.
fn report_parse_error(error: &clap::Error, is_json: bool) -> Result<Output, Failure> {
    if is_json && error.use_stderr() {
        return Err(cli::parse_failure(error));
    }
    let _ = error.print();
    let exit = u8::try_from(error.exit_code()).unwrap_or(failure::EXIT_USAGE);
    Ok(Output { exit, ..Output::default() })
}
