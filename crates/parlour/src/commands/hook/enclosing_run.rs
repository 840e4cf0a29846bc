//! Detects that this process was started by the command of a runner (`parlour agent --exec`).
//!
//! Hooks are installed per user or folder, so they also run inside such a command, which works for another agent. There
//! they must be silent: the runner delivers the messages of its agent itself.
//!
//! The runner sets [`COMMAND_VARIABLES`] for its command; one of them is enough. A command that clears its whole
//! environment is recognised by its ancestor processes, on systems with `/proc`.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::Path,
};

use parlour_agent::engines::COMMAND_VARIABLES;

use crate::cli;

/// The most ancestors that are inspected.
const ANCESTORS_MAX: usize = 64;
/// The kernel appends it to the path of a program that was replaced while it runs.
const DELETED: &str = " (deleted)";

/// The run of an agent that this process belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EnclosingRun {
    /// The name of the agent; unknown if the command cleared its environment.
    pub(super) agent: Option<String>,
}

impl EnclosingRun {
    /// The run that this process belongs to, if any.
    pub(crate) fn find() -> Option<Self> {
        Self::of_variables(env::vars_os()).or_else(|| ancestors().find_map(|process| process.enclosing_run()))
    }

    fn of_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Option<Self> {
        let is_of_run = |name: &OsStr| COMMAND_VARIABLES.iter().any(|variable| name == *variable);
        let mut found: Option<Self> = None;
        for (name, value) in variables.into_iter().filter(|(name, value)| is_of_run(name) && !value.is_empty()) {
            let run = found.get_or_insert(Self { agent: None });
            if name == "PARLOUR_AGENT" {
                run.agent = value.into_string().ok();
            }
        }
        found
    }

    /// How an error names the run.
    pub(crate) fn label(&self) -> String {
        self.agent.as_ref().map_or_else(|| "a run of another agent".to_owned(), |name| format!("a run of agent {name}"))
    }
}

/// An ancestor of this process.
struct Ancestor {
    program: Option<String>,
    arguments: Vec<String>,
    variables: Vec<(OsString, OsString)>,
}

impl Ancestor {
    fn enclosing_run(self) -> Option<EnclosingRun> {
        let is_runner = self.is_runner();
        EnclosingRun::of_variables(self.variables).or_else(|| is_runner.then_some(EnclosingRun { agent: None }))
    }

    /// Whether it is `parlour agent`: its descendants are the commands that it runs.
    fn is_runner(&self) -> bool {
        let own = env::current_exe().ok().and_then(|path| file_name(&path));
        self.program.is_some() && self.program == own && cli::first_command(&self.arguments) == Some("agent")
    }

    fn read(pid: u32) -> Self {
        let folder = Path::new("/proc").join(pid.to_string());
        let list = |name: &str| {
            let text = fs::read(folder.join(name)).unwrap_or_default();
            let parts = text.split(|byte| *byte == 0).filter(|part| !part.is_empty());
            parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect::<Vec<_>>()
        };
        let variable = |text: String| text.split_once('=').map(|(name, value)| (name.into(), value.into()));
        Self {
            program: fs::read_link(folder.join("exe")).ok().and_then(|path| file_name(&path)),
            arguments: list("cmdline"),
            variables: list("environ").into_iter().filter_map(variable).collect(),
        }
    }
}

fn file_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    Some(name.strip_suffix(DELETED).unwrap_or(name).to_owned())
}

/// The ancestors of this process, nearest first; none on systems without `/proc`.
fn ancestors() -> impl Iterator<Item = Ancestor> {
    let parents = std::iter::successors(parent_of("self"), |pid| parent_of(&pid.to_string()));
    parents.take(ANCESTORS_MAX).map(Ancestor::read)
}

fn parent_of(process: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()?;
    (parent > 0).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_of(variables: &[(&str, &str)]) -> Option<EnclosingRun> {
        EnclosingRun::of_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn one_variable_of_a_run_is_enough_and_settings_of_clients_are_not() {
        let builder = Some(EnclosingRun { agent: Some("Builder".into()) });
        assert_eq!(run_of(&[("PARLOUR_RUN_ID", "run_1"), ("PARLOUR_AGENT", "Builder")]), builder);
        for name in COMMAND_VARIABLES.into_iter().filter(|name| *name != "PARLOUR_AGENT") {
            assert_eq!(run_of(&[(name, "x")]), Some(EnclosingRun { agent: None }), "{name}");
        }
        assert_eq!(run_of(&[("PARLOUR_TOKEN", "x"), ("PARLOUR_URL", "x"), ("PARLOUR_AGENT", "")]), None);
    }

    #[test]
    fn only_the_agent_command_of_this_program_is_a_runner() {
        let own = file_name(&env::current_exe().expect("a program"));
        let process = |program: Option<String>, line: &str| Ancestor {
            program,
            arguments: line.split(' ').map(str::to_owned).collect(),
            variables: Vec::new(),
        };
        assert!(process(own.clone(), "parlour agent --name Coder").is_runner());
        assert!(process(own.clone(), "parlour --project Apollo --json agent --name Coder").is_runner());
        assert!(!process(own, "parlour serve agent").is_runner());
        assert!(!process(Some("emacs".into()), "emacs agent").is_runner());
        assert_eq!(file_name(Path::new("/bin/parlour (deleted)")), Some("parlour".to_owned()));
    }
}
