//! The evaluation of packs as the hub ships them: `cargo xtask eval --shipped --data DIR`.
//!
//! Posts conversations of LoCoMo into a real hub over SQLite, requests packs as an agent does, parses their text, and
//! counts the evidence in it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it prints is what it is for")]

mod arguments;
mod conversation;
#[path = "../../../parlour-context/examples/eval/dialogue.rs"]
mod dialogue;
#[allow(dead_code, reason = "the evaluation of the engine uses the rest")]
#[path = "../../../parlour-context/examples/eval/recall.rs"]
mod recall;
#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "../../../parlour-context/examples/eval/table.rs"]
mod table;
mod tables;

use std::process::ExitCode;

use serde_json::Value;

use crate::{arguments::Arguments, table::Table};

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => evaluate(&arguments).await,
        Err(why) => Err(why),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn evaluate(arguments: &Arguments) -> Result<(), String> {
    let dialogues = dialogue::read_locomo(&arguments.data);
    let mut dialogues = dialogues.ok_or_else(|| format!("there is no locomo-dev.json in {:?}", arguments.data))?;
    dialogues.truncate(arguments.conversations_max);
    let tables = tables::measure(&dialogues, &arguments.extent, |done| eprintln!("{done}")).await;
    tables.iter().for_each(|table| println!("{}", table.text()));
    let Some(file) = &arguments.json else { return Ok(()) };
    let json: Value = tables.iter().map(Table::json).collect();
    std::fs::write(file, format!("{json:#}\n")).map_err(|error| format!("write {}: {error}", file.display()))
}
