//! Parlour: the hub and its command line in one program.
//!
//! The program only wires: it reads settings, names the adapters, and calls the hub or its client. What a hub does
//! stands in `parlour-hub`, how it is reached in `parlour-server`, how it is called in `parlour-agent`.

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

/// Everything a command says goes through here: its answer to stdout, its failure to stderr, its exit code to the caller.
fn main() -> ExitCode {
    // Fails only when there is one already, and there is only this one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(cli.run()),
        Err(error) => Err(Failure::broken("start the threads of the program", &error)),
    };
    match outcome {
        Ok(output) => {
            output.write();
            ExitCode::from(output.exit)
        }
        Err(failure) => {
            // Nobody may be listening on stderr; the exit code still tells.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(failure.exit)
        }
    }
}
