//! The evaluation of the context engine, in release: its speed is one of the figures.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::command::run;
use crate::workspace::Workspace;

/// What makes the tables.
const MAKER: [&str; 8] = ["run", "--quiet", "--release", "--package", "parlour-context", "--example", "eval", "--"];

/// Makes all tables from the data in this folder; `arguments` go to the evaluation as they are.
pub(crate) fn measure(workspace: &Workspace, data: Option<&Path>, arguments: &[String]) -> Result<()> {
    run(&mut eval_command(workspace, data, arguments))
}

fn eval_command(workspace: &Workspace, data: Option<&Path>, arguments: &[String]) -> Command {
    let mut command = workspace.cargo(&MAKER);
    // Cargo runs in the checkout, the folder was typed elsewhere.
    if let Some(folder) = data.map(|data| std::path::absolute(data).unwrap_or_else(|_| PathBuf::from(data))) {
        command.arg("--data").arg(folder);
    }
    command.args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::line_of;

    #[test]
    fn the_evaluation_is_an_example_of_the_context_engine() {
        let folder = Workspace::find().root().join("crates/parlour-context/examples").join(MAKER[6]);
        assert!(folder.join("main.rs").is_file());
    }

    #[test]
    fn the_folder_and_further_arguments_reach_the_evaluation() {
        let arguments = ["--only".to_owned(), "locomo".to_owned()];
        let command = eval_command(&Workspace::find(), Some(Path::new("/data")), &arguments);
        assert!(line_of(&command).ends_with("--example eval -- --data /data --only locomo"));
    }

    #[test]
    fn a_folder_counts_from_where_it_was_typed() {
        let command = eval_command(&Workspace::find(), Some(Path::new("data")), &[]);
        assert!(command.get_args().last().is_some_and(|folder| Path::new(folder).is_absolute()));
    }
}
