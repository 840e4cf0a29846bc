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
mod resolve;
mod session;
mod settings;

use std::{io::Write, process::ExitCode};

use clap::Parser;

use crate::{cli::Cli, failure::Failure};

/// Writes the output of the command to stdout or its error to stderr, and returns its exit code.
fn main() -> ExitCode {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(cli.run()),
        Err(error) => Err(Failure::broken("start the async runtime", &error)),
    };
    match outcome {
        Ok(output) => {
            output.write();
            ExitCode::from(output.exit)
        }
        Err(failure) => {
            // stderr may be closed; the exit code is still set.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(failure.exit)
        }
    }
}
