//! The evaluation of the context engine, in release because its speed is one of the figures, and of packs as a hub ships
//! them, where it is not.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::command::run;
use crate::workspace::Workspace;

/// The example that computes the tables.
const MAKER: [&str; 8] = ["run", "--quiet", "--release", "--package", "parlour-context", "--example", "eval", "--"];
/// The example that measures packs as a hub ships them.
const SHIPPED_MAKER: [&str; 7] = ["run", "--quiet", "--package", "parlour-hub", "--example", "shipped_packs", "--"];
/// The argument that is followed by a file.
const JSON: &str = "--json";

/// Computes all tables from the data in this folder; `arguments` are passed to the evaluation.
pub(crate) fn measure(workspace: &Workspace, shipped: bool, data: Option<&Path>, arguments: &[String]) -> Result<()> {
    let maker: &[&str] = if shipped { &SHIPPED_MAKER } else { &MAKER };
    run(&mut eval_command(workspace, maker, data, arguments))
}

fn eval_command(workspace: &Workspace, maker: &[&str], data: Option<&Path>, arguments: &[String]) -> Command {
    let mut command = workspace.cargo(maker);
    if let Some(data) = data {
        command.arg("--data").arg(absolute(data));
    }
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        command.arg(word);
        if word == JSON {
            command.args(words.next().map(|file| absolute(Path::new(file))));
        }
    }
    command
}

/// Resolves paths against the current folder, because cargo runs in the checkout.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::line_of;

    #[test]
    fn the_evaluations_are_examples() {
        let folder = Workspace::find().root().join("crates/parlour-context/examples").join(MAKER[6]);
        assert!(folder.join("main.rs").is_file());
        let shipped = Workspace::find().root().join("crates/parlour-hub/examples").join(SHIPPED_MAKER[5]);
        assert!(shipped.join("main.rs").is_file());
    }

    #[test]
    fn the_folder_and_further_arguments_reach_the_evaluation() {
        let arguments = ["--only".to_owned(), "locomo".to_owned()];
        let command = eval_command(&Workspace::find(), &MAKER, Some(Path::new("/data")), &arguments);
        assert!(line_of(&command).ends_with("--example eval -- --data /data --only locomo"));
    }

    #[test]
    fn a_relative_data_folder_starts_at_the_current_folder() {
        let command = eval_command(&Workspace::find(), &MAKER, Some(Path::new("data")), &[]);
        assert!(command.get_args().last().is_some_and(|folder| Path::new(folder).is_absolute()));
    }

    #[test]
    fn a_relative_output_file_starts_at_the_current_folder() {
        let arguments = [JSON, "tables.json", "--only", "locomo"].map(str::to_owned);
        let command = eval_command(&Workspace::find(), &MAKER, None, &arguments);
        let typed: Vec<&Path> = command.get_args().skip(MAKER.len()).map(Path::new).collect();
        let [json, file, only, locomo] = typed[..] else { panic!("{typed:?}") };
        assert_eq!([json, only, locomo], [JSON, "--only", "locomo"].map(Path::new));
        assert!(file.is_absolute() && file.ends_with("tables.json"));
    }
}
