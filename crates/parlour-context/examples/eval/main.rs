//! The evaluation of the context engine: `cargo xtask eval --data DIR`.
//!
//! Prints one table after the other, as text, and with `--json FILE` all of them as JSON too.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it prints is what it is for")]

#[path = "all.rs"]
mod all;
mod arguments;

use std::process::ExitCode;

use crate::{all::TABLES, arguments::Arguments};

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => return failed(&why),
    };
    let mut values = Vec::new();
    for (name, make) in TABLES.iter().filter(|(name, _)| arguments.wants(name)) {
        match make(&arguments.data) {
            Some(table) => {
                println!("{}", table.text());
                values.push(table.json());
            }
            None => println!("{name}: skipped, its data is not in {}\n", arguments.data.display()),
        }
    }
    let Some(file) = &arguments.json else { return ExitCode::SUCCESS };
    match std::fs::write(file, format!("{:#}\n", serde_json::Value::Array(values))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("write {}: {error}", file.display())),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::FAILURE
}
