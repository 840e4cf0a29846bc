//! The evaluation of the context engine: `cargo xtask eval --data DIR`.
//!
//! Prints one table after the other, as text, and with `--json FILE` all of them as JSON too.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it prints is what it is for")]

#[path = "all.rs"]
mod all;
mod arguments;

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use crate::{
    all::{TABLES, skipped::Skipped},
    arguments::Arguments,
};

fn main() -> ExitCode {
    match Arguments::read(std::env::args().skip(1)).and_then(|arguments| evaluate(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn evaluate(arguments: &Arguments) -> Result<(), String> {
    let json = arguments.json.as_deref();
    // The tables take minutes: a file that cannot be written is told before.
    json.map_or(Ok(()), open_for_writing)?;
    let tables = print_tables(arguments);
    json.map_or(Ok(()), |file| fs::write(file, format!("{tables:#}\n")).map_err(|error| cannot_write(file, &error)))
}

/// Prints the tables that are wanted, one by one as they are made, and answers them as JSON.
fn print_tables(arguments: &Arguments) -> Value {
    let wanted = TABLES.iter().filter(|(name, _)| arguments.wants(name));
    let made = wanted.map(|(name, make)| {
        let (text, json) = match make(&arguments.data) {
            Some(table) => (table.text(), table.json()),
            None => {
                let skipped = Skipped::new(name, &arguments.data);
                (skipped.text(), skipped.json())
            }
        };
        println!("{text}");
        json
    });
    made.collect()
}

/// Keeps what the file has: an evaluation that is broken off has nothing to put in its place.
fn open_for_writing(file: &Path) -> Result<(), String> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(file);
    opened.map(drop).map_err(|error| cannot_write(file, &error))
}

fn cannot_write(file: &Path, error: &std::io::Error) -> String {
    format!("write {}: {error}", file.display())
}
