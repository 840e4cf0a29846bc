//! A check is a list of named steps: each is announced, timed, and can be repeated alone.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::workspace::Workspace;

/// One part of `cargo xtask test`.
#[derive(Debug)]
pub(crate) struct Step {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The statement that is true when it passes.
    pub(crate) promise: &'static str,
    /// Does the work; its output is streamed.
    pub(crate) run: fn(&Workspace) -> Result<()>,
}

/// The steps with these names in table order; all steps without names.
pub(crate) fn select<'a>(steps: &'a [Step], names: &[String]) -> Result<Vec<&'a Step>> {
    for name in names {
        ensure!(steps.iter().any(|step| step.name == name), "unknown step `{name}`; steps: {}", names_of(steps));
    }
    let is_chosen = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(steps.iter().filter(is_chosen).collect())
}

/// The printed table of steps.
pub(crate) fn list(steps: &[Step]) -> String {
    steps.iter().map(|step| format!("{:<8} {}\n", step.name, step.promise)).collect()
}

/// Runs every step, also after a failure, so that one run reports all failures; then prints a summary.
pub(crate) fn run_all(steps: &[&Step], workspace: &Workspace, out: &mut impl Write) -> Result<()> {
    let mut reports = Vec::with_capacity(steps.len());
    for step in steps {
        reports.push(run_one(step, workspace, out)?);
    }
    write!(out, "\n{}", summary(&reports))?;
    let failed: Vec<_> = reports.iter().filter(|report| !report.has_passed).map(|report| report.name).collect();
    if !failed.is_empty() {
        bail!("{} failed; repeat with: cargo xtask test {}", failed.join(", "), failed.join(" "));
    }
    Ok(())
}

#[derive(Debug)]
struct Report {
    name: &'static str,
    has_passed: bool,
    took: Duration,
}

/// Prints an error of the step immediately; an error of `out` ends the run.
fn run_one(step: &Step, workspace: &Workspace, out: &mut impl Write) -> Result<Report> {
    writeln!(out, "\n=== {}: {}", step.name, step.promise)?;
    out.flush()?;
    let started = Instant::now();
    let result = (step.run)(workspace);
    if let Err(error) = &result {
        writeln!(out, "\nstep `{0}` failed: {error:#}\nrepeat it with: cargo xtask test {0}", step.name)?;
    }
    Ok(Report { name: step.name, has_passed: result.is_ok(), took: started.elapsed() })
}

/// The final summary: duration and result of each step.
fn summary(reports: &[Report]) -> String {
    let line = |report: &Report| {
        let verdict = if report.has_passed { "ok" } else { "FAILED" };
        format!("{:<8} {verdict:<6} {:>7.1} s\n", report.name, report.took.as_secs_f64())
    };
    let total: Duration = reports.iter().map(|report| report.took).sum();
    let lines: String = reports.iter().map(line).collect();
    format!("=== summary\n{lines}{:<15} {:>7.1} s\n", "together", total.as_secs_f64())
}

/// The known names, for the error about an unknown one.
fn names_of(steps: &[Step]) -> String {
    steps.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[Step] = &[
        Step { name: "fmt", promise: "sources are formatted", run: |_| Ok(()) },
        Step { name: "lint", promise: "no warnings", run: |_| bail!("two warnings") },
        Step { name: "test", promise: "tests pass", run: |_| Ok(()) },
    ];

    fn selected(names: &[&str]) -> Result<Vec<&'static str>> {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        Ok(select(STEPS, &names)?.iter().map(|step| step.name).collect())
    }

    fn run_named(names: &[&str]) -> (Result<()>, String) {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        let steps = select(STEPS, &names).expect("the test names known steps");
        let mut out = Vec::new();
        let result = run_all(&steps, &Workspace::find(), &mut out);
        (result, String::from_utf8(out).expect("headings are text"))
    }

    #[test]
    fn without_names_every_step_is_chosen() -> Result<()> {
        assert_eq!(selected(&[])?, ["fmt", "lint", "test"]);
        Ok(())
    }

    #[test]
    fn named_steps_run_in_the_order_of_the_table() -> Result<()> {
        assert_eq!(selected(&["test", "fmt"])?, ["fmt", "test"]);
        Ok(())
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let message = selected(&["tset"]).map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(message, "unknown step `tset`; steps: fmt, lint, test");
    }

    #[test]
    fn the_list_describes_each_step() {
        assert!(list(STEPS).starts_with("fmt      sources are formatted\nlint     no warnings\n"));
    }

    #[test]
    fn each_step_has_a_heading() {
        let (_, out) = run_named(&["fmt"]);
        assert!(out.contains("=== fmt: sources are formatted\n"), "{out}");
    }

    #[test]
    fn a_failed_step_shows_its_error_and_how_to_repeat_it() {
        let (_, out) = run_named(&["lint"]);
        assert!(out.contains("step `lint` failed: two warnings\nrepeat it with: cargo xtask test lint\n"), "{out}");
    }

    #[test]
    fn steps_after_a_failed_one_still_run() {
        let (_, out) = run_named(&[]);
        assert!(out.contains("=== test: tests pass"), "{out}");
    }

    #[test]
    fn one_failed_step_fails_the_whole_run() {
        let message = run_named(&[]).0.map_or_else(|error| error.to_string(), |()| String::new());
        assert_eq!(message, "lint failed; repeat with: cargo xtask test lint");
    }

    #[test]
    fn a_run_without_failures_is_a_success() {
        assert!(run_named(&["fmt", "test"]).0.is_ok());
    }

    #[test]
    fn the_summary_lists_every_step_with_its_time() {
        let reports = [
            Report { name: "fmt", has_passed: true, took: Duration::from_millis(1_240) },
            Report { name: "lint", has_passed: false, took: Duration::from_secs(61) },
        ];
        let expected = "=== summary\nfmt      ok         1.2 s\nlint     FAILED    61.0 s\ntogether           62.2 s\n";
        assert_eq!(summary(&reports), expected);
    }
}
