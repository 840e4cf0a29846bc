//! The benchmarks: release builds of the hub and of the reference programs, compared in one run.

use std::process::Command;

use anyhow::Result;

use crate::command::run;
use crate::workspace::Workspace;

/// The benchmarks of `parlour-bench` that have a goal.
pub(crate) const SUBJECTS: &[&str] =
    &["post", "history", "inbox", "search", "start", "disk", "fanout", "stream", "idle", "stall", "reconnect"];

/// Builds for release and measures one subject or all; `arguments` are passed to `parlour-bench`.
pub(crate) fn measure(workspace: &Workspace, subject: Option<&str>, arguments: &[String]) -> Result<()> {
    // The reference programs are built too, because only ratios of the same run are meaningful.
    run(&mut workspace.cargo(&["build", "--release", "--workspace", "--bins"]))?;
    chosen(subject).iter().try_for_each(|subject| run(&mut bench_command(workspace, subject, arguments)))
}

/// All subjects unless one is named.
fn chosen(subject: Option<&str>) -> Vec<&str> {
    subject.map_or_else(|| SUBJECTS.to_vec(), |only| vec![only])
}

fn bench_command(workspace: &Workspace, subject: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(workspace.built("release", "parlour-bench"));
    command.arg(subject).args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::line_of;

    #[test]
    fn everything_is_measured_unless_one_subject_is_named() {
        assert_eq!(chosen(None), SUBJECTS);
        assert_eq!(chosen(Some("history")), ["history"]);
    }

    #[test]
    fn the_release_build_is_measured() {
        let command = bench_command(&Workspace::at("/checkout".into(), None), "post", &[]);
        assert_eq!(command.get_program(), "/checkout/target/release/parlour-bench");
    }

    #[test]
    fn further_arguments_reach_the_benchmark_as_they_are() {
        let arguments = ["--senders".to_owned(), "8".to_owned()];
        let command = bench_command(&Workspace::find(), "post", &arguments);
        assert_eq!(line_of(&command), "parlour-bench post --senders 8");
    }
}
